"""How fast the parts of kolahal are: `python -m bench [topics]`."""
