"""Source → IR: Python text is parsed and never imported or executed."""
