"""Step six: prove or refute."""
