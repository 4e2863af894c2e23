"""Where people work: what is to be said of a file while it is being written, and the servers that say it."""
