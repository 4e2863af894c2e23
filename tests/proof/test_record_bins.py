"""As many bins as a public argument says, and bins of written values: proved for every number, refuted by records."""

import itertools
import random
from fractions import Fraction

import pytest

from kolahal.errors import UsageError
from kolahal.lang.adjacency import EachWithin, Monotone, OneWithin, SumWithin
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.records.bins import BinsRelation
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import SketchError
from kolahal.law.law import find_laws
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute.refute import refute
from kolahal.proof.trusted.neighbours import enclosing
from kolahal.settings import ProofSettings, Settings
from kolahal.verdicts import AnyRecords, Bounded, Proved, Refuted, Unknown

HEADER = """
class Visit(NamedTuple):
    day: Between(0, 364, whole=True)
    age: Between(-2, 5, whole=True)
    kind: Literal["a", "b", "c"]

@sketch(adjacent={relation})
def f(visits: Records[Visit], days: int, eps: Epsilon):
    {body}
"""
COUNTS = "counts = [sum(1 for v in visits if v.day == d) for d in range(days)]\n    "
LOOP = "counts = [0] * days\n    for v in visits:\n        if v.day < days:\n            counts[v.day] += 1\n    "
LAST = "counts = [0 for _ in range(days)]\n    for v in visits:\n        counts[min(v.day, days - 1)] += 1\n    "
NOISY = "return [c + Lap({}/eps) for c in counts]"
LARGEST = """best = 0
    top = 0
    for i in range(days):
        x = counts[i] + Lap({}/eps)
        if i == 0 or x > top:
            best = i
            top = x
    return best"""
SMART = """total = 0
    out = []
    for d in range(days):
        total = total + sum(1 for v in visits if v.day == d) + Lap({}/eps)
        out.append(total)
    return out"""
TRUTHS = [
    (COUNTS + NOISY, "add_remove(1)", "1"),
    (COUNTS + NOISY, "replace(1)", "2"),
    (COUNTS + NOISY, "add_remove(3)", "3"),
    (LOOP + NOISY, "add_remove(1)", "1"),
    (LAST + NOISY, "replace(1)", "2"),
    (COUNTS + LARGEST, "add_remove(1)", "1"),
    (LOOP + LARGEST, "add_remove(1)", "1"),
    (SMART, "add_remove(1)", "1"),
    ("return [sum(v.age for v in visits if v.day == d) + Lap({}/eps) for d in range(days)]", "add_remove(1)", "5"),
    ("return [sum(1 for v in visits if v.day > d) + Lap({}/eps) for d in range(days)]", "add_remove(1)", "days"),
]


def read(body: str, relation: str, scale: object) -> Sketch:
    return parse(HEADER.format(relation=relation, body=body.format(scale)))


@pytest.mark.parametrize(("body", "relation", "scale"), TRUTHS)
def test_any_number_of_bins_is_proved(body, relation, scale):
    program = read(body, relation, scale)
    assert parse(str(program)) == program
    found = prove_every_length(program)
    assert isinstance(found, Proved), found
    assert found.scope == AnyRecords()


@pytest.mark.parametrize(("body", "relation", "scale"), TRUTHS[1:7:2])
def test_less_noise_is_refuted_by_two_lists_of_records(body, relation, scale):
    program = read(body, relation, float(scale) * 3 / 4)
    found = refute(program, plain_claim(program), Settings())
    assert isinstance(found, Refuted)
    lists = program.adjacency.realise(found.example.d1, found.example.d2)
    assert lists is not None and sum(n for rows in lists for n, _ in rows) <= 12


@pytest.mark.mutants
def test_an_assertion_about_the_number_of_bins():
    program = read("assert days >= 2\n    " + COUNTS + NOISY, "add_remove(1)", 1)
    assert parse(str(program)) == program and "assert days >= 2" in str(program)
    assert isinstance(prove_every_length(program), Proved)
    with pytest.raises(UsageError):
        program([], 1, 1)


def test_the_law_of_bins():
    laws = find_laws(sketch := parse(HEADER.format(relation="replace(1)", body=COUNTS + "return [c + Lap(hole) for c in counts]")), ProofSettings())
    assert not isinstance(laws, Unknown) and laws.law(sketch).text == "2/eta1 <= eps"


@pytest.mark.mutants
def test_a_call_counts_into_so_many_bins():
    program = read(LAST + "return [c + Lap({}/eps) for c in counts]", "add_remove(1)", "1/1000000")
    found = program([(0, 0, "a"), (1, 1, "a"), (9, 1, "b")], 3, 1)
    assert [round(v) for v in found] == [1, 1, 1]
    for wrong in (0, -1, 2.5):
        with pytest.raises(UsageError):
            program([], wrong, 1)


@pytest.mark.mutants
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("counts = [0] * days\n    for v in visits:\n        counts[v.day] += 1\n    return counts[0] + Lap(hole)", "K170"),
        ("counts = [0] * days\n    for v in visits:\n        if v.age < days:\n            counts[v.age] += 1\n    return counts[0] + Lap(hole)", "K170"),
        (COUNTS + "return len(visits) + Lap(hole)", "K174"),
        (COUNTS + "others = [sum(1 for v in visits if v.age == d) for d in range(days)]\n    return others[0] + Lap(hole)", "K174"),
        ("return [sum(1 for v in visits if v.day == d and v.age == e) + Lap(hole) for d in range(days) for e in range(days)]", "K"),
        ("out = []\n    for s in ['a', 'b']:\n        out.append(sum(1 for v in visits if v.kind == s) + Lap(hole) + s)\n    return out", "K202"),
        ("for s in ['a', 'b']:\n        n = sum(1 for v in visits if v.kind == s) + Lap(hole)\n    return s", "K173"),
    ],
)
def test_what_does_not_fit_is_refused(body, code):
    with pytest.raises(SketchError, match=code):
        parse(HEADER.format(relation="add_remove(1)", body=body))


BINS = [
    "v.day == d", "v.day > d", "v.day <= d", "v.day == d or v.day == d + 1", "v.day == 2 * d", "v.age == d", "v.age > d and v.day == d",
    "v.day != d", "v.day == days - 1 - d", "v.day == min(d, 3)", "v.day + v.age == d", "v.kind == 'a' and v.day == d",
]  # fmt: skip
ITEMS = ["1", "v.age", "clip(v.age, -1, 1)", "v.age - d", "2 - v.age", "(1 if v.age > d else -1)"]


@pytest.mark.mutants
@pytest.mark.parametrize("relation", ["add_remove(1)", "replace(1)", "add_remove(2)"])
@pytest.mark.parametrize("seed", range(12))
def test_no_records_move_bins_by_more_than_the_relation_says(seed, relation):
    rng = random.Random(f"{seed} {relation}")
    body = f"return [sum({rng.choice(ITEMS)} for v in visits if {rng.choice(BINS)}) + Lap(hole) for d in range(days)]"
    try:
        sketch = parse(HEADER.format(relation=relation, body=body))
    except SketchError as error:
        assert "K171" in str(error)
        return
    adjacency, table = sketch.adjacency, sketch.private.table
    assert isinstance(adjacency, BinsRelation) and table is not None
    if adjacency.unbounded:
        return
    wide = enclosing(adjacency)
    for size in (1, 2, 5):
        about = adjacency.at(size)
        found = set()
        for _ in range(60):
            record = (Fraction(rng.randint(0, 7)), Fraction(rng.randint(-2, 5)), rng.choice("abc"))
            found.add(about.table.contribution(record, {}))
        moves = itertools.product(found, repeat=2) if relation != "add_remove(1)" else [(v, tuple([Fraction(0)] * size)) for v in found]
        sign = 1 if relation == "add_remove(2)" else -1
        for one, two in moves:
            assert wide.allows([a + sign * b for a, b in zip(one, two, strict=True)]), (wide, one, two)


@pytest.mark.mutants
def test_the_relations_that_are_found():
    def of(test: str, relation: str = "add_remove(1)") -> object:
        return enclosing(parse(HEADER.format(relation=relation, body=f"return [sum(1 for v in visits if {test}) + Lap(hole) for d in range(days)]")).adjacency)

    assert of("v.day == d") == OneWithin(1)
    assert of("v.day == d", "replace(1)") == SumWithin(2)
    assert of("v.day > d") == Monotone(1)
    assert of("v.day > d", "replace(1)") == EachWithin(1)
    assert of("v.day == d or v.day == d + 1") == Monotone(1)


@pytest.mark.mutants
@pytest.mark.parametrize("values", ["['a', 'b', 'c']", "('a', 'b', 'c')"])
def test_bins_of_labels(values):
    listed = f"return [sum(1 for v in visits if v.kind == s) + Lap({{}}/eps) for s in {values}]"
    loop = f"out = []\n    for s in {values}:\n        n = sum(1 for v in visits if v.kind == s)\n        out.append(n + Lap({{}}/eps))\n    return out"
    for body in (listed, loop):
        assert isinstance(prove_every_length(read(body, "add_remove(1)", 1)), Proved)
        assert not isinstance(prove_bounded(read(body, "replace(1)", 1)), Proved | Bounded)


@pytest.mark.mutants
def test_bins_of_written_numbers():
    body = "return [sum(1 for v in visits if v.age > t) + Lap(3/eps) for t in [-1, 0, 2.5]]"
    program = read(body, "add_remove(1)", 1)
    assert isinstance(prove_bounded(program), Proved | Bounded)
    assert next(str(a) for a in program.private.table.aggregates).endswith("> (-1))")
