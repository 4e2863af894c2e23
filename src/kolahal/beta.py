"""SciPy's functions around the beta distribution, without the rest of `scipy.special`: that loads a quarter of numpy's
modules for other kinds of arrays, which takes as long as drawing thirty million numbers."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

PACKAGE = "scipy.special"


@cache
def functions() -> Any:
    """Where `betainc`, `betaincinv`, `bdtrik` and `gammaln` are; the same functions whichever way they were found."""
    if PACKAGE in sys.modules:
        return sys.modules[PACKAGE]
    spec = find_spec(PACKAGE)
    stand_in = ModuleType(PACKAGE)
    stand_in.__path__ = list(spec.submodule_search_locations or ()) if spec else []
    sys.modules[PACKAGE] = stand_in
    try:
        return import_module(f"{PACKAGE}._ufuncs")
    except ImportError:  # another version of SciPy keeps them elsewhere
        sys.modules.pop(PACKAGE)
        return import_module(PACKAGE)
    finally:
        if sys.modules.get(PACKAGE) is stand_in:
            del sys.modules[PACKAGE]  # whoever needs the whole package loads it then
