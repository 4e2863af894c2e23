"""Quotients: what follows the last noise is proved by what it is computed from, and refuted by whether it is above a number."""

import random
from fractions import Fraction
from functools import partial

import pytest

from kolahal.checking import check
from kolahal.engine import reference
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Within, make_arguments
from kolahal.paths.quotients import compared
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.refute.counterexample_data import document, find_faults
from kolahal.proof.refute.refute import refute
from kolahal.proof.trusted.restated.released import released
from kolahal.settings import ProofSettings, Settings
from kolahal.verdicts import Proved, Refuted, Unknown

MEAN = """
class Visit(NamedTuple):
    age: float
    kind: Literal["new", "old"]

@sketch(adjacent={relation})
def f(visits: Records[Visit], eps: Epsilon):
    total = sum(clip(v.age, 0, 100) for v in visits if v.kind == "new") + Lap({total}/eps)
    count = sum(1 for v in visits if v.kind == "new") + Lap({count}/eps)
    {answer}
"""
ANSWERS = [
    "return total / max(count, 1)",
    "return max(0, total / max(count, 1))",
    "if count < 1:\n        return 0\n    return total / count",
    "m = total / max(count, 1)\n    return m * m - total, m",
    "n = max(count, 1)\n    out = []\n    for i in range(3):\n        out.append(total / n + i)\n    return out",
]


def mean(answer: str = ANSWERS[0], relation: str = "add_remove(1)", total: object = 150, count: object = 3) -> Sketch:
    return parse(MEAN.format(relation=relation, total=total, count=count, answer=answer))


@pytest.mark.parametrize("answer", ANSWERS)
def test_what_is_computed_behind_the_noise_is_proved(answer):
    assert isinstance(check(mean(answer)).verdict, Proved)
    assert isinstance(prove_bounded(mean(answer, total=149), parse_scale("eps"), ProofSettings()), Unknown), "100/149 + 1/3 is above 1"


@pytest.mark.parametrize(
    ("relation", "total", "count"),
    [("add_remove(1)", 50, 2), ("add_remove(1)", 1, 2), ("replace(2)", 150, 9), ("replace(1)", 60, 9)],
)
def test_a_quotient_with_too_little_noise_is_refuted_with_records(relation, total, count):
    program = mean(relation=relation, total=total, count=count)
    found = check(program).verdict
    assert isinstance(found, Refuted) and isinstance(found.example.event, Within)
    assert not find_faults(document(found, program, parse_scale("eps")))
    rng = random.Random(15)  # both probabilities again, by runs: 5 standard errors are missed once in two million times
    for database, told in ((found.example.d1, found.odds.p1), (found.example.d2, found.odds.p2)):
        scales, runs, hits = (float(total), float(count)), 20_000, 0
        for _ in range(runs):
            noise = [rng.choice((-1, 1)) * rng.expovariate(1 / scale) for scale in scales]
            answer = (float(database[0]) + noise[0]) / max(float(database[1]) + noise[1], 1)
            low, high = found.example.event.low, found.example.event.high
            hits += (low is None or answer >= low) and (high is None or answer <= high)
        assert abs(hits / runs - told.value) < 5 * (max(told.value, 1 / runs) / runs) ** 0.5


def test_noise_on_the_divisor_only():
    found = check(mean(total=0.5, count=200)).verdict
    assert isinstance(found, Refuted)


def _fixed(noise: list[Fraction], _: object, site: int, *__: object) -> tuple[Fraction, int]:
    return noise[site], 0


@pytest.mark.parametrize("seed", range(10))
def test_the_comparison_answers_as_the_quotient_does(seed):
    rng = random.Random(seed)
    program = mean(rng.choice(ANSWERS[:1] + ["n = max(2, count)\n    return total / n"]))
    low, high = sorted(Fraction(rng.randint(-40, 40), 4) for _ in range(2))
    event = Within(rng.choice((low, None)), high)
    asked = compared(program, event)
    assert asked is not None
    for _ in range(40):
        answers = (Fraction(rng.randint(-40, 40), 2), Fraction(rng.randint(-4, 8)))
        noise = [Fraction(rng.randint(-9, 9), 2) for _ in range(2)]
        given = make_arguments(program, Fraction(1), 2, {})
        draw = partial(_fixed, noise)
        outputs = [reference.run(one.opened().sketch, answers, given, (1.0, 1.0), draw, number=Fraction) for one in (program, asked)]
        inside = (event.low is None or outputs[0] >= event.low) and outputs[0] <= event.high
        assert outputs[1] == int(inside)


@pytest.mark.parametrize(
    "answer",
    [
        "return total / count",
        "return total / max(count, 0)",
        "return total / max(count, -1)",
        "n = max(count, 1)\n    n = n - 1\n    return total / n",
        "n = 1\n    for n in range(3):\n        total = total + 1\n    return total / n",
        "return total / 2",
        "if count > 1:\n        return total / max(count, 1)\n    return 0",
    ],
)
def test_a_divisor_that_may_be_below_0_is_no_comparison(answer):
    assert compared(mean(answer), Within(Fraction(1), None)) is None


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("a = q[0] + Lap(1/eps)\n    b = a * a\n    return b", True),
        ("a = q[0] + Lap(1/eps)\n    b = q[1]\n    return a * b", True),  # what is read without noise is given away as it is
        ("a = q[0] + Lap(1/eps)\n    if a > 0:\n        return 1\n    b = q[1] + Lap(1/eps)\n    return a / b", False),
        ("a = q[0] + Lap(1/eps)\n    a = a * a + Lap(1/eps)\n    return a", True),
    ],
)
def test_what_is_given_away_instead(body, kept):
    head = "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    "
    program = parse(head + body)
    assert (released(program) != program) is kept


@pytest.mark.parametrize(
    "body",
    [
        "a = q[0] + Lap(1/eps)\n    b = q[1]\n    return a * b",
        "a = q[0] + Lap(1/eps)\n    if q[1] > 0:\n        b = 1\n    c = a * a\n    return c * b",
        "a = q[0] + Lap(1/eps)\n    b = 1\n    if q[1] > 0:\n        b = 2\n    c = a * b\n    return c * c",
        "a = q[0] + Lap(1/eps)\n    b = [x for x in q]\n    c = a * b[0]\n    return c * c",
    ],
)
def test_what_has_no_noise_is_given_away_as_it_is(body):
    program = parse("@sketch(adjacent=each_within(1))\ndef f(q: Private[2], eps: Epsilon):\n    " + body)
    assert isinstance(prove_bounded(program, parse_scale("eps"), ProofSettings()), Unknown)


def test_an_argument_that_is_changed_may_still_be_negative():
    """With c = −1 both ways answer with the noise alone; were c taken to be above 0, one would be above 5 where the other is below."""
    program = parse(
        "@sketch(adjacent=each_within(1))\ndef f(q: Private, c: float, eps: Epsilon):\n    assert c == -1\n    n = Lap(1/eps)\n"
        "    if q[0] > 0:\n        c = max(c, 1)\n        top = n\n    else:\n        top = -n\n    return top / c\n"
    )
    assert compared(program, Within(Fraction(5), None)) is None
    assert refute(program, parse_scale("eps"), Settings()) is None


@pytest.mark.parametrize("made", ["if k > 3:\n        T = max(s, 1)", "for i in range(0):\n        T = max(s, 1)"])
def test_a_divisor_that_the_caller_may_give_is_not_taken_to_be_positive(made):
    """Every run divides by 0 and tells nothing: a wrong *Refuted* multiplied both sides of a comparison with the 0."""
    program = parse(
        "@sketch(adjacent=each_within(1))\ndef f(q: Private[1], T: float, k: int, eps: Epsilon):\n"
        f"    assert T == 0 and k < 3\n    s = q[0] + Lap(1/(9*eps))\n    {made}\n    return s / T\n"
    )
    assert not isinstance(check(program).verdict, Refuted)
