"""The engine: runs agents, sees when one needs a human, freezes it, and delivers what the user decided."""
