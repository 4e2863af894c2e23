"""Programs over records mean what Python means by them, and print as what they are."""

import random
from fractions import Fraction
from typing import Literal, NamedTuple

import pytest

from kolahal import Between, UsageError, clip
from kolahal.engine import reference
from kolahal.lang import ir
from kolahal.lang.labels import LabelCode
from kolahal.lang.read.parse import parse
from kolahal.lang.records.table import read_records
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import SketchError
from kolahal.model import make_arguments

HEADER = '''
class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]
    member: bool

@sketch(adjacent={relation})
def f(visits: Records[Visit], T: float, eps: Epsilon):
{body}
'''

BODIES = {
    "a dictionary of labels": """
    counts = {"returning": 0, "new": 0}
    spent = dict.fromkeys(("new", "returning"), 0)
    for v in visits:
        if v.age < 3:
            continue
        counts[v.kind] += 1
        spent[v.kind] += clip(v.age, 0, 10)
    out = [counts[k] + Lap(1/eps) for k in counts]
    for k, c in spent.items():
        out.append(c + counts[k])
    return out""",
    "a dictionary of numbers": """
    days = {0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0}
    for v in visits:
        days[v.day] += 1
        days[6 - v.day] -= 2
    return [n + i for i, n in enumerate(days.values())]""",
    "a dictionary that is computed": """
    many = {k: sum(1 for v in visits if v.kind == k) + Lap(1/eps) for k in ("new", "returning")}
    twice = {k: 2 * n for k, n in many.items()}
    return many["new"] - twice["returning"] + twice.get("new", 0) + many.get("none", 7) + len(many)""",
    "truth values and steps": """
    out = [sum(1 for v in visits if v.member == m and v.day < d) for m in (True, False) for d in (3, 5)]
    for m in [False, True]:
        for kind in ["new", "returning"]:
            out.append(sum(1 for v in visits if v.kind == kind and v.member != m))
    for d in range(0, 7, 3):
        n = sum(1 for v in visits if v.day <= d)
        out.append(n + 2 * d)
    for m in (True, False):
        few = sum(v.day for v in visits if v.member == m)
        if m:
            out = out + [few]
    return out""",
    "counts that are written out": """
    days = [0, 0, 0, 0, 0, 0, 0]
    for v in visits:
        days[v.day] = days[v.day] + 1
        days[6 - v.day] = days[6 - v.day] - v.day
    return [sum(days)] + days""",
    "the largest label": """
    tally = {"new": 0, "returning": 0}
    for v in visits:
        tally[v.kind] += v.day
    noisy = {m: n + Lap(1/eps) for m, n in tally.items()}
    return max(noisy, key=noisy.get)""",
    "labels of a loop": """
    winner, most = "none", -1
    for m in ("returning", "new"):
        n = sum(1 for v in visits if v.kind == m) + Lap(1/eps)
        if n > most:
            winner, most = m, n
    return winner""",
    "edges": """
    edges = [0, 10, 30, 120]
    out = [sum(1 for v in visits if a <= v.age < b) for a, b in zip(edges, edges[1:])]
    for i in range(3):
        out.append(sum(1 for v in visits if v.age >= edges[i]) + edges[i + 1])
    for i, (a, b) in enumerate(zip(edges[:-1], (5, 6, 7))):
        out.append(sum(v.day for v in visits if v.age > a) * b + i)
    return out""",
    "the place of the largest": """
    counts = [0] * 7
    for v in visits:
        counts[v.day] += 1
    noisy = [c + Lap(1/eps) for c in counts]
    return noisy.index(max(noisy)) * 10 + noisy.index(min(noisy))""",
    "parts of the records": """
    members = [v for v in visits if v.member]
    old = [m for m in members if m.age > 50]
    t = 0
    for m in old:
        if m.kind == "new":
            continue
        t += m.day
    return len(members) + 10 * len(old) + sum(1 for x in members if x.day > 2) + 100 * t + len([v for v in visits if v.day == 1])""",
    "whole parts": """
    counts = [0] * 4
    for v in visits:
        counts[v.day // 2] += v.day % 3
    return [c + sum(int(v.member) + float(v.day) for v in visits) for c in counts]""",
    "a tuple of edges": """
    edges = (0, 10)
    out = []
    for x in edges:
        out.append(sum(1 for v in visits if v.age > x))
    return out""",
    "clipped behind": """
    return clip(len(visits) + Lap(1/eps), 1, 3)""",
    "the opposite of a turn": """
    n = [sum(-d for v in visits if v.member) for d in range(1, 3)]
    return n[0] + n[1] + sum(-(-1) for v in visits) + Lap(6/eps)""",
    "mean": """
    total = sum(clip(v.age, 0, 100) for v in visits if v.kind == "new") + Lap(1/eps)
    count = sum(1 for v in visits if v.kind == "new") + Lap(1/eps)
    return total / max(count, 1)""",
    "mean by a loop": """
    total = 0
    count = 5
    for v in visits:
        if v.kind != "new" or v.member:
            continue
        x = clip(v.age, 0, 100)
        if x > 50:
            x = x - 50
        total += x
        count = count + 1
        count -= 2 * v.member
    return total + Lap(1/eps), count""",
    "two loops": """
    a = 0
    b = 0
    for v in visits:
        a += 1
    for v in visits:
        if v.day in (1, 2):
            b += 1
        elif v.member:
            b -= 1
        else:
            continue
        b += 10
    return a + b + Lap(1/eps)""",
    "bins": """
    counts = [sum(1 for v in visits if v.day == d) for d in range(7)]
    return [c + Lap(1/eps) for c in counts]""",
    "bins by a loop": """
    counts = [0] * 7
    for v in visits:
        counts[v.day] += 1
        counts[6 - v.day] += 2
    return [c + Lap(1/eps) for c in counts]""",
    "bins inside": """
    return [sum(1 for v in visits if v.day == d) + Lap(1/eps) for d in range(7)]""",
    "bins from 2": """
    out = []
    for d in range(2, 5):
        out.append(sum(v.member for v in visits if v.day >= d) + Lap(1/eps))
    return out""",
    "two ways": """
    out = []
    for d in range(3):
        for e in range(2):
            out.append(sum(1 for v in visits if v.day == d and v.member == (e == 1)) + Lap(1/eps))
    return out""",
    "several": """
    counts = [sum(1 for v in visits if v.day == d) for d in range(3)]
    total = len(visits)
    best = 0
    for d in range(3):
        if counts[d] > counts[best]:
            best = d
    return best + total + Lap(1/eps)""",
    "listed": """
    both = [len(visits), sum(abs(v.age - 3) / 2 if not v.member else -1 for v in visits)]
    return both[0] - both[1] + Lap(1/eps)""",
    "largest": """
    high = max((clip(v.age, -5, 5) for v in visits if v.member), default=0)
    low = min((clip(v.age, -5, 5) for v in visits), default=1)
    return high, low""",
    "some and all": """
    if any(v.age > 50 for v in visits) and not all(v.member for v in visits):
        return 1 + Lap(1/eps)
    return 0 + Lap(1/eps)""",
    "at a threshold": """
    above = sum(1 for v in visits if v.age > T)
    return above + T + Lap(1/eps)""",
    "squares": """
    return sum(clip(v.age, 0, 10) ** 2 for v in visits) + sum(1 < clip(v.age, 0, 10) <= 3 for v in visits) + Lap(1/eps)""",
}


class Visit(NamedTuple):
    age: float
    day: int
    kind: str
    member: bool


def read(body: str, relation: str = "add_remove(1)") -> Sketch:
    return parse(HEADER.format(relation=relation, body=body.strip("\n")))


def python(body: str):
    """The function as Python has it, without noise."""
    space = {"sketch": lambda adjacent: lambda f: f, "add_remove": lambda k: None, "Records": list, "Epsilon": float}
    space |= {"NamedTuple": NamedTuple, "Between": Between, "Literal": Literal, "clip": clip, "Lap": lambda scale: 0}
    space["Records"] = {}.__class__  # subscripted only
    exec(HEADER.format(relation="add_remove(1)", body=body.strip("\n")).replace("Records[Visit]", "list"), space)
    return space["f"]


def random_visits(rng: random.Random) -> list[Visit]:
    ages = [Fraction(rng.randint(-40, 480), 4) for _ in range(rng.randint(0, 6))]
    return [Visit(a, rng.randint(0, 6), rng.choice(("new", "returning")), rng.random() < 0.5) for a in ages]


@pytest.mark.parametrize("name", BODIES)
def test_a_program_means_what_python_means(name):
    sketch, function, rng = read(BODIES[name]), python(BODIES[name]), random.Random(name)
    opened = sketch.opened()
    assert sketch.private.table is not None
    for _ in range(60):
        visits, threshold = random_visits(rng), Fraction(rng.randint(-40, 480), 4)
        expected = function(visits, threshold, 1)
        given = {"T": threshold}
        answers = sketch.private.table.answers(read_records(sketch.private.table, visits), given)
        arguments = make_arguments(sketch, Fraction(1), len(answers), given)
        silent = (0.0,) * len(opened.completion)
        output = reference.run(opened.sketch, answers, arguments, silent, lambda *_: (0, 0), number=Fraction)
        told = list(expected) if isinstance(expected, list | tuple) else expected
        texts = {n.value: n.value.text for n in ir.walk(sketch.body) if isinstance(n, ir.Const) and isinstance(n.value, LabelCode)}
        shown = texts[output] if isinstance(expected, str) else output
        assert (list(shown) if isinstance(shown, tuple) else shown) == told


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("relation", ["add_remove(1)", "replace(2)"])
def test_a_printed_program_reads_as_itself(name, relation):
    sketch = read(BODIES[name], relation)
    assert parse(str(sketch)) == sketch
    assert f"@sketch(adjacent={relation})" in str(sketch)


def test_a_call_takes_records_in_every_form():
    program = read("    return sum(clip(v.age, 0, 10) for v in visits if v.day < 3) + Lap(0.000001/eps)")
    rows = [(4, 1, "new", True), {"age": 50, "day": -3, "kind": "new", "member": False}, Visit(7, 99, "returning", True)]
    assert program(rows, 0.0, 1.0) == pytest.approx(14, abs=0.01)
    assert program(visits=[], T=0.0, eps=1.0) == pytest.approx(0, abs=0.01)
    for bad, why in [
        (5, "must be a list of records"),
        ([(1, 2)], "is not a record of Visit"),
        ([{"age": 1}], "it lacks day, kind, member"),
        ([(float("nan"), 1, "new", True)], "must be a finite number"),
        ([(float("inf"), 1, "new", True)], "must be a finite number"),
        ([("1", 1, "new", True)], "must be a number"),
        ([(1, 1.5, "new", True)], "must be a whole number"),
        ([(1, 1, "odd", True)], "must be one of new, returning"),
        ([(1, 1, "new", 2)], "must be True or False"),
    ]:
        with pytest.raises(UsageError, match=why):
            program(bad, 0.0, 1.0)


HELPERS = """
LOW, HIGH = 2, 9
BARS = [1, 4]

def adult(v):
    return v.age >= LOW * HIGH

def weekend(day, first=5):
    if day >= first:
        return True
    return False

def worth(v, rate):
    x = min(max(v.age, LOW), HIGH)
    if adult(v) and not weekend(v.day):
        x = x * rate
    elif v.kind == "new":
        x += 1
    return x
"""


def test_helpers_are_read_where_they_are_called():
    body = "    return sum(worth(v, 3) for v in visits if weekend(v.day, 2) or adult(v)) + Lap(1/eps), sum(1 for v in visits if v.day in BARS)"
    sketch = parse(HELPERS + HEADER.format(relation="add_remove(1)", body=body))
    space: dict = {}
    exec(HELPERS, space)
    rng, table = random.Random(7), sketch.private.table
    assert table is not None
    for _ in range(80):
        visits = random_visits(rng)
        expected = sum(space["worth"](v, 3) for v in visits if space["weekend"](v.day, 2) or space["adult"](v))
        assert table.answers(read_records(table, visits), {}) == (expected, sum(1 for v in visits if v.day in (1, 4)))


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("def g(v):\n    return g(v)\n", "sum(g(v) for v in visits)"),
        ("def g(v):\n    if v.member:\n        return 1\n", "sum(g(v) for v in visits)"),
        ("def g(v):\n    x = 1 / v.day\n    return 1\n", "sum(g(v) for v in visits)"),
        ("def g(v, w):\n    return v.day - w.day\n", "sum(g(v, v) for v in visits)"),
        ("def g(v):\n    return T\n", "sum(g(v) for v in visits)"),
        ("def sum(xs):\n    return 0\n", "sum(v.day for v in visits)"),
        ("B = [1]\nB.append(2)\n", "sum(1 for v in visits if v.day in B)"),
        ("B = [1]\nC = B\n", "sum(1 for v in visits if v.day in B)"),
        ("def zip(a, b):\n    return [(0, 9)]\n", "sum(1 for v in visits if v.day > [a for a, b in zip((1,), (2,))][0])"),
    ],
)
def test_what_python_would_not_run_so_is_refused(before, body):
    with pytest.raises(SketchError):
        parse(before + HEADER.format(relation="add_remove(1)", body=f"    return {body} + Lap(1/eps)"))


@pytest.mark.parametrize(
    "body",
    [
        "    t = 5\n    old = [v for v in visits if v.age > t]\n    t = 90\n    return len(old) + Lap(1/eps)",
        "    old = [v for v in visits if v.age > 3]\n    old.append(1)\n    return len(old) + Lap(1/eps)",
        "    old = [v for v in visits if v.age > 3]\n    return old",
        "    c = {'new': 0}\n    for v in visits:\n        c[v.kind] += 1\n    return c['new'] + Lap(1/eps)",
        "    c = [0] * 7\n    for v in visits:\n        c[v.day] = c[v.day - 0] + 1\n    return c[0] + Lap(1/eps)",
        "    c = {}\n    for v in visits:\n        c[v.kind] = c.get(v.kind, 0) + 1\n    return c['new'] + Lap(1/eps)",
        "    c = {'new': 0, 'returning': 0}\n    d = c\n    for v in visits:\n        c[v.kind] += 1\n    return d['new'] + Lap(1/eps)",
        "    c = {'new': 0, 'returning': 0}\n    for v in visits:\n        c[v.kind] += 1\n    return c",
        "    e = [0, 10]\n    f2 = e\n    f2.append(20)\n    return [sum(1 for v in visits if v.age > e[i]) + Lap(1/eps) for i in range(2)]",
        "    return [d + sum(1 for v in visits if v.age > a) + Lap(1/eps) for a in [3, 5] for d in range(a)]",
        "    e = [0, 10]\n    e[0] = 7\n    return [sum(1 for v in visits if v.age > e[i]) + Lap(1/eps) for i in range(2)]",
        "    for k in ('new', 'returning'):\n        n = sum(1 for v in visits if v.kind == k) + Lap(1/eps)\n    return k",
    ],
)
def test_lists_and_dictionaries_that_mean_something_else_are_refused(body):
    with pytest.raises(SketchError):
        read(body)


def test_constants_of_the_file_are_numbers():
    body = "    return [sum(1 for x in xs if x > d * STEP) + Lap(1/eps) for d in range(BINS)]\n"
    head = "@sketch(adjacent=add_remove(1))\ndef f(xs: Records, eps: Epsilon):\n"
    assert parse(f"STEP = 0.5\nBINS = 3\n\n{head}{body}") == parse(head + body.replace("STEP", "0.5").replace("BINS", "3"))


def test_records_may_be_numbers():
    program = parse(
        "@sketch(adjacent=add_remove(1))\ndef f(xs: Records[Between(0, 1)], eps: Epsilon):\n"
        "    return sum(x for x in xs) + Lap(0.000001/eps)\n"
    )
    assert program([0.25, 3, -1], 1.0) == pytest.approx(1.25, abs=0.01)
    assert list(program.adjacency.vertices(1)) == [(1,), (-1,)]
