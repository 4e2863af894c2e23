"""From a verdict to a private program that stands alone."""
