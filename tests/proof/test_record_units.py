"""Scales that are made of the program's own public bounds: proved for all of them, and refuted where they are too small."""

import random
from fractions import Fraction

import pytest

from kolahal.checking import check
from kolahal.errors import UsageError
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.records.moves import RECORD_RELATIONS, RecordRelation
from kolahal.lang.records.table import (
    Aggregate,
    Apply,
    ArgumentOf,
    Field,
    FieldOf,
    NumberOf,
    RecordFunction,
    RowClass,
    Table,
)
from kolahal.lang.source import SketchError
from kolahal.lang.unit_names import unit_value
from kolahal.law.law import find_laws
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute.refute import refute
from kolahal.proof.trusted.bounded import recheck_bounded
from kolahal.settings import ProofSettings, Settings
from kolahal.verdicts import AnyRecords, Certificate, Proved, Refuted, Unknown

HEADER = """
class Visit(NamedTuple):
    age: float
    pay: Between(0, 1000)
    kind: Literal["new", "returning"]

@sketch(adjacent={relation})
def f(visits: Records[Visit], lo: float, hi: float, top: float, eps: Epsilon):
    {body}
"""
W, M = "(hi - lo)", "max(abs(lo), abs(hi))"
SUM = "return sum(clip(v.age, lo, hi) for v in visits) + Lap({}/eps)"
# A program, who the neighbours are, and the least noise.
TRUTHS = [
    (SUM, "replace(1)", W),
    (SUM, "replace(2)", f"2 * {W}"),
    (SUM, "add_remove(1)", M),
    (SUM, "add_remove(3)", f"3 * {M}"),
    ("assert lo <= hi\n    " + SUM, "replace(1)", W),
    ("assert 0 <= lo\n    assert lo <= hi\n    " + SUM, "add_remove(1)", M),
    ("return sum(clip(v.age, lo, hi) - lo for v in visits) + Lap({}/eps)", "add_remove(1)", W),
    ("return sum(max(lo, min(v.age, hi)) for v in visits) + Lap({}/eps)", "replace(1)", W),
    ("return sum(min(hi, max(v.age, lo)) for v in visits) + Lap({}/eps)", "replace(1)", W),
    ("return sum(clip(v.age, lo, hi) for v in visits if v.kind == 'new') + Lap({}/eps)", "replace(1)", f"2 * {M}"),
    ("return sum(clip(v.age, 0, top) for v in visits) + Lap({}/eps)", "add_remove(1)", "top"),
    ("return sum(clip(v.age, -top, top) for v in visits) + Lap({}/eps)", "replace(1)", "2 * top"),
    ("return sum(3 * clip(v.pay, 0, top) for v in visits if v.kind == 'new') + Lap({}/eps)", "add_remove(1)", "3 * top"),
    ("return sum((clip(v.age, lo, hi) - lo) / (hi - lo) for v in visits) + Lap({}/eps)", "add_remove(1)", "1"),
    ("return max((clip(v.age, 0, top) for v in visits), default=0) + Lap({}/eps)", "add_remove(1)", "top"),
    (
        "total = 0\n    for v in visits:\n        x = min(v.age, top)\n        if x > 0:\n            total += x\n    return total + Lap({}/eps)",
        "add_remove(1)",
        "top",
    ),
]


def read(body: str, relation: str, scale: str):
    return parse(HEADER.format(relation=relation, body=body.format(scale)))


@pytest.mark.parametrize(("body", "relation", "scale"), TRUTHS)
def test_the_least_noise_is_proved_and_less_is_refuted(body, relation, scale):
    found = prove_bounded(read(body, relation, scale))
    assert isinstance(found, Proved), found
    assert found.scope == AnyRecords()
    thin = read(body, relation, f"3 * {scale} / 4")
    assert isinstance(prove_bounded(thin), Unknown)
    assert isinstance(refute(thin, plain_claim(thin), Settings()), Refuted)


def test_a_check_is_in_units_too():
    assert isinstance(check(read(SUM, "replace(1)", W)).verdict, Proved)


@pytest.mark.parametrize("scale", ["1", "lo", "hi", W, f"{W}**2", f"top * {W}"])
def test_a_scale_in_another_unit_is_never_proved(scale):
    program = read(SUM, "add_remove(1)", scale)
    assert isinstance(prove_bounded(program), Unknown)
    assert isinstance(prove_every_length(program), Unknown)


def test_the_reach_of_bounds_is_at_least_half_their_width():
    assert isinstance(prove_bounded(read(SUM, "replace(1)", f"2 * {M}")), Proved)
    assert isinstance(prove_bounded(read(SUM, "replace(1)", M)), Unknown)


def test_numbers_of_different_units_are_not_compared_in_a_proof():
    body = "a = sum(clip(v.age, 0, top) for v in visits) + Lap(4*top/eps)\n    b = len(visits) + Lap(4/eps)\n    return a + b"
    assert isinstance(prove_bounded(read(body, "add_remove(1)", "")), Unknown)
    apart = body.replace("return a + b", "return a, b")
    assert isinstance(prove_bounded(read(apart, "add_remove(1)", "")), Proved)


def test_a_law_is_in_multiples_of_the_units():
    body = "a = sum(clip(v.age, lo, hi) - lo for v in visits) + Lap(hole)\n    n = len(visits) + Lap(hole)\n    return lo + a / max(n, 1)"
    laws = find_laws(sketch := read(body, "add_remove(1)", ""), ProofSettings())
    assert not isinstance(laws, Unknown)
    assert laws.law(sketch).text == "(hi - lo)/eta1 + 1/eta2 <= eps"


def test_calls_refuse_bounds_that_are_no_unit():
    program = read(SUM, "replace(1)", W)
    rows = [(3.5, 0, "new")]
    assert isinstance(program(rows, 0.0, 10.0, 1.0, 1.0), int | float)
    with pytest.raises(UsageError, match="above 0"):
        program(rows, 10.0, 10.0, 1.0, 1.0)


def test_a_proof_in_units_does_not_pass_for_one_without():
    found = prove_bounded(read(SUM, "replace(1)", W))
    assert isinstance(found, Proved)
    assert not recheck_bounded(found.certificate)
    assert recheck_bounded(Certificate(found.certificate.text.replace("(hi - lo)/eps", "1/eps")))
    assert recheck_bounded(Certificate(found.certificate.text.replace("replace(1)", "add_remove(1)")))


def test_widths_are_no_scales_of_programs_over_answers():
    with pytest.raises(SketchError, match="K114"):
        parse("@sketch(adjacent=each_within(1))\ndef f(q: Private, lo: float, hi: float, eps: Epsilon):\n    return q[0] + Lap((hi - lo)/eps)\n")


ROW = RowClass("Visit", (Field("age", "float"), Field("pay", "float"), Field("member", "bool")))
AGE, LO, HI = FieldOf("age"), ArgumentOf("lo"), ArgumentOf("hi")


def random_item(rng: random.Random, depth: int) -> RecordFunction:
    """A function that scales with its bounds."""
    if not depth:
        return rng.choice([Apply("clip", (AGE, LO, HI)), LO, HI, Apply("clip", (Apply("neg", (AGE,)), LO, HI))])
    one, two = random_item(rng, depth - 1), random_item(rng, depth - 1)
    test = rng.choice([FieldOf("member"), Apply("<", (AGE, rng.choice([LO, HI, NumberOf(Fraction(0))])))])
    return rng.choice(
        [
            Apply(rng.choice("+-"), (one, two)),
            Apply(rng.choice(["max", "min"]), (one, two)),
            Apply("*", (NumberOf(Fraction(rng.randint(-2, 3))), one)),
            Apply("if", (test, one, two)),
            Apply("abs", (one,)),
        ]
    )


@pytest.mark.parametrize("relation", ["add_remove", "replace"])
@pytest.mark.parametrize("seed", range(8))
def test_no_record_moves_a_sum_by_more_than_its_bounds_in_units(seed, relation):
    rng = random.Random(f"{seed} {relation}")
    table = Table("rows", ROW, (Aggregate("sum", random_item(rng, 2)), Aggregate("sum", Apply("clip", (AGE, LO, HI)))))
    names = sorted(table.public_names())
    found = RECORD_RELATIONS[relation].declared(1).about(table, [(name, Fraction(0)) for name in names], names)
    assert isinstance(found, RecordRelation)
    assert not found.unbounded
    units, boxes = found.units, found.boxes()[0]
    for _ in range(200):
        low = Fraction(rng.randint(-30, 30), 3)
        public = {"lo": low, "hi": low + Fraction(rng.randint(-30, 60), 4)}
        if any(unit_value(unit, public) <= 0 for unit in units if unit):
            continue
        ages = [rng.choice([public["lo"], public["hi"], Fraction(rng.randint(-60, 60), 2)]) for _ in "ab"]
        one, two = (table.contribution((age, Fraction(0), rng.random() < 0.5), public) for age in ages)
        moves = zip(one, two, strict=True) if relation == "replace" else ((v, Fraction(0)) for v in one)
        for unit, (low_end, high_end), (after, before) in zip(units, boxes, moves, strict=True):
            size = unit_value(unit, public) if unit else Fraction(1)
            assert low_end * size <= after - before <= high_end * size


@pytest.mark.parametrize("of", ["exp(clip(v.age, 0, top))", "sqrt(clip(v.age, 0, top))", "floor(clip(v.age, 0, top))", "1 - cos(clip(v.age, 0, top))"])
@pytest.mark.parametrize("way", ["sum({} for v in visits) + Lap(6/eps)", "sum(1 for v in visits if {} > 5) + Lap(0.001/eps)"])
def test_functions_of_math_do_not_scale_with_their_bounds(of, way):
    """What they are where `top` is 1 says nothing of them elsewhere."""
    body = f"a = sum(clip(v.age, 0, top) for v in visits) + Lap(2*top/eps)\n    return a, {way.format(of)}"
    with pytest.raises(SketchError, match="K171"):
        parse(HEADER.format(relation="add_remove(1)", body=body))


def test_functions_of_math_of_a_quotient_may_stand_beside_bounds():
    body = "a = sum(clip(v.age, 0, top) for v in visits) + Lap(2*top/eps)\n    return a, sum(sqrt(clip(v.age, 0, top) / top) for v in visits) + Lap(2/eps)"
    assert isinstance(prove_bounded(parse(HEADER.format(relation="add_remove(1)", body=body))), Proved)
