"""Databases and arguments that are worth trying."""
