"""Shared by all tests: property tests are the same on every machine and are never judged by the clock."""

from hypothesis import settings

settings.register_profile("kolahal", derandomize=True, deadline=None, database=None)
settings.load_profile("kolahal")
