"""Files that are copied into programs for users, and tested as Python here."""
