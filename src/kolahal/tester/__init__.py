"""Hypothesis tests for privacy violations, and the search for what to test."""
