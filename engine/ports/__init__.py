"""Protocols between the layers: each fits on a screen and has a fake for tests."""
