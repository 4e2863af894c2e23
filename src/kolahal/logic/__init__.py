"""Linear forms and formulas, exact simplex, and the one door to the solvers."""
