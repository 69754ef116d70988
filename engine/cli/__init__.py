"""Commands of ``conduit`` that talk to the engine or start it; each module is imported only when it is called."""
