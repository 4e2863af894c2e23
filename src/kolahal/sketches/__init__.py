"""The gallery. Its files are read as text like a stranger's; none of them is ever imported."""
