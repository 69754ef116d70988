"""Claude Code in a terminal, with hooks that tell the engine what it does and wait for the engine's answers.

Each attempt gets a settings file of its own (``--settings``); the user's own files are never touched. What depends on
the version of the CLI stands in this package and in the screen patterns, nowhere else.
"""
