"""All runs of a program of fixed size at once: symbolic runs, joined paths, events."""
