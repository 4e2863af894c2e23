"""Files that are copied into programs for users, and tested as Python here; the reader knows them again."""

from __future__ import annotations

import symtable
from functools import cache
from pathlib import Path

RUNTIME, FINITE, MEASUREMENT, ROWS, ONLINE, BELLS, NORMALS = (
    f"{name}.py" for name in ("runtime", "finite", "measurement", "rows", "online", "bells", "normals")
)
NORMAL_LAW = "../../logic/normal.py"  # which proofs use as well


@cache
def read_template(file: str) -> str:
    return (Path(__file__).parent / file).read_text(encoding="utf-8")


@cache
def names_in(file: str) -> frozenset[str]:
    """Every name that a template takes from its module or from Python."""
    tables = [symtable.symtable(read_template(file), file, "exec")]
    names = set(tables[0].get_identifiers())
    while tables:
        table = tables.pop()
        names.update(symbol.get_name() for symbol in table.get_symbols() if symbol.is_global())
        tables += table.get_children()
    return frozenset(names)
