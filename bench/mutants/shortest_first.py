"""A plugin of pytest for mutants, most of which die at once: first the tests that killed other mutants of the same function, then those
that see most, then in the order of the time they took."""

from __future__ import annotations

import gc
import json
import os
from functools import cache
from pathlib import Path

import pytest

SEES_MOST = "test_obligations.py"
STATISTICS = Path("mutmut-stats.json")  # in the folder where mutants are tested
KILLERS = Path("killers")  # a file for each function, with a line for each mutant that was killed


@cache
def seconds() -> dict[str, float]:
    return json.loads(STATISTICS.read_text())["duration_by_test"] if STATISTICS.exists() else {}


def killers() -> Path | None:
    """Where the tests stand that killed mutants of the function that is changed now."""
    function, _, number = os.environ.get("MUTANT_UNDER_TEST", "").rpartition("__mutmut_")
    return KILLERS / function if number.isdigit() else None


def pytest_configure() -> None:
    gc.freeze()  # each mutant has a copy of the process, and looking for garbage in all that is loaded takes longer than tests


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    path = killers()
    killed = set(path.read_text().splitlines()) if path is not None and path.exists() else set()
    items.sort(key=lambda item: (item.nodeid not in killed, SEES_MOST not in item.nodeid, seconds().get(item.nodeid, 0.0)))
    for item in items:
        item._nodeid = item.nodeid  # mutmut 3.8 looks for it there, and pytest 9.1 has moved it


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    path = killers()
    if report.failed and path is not None:
        KILLERS.mkdir(exist_ok=True)
        with path.open("a") as file:
            file.write(f"{report.nodeid}\n")
