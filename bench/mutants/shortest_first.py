"""A plugin of pytest for mutants, most of which die at once: first the tests that see most, then in the order of the time they took."""

from __future__ import annotations

import gc
import json
from functools import cache
from pathlib import Path

import pytest

SEES_MOST = "test_obligations.py"
STATISTICS = Path("mutmut-stats.json")  # in the folder where mutants are tested


@cache
def seconds() -> dict[str, float]:
    return json.loads(STATISTICS.read_text())["duration_by_test"] if STATISTICS.exists() else {}


def pytest_configure() -> None:
    gc.freeze()  # each mutant has a copy of the process, and looking for garbage in all that is loaded takes longer than tests


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: (SEES_MOST not in item.nodeid, seconds().get(item.nodeid, 0.0)))
    for item in items:
        item._nodeid = item.nodeid  # mutmut 3.8 looks for it there, and pytest 9.1 has moved it
