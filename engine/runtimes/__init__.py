"""Agents' processes: started, watched, typed at, frozen, ended."""
