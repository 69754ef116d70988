"""The engine over loopback HTTP: routes, tokens, events and the page."""
