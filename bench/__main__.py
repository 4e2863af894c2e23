"""Runs the topics of this folder that take a minute or so, or those that are named.

A topic is a module with a `main()`; those with `SLOW = True` run only by name.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np


def discover() -> dict[str, Callable[[], None]]:
    """The topics by name, in the order of the alphabet."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    modules = {name: importlib.import_module(f"bench.{name}") for name in names if not name.startswith("_")}
    return {name: module.main for name, module in modules.items() if hasattr(module, "main")}


def main(wanted: list[str]) -> int:
    topics = discover()
    unknown = [name for name in wanted if name not in topics]
    if unknown:
        print(f"no such topic: {', '.join(unknown)}; there are {', '.join(topics)}", file=sys.stderr)
        return 2
    quick = [name for name in topics if not getattr(importlib.import_module(f"bench.{name}"), "SLOW", False)]
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}; one process")
    for name in wanted or quick:
        print(f"\n== {name}")
        topics[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
