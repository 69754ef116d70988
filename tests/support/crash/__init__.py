"""A crash test of the whole state: random work, kills at random moments, and a verifier that trusts only files."""
