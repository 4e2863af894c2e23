"""How many examples property tests look at: some in `make test`, all in `make thorough`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

ALL = os.environ.get("KOLAHAL_EXAMPLES") == "all"


def some(every: int, quick: int) -> settings:
    return settings(max_examples=every if ALL else quick)


def examples(every: int, quick: int) -> Callable[[Any], Any]:
    """A test that `make thorough` runs again, with every example."""
    return lambda test: pytest.mark.examples(some(every, quick)(test))
