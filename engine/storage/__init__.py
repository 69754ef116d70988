"""State on disk: plain JSON and JSONL under one folder, written so that a crash loses nothing acknowledged."""
