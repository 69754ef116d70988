"""Commands of ``conduit`` that hear, speak and look after sound."""
