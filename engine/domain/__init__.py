"""The nouns of Conduit, as plain frozen values. Nothing here touches a file, a process or a clock."""
