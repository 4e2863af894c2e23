"""The ways from a sketch to judged completions; each can be read from top to bottom."""
