"""What raises a gate: pure readers of commands and screens."""
