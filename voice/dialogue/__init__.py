"""The conversation: what was read, what "it" means, what is undone; decides without touching, acts at one edge."""
