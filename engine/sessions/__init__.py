"""Lives of agents: what runs, what it does, what waits to be said to it, and what a restart finds."""
