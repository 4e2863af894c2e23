"""What a sketch says: its text, its meaning as data, and its printed forms. Standard library only."""
