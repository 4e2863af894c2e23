"""The search for counterexamples, and certainty about them."""
