"""Means where the number of records is public: noise by it stands for noise that is divided afterwards."""

import random
from fractions import Fraction

import pytest

from kolahal.checking import check
from kolahal.engine import reference
from kolahal.lang.read.parse import parse
from kolahal.lang.source import SketchError
from kolahal.model import make_arguments
from kolahal.proof.find.bounded import prove_bounded
from kolahal.verdicts import Proved, Refuted, Unknown

HEAD = "@sketch(adjacent={})\ndef f(xs: Records[Between(0, 100)], eps: Epsilon):\n    "
MEANS = [
    "return sum(xs) / len(xs) + Lap({} / (len(xs) * eps))",
    "n = len(xs)\n    return Lap({} / (eps * n)) + sum(x for x in xs) / n",
    "n = max(len(xs), 1)\n    mean = sum(xs) / n + Lap({} / n / eps)\n    return max(0, min(mean, 100))",
    "n = max(1, len(xs))\n    m = sum(xs) / n - Lap({} / n * (1 / eps))\n    return m * m",
    "n = len(xs)\n    t = 0\n    for x in xs:\n        t += x\n    return t / n + Lap(2 * {} / (2 * n * eps))",
]


@pytest.mark.parametrize("body", MEANS)
def test_a_mean_is_proved_with_just_enough_noise(body):
    assert isinstance(check(parse(HEAD.format("replace(1)") + body.format(100))).verdict, Proved)
    assert isinstance(prove_bounded(parse(HEAD.format("replace(1)") + body.format(99))), Unknown)


def test_too_little_noise_is_refuted():
    for body in MEANS[:2]:
        assert isinstance(check(parse(HEAD.format("replace(1)") + body.format(50))).verdict, Refuted)


@pytest.mark.parametrize("body", MEANS)
def test_the_noise_is_that_of_the_text(body):
    """The program that is read draws s and divides by n, where the text draws s / n."""
    program, rng = parse(HEAD.format("replace(1)") + body.format(100)), random.Random(body)
    for _ in range(20):
        total, size, drawn = Fraction(rng.randint(0, 300)), Fraction(rng.randint(1, 4)), Fraction(rng.randint(-50, 50), 7)
        space = {"Lap": lambda scale, drawn=drawn: Fraction(scale) / 100 * drawn, "Fraction": Fraction}
        parts = [total / size for _ in range(int(size))]
        text = "def f(xs, eps):\n    " + body.format(100)
        exec(text, space)
        expected = space["f"](parts, Fraction(1))
        table = program.private.table
        assert table is not None
        answers = table.answers([(part,) for part in parts], {})
        given = make_arguments(program, Fraction(1), len(answers), {})
        found = reference.run(program.opened().sketch, answers, given, (100.0,), lambda *_, d=drawn: (d / 100, 0), number=Fraction)
        assert abs(found - expected) < Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("relation", "body", "code"),
    [
        ("add_remove(1)", MEANS[0].format(100), "K114"),  # the number is private there
        ("replace(1)", "return sum(xs) / len(xs) + Lap(hole)", "K176"),
        ("replace(1)", "return sum(xs) + Lap(100 / (len(xs) * eps))", "K114"),
        ("replace(1)", "n = 1000\n    if sum(xs) > 0:\n        n = len(xs)\n    return sum(xs) / n + Lap(100 / (n * eps))", "K114"),
        ("replace(1)", "return sum(xs) / len(xs) + Lap(100 / (len(xs) * len(xs) * eps))", "K114"),
        ("replace(1)", "return sum(xs) / len(xs) + Lap(100 * len(xs) / eps)", "K114"),
    ],
)
def test_other_numbers_of_records_are_no_scales(relation, body, code):
    with pytest.raises(SketchError, match=code):
        parse(HEAD.format(relation) + body)
