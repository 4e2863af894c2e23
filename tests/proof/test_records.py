"""From rows to answers: programs over records with the least noise are proved, and with less refuted by records."""

from dataclasses import replace
from fractions import Fraction

import pytest

from kolahal.checking import check
from kolahal.lang.read.parse import parse
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Example
from kolahal.proof.refute.counterexample_data import document, find_faults
from kolahal.proof.refute.shrink import is_real
from kolahal.proof.trusted.bounded import recheck_bounded
from kolahal.proof.trusted.neighbours import enclosing
from kolahal.proof.trusted.values import Unsupported
from kolahal.verdicts import AnyRecords, Certificate, Proved, Refuted

HEADER = '''
class Visit(NamedTuple):
    age: float
    score: Between(-2, 2)
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]

@sketch(adjacent={relation})
def f(visits: Records[Visit], eps: Epsilon):
{body}
'''
BINS = "    counts = [sum(1 for v in visits if v.day == d) for d in range(7)]\n"
LARGEST = """
    best = 0
    top = 0
    for i in range(len(counts)):
        x = counts[i] + Lap({0}/eps)
        if i == 0 or x > top:
            best = i
            top = x
    return best"""
FIRST = """
    t = 10 + Lap({0}/eps)
    for i in range(len(counts)):
        if counts[i] + Lap({0}/eps) >= t:
            return i
    return 7"""

# A program, who the neighbours are, and the least noise that keeps ε.
TRUTHS = {
    "count": ("    return len(visits) + Lap({0}/eps)", "add_remove(1)", "1"),
    "count of three": ("    return len(visits) + Lap({0}/eps)", "add_remove(3)", "3"),
    "clipped sum": ("    return sum(clip(v.age, 0, 100) for v in visits) + Lap({0}/eps)", "add_remove(1)", "100"),
    "clipped sum, replaced": ("    return sum(clip(v.age, 20, 100) for v in visits) + Lap({0}/eps)", "replace(1)", "80"),
    "two replaced": ("    return sum(clip(v.age, 20, 100) for v in visits) + Lap({0}/eps)", "replace(2)", "160"),
    "signed sum": ("    return sum(v.score for v in visits) + Lap({0}/eps)", "add_remove(1)", "2"),
    "signed sum, replaced": ("    return sum(v.score for v in visits) + Lap({0}/eps)", "replace(1)", "4"),
    "sum about the middle": ("    return sum(clip(v.age, 0, 100) - 50 for v in visits) + Lap({0}/eps)", "add_remove(1)", "50"),
    "median step": ("    return sum(1 for v in visits if v.age <= 40) - len(visits) / 2 + Lap({0}/eps)", "add_remove(1)", "0.5"),
    "two that exclude each other": (
        "    a = sum(1 for v in visits if v.age < 3) + Lap({0}/eps)\n"
        "    b = sum(1 for v in visits if v.age >= 3) + Lap({0}/eps)\n    return a, b", "add_remove(1)", "1"),
    "two that overlap": (
        "    a = sum(1 for v in visits if v.age <= 3) + Lap({0}/eps)\n"
        "    b = sum(1 for v in visits if v.age >= 3) + Lap({0}/eps)\n    return a, b", "add_remove(1)", "2"),
    "squares": ("    return sum(clip(v.age, 0, 10) ** 2 for v in visits) + Lap({0}/eps)", "add_remove(1)", "100"),
    "bins": (BINS + "    return [c + Lap({0}/eps) for c in counts]", "add_remove(1)", "1"),
    "bins, replaced": (BINS + "    return [c + Lap({0}/eps) for c in counts]", "replace(1)", "2"),
    "bins of three": (BINS + "    return [c + Lap({0}/eps) for c in counts]", "add_remove(3)", "3"),
    "largest bin": (BINS + LARGEST, "add_remove(1)", "1"),
    "largest bin, replaced": (BINS + LARGEST, "replace(1)", "2"),
    "staircase": (
        "    counts = [sum(1 for v in visits if v.day > d) for d in range(3)]\n"
        "    return [c + Lap({0}/eps) for c in counts]", "add_remove(1)", "3"),
    "any": ("    x = 0\n    if any(v.age > 50 for v in visits):\n        x = 1\n    return x + Lap({0}/eps)", "add_remove(1)", "1"),
    "clipped max": ("    return max((clip(v.age, 0, 9) for v in visits), default=0) + Lap({0}/eps)", "add_remove(1)", "9"),
    "mean": (
        "    s = sum(clip(v.age, 0, 100) for v in visits if v.kind == 'new') + Lap(200 * {0}/eps)\n"
        "    n = sum(1 for v in visits if v.kind == 'new') + Lap(2 * {0}/eps)\n    return s, n", "add_remove(1)", "1"),
}  # fmt: skip


def read(name: str, factor: Fraction = Fraction(1)) -> Sketch:
    body, relation, least = TRUTHS[name]
    return parse(HEADER.format(relation=relation, body=body.strip("\n").format(float(Fraction(least) * factor))))


@pytest.mark.parametrize("name", TRUTHS)
def test_the_least_noise_is_enough_for_any_number_of_records(name):
    found = check(read(name)).verdict
    assert isinstance(found, Proved), found
    assert found.scope == AnyRecords()


@pytest.mark.parametrize("name", TRUTHS)
def test_less_noise_is_refuted_by_two_lists_of_records(name):
    sketch = read(name, Fraction(3, 4))
    found = check(sketch).verdict
    assert isinstance(found, Refuted), found
    adjacency, table = sketch.adjacency, sketch.private.table
    assert isinstance(adjacency, RecordRelation) and table is not None
    lists = adjacency.realise(found.example.d1, found.example.d2)
    assert lists is not None
    one, two = ([record for n, record in rows for _ in range(n)] for rows in lists)
    assert (table.answers(one, {}), table.answers(two, {})) == (found.example.d1, found.example.d2)
    changed = [r for r in one if one.count(r) > two.count(r)] + [r for r in two if two.count(r) > one.count(r)]
    assert 0 < len(set(changed)) <= 2
    if adjacency.name == "replace":
        assert len(one) == len(two)
    else:
        assert abs(len(one) - len(two)) <= adjacency.count
    assert not find_faults(document(found, sketch, parse_scale("eps")))


def test_a_mean_is_as_private_as_its_parts():
    text = HEADER.format(
        relation="add_remove(1)",
        body="    s = sum(clip(v.age, 0, 100) for v in visits) + Lap({}/eps)\n"
        "    n = len(visits) + Lap({}/eps)\n    return s / max(n, 1)",
    )
    assert isinstance(check(parse(text.format(200, 2))).verdict, Proved)
    assert not isinstance(check(parse(text.format(150, 2))).verdict, Proved)


def test_a_sum_without_bounds_is_refuted_by_a_record_and_never_proved():
    sketch = parse("@sketch(adjacent=add_remove(1))\ndef f(xs: Records, eps: Epsilon):\n    return sum(x for x in xs) + Lap(1000/eps)\n")
    assert isinstance(sketch.adjacency, RecordRelation) and sketch.adjacency.unbounded == (0,)
    assert isinstance(check(sketch).verdict, Refuted)
    with pytest.raises(Unsupported):
        enclosing(sketch.adjacency)


def test_what_is_proved_of_one_relation_is_not_taken_for_another():
    proved = check(read("count")).verdict
    assert isinstance(proved, Proved)
    text = proved.certificate.text.replace("add_remove(1)", "add_remove(2)")
    if '"bounded"' in text:
        assert recheck_bounded(Certificate(text))


def test_answers_that_no_records_have_refute_nothing():
    sketch = read("two that exclude each other", Fraction(3, 4))
    found = check(sketch).verdict
    assert isinstance(found, Refuted)
    for d1 in ((Fraction(-1), Fraction(0)), (Fraction(1, 2), Fraction(0))):
        d2 = (d1[0] + 1, d1[1])
        assert not is_real(sketch, replace(found.example, d1=d1, d2=d2))
    both = Example((Fraction(0), Fraction(0)), (Fraction(1), Fraction(1)), found.example.event, found.example.arguments)
    assert not is_real(sketch, both)


def test_a_max_moves_down_where_the_default_is_above():
    """The first record takes the place of the default: a max of at most 1 falls from 5."""
    text = "    return max((clip(v.age, 0, 1) for v in visits), default=5) + Lap({}/eps)"
    program = HEADER.format(relation="add_remove(1)", body=text)
    assert isinstance(check(parse(program.format(5))).verdict, Proved)
    assert isinstance(check(parse(program.format(4))).verdict, Refuted)
