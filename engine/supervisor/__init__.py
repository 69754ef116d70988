"""What looks after agents besides their user."""
