"""The voice: ears and mouth at the desk; a client of the engine and nothing more."""
