"""The law of random programs over records against sensitivities by brute force over small lists of records."""

import itertools
import random
from fractions import Fraction

import pytest

from kolahal.lang.read.parse import parse
from kolahal.lang.records import Record
from kolahal.lang.sketch import Sketch
from kolahal.law.law import find_laws
from kolahal.settings import ProofSettings
from kolahal.verdicts import Unknown

HEADER = """
class Visit(NamedTuple):
    day: Between(0, 3, whole=True)
    age: Between(-2, 5, whole=True)
    kind: Literal["new", "old"]
    member: bool

@sketch(adjacent={relation})
def f(visits: Records[Visit], eps: Epsilon):
{lines}
    return {names}
"""
UNIVERSE: list[Record] = [
    (Fraction(day), Fraction(age), kind, member)
    for day, age, kind, member in itertools.product(range(4), range(-2, 6), ("new", "old"), (False, True))
]


def random_item(rng: random.Random) -> str:
    low = rng.randint(-2, 2)
    return rng.choice(
        [
            "1",
            "v.member",
            f"clip(v.age, {low}, {low + rng.randint(0, 3)})",
            f"abs(v.age - {rng.randint(0, 3)})",
            f"v.day - {rng.randint(0, 2)}",
            f"max(v.day, v.age) * {rng.randint(1, 3)}",
            f"(2 if v.age > {rng.randint(-1, 4)} else v.day)",
            "v.age / 2 - v.day",
        ]
    )


def random_test(rng: random.Random) -> str:
    return rng.choice(
        [
            "",
            f" if v.day {rng.choice(('==', '!=', '<', '>='))} {rng.randint(0, 3)}",
            f" if v.kind == '{rng.choice(('new', 'old'))}'",
            f" if v.member or v.age > {rng.randint(-2, 5)}",
            f" if v.day < v.age <= {rng.randint(0, 5)}",
        ]
    )


def random_program(rng: random.Random, relation: str) -> Sketch:
    names = [f"a{i}" for i in range(rng.randint(1, 3))]
    lines = [f"    {name} = sum({random_item(rng)} for v in visits{random_test(rng)}) + Lap(hole)" for name in names]
    return parse(HEADER.format(relation=relation, lines="\n".join(lines), names=", ".join(names)))


def true_moves(sketch: Sketch, rng: random.Random) -> set[tuple[Fraction, ...]]:
    """What neighbouring lists of up to two records more than a few others differ by."""
    table = sketch.private.table
    assert table is not None
    rows = [rng.choice(UNIVERSE) for _ in range(2)]
    base = table.answers(rows, {})
    after = {record: table.answers([*rows, record], {}) for record in UNIVERSE}
    pairs = [(base, found) for found in after.values()]
    if sketch.adjacency.name == "replace":
        several = list(set(after.values()))
        pairs = list(itertools.product(several, repeat=2))
    return {tuple(b - a for a, b in zip(one, two, strict=True)) for one, two in pairs}


@pytest.mark.parametrize("relation", ["add_remove(1)", "replace(1)"])
@pytest.mark.parametrize("seed", range(15))
def test_the_law_has_the_weights_of_brute_force(seed, relation):
    rng = random.Random(f"{seed} {relation}")
    sketch = random_program(rng, relation)
    moves = true_moves(sketch, rng)
    if not any(any(move) for move in moves) or sketch.private.count != len(sketch.draws):
        return  # nothing moves, or two of the sums are the same one
    laws = find_laws(sketch, ProofSettings())
    assert not isinstance(laws, Unknown), laws
    for _ in range(5):
        scales = [Fraction(rng.randint(1, 20), 4) for _ in sketch.draws]
        cost = max(sum((abs(s) / c for s, c in zip(move, scales, strict=True)), Fraction(0)) for move in moves)
        told = max(
            sum((weight.at({}) / scales[site] for site, weight in inequality.coefficients), Fraction(0))
            for inequality in laws.rules[0].inequalities
        )
        assert told == cost, (str(sketch), told, cost)
