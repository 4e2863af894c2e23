"""Emitted programs over records with functions of `math`, products, quotients and public bounds: what a record adds is on the
grid, within what was proved of it, jointly, and next to what the reference adds."""

import itertools
import random
from fractions import Fraction

import pytest

from kolahal.checking import check
from kolahal.emission.program import load_emitted
from kolahal.emission.release import emit
from kolahal.lang.enclosures import outward
from kolahal.lang.read.parse import parse
from kolahal.lang.records.cells import find_pieces
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.records.table import Apply, Field, FieldOf, NumberOf, RowClass, read_records
from kolahal.lang.sketch import Sketch
from kolahal.lang.unit_names import unit_value
from kolahal.verdicts import Proved

HEADER = """
class Visit(NamedTuple):
    age: float
    spend: Between(0, 0.7)
    far: Between(-3, 5)
    day: Between(0, 6, whole=True)
    member: bool

@sketch(adjacent={relation})
def f(visits: Records[Visit], {public}eps: Epsilon):
    {body}
"""
ONE, TWO, OTHER = "add_remove(1)", "add_remove(2)", "replace(1)"
PROGRAMS = [
    ("sqrt", ONE, "", "return sum(sqrt(v.spend) for v in visits) + Lap(1/eps)"),
    ("several", OTHER, "", "return sum(log(1 + v.spend) for v in visits) + Lap(8/eps), sum(exp(v.spend) for v in visits if v.member) + Lap(8/eps)"),
    ("waves", ONE, "", "return sum(sin(v.age) + cos(v.far) for v in visits) + Lap(2/eps)"),
    ("nested", TWO, "", "return sum(atan(v.age) * sqrt(abs(v.far)) for v in visits) + Lap(8/eps)"),
    ("floor", OTHER, "", "return sum(floor(v.far / 3) for v in visits) + Lap(2/eps)"),
    ("by cells", ONE, "", "return sum(sqrt(v.far) if v.far > 2 else v.spend for v in visits) + Lap(3/eps)"),
    ("moments", TWO, "", "x = sum(clip(v.age, 0, 1) for v in visits) + Lap(4/eps)\n    return x, sum(clip(v.age, 0, 1) ** 2 for v in visits) + Lap(4/eps)"),
    ("product", OTHER, "", "return sum(v.spend * v.far for v in visits) + Lap(6/eps)"),
    ("quotient", OTHER, "", "return sum(v.spend / max(v.age, 3) for v in visits) + Lap(1/eps)"),
    ("by a third", ONE, "", "return sum((v.spend / 3) / clip(v.far, 1, 2) for v in visits) + Lap(1/eps)"),
    ("by few", ONE, "", "return sum(v.spend / (1 + v.day) for v in visits) + Lap(1/eps)"),
    ("largest beside", ONE, "", "return max((v.spend for v in visits), default=0) + Lap(4/eps), len(visits) + Lap(2/eps)"),
    ("one bound", ONE, "B: float, ", "return sum(clip(v.age, 0, B) for v in visits) + Lap(B/eps)"),
    ("shifted", ONE, "lo: float, hi: float, ", "return sum(clip(v.age, lo, hi) - lo for v in visits) + Lap((hi - lo)/eps)"),
    ("exchanged", OTHER, "lo: float, hi: float, ", "return sum(clip(v.age, lo, hi) for v in visits) + Lap((hi - lo)/eps)"),
    ("both", TWO, "lo: float, hi: float, ", "n = len(visits) + Lap(4/eps)\n    return n, sum(clip(v.age, lo, hi) for v in visits) + Lap(4*max(abs(lo), abs(hi))/eps)"),
    ("share", ONE, "B: float, ", "return sum(clip(v.age, 0, B) / B for v in visits) + Lap(1/eps)"),
]
TOOLS = "from math import atan, cos, exp, floor, log, sin, sqrt\n"
PUBLIC = ({"lo": Fraction(-1, 3), "hi": Fraction(0.1), "B": Fraction(0.3)}, {"lo": Fraction(2), "hi": Fraction(7), "B": Fraction(5, 7)})


def read(relation: str, public: str, body: str) -> Sketch:
    return parse(TOOLS + HEADER.format(relation=relation, public=public, body=body))


def random_row(rng: random.Random) -> tuple:
    age = rng.choice([rng.uniform(-4, 9), rng.uniform(0, 1), 0.5, -1e300, 1e12 + 0.25, 0, 3, 0.1])
    return age, rng.choice([rng.uniform(0, 0.7), 0.7, 0, 5]), rng.choice([rng.uniform(-3, 5), 2, 5, -9]), rng.randint(0, 6), rng.random() < 0.5


@pytest.mark.parametrize(("relation", "public", "body"), [p[1:] for p in PROGRAMS], ids=[p[0] for p in PROGRAMS])
def test_what_a_record_adds_is_what_was_proved_of_it(relation, public, body):
    program, rng = read(relation, public, body), random.Random(body)
    found = check(program).verdict
    assert isinstance(found, Proved), found
    space = load_emitted(emit(program, found)).__globals__
    table, adjacency = program.private.table, program.adjacency
    assert table is not None and isinstance(adjacency, RecordRelation)
    names = [p.name for p in program.arguments]
    corners = [*adjacency.vertices(len(table.aggregates)), [0] * len(table.aggregates)]
    sums = [i for i, aggregate in enumerate(table.aggregates) if aggregate.how == "sum"]
    for given in PUBLIC if names else PUBLIC[:1]:
        values = [given[name] for name in names]
        plan = space["_Plan"](**space["_plan"](range(len(table.aggregates)), *values, 1))
        grid, noise = space["_grids"](plan, True)
        units = [unit_value(adjacency.unit(i), given) if adjacency.unit(i) else 1 for i in sums]
        before = [Fraction(0) for _ in table.aggregates]
        for nth in range(80):
            row = random_row(rng)
            added = [Fraction(v) for v in space["_aggregate"]([row], *[given[n] for n in sorted(table.public_names())])]
            near = table.answers(read_records(table, [row]), given)
            assert all(abs(a - b) <= Fraction(1, 10**5) for a, b in zip(added, near, strict=True)), "next to the reference"
            assert all((a / grid).denominator == (a / noise).denominator == 1 for a in added), "on the grid"
            moves = [[sign * (a - b) for a, b in zip(added, before, strict=True)] for sign in (1, -1)]
            before = added if relation == OTHER else before
            for move, weights in itertools.product(moves, itertools.product((-1, 0, 1, 3), repeat=len(sums))) if nth or relation != OTHER else ():
                reached = adjacency.count * sum(w * move[i] / u for w, i, u in zip(weights, sums, units, strict=True))
                assert reached <= max(sum(w * c[i] for w, i in zip(weights, sums, strict=True)) for c in corners)


@pytest.mark.parametrize("seed", range(30))
def test_bounds_have_room_for_steps(seed):
    """Whatever is within a function's true bounds stays within the given ones when it is rounded to steps of 2**-20."""
    rng, step = random.Random(seed), Fraction(1, 2**20)
    for _ in range(200):
        end = Fraction(rng.randint(-(10**9), 10**9), rng.choice((1, 3, 7, 2**10, 10**6, 10**9, 2**30)))
        top, bottom = outward(end, down=False), outward(end, down=True)
        assert bottom <= (end / step).__floor__() * step and (end / step).__ceil__() * step <= top
        assert top - end < max(abs(end) / 10**4, 3 * step)


def test_a_quotient_by_a_field_is_an_unknown_where_the_field_is_fixed_too():
    """A third is on no grid of steps: its nearest step may lie above what is exactly a third."""
    row = RowClass("R", (Field("x", "float", Fraction(0), Fraction(1, 3)), Field("y", "float", Fraction(0), Fraction(9))))
    quotient = Apply("/", (FieldOf("x"), Apply("max", (FieldOf("y"), NumberOf(Fraction(1))))))
    pieces = find_pieces(row, [quotient])
    assert not pieces.exact and max(c for (c,) in pieces.corners) > Fraction(1, 3)


@pytest.mark.parametrize(
    ("public", "arguments"),
    [("sum(clip(v.age, 0, B) / B for v in visits)", {"B": 0}), ("sum(1 for v in visits if v.age / B > 1)", {"B": 0}), ("len(visits)", {"B": "1"})],
)
def test_wrong_public_values_are_refused_in_the_same_way_whatever_the_records_are(public, arguments):
    """Where the records were asked first, a division by 0 told whether there are any."""
    program = read(ONE, "B: float, ", f"assert B > 0\n    return {public} + Lap(1/eps)")
    found = check(program).verdict
    mechanism = load_emitted(emit(program, found))
    errors = []
    for rows in ([], [random_row(random.Random(1))]):
        with pytest.raises((ValueError, TypeError)) as caught:
            mechanism(rows, eps=1, **arguments)
        errors.append(repr(caught.value))
    assert errors[0] == errors[1]


def test_sums_beyond_all_doubles_tell_of_no_record():
    program = read(ONE, "B: float, ", "return sum(clip(v.age, 0, B) for v in visits) + Lap(B/eps)")
    found = check(program).verdict
    mechanism = load_emitted(emit(program, found))
    row = (1.7e308, 0, 0, 0, False)
    assert all(abs(mechanism([row] * many, B=1.7e308, eps=1000)) > 1e308 for many in (1, 2, 30))
