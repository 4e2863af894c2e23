"""Symbols are compared by identity, so there must never be two of them for one variable."""

from __future__ import annotations

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from kolahal.logic import terms
from kolahal.logic.terms import INT, REAL, Symbol
from kolahal.proof.trusted.symbols import Computed, Own, own


@pytest.mark.parametrize("symbol", [Symbol("x", INT), own("x", 1, REAL, ".a"), Computed("x@1", REAL, "x", 1, "", 3)])
def test_however_it_is_made_it_is_the_same_one(symbol: Symbol) -> None:
    parts = [getattr(symbol, name) for name in symbol.__match_args__]
    assert type(symbol)(*parts) is symbol
    assert type(symbol)(parts[0], **dict(zip(symbol.__match_args__[1:], parts[1:], strict=True))) is symbol
    assert replace(symbol) is symbol and copy.deepcopy(symbol) is symbol and pickle.loads(pickle.dumps(symbol)) is symbol


def test_what_differs_in_anything_is_another_one() -> None:
    assert len({Symbol("x@1", INT), Symbol("x@1", REAL), own("x", 1, INT), Computed("x@1", INT, "x", 1, "", 0)}) == 4
    assert Symbol("x@1", INT) != own("x", 1, INT) and Own("a", INT, "a", 1, "") != Own("a", INT, "a", 2, "")


def test_many_threads_get_one() -> None:
    with ThreadPoolExecutor(8) as pool:
        for place in range(200):
            made = list(pool.map(lambda _, place=place: Symbol(f"seldom.{place}", INT), range(8)))
            assert len(set(map(id, made))) == 1


def test_what_nobody_holds_is_not_kept() -> None:
    before = len(terms._KNOWN)
    made = [Symbol(f"held.{place}", INT) for place in range(100)]
    assert len(terms._KNOWN) >= before + len(made)
    del made
    gc.collect()
    assert len(terms._KNOWN) <= before


def test_a_wrong_number_of_parts_is_refused() -> None:
    with pytest.raises(TypeError):
        Symbol("x")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Symbol("x", INT, 1)  # type: ignore[call-arg]
