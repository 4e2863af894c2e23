"""Event probabilities without sampling: closed forms, quadrature, rigorous intervals."""
