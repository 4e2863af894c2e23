"""Programs followed on tables, against single runs of the reference for everything that they may draw."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from functools import cache

import pytest

from kolahal.engine import reference
from kolahal.engine.faults import RunError
from kolahal.errors import KolahalError
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.paths import outcomes
from kolahal.paths.outcomes import AllOutcomes, Bit, Coin, NotFinite, find_outcomes_of
from kolahal.paths.tables import Told, looked_up

BITS = 2
SEEDS = 25


class Writer:
    """A random program on two bits; every name has a value before it is read, or may have none, and then it may fault."""

    def __init__(self, rng: random.Random, hidden: bool):
        self.rng = rng
        self.hidden = hidden  # whether bits are read through coins alone, and places are not chosen
        self.draws = 2 if hidden else 0

    def truth(self, depth: int = 0) -> str:
        pick = self.rng.randrange(10)
        if pick < 2 and self.draws < 4:
            self.draws += 1
            return "Flip(1)"
        if pick < 5 or depth > 2:
            return self.rng.choice(["a", "b", "True"] if self.hidden else ["q[0]", "q[1]", "a", "b", "True"])
        if pick < 7:
            return f"({self.truth(depth + 1)} {self.rng.choice(['and', 'or', '!=', '=='])} {self.truth(depth + 1)})"
        if pick == 7:
            return f"(not {self.truth(depth + 1)})"
        return f"({self.number(depth + 1)} {self.rng.choice(['<', '>=', '==', '!='])} {self.number(depth + 1)})"

    def number(self, depth: int = 0) -> str:
        pick = self.rng.randrange(10)
        if pick < 1 and self.draws < 3 and not self.hidden:
            self.draws += 2
            return f"choose([{self.number(3)}, {self.number(3)}], 1)"
        if pick < 5 or depth > 2:
            return self.rng.choice(["n", "m", "0", "1", "2", "len(out)", "i", "t"])
        if pick < 7:
            return f"({self.number(depth + 1)} {self.rng.choice('+-*')} {self.number(depth + 1)})"
        if pick == 7:
            return f"max({self.number(depth + 1)}, {self.number(depth + 1)})"
        if pick == 8:
            return f"({self.number(depth + 1)} if {self.truth(depth + 1)} else {self.number(depth + 1)})"
        return f"({self.number(depth + 1)} / {self.number(depth + 1)})" if self.rng.random() < 0.3 else "len(q)"

    def block(self, depth: int, looped: bool) -> list[str]:
        found = [line for _ in range(self.rng.randrange(1, 4)) for line in self.statement(depth, looped)]
        return ["    " + line for line in found]

    def statement(self, depth: int, looped: bool) -> list[str]:
        pick = self.rng.randrange(12)
        if pick < 3:
            return [f"{self.rng.choice('ab')} = {self.truth()}"]
        if pick < 5:
            return [f"{self.rng.choice('nm')} = {self.number()}"]
        if pick < 7:
            return [f"out.append({self.number()})"]
        if pick < 10 and depth < 3:
            orelse = ["else:", *self.block(depth + 1, looped)] if self.rng.random() < 0.6 else []
            return [f"if {self.truth()}:", *self.block(depth + 1, looped), *orelse]
        if pick == 10 and depth < 2 and not looped:
            head = self.rng.choice(["for i in range(2):", "for t in out:", "for i in range(1):" if self.hidden else "for bit in q:"])
            return [head, *self.block(depth + 1, True)]
        if looped and pick == 11:
            return [self.rng.choice(["break", "continue"])]
        return [f"return {self.rng.choice([self.number(), self.truth(), 'out'])}"] if self.rng.random() < 0.4 else ["n = n + 1"]


@cache
def written(seed: int, hidden: bool = False) -> Sketch | None:
    """A program, if what was written is one."""
    rng = random.Random(seed)
    writer = Writer(rng, hidden)
    first = ["a = q[0] != Flip(1)", "b = q[1] != Flip(1)"] if hidden else ["a = q[0]", "b = Flip(1)"]
    lines = [*first, "n = 0", "m = 1", "i = 0", "t = 0", "out = []"]
    lines += [line[4:] for _ in range(3) for line in writer.block(0, False)]
    lines.append(f"return {rng.choice(['out', 'n, a', 'm, n, b', 'n + m'])}")
    body = "\n".join("    " + line for line in lines)
    try:
        return parse(f"@sketch(adjacent=one_within(1))\ndef f(q: Private[bool, {BITS}], eps: Epsilon):\n{body}\n")
    except KolahalError:
        return None


def answer_of(sketch: Sketch, found: AllOutcomes, way: tuple[int, ...]) -> object:
    """What the reference answers where all unknowns have these values, by number."""
    fallen = {(u.site, u.turns): i for u, i in zip(found.unknowns, way, strict=True) if not isinstance(u, Bit)}
    coins = {u.site for u in found.unknowns if isinstance(u, Coin)}

    def units(_: object, site: int, turns: tuple[int, ...]) -> list[float]:
        if site in coins or (site, turns) in fallen:
            return [float(fallen.get((site, turns), 0))]
        return [1e6 * (fallen.get((site, turns[:-1]), 0) == turns[-1])]

    database = [Fraction(i) for u, i in zip(found.unknowns, way, strict=True) if isinstance(u, Bit)]
    try:
        return reference.run(sketch, database, Arguments(Fraction(1), BITS), (), units, Fraction)
    except RunError as error:
        return "stopped", str(error)


def shown(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(shown, value))
    return value if isinstance(value, bool | str | None) else Fraction(value)  # type: ignore[arg-type]


def check_against_runs(sketch: Sketch, found: AllOutcomes) -> None:
    """Every run's answer stands in the tables; where something was released, it is a function of that."""
    answers: dict[object, object] = {}
    for way in itertools.product(*[range(size) for size in found.sizes]):
        at = dict(enumerate(way))
        told = answer_of(sketch, found, way)
        if not any(isinstance(leaf, Told) for leaf in _leaves(found.answer)):
            assert _same(_looked(found.answer, at, found.sizes), told)
        seen = repr(tuple(looked_up(table, at, found.sizes) for table in found.seen))
        assert _same(answers.setdefault(seen, told), told)


def _leaves(value: object) -> list[object]:
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, tuple) else [value]


def _looked(value: object, at: dict[int, int], sizes: tuple[int, ...]) -> object:
    return tuple(_looked(item, at, sizes) for item in value) if isinstance(value, tuple) else looked_up(value, at, sizes)


def _same(one: object, other: object) -> bool:
    return repr(shown(one)) == repr(shown(other))


@pytest.mark.parametrize("most", [1 << 10, 4, 2])
def test_tables_hold_what_every_run_answers(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With small tables, what is released decides the answer."""
    monkeypatch.setattr(outcomes, "MOST_ENTRIES", most)
    checked = 0
    for seed in range(SEEDS):
        sketch = written(seed)
        if sketch is None:
            continue
        try:
            found = find_outcomes_of(sketch, BITS, {})
        except NotFinite:
            continue
        if len(found.unknowns) < 10:
            check_against_runs(sketch, found)
            checked += 1
    assert checked > 8
