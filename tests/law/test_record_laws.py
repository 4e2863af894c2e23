"""The law of random programs over records against sensitivities by brute force over small lists of records."""

import itertools
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from kolahal.lang.read.parse import parse
from kolahal.lang.records.table import Record
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


HELPER = "def worth(v, low):\n    x = max(v.age, low)\n    if v.member:\n        return x - v.day\n    return x\n"


def random_curve(rng: random.Random) -> str:
    return rng.choice(
        ["v.age ** 2", "v.age * v.day", "sqrt(v.day)", "exp(-v.day)", "log(1 + v.day) * v.age", "v.age / (1 + v.day)", "floor(v.age / 3)", "sin(v.age)", "abs(v.age) ** 0.5 + v.day"]
    )


def random_lines(rng: random.Random, names: list[str]) -> list[str]:
    """Statements that give names to noisy sums, in one of the ways in which people write them."""
    way = rng.choice(("sums", "loop", "list", "dictionary", "helper", "part"))
    noisy = [f"    {name} = {{}} + Lap(hole)" for name in names]
    match way:
        case "loop":
            adds = [f"        if {random_test(rng)[4:] or 'v.member'}:\n            t{i} += {random_item(rng)}" for i in range(len(names))]
            skip = f"        if {random_test(rng)[4:] or 'not v.member'}:\n            continue"
            return [*(f"    t{i} = 0" for i in range(len(names))), "    for v in visits:", adds[0], skip, *adds[1:], *(line.format(f"t{i}") for i, line in enumerate(noisy))]
        case "list":
            last = len(names) - 1
            add = f"        c[min(v.day, {last})] += {random_item(rng)}\n        c[{last} - v.day % {last + 1}] -= {random_item(rng)}"
            return [f"    c = [0] * {len(names)}", "    for v in visits:", add, *(line.format(f"c[{i}]") for i, line in enumerate(noisy))]
        case "dictionary":
            labels = ("new", "old", "new")
            lines = ["    c = {'old': 0, 'new': 0}", "    for v in visits:", f"        c[v.kind] += {random_item(rng)}"]
            return [*lines, *(line.format(f"c['{label}']") for line, label in zip(noisy[:2], labels, strict=False))]
        case "helper":
            return [line.format(f"sum(worth(v, {rng.randint(-1, 3)}) for v in visits{random_test(rng)})") for line in noisy]
        case "part":
            lines = [f"    some = [v for v in visits{random_test(rng) or ' if v.member'}]"]
            return [*lines, *(line.format(f"sum({random_item(rng)} for v in some{random_test(rng)})") for line in noisy)]
        case _:
            return [line.format(f"sum({random_item(rng)} for v in visits{random_test(rng)})") for line in noisy]


def random_program(rng: random.Random, relation: str) -> Sketch:
    names = [f"a{i}" for i in range(rng.randint(1, 3))]
    lines = random_lines(rng, names)
    kept = [name for name in names if any(line.startswith(f"    {name} =") for line in lines)]
    return parse(HELPER + HEADER.format(relation=relation, lines="\n".join(lines), names=", ".join(kept)))


def true_moves(sketch: Sketch, rng: random.Random) -> set[tuple[Fraction, ...]]:
    """What neighbouring lists of up to two records more than a few others differ by."""
    table, count = sketch.private.table, sketch.adjacency.count
    assert table is not None
    rows = [rng.choice(UNIVERSE) for _ in range(2)]
    base = table.answers(rows, {})
    after = {record: table.answers([*rows, record], {}) for record in UNIVERSE}
    pairs = [(base, found) for found in after.values()]
    if sketch.adjacency.name == "replace":
        several = list(set(after.values()))
        pairs = list(itertools.product(several, repeat=2))
    single = {tuple(b - a for a, b in zip(one, two, strict=True)) for one, two in pairs}
    if sketch.adjacency.name == "add_remove":
        single |= {tuple(-step for step in move) for move in single}
    moves = {tuple(Fraction(0) for _ in base)}
    for _ in range(count):  # one record after another
        moves |= {tuple(map(sum, zip(one, two, strict=True))) for one in moves for two in single}
    return moves


@pytest.mark.parametrize("relation", ["add_remove(1)", "replace(1)", "add_remove(2)"])
@pytest.mark.parametrize("seed", range(15))
def test_the_law_has_the_weights_of_brute_force(seed, relation):
    rng = random.Random(f"{seed} {relation}")
    sketch = random_program(rng, relation)
    moves = true_moves(sketch, rng)
    if not any(any(move) for move in moves) or sketch.private.count != len(sketch.draws):
        return  # nothing moves, or two of the sums are the same one, or some are not read
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


@pytest.mark.parametrize("relation", ["add_remove(1)", "replace(1)", "replace(2)"])
@pytest.mark.parametrize("seed", range(6))
def test_the_law_of_other_functions_encloses_brute_force(seed, relation):
    rng = random.Random(f"{seed} {relation} curves")
    names = [f"a{i}" for i in range(2)]
    lines = [f"    {name} = sum({random_curve(rng)} for v in visits{random_test(rng)}) + Lap(hole)" for name in names]
    head = "from math import exp, floor, log, sin, sqrt\n"
    sketch = parse(head + HEADER.format(relation=relation, lines="\n".join(lines), names=", ".join(names)))
    single = true_moves(replace(sketch, adjacency=replace(sketch.adjacency, count=1)), rng)
    laws = find_laws(sketch, ProofSettings())
    if sketch.private.count != len(sketch.draws) or isinstance(laws, Unknown):
        assert sketch.private.count != len(sketch.draws) or not any(any(move) for move in single)
        return
    scales = [Fraction(rng.randint(1, 20), 4) for _ in sketch.draws]
    cost = sketch.adjacency.count * max(sum((abs(s) / c for s, c in zip(move, scales, strict=True)), Fraction(0)) for move in single)
    rules = laws.rules[0].inequalities
    told = max(sum((weight.at({}) / scales[site] for site, weight in one.coefficients), Fraction(0)) for one in rules)
    assert cost <= told, (str(sketch), told, cost)
