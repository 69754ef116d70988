"""Who asks: tokens, one-time links, the process behind a connection, and what each kind may reach."""
