"""The search for proofs. What it finds is believed only after a re-check."""
