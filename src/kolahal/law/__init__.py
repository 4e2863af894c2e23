"""What privacy costs, as a formula of the scales."""
