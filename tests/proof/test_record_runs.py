"""Questions that depend on the run: with too little noise, two lists of records and an answer refute the program."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from kolahal.checking import check
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.records.along_runs import along
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch, call_mechanism
from kolahal.model import Equals
from kolahal.proof.refute.counterexample_data import document, find_faults
from kolahal.proof.refute.questions import find_questions
from kolahal.proof.refute.runs import find_run_examples
from kolahal.report.records import records_of
from kolahal.verdicts import Proved, Refuted, Unknown

HEAD = "@sketch(adjacent={})\ndef f(rows: Records[Between(0, 128)], {}eps: Epsilon):\n"
MEDIAN = """    lo, hi = 0, 128
    for k in range({}):
        mid = (lo + hi) / 2
        if sum(1 for r in rows if r <= mid) - len(rows) / 2 + Lap({}/eps) > 0:
            hi = mid
        else:
            lo = mid
    return lo"""
LATE = """    t = 10
    if len(rows) + Lap(2/eps) > 5:
        t = 20
    return t, sum(1 for r in rows if r > t) + Lap({}/eps) > 3"""
CASES = {  # program, and the least noise that keeps ε
    "median in 3 steps": (HEAD.format("add_remove(1)", "") + MEDIAN.format(3, "{}"), "3/2"),
    "median in K steps": (HEAD.format("add_remove(1)", "K: int, ") + MEDIAN.format("K", "{}*K"), "1/2"),
    "median, exchanged": (HEAD.format("replace(1)", "") + MEDIAN.format(3, "{}"), "3"),
    "median of two": (HEAD.format("add_remove(2)", "") + MEDIAN.format(2, "{}"), "2"),
    "outside loops": (HEAD.format("add_remove(1)", "") + LATE, "2"),
}


def read(name: str, factor: Fraction) -> Sketch:
    text, least = CASES[name]
    return parse(text.format(Fraction(least) * factor))


@pytest.mark.parametrize("name", CASES)
def test_less_than_the_least_noise_is_refuted_by_two_lists_of_records(name: str) -> None:
    assert isinstance(check(read(name, Fraction(1))).verdict, Proved)
    sketch = read(name, Fraction(9, 10))
    found = check(sketch).verdict
    assert isinstance(found, Refuted)
    lists = records_of(sketch, found.example)
    assert lists is not None and max(map(len, lists)) <= 3
    assert not find_faults(document(found, sketch, parse_scale("eps")))


def rows_of(sketch: Sketch, found: Refuted) -> list[list[float]]:
    assert isinstance(sketch.adjacency, RecordRelation) and found.example.asked is not None
    relation = along(sketch.adjacency, found.example.asked, len(found.example.d1))
    pair = relation.realise(found.example.d1, found.example.d2)
    assert pair is not None
    return [[float(record[0]) for times, record in rows for _ in range(times)] for rows in pair]


@pytest.mark.parametrize("name", ["median in 3 steps", "outside loops"])
def test_the_probabilities_are_those_of_the_program_on_the_records(name: str) -> None:
    """By runs of the program as Python; off by five standard errors in fewer than one of a million."""
    sketch, rng = read(name, Fraction(1, 2)), random.Random(15)
    found = check(sketch).verdict
    assert isinstance(found, Refuted) and isinstance(found.example.event, Equals)

    def noise(kind: Noise, scale: float) -> float:
        return scale * rng.choice((-1, 1)) * rng.expovariate(1)

    value = found.example.event.value
    wanted = tuple(value) if isinstance(value, tuple) else value
    epsilon = float(found.example.arguments.epsilon)
    for rows, p in zip(rows_of(sketch, found), (found.odds.p1, found.odds.p2), strict=True):
        runs = 800
        hits = sum(call_mechanism(sketch, (rows,), {"eps": epsilon}, noise) == wanted for _ in range(runs))
        assert abs(hits / runs - p.value) <= 5 * math.sqrt(p.value * (1 - p.value) / runs) + 1e-9


def test_a_document_with_other_questions_or_answers_is_refused() -> None:
    sketch = read("median in 3 steps", Fraction(1, 2))
    found = check(sketch).verdict
    assert isinstance(found, Refuted)
    whole = document(found, sketch, parse_scale("eps"))
    for change in (
        {"asked": None},
        {"asked": []},
        {"asked": [[0, "64"], [1, "32"], [2, "48"]]},
        {"asked": [[0, "64", "1"]]},
        {"asked": [[True, "64"]]},
        {"asked": "64"},
        {"d2": ["1", "1", "1"]},
        {"d1": ["3/2", "1/2", "3/2"], "d2": ["2", "0", "2"]},  # no record is below 96 and not below 112
    ):
        assert find_faults({**whole, **change}), change


def test_answers_from_several_sequences_of_questions_refute_nothing() -> None:
    """What a run asks is not told by the answer: then the answers of two lists are not one list each."""
    text = LATE.replace("return t, sum", "return sum")
    sketch = parse(HEAD.format("add_remove(1)", "") + text.format("1"))
    assert isinstance(check(sketch).verdict, Unknown)
    assert not list(find_run_examples(sketch, parse_scale("eps")))


def test_questions_with_noise_in_them_are_not_listed() -> None:
    body = "    t = Lap(1/eps)\n    return sum(1 for r in rows if r > t) + Lap(1/eps) > 3"
    sketch = parse(HEAD.format("add_remove(1)", "") + body)
    example = next(iter(find_run_examples(sketch, parse_scale("eps"))), None)
    assert example is None


def test_every_run_has_its_questions() -> None:
    sketch = read("median in 3 steps", Fraction(1))
    example, _ = next(iter(find_run_examples(sketch, parse_scale("eps"))))
    known = find_questions(sketch, example.arguments)
    assert known is not None and len(known) == 8
    assert known[Fraction(80)] == {((0, (Fraction(64),)), (1, (Fraction(96),)), (2, (Fraction(80),)))}
    assert all([place for place, _ in asked] == [0, 1, 2] for several in known.values() for asked in several)
