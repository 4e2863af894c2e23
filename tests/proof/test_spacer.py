"""Invariants that Z3's Spacer finds by itself are found again by Houdini among them, and make up for templates of ours that are missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.programs import read

from kolahal.lang.claims import plain_claim
from kolahal.logic.spacer import HornClauses
from kolahal.logic.terms import INT, Formula, Symbol, at_most, equal, number, variable
from kolahal.proof.find import lengths
from kolahal.proof.find.cost_candidates import share_formula
from kolahal.proof.find.houdini import Inductive
from kolahal.proof.find.lengths import find_proof, prove_every_length
from kolahal.proof.find.spacer_candidates import spacer_candidates
from kolahal.proof.trusted.product import END, build_system
from kolahal.verdicts import Proved, Unknown

PROGRAMS = {
    "above": """
    t = T + Lap(2/eps)
    for i in range(len(q)):
        if q[i] + Lap(4/eps) >= t:
            return i
    return -1
""",
    "sums": """
    s = 0
    out = []
    for x in q:
        s = s + x + Lap(1/eps)
        out.append(s)
    return out
""",
    "states": """
    t, state = T + Lap(2/eps), 1
    out = []
    for x in q:
        if state == 1:
            if x + Lap(4/eps) < t:
                out.append(0)
            else:
                out.append(1)
                state = 2
    return out
""",
}
RELATIONS = {"above": "each_within(1)", "sums": "one_within(1)", "states": "each_within(1)"}


def program(name: str) -> Any:
    return read(f"@sketch(adjacent={RELATIONS[name]})\ndef f(q: Private, eps: Epsilon, T: float = 0):{PROGRAMS[name]}")


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_it_finds_alone_is_an_invariant(name: str) -> None:
    sketch = program(name)
    found = find_proof(sketch, plain_claim(sketch))
    assert not isinstance(found, str)
    proof, product = found
    for case in proof.cases:
        system = build_system(product, case.neighbours, case.alignment, None, proof.assumed)
        cost = [share_formula(product, case.neighbours, share) for share in case.shares]
        found = Inductive(system, {**spacer_candidates(system, {}, cost), END: tuple(cost)}, 5_000_000)
        found.weaken()
        assert not found.broken_goal() and set(cost) <= set(found.left[END])


def nothing(product: Any, *_: object) -> dict[int, tuple[Formula, ...]]:
    return {place.loop: () for place in product.first.places if place.loop is not None}


def test_it_makes_up_for_missing_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    sketch = program("above")
    monkeypatch.setattr(lengths, "base_candidates", nothing)
    monkeypatch.setattr(lengths, "rich_candidates", nothing)
    assert isinstance(prove_every_length(sketch), Proved)
    monkeypatch.setattr(lengths, "spacer_candidates", lambda *_: {})
    assert isinstance(prove_every_length(sketch), Unknown)


def counting(limit: int) -> Mapping[int, tuple[Formula, ...]]:
    """x starts at 0 and rises by 1 up to `limit`; 11 must not be reached."""
    x = Symbol("x", INT)
    horn = HornClauses({0: (x,)})
    horn.add(None, (), 0, {x: number(0)})
    horn.add(0, (at_most(variable(x), number(limit - 1)),), 0, {x: variable(x) + number(1)})
    horn.add(0, (equal(variable(x), number(11)),), None, {})
    return horn.invariants(1_000_000)


def test_what_is_reached_has_no_invariant() -> None:
    assert counting(12) == {}
    (found,) = counting(10).values()
    values = [all(part.holds({Symbol("x", INT): value}) for part in found) for value in range(12)]  # type: ignore[union-attr]
    assert all(values[:11]) and not values[11]


def test_a_limit_is_kept() -> None:
    x, y = Symbol("x", INT), Symbol("y", INT)
    horn = HornClauses({0: (x, y)})
    horn.add(None, (), 0, {x: number(1), y: number(0)})
    horn.add(0, (), 0, {x: variable(x) + variable(y), y: variable(y) + variable(x)})
    horn.add(0, (at_most(variable(x), number(-1)),), None, {})
    assert horn.invariants(1) == {}
