"""Results → words. Draws what it is given and computes nothing."""
