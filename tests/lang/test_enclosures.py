"""Functions of `math` of one record: their bounds hold, and are near; what has none is refused."""

import math
import random
from fractions import Fraction

import pytest

from kolahal.lang.enclosures import MATH, NoBounds, enclose, math_value
from kolahal.lang.read.parse import parse
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.source import SketchError
from kolahal.proof.find.bounded import prove_bounded
from kolahal.verdicts import Proved, Unknown

NUMBERS = "import math\nfrom math import floor, sqrt as root\n\n@sketch(adjacent={})\ndef f(rows: Records, eps: Epsilon):\n    return sum({} for r in rows) + Lap({}/eps)\n"


@pytest.mark.parametrize("name", MATH)
def test_bounds_hold_and_are_near(name):
    rng = random.Random(name)
    for _ in range(40):
        low = Fraction(rng.randint(1 if name in ("log", "sqrt") else -400, 600), 40)
        high = low + Fraction(rng.randint(0, 300), 40)
        least, most = enclose(name, low, high)
        between = [low + (high - low) * Fraction(i, 400) for i in range(401)]
        values = [math_value(name, v) for v in between]
        assert least <= min(values) and max(values) <= most
        near = max(abs(least), abs(most), 1) / 10**4 + (high - low) ** 2 / 10**4
        assert min(values) - least <= near and most - max(values) <= near


@pytest.mark.parametrize(("name", "low", "high"), [("sqrt", -1, 1), ("log", 0, 1), ("exp", 0, 50), ("sin", 0, 10**13)])
def test_what_has_no_bounds(name, low, high):
    with pytest.raises(NoBounds):
        enclose(name, Fraction(low), Fraction(high))


# A function, the relation, noise that is enough, and noise that is not.
KNOWN = [
    ("math.log(1 + clip(r, 0, 100))", "add_remove(1)", 4.61513, 4.61),
    ("root(clip(r, 0, 4))", "add_remove(1)", 2, 1.99),
    ("clip(r, 0, 9) ** 0.5", "replace(1)", 3, 2.99),
    ("math.sin(clip(r, 0, 4))", "replace(1)", 1.75681, 1.75),
    ("math.cos(r)", "add_remove(1)", 1, 0.99),
    ("math.atan(r)", "add_remove(1)", 1.5708, 1.57),
    ("math.exp(clip(r, -1, 1)) - 1", "add_remove(1)", 1.71829, 1.71),
    ("floor(clip(r, 0, 5) / 2)", "add_remove(1)", 2, 1.9),
    ("clip(math.exp(clip(r, -9, 9)), 0, 5)", "add_remove(1)", 5, 4.9),
    ("clip(r, 0, 2) * math.sin(clip(r, 0, 1))", "add_remove(1)", 1.68295, 1.2),
    ("abs(math.sin(clip(r, -2, 1)))", "add_remove(1)", 1, 0.9),
]


@pytest.mark.parametrize(("item", "relation", "enough", "little"), KNOWN)
def test_sums_of_functions(item, relation, enough, little):
    program = parse(NUMBERS.format(relation, item, enough))
    assert parse(str(program)) == program
    assert isinstance(prove_bounded(program), Proved)
    assert isinstance(prove_bounded(parse(NUMBERS.format(relation, item, little))), Unknown)


@pytest.mark.parametrize("item", [k[0] for k in KNOWN])
def test_no_record_adds_more(item):
    rng = random.Random(item)
    sketch = parse(NUMBERS.format("add_remove(1)", item, 1))
    adjacency, table = sketch.adjacency, sketch.private.table
    assert isinstance(adjacency, RecordRelation) and table is not None
    ((low, high),) = adjacency.contributions()
    for _ in range(300):
        (found,) = table.contribution((Fraction(rng.uniform(-20, 110)),), {})
        assert low <= found <= high
        assert math.isfinite(found)


@pytest.mark.parametrize(
    ("item", "code"),
    [
        ("math.log(clip(r, 0, 1))", "K171"),
        ("math.sqrt(r)", "K171"),
        ("math.exp(r)", "K171"),
        ("math.tan(r)", "K167"),
        ("round(r)", "K167"),
        ("math.sin(r, 1)", "K167"),
        ("clip(r, 0, 1) ** 0.3", "K167"),
        ("numpy.sqrt(clip(r, 0, 1))", "K167"),
    ],
)
def test_what_is_refused(item, code):
    with pytest.raises(SketchError, match=code):
        parse(NUMBERS.format("add_remove(1)", item, 1))


def test_a_name_of_the_file_is_not_taken_for_one_of_math():
    own = "def sqrt(x):\n    return 100 * x\n\n@sketch(adjacent=add_remove(1))\ndef f(rows: Records, eps: Epsilon):\n    return sum(sqrt(clip(r, 0, 1)) for r in rows) + Lap(1/eps)\n"
    for text in (own, "from numpy import sqrt\n" + own.partition("\n\n")[2], "import numpy as math\n" + own.partition("\n\n")[2].replace("sqrt(", "math.sqrt(")):
        with pytest.raises(SketchError, match="K167"):
            parse(text)


def test_bins_by_floor():
    text = "import math\n@sketch(adjacent=add_remove(1))\ndef f(rows: Records[Between(0, 99)], eps: Epsilon):\n    counts = [0] * 10\n    for r in rows:\n        counts[math.floor(r / 10)] += 1\n    return [c + Lap({}/eps) for c in counts]\n"
    assert isinstance(prove_bounded(parse(text.format(1))), Proved)
    assert isinstance(prove_bounded(parse(text.format(0.9))), Unknown)
