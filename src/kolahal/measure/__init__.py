"""How likely, and how sure."""
