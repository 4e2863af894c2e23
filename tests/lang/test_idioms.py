"""Everyday Python in sketches: what Python does with the text is what every engine and the emitted program do."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest
from test_emit import assert_means

from kolahal.checking import check
from kolahal.emission.program import emit, load_emitted
from kolahal.engine import batch, jit, reference
from kolahal.engine.faults import RunError
from kolahal.engine.tape import Tape
from kolahal.errors import UsageError
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import SketchError
from kolahal.model import Arguments, make_arguments
from kolahal.verdicts import Proved, Refuted

RUNS = 4
HEAD = '''
from kolahal import DiscreteLap, Epsilon, Exp, Lap, Private, each_within, sketch

K = 2
HALF: float = 0.5
STEP = K + HALF
BINS = (0, 1, 3)


def noisy(x, e):
    """A helper that draws."""
    return x + Lap(1 / e)


def first_above(xs, t, default=None):
    for i, x in enumerate(xs):
        if x > t:
            return i
    return default


def pair(x, y):
    if x > y:
        return x, y
    return y, x


def clamp(x, low=0, high=K):
    return low if x < low else high if x > high else x


def push(out, x):
    if x > 0:
        out.append(x)
        return
    out.append(0)


def where(xs, ys):
    for i in range(len(xs)):
        for j in range(len(ys)):
            if xs[i] == ys[j]:
                return i + j
    total = sum(xs)
    if total > 3:
        total = total - 3
        if total > 2:
            return total
    return -total


def noisy_all(xs, e):
    out = []
    for x in xs:
        out.append(noisy(x, e))
    return out


def twice(x, e):
    x = noisy(x, e)
    return x + noisy(x, e)


@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
'''

IDIOMS = {
    "sum": "return sum(q) + Lap(len(q)/eps)",
    "sum of a generator": "return sum(x * 2 for x in q if x > T if x < 9)",
    "sum counts": "return sum(x > T and not x > 5 for x in q)",
    "sum from a start": "return sum([x + Lap(1/eps) for x in q], T + Lap(2/eps))",
    "a start comes after a list": "return sum([3 * Lap(1/eps), noisy(T, eps)], 2 * Lap(1/eps)) + max([x * Lap(1/eps) for x in q], default=Lap(2/eps))",
    "a start comes before a generator": "return sum((x * Lap(1/eps) for x in [T, 2 * Lap(1/eps)]), Lap(2/eps))",
    "sum of its own name": "s = T\ns = sum(x for x in q if x > s)\nreturn s",
    "nested sums": "return sum(x * y for x in q for y in q if x < y)",
    "sum inside a sum": "return sum(x * sum(y for y in q if y < x) for x in q)",
    "sum over a range": "return sum(i for i in range(N)) + sum(range(1, N))",
    "max": "return max(q) + Lap(1/eps)",
    "min": "m = min(abs(x) for x in q if x != T)\nreturn m",
    "max or": "return max((x for x in q if x > T), default=T), min(q, default=None)",
    "max of three": "return max(T, 1, min(q[0], 2))",
    "any": "return any(x + Lap(1/eps) > T for x in q)",
    "all": "return all(x + Lap(1/eps) > T for x in q), 1",
    "any of a list draws all": "return any([x + Lap(1/eps) > T for x in q])",
    "any with if": "found = any(x > 1 for x in q if x + Lap(1/eps) > T)\nreturn found",
    "any in and": "return T > 0 and any(x > 1 for x in q) and all(x + Lap(1/eps) < 3 for x in q)",
    "any in or": "if T > 0 or any(x + Lap(1/eps) > 1 for x in q):\n    return 1\nreturn 0",
    "not any": "return not any(x > T for x in q)",
    "a choice": "x = q[0] + Lap(1/eps) if T > 0 else 1\nreturn x",
    "a choice in arithmetic": "return Lap(1/eps) + (q[0] + Lap(2/eps) if T > 0 else T) * 2",
    "choices of choices": "return [1 if x > T else 2 if x < 0 else x for x in q]",
    "a choice of answers": "return q[0] if T > 0 else q[-1]",
    "a choice of pairs": "a, b = (1, 2) if T > 0 else (q[0], 3)\nreturn a, b",
    "a choice in a test": "while (N if T > 0 else 0) > 0:\n    N -= 1\n    T = T - 1\nreturn N, T",
    "enumerate": "s = 0\nfor i, x in enumerate(q):\n    s += i * x\nreturn s",
    "enumerate from": "return [i + x for i, x in enumerate(q, start=N)]",
    "enumerate and break": "for i, x in enumerate(q):\n    i = i + 5\n    if x + Lap(1/eps) > T:\n        break\nelse_ = 1\nreturn else_",
    "zip": "return [x - y + k for k, (x, y) in enumerate(zip(q, q[1:]))]",
    "one name twice": "s = 0\nfor i, i, x in zip(range(N), [1, 0], q):\n    s += x * (i + 2)\nreturn s",
    "zip of three": "return sum(x * y * z for x, y, z in zip(q, range(N), reversed(q)))",
    "reversed": "out = []\nfor x in reversed(q):\n    out.append(x)\nfor i in reversed(range(1, N)):\n    out.append(i)\nfor i in reversed(range(N)):\n    out.append(i)\nreturn out",
    "comprehension with if": "out = [x for x in q if x > T]\nreturn out",
    "comprehension of its own name": "q = [x for x in q if x > T]\nreturn len(q)",
    "comprehension with draws": "return [x + Lap(1/eps) for x in q if x + Lap(2/eps) > T]",
    "two fors": "return [x + y for x in q if x > 0 for y in q if y > x]",
    "a name in two places": "x = 5\nys = [x + 1 for x in q if x > 0]\nys.append(x)\nreturn ys",
    "item assignment": "xs = [0 for x in q]\nfor i in range(len(q)):\n    xs[i] = q[i] + Lap(1/eps)\nreturn xs",
    "item from the end": "xs = [1, 2, 3]\nxs[-1] = q[0]\nxs[N - 2] += T\nreturn xs",
    "items swapped": "xs = [x for x in q]\nxs[0], xs[N] = xs[N], xs[0]\nreturn xs",
    "item of no place": "xs = [1]\nxs[N] = 3\nreturn xs",
    "counts": "counts = [0 for b in BINS]\nfor x in q:\n    for i, b in enumerate(BINS):\n        if x < b:\n            counts[i] += 1\nreturn counts",
    "list of": "return list(reversed(q))",
    "sorted": "return sorted(q)",
    "sorted down": "xs = sorted((x + Lap(1/eps) for x in q), reverse=True)\nreturn xs[:2]",
    "median": "return sorted(q)[len(q) // 2]",
    "slices": "return len(q[1:]), len(q[:2]), len(q[:-1]), len(q[-2:]), len(q[1:-1]), len(q[::-1]), len(q[::2]), len(q[5:]), len(q[:9])",
    "slices of unknown ends": "a = q[N - 2:]\nb = q[:N - 3]\nreturn sum(a), len(b)",
    "a slice from the end": "return q[::-1]",
    "a loop over a part": "s = 0\nfor x in q[1:]:\n    s += x\nfor x in [1, T]:\n    s += x\nfor x in (1, 2):\n    s += x\nreturn s",
    "a helper": "return noisy(q[0], eps) + noisy(q[-1], eps / 2)",
    "a helper in a loop": "return [noisy(x, eps) for x in q]",
    "a helper that draws twice": "x = 1\ny = twice(sum(q), eps)\nreturn x + y",
    "a helper with a loop": "return first_above(q, T)",
    "a helper with a loop and a value": "v = first_above(q, noisy(T, eps), N)\nreturn v",
    "a helper in a test": "if first_above(q, T) is not None and first_above(q, T, default=0) > 0:\n    return 1\nreturn 0",
    "a helper of pairs": "a, b = pair(q[0], noisy(T, eps))\nreturn a - b",
    "a helper that answers": "return pair(q[0], T)",
    "helpers of helpers": "return [clamp(x) + clamp(x, high=5) for x in q]",
    "a helper that grows a list": "out = []\nfor x in q:\n    push(out, x)\nreturn out",
    "a helper with returns inside": "return where(q, [x + 1 for x in q])",
    "a helper with returns inside, kept": "v = where(q, q[1:]) + 1\nreturn v",
    "order of draws": "return [Lap(1/eps) + noisy(q[0], eps) + Lap(2/eps), Lap(1/eps) * sum(x + Lap(3/eps) for x in q)]",
    "constants": "return sum(x for x in q if x > K) + STEP * HALF + Lap(K / eps)",
    "chains": "return 0 <= sum(q) + T < max(q) < 9",
    "a test that is computed anew": "while sum(q) > T and any(x > T for x in q):\n    T = T + 1\n    if T > 5:\n        continue\nreturn T",
    "quotients of whole numbers": "a = sum(i for i in range(N)) / 3\nb = (1 if T > 0 else 2) / 3\nc = max(range(N)) / 3\nreturn a, b, c, sum(q) / 3, len(q[1:]) / 3",
    "quotients in loops": "s = 0\nfor i, x in enumerate(q):\n    s += i / 3\nfor i, (j, x) in zip(range(N), enumerate(q)):\n    s += i / 3 + j / 7\nfor x in [1, 2]:\n    s += x / 3\nreturn s + sorted(range(N))[0] / 3 + list(range(N))[-1] / 3 + sum(i / 3 for i in (1, 2))",
    "quotients of items": "xs = [0, 0]\nxs[0] = N\nxs[1] += 1\nreturn xs[0] / 3 + xs[1] / 3 + min(xs) / 3 + (xs[0] if any(x > T for x in q) else 2) / 7",
    "labels": "d = {'low': 0, 'high, too': sum(q)}\nfor x in q:\n    if x + Lap(1/eps) > T:\n        d['high, too'] += x\n    else:\n        d['low'] = d['low'] + 1\nif T > 9:\n    d = {'high, too': 1, 'low': 2}\nreturn d['high, too'], d['low']",
    "asserted": "assert N > 0 and T < 99\nassert len(q) >= 0, 'always'\nreturn sum(q)",
    "a helper that makes a list": "xs = noisy_all(q, eps)\nxs.append(sum(noisy_all(q, 2 * eps)))\nfor x in noisy_all([T], eps):\n    xs.append(x)\nreturn xs",
    "items while looping": "xs = [x for x in q]\nfor i, x in enumerate(xs):\n    xs[i] = x + xs[-1]\nfor x in xs:\n    xs[-1] = xs[-1] - x\nreturn xs",
    "so many times": "xs = [T + Lap(1/eps)] * N\nys = [0] * len(q)\nys.sort()\nreturn sum(xs) + len(ys) + len([1] * (N - 3))",
    "sorted in place": "xs = [x + Lap(1/eps) for x in q]\nxs.sort(reverse=True)\nxs.append(T)\nxs.sort()\nreturn xs",
    "augmented": "out = []\nout += [T, 2]\nout.extend([x for x in q if x > 0])\nout.extend(q)\nreturn out",
    "lists put together": "a = [x + Lap(1/eps) for x in q]\nb = sorted(q)\nreturn [Lap(2/eps)] + a + b[1:] + [T, N * Lap(1/eps)] + q",
    "lists put together anew": "out = []\nfor x in q:\n    out = out + [x, x + Lap(1/eps)]\nfor x in q:\n    out = [x + Lap(1/eps)] + out\nout = out + out + q\nmore = [1]\nmore += out\nmore = more[:2] + more\nreturn more",
    "a sum of lists is gone over": "s = 0\nfor x in q + [T]:\n    s += x\nreturn s, len(q + [1, 2]), max([0] + q), ([5] + q)[N]",
    "scales with names": "a, b = 1/eps, 2/eps\na, b = b, a\nleft = eps\nx = q[0] + Lap(1/left)\nleft -= eps/2\nfor y in q:\n    c = 2 * a\n    x += Lap(c) + Lap(1/left) * Lap(b)\nreturn x",
    "powers": "s = (q[0] + Lap(1/eps**1)) ** 2\nt = K ** 3 - T ** 1\nt **= 2\nout = [(x - t) ** 2 + x ** 3 for x in q]\nout[0] **= 2\nreturn s, t, sum(out), -T ** 2",
    "tuples": "a, b = sum(q), max(q)\na, b = b, a\nreturn a - b",
}  # fmt: skip


def text_of(body: str) -> str:
    return HEAD + "".join(f"    {line}\n" for line in body.split("\n"))


def run_by_python(text: str, database: list[Fraction], values: dict[str, Any], drawn: list[Any]) -> Any:
    """What Python itself makes of the text, with these draws in this order; all of them have to be asked for."""
    left = list(drawn)
    space: dict[str, Any] = {noise.value: lambda scale: left.pop(0) for noise in Noise}
    space |= {"Private": list, "Epsilon": float, "each_within": lambda d: None, "sketch": lambda adjacent: lambda f: f}
    exact = {"from kolahal import": "from fractions import Fraction  #", "0.5": "Fraction(1, 2)"}
    exact |= {f"/ {whole}": f"* Fraction(1, {whole})" for whole in (3, 7)}
    for inexact, same in exact.items():
        text = text.replace(inexact, same)
    exec(text, space)
    answer = space["f"](q=list(database), **values)
    assert not left, "Python draws less often"
    return tuple(answer) if isinstance(answer, list) else answer


def cases(sketch: Sketch, seed: int) -> Iterator[tuple[tuple[Fraction, ...], Arguments]]:
    rng = random.Random(seed)
    for _ in range(12):
        database = tuple(Fraction(rng.randint(-2, 8), 2) for _ in range(rng.choice([0, 1, 2, 3, 5])))
        public = {"N": Fraction(rng.randint(1, 4)), "T": Fraction(rng.randint(-2, 6), 2)}
        yield database, make_arguments(sketch, Fraction(1), len(database), public)


def assert_python_agrees(text: str) -> int:
    """That Python and the reference give the same answers with the same draws, or both stop; how often they answer."""
    sketch, answered = parse(text), 0
    for database, arguments in cases(sketch, 7):
        log: list[Any] = []
        values = {n: v for n, v in arguments.environment(sketch).items() if n != "q"}
        values = {n: int(v) if n == "N" else v for n, v in values.items()}
        tape = Tape((11,), 1).row(0)
        try:
            found = reference.run(sketch, database, arguments, (), tape, number=Fraction, log=log)
        except RunError:
            with pytest.raises((IndexError, ValueError, ZeroDivisionError, TypeError, NameError)):
                run_by_python(text, list(database), values, [d for _, _, d in log])
            continue
        assert run_by_python(text, list(database), values, [d for _, _, d in log]) == found
        answered += 1
    return answered


@pytest.mark.parametrize("name", IDIOMS)
def test_python_and_the_reference_agree(name: str) -> None:
    assert assert_python_agrees(text_of(IDIOMS[name])) or name == "item of no place"


@pytest.mark.parametrize("name", IDIOMS)
def test_engines_agree(name: str) -> None:
    sketch = parse(text_of(IDIOMS[name]))
    kernel = jit.interpret(sketch)
    for database, arguments in cases(sketch, 8):
        tape = Tape((5,), RUNS)
        inputs = sketch, database, arguments, (), tape
        try:
            expected = [reference.run(*inputs[:4], tape.row(run)) for run in range(RUNS)]
        except RunError:
            with pytest.raises(RunError):
                batch.run(*inputs)
            with pytest.raises(RunError):
                jit.drive(kernel, *inputs)
            continue
        assert batch.run(*inputs).rows() == expected
        assert jit.drive(kernel, *inputs)[0].rows() == expected


@pytest.mark.parametrize("name", IDIOMS)
def test_the_emitted_program_agrees(name: str) -> None:
    mechanism, answered = parse(text_of(IDIOMS[name])).complete(), 0
    rng, text = random.Random(3), emit(mechanism)
    for database, arguments in list(cases(mechanism.sketch, 9))[:4]:
        answered += assert_means(mechanism, database, arguments, [rng.randint(-9, 9) for _ in range(200)], text)


@pytest.mark.parametrize("name", IDIOMS)
def test_what_is_read_prints_and_reads_as_itself(name: str) -> None:
    sketch = parse(text_of(IDIOMS[name]))
    assert parse(str(sketch)) == sketch
    assert isinstance(sketch, Sketch)


# ---------------------------------------------------------------- idioms mixed at random


class Mixture(ast.NodeTransformer):
    """Puts an expression of another program here and there."""

    def __init__(self, rng: random.Random, pool: list[ast.expr]):
        self.rng, self.pool = rng, pool

    def visit(self, node: ast.AST) -> Any:
        node = super().visit(node)
        loads = isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        return deepcopy(self.rng.choice(self.pool)) if loads and self.rng.random() < 0.05 else node


def mixtures(seed: int, count: int) -> Iterator[str]:
    """Bodies of idioms with statements and expressions of others; without `while`, so that all runs end soon."""
    rng = random.Random(seed)
    bodies = [ast.parse(body.replace("return ", "answer = ")).body for body in IDIOMS.values() if "while" not in body]
    bodies = [[statement for statement in body if not isinstance(statement, ast.Assert)] for body in bodies]
    parts = [node for body in bodies for statement in body for node in ast.walk(statement)]
    pool = [n for n in parts if isinstance(n, ast.expr) and isinstance(getattr(n, "ctx", ast.Load()), ast.Load)]
    statements = [n for n in parts if isinstance(n, ast.stmt) and not isinstance(n, ast.Break | ast.Continue | ast.Pass)]
    for _ in range(count):
        body = deepcopy(rng.choice(bodies))
        for _ in range(rng.randint(0, 3)):
            body.insert(rng.randint(0, len(body) - 1), deepcopy(rng.choice(statements)))
        mixed = [ast.unparse(ast.fix_missing_locations(Mixture(rng, pool).visit(statement))) for statement in body]
        yield "\n".join(["answer = 0", *mixed, "return answer"])


def exactly(answer: Any) -> Any:
    """An answer of Python's, whose quotients are doubles, to nine places."""
    if isinstance(answer, tuple):
        return tuple(map(exactly, answer))
    return answer if answer is None or isinstance(answer, bool) else round(float(answer), 9)


def test_mixtures_mean_what_python_means() -> None:
    accepted = 0
    for body in mixtures(1, 500):
        try:
            sketch = parse(text_of(body))
        except SketchError:
            continue
        accepted += 1
        assert parse(str(sketch)) == sketch
        for database, arguments in list(cases(sketch, accepted))[:3]:
            log: list[Any] = []
            values = {n: int(v) if n == "N" else v for n, v in arguments.environment(sketch).items()}
            try:
                units = Tape((accepted,), 1).row(0)
                found = exactly(reference.run(sketch, database, arguments, (), units, number=Fraction, log=log))
            except RunError:
                found = "stopped"
            try:
                by_python = exactly(run_by_python(text_of(body), list(database), values, [d for _, _, d in log]))
            except (IndexError, ValueError, TypeError, NameError, ZeroDivisionError):
                by_python = "stopped"
            assert by_python == found, body
    assert accepted > 40


# ---------------------------------------------------------------- what is refused

MORE = """
def down(n):
    return 0 if n <= 0 else down(n - 1)


def keeps(p):
    p = p
    p.append(1)
    return len(p)


if K > 1:
    def sometimes(x):
        return x


def again(x):
    return x


def again(x):
    return x + 1


MOVING = 1
MOVING += 1
LIST = [1, 2]
LIST.append(3)


def moves():
    global TURNED
    TURNED = 2


TURNED = 1


"""
REFUSED = {
    "a shared list": ("xs = [1, 2]\nys = xs\nxs[0] = 5\nreturn ys", "K209"),
    "two names of one list": ("a = b = [1, 2]\na[0] = 5\nreturn b", "K209"),
    "a shared list by choice": ("ys = [1]\nxs = ys if T > 0 else [2]\nys[0] = 7\nreturn xs", "K209"),
    "a shared list by a helper": ("xs = [1]\nreturn keeps(xs) + len(xs)", "K209"),
    "a list that grows by itself": ("xs = [1]\nxs.extend(xs)\nreturn xs", "K210"),
    "a list that grows while it is counted": ("xs = [1]\nfor i, x in enumerate(xs):\n    xs.append(x)\nreturn xs", "K127"),
    "a list that is replaced": ("for x, y in zip(q, q):\n    q = [x]\nreturn q", "K127"),
    "the private list": ("q[0] = 1\nreturn q", "K128"),
    "the private list, sorted": ("q.sort()\nreturn q", "K128"),
    "a name of a generator": ("a = sum(i for i in range(3))\nreturn i", "K201"),
    "numbers as truth values": ("return any(q)", "K203"),
    "a sum of flags": ("flags = [x > 0 for x in q]\nreturn sum(flags)", "K202"),
    "a key": ("return max(q, key=abs)", "K122"),
    "an odd order": ("return sorted(q, reverse=T > 0)", "K122"),
    "a strict zip": ("return [x for x, y in zip(q, q, strict=True)]", "K122"),
    "a generator alone": ("g = (x for x in q)\nreturn 1", "K103"),
    "a step back": ("return q[::-2]", "K119"),
    "part of a list assigned": ("xs = [1, 2]\nxs[0:1] = [3]\nreturn xs", "K107"),
    "a name hides sum": ("sum = 1\nreturn sum(q)", "K102"),
    "recursion": ("return down(3)", "K151"),
    "itself": ("return f(q, N, T, eps)", "K151"),
    "a helper under a condition": ("return sometimes(T)", "K102"),
    "a helper that is bound twice": ("return again(T)", "K102"),
    "a helper with too little": ("return pair(T)", "K150"),
    "a constant that moves": ("return MOVING", "K201"),
    "a constant that others turn": ("return TURNED", "K201"),
    "a list of the file that grows": ("return sum(LIST)", "K201"),
    "a helper's value that is lost": ("pair(T, 1)\nreturn 1", "K123"),
    "a sum that is lost": ("sum(q)\nreturn 1", "K123"),
    "an assertion about private answers": ("assert q[0] > 0\nreturn 1", "K129"),
    "an assertion about their sum": ("assert sum(q) > 0\nreturn 1", "K129"),
    "an assertion about noise": ("assert T + Lap(1/eps) > 0\nreturn 1", "K129"),
    "an assertion with a call": ("assert T > 0, print(q)\nreturn 1", "K129"),
    "an assertion further down": ("x = 1\nassert T > 0\nreturn x", "K129"),
    "a scale of another place": ("b = 1/eps\nreturn [b + Lap(b) for b in q]", "K114"),
    "a scale that changes": ("b = 1/eps\nif T > 0:\n    b = 2/eps\nreturn Lap(b)", "K114"),
    "a scale that is a value later on": ("b = 1/eps\nb += q[0]\nreturn Lap(b)", "K114"),
    "a scale that a loop may not give": ("for x in q:\n    b = 1/eps\nreturn Lap(b)", "K114"),
    "a scale before it is given": ("s = 0\nfor x in q:\n    s += Lap(b)\n    b = 1/eps\nreturn s", "K114"),
    "an unknown label": ("d = {'a': 1}\nreturn d['b']", "K103"),
    "a label that is computed": ("d = {'a': 1}\nk = 'a'\nreturn d[k]", "K103"),
    "a shared dictionary": ("d = {'a': 1}\ne = d\ne['a'] = 2\nreturn d['a']", "K103"),
    "a label twice": ("d = {'a': 1, 'a': 2}\nreturn d['a']", "K103"),
    "bytes": ("return b'yes' if T > 0 else b'no'", "K118"),
    "text or number": ("return 'yes' if T > 0 else 0", "K221"),
    "text in arithmetic": ("return 'yes' * 2", "K202"),
    "texts in order": ("return 1 if 'a' < 'b' else 2", "K202"),
    "text and number compared": ("return 1 if T == 'b' else 2", "K204"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_surely_right_is_refused(name: str) -> None:
    body, code = REFUSED[name]
    with pytest.raises(SketchError) as caught:
        parse(text_of(body).replace("@sketch", MORE + "@sketch"))
    assert code in {fault.code for fault in caught.value.diagnostics}


def test_a_file_that_binds_a_function_of_pythons_is_refused() -> None:
    with pytest.raises(SketchError) as caught:
        parse(text_of("return sum(q)").replace("K = 2", "K = 2\nsum = max"))
    assert {fault.code for fault in caught.value.diagnostics} == {"K144"}


def test_helpers_that_double_at_each_level_are_refused() -> None:
    levels = "".join(f"def h{i + 1}(x):\n    return h{i}(x) + h{i}(x)\n\n\n" for i in range(30))
    with pytest.raises(SketchError) as caught:
        parse(text_of("return h30(T)").replace("@sketch", f"def h0(x):\n    return x\n\n\n{levels}@sketch"))
    assert {fault.code for fault in caught.value.diagnostics} == {"K010"}


def test_places_are_those_of_the_users_text() -> None:
    sketch = parse(text_of("a = 1\nreturn sum(x + noisy(x, eps) for x in q)"))
    lines = text_of("").split("\n")
    assert "Lap(1 / e)" in lines[sketch.draws[0].span.line - 1]
    with pytest.raises(RunError) as caught:
        reference.run(sketch_of_max := parse(text_of("a = 1\nreturn max(q)")), (), next(cases(sketch_of_max, 0))[1], (), Tape((1,), 1).row(0))
    (fault,) = caught.value.diagnostics
    assert (fault.span.column, fault.span.width) == (12, len("max(q)"))


# ---------------------------------------------------------------- preconditions, and the user's own text

ASSERTS = "assert 0 < T <= 5 and N != 3\nassert len(q) > 1, 'two'\nreturn sum(q) + Lap(N/eps)"


def test_a_precondition_is_enforced_when_the_mechanism_is_called_and_in_the_emitted_program() -> None:
    sketch = parse(text_of(ASSERTS))
    emitted = load_emitted(emit(sketch))
    words = " ".join(str(emitted.__globals__["__doc__"]).split())
    assert "0 < T and T <= 5 and N != 3, len(q) > 1." in words.partition("everything else is refused")[2]
    assert parse(str(sketch)) == sketch and "assert 0 < T and T <= 5 and N != 3" in str(sketch)
    for function, error in ((sketch, UsageError), (emitted, ValueError)):
        assert isinstance(function([1, 2], 1, 0.5, 1), int | float)
        for wrong in (([1, 2], 1, 0, 1), ([1, 2], 1, 6, 1), ([1, 2], 3, 1, 1), ([1], 1, 1, 1)):
            with pytest.raises(error, match="asserts"):
                function(*wrong)


def test_a_precondition_is_part_of_what_is_compared() -> None:
    with_it, without = (parse(text_of(body)) for body in ("assert T > 0\nreturn 1", "if not T > 0:\n    return None\nreturn 1"))
    assert with_it.body == without.body and with_it != without


@pytest.mark.parametrize("body", ["return sum(q) + Lap(2/eps)  # all of them", ASSERTS])
def test_the_users_words_stay_where_there_are_no_helpers(body: str) -> None:
    text = emit(parse(text_of(body)))
    assert all(f"    {line}" in text for line in body.split("\n")[:2] if "Lap" not in line or "#" in line)


# ---------------------------------------------------------------- verdicts

PROVED = {
    "each_within(1)": ["return sum(q) + Lap(len(q)/eps)", "return max(q) + Lap(1/eps)", "t = noisy(T, eps/2)\nreturn any(x + Lap(4/eps) > t for x in q)",
                       "t = T + Lap(2/eps)\nfor i, x in enumerate(q):\n    if x + Lap(4/eps) > t:\n        return i\nreturn None"],
    "one_within(1)": ["return noisy(sum(q), eps)", "return sum(clamp(x) for x in q[1:]) + Lap(1/eps)", "assert T > 0\nreturn sum(x > T for x in q) + Lap(1/eps)"],
}  # fmt: skip
BROKEN = {
    "each_within(1)": ["return sum(q) + Lap(1/eps)", "return max(q) + Lap(1/(2*eps))", "return [noisy(x, eps) for x in q]"],
    "one_within(1)": ["return noisy(sum(q), 2*eps)", "assert T > 3\nreturn sum(q) + (Lap(1/(2*eps)) if T > 4 else Lap(1/eps))"],
}


def check_idiom(relation: str, body: str) -> object:
    text = text_of(body).replace("each_within(1)", relation).replace("each_within,", "each_within, one_within,")
    return check(parse(text)).verdict


@pytest.mark.parametrize(("relation", "body"), [(relation, body) for relation in PROVED for body in PROVED[relation]])
def test_private_programs_are_proved(relation: str, body: str) -> None:
    assert isinstance(check_idiom(relation, body), Proved)


@pytest.mark.parametrize(("relation", "body"), [(relation, body) for relation in BROKEN for body in BROKEN[relation]])
def test_programs_with_too_little_noise_are_refuted(relation: str, body: str) -> None:
    assert isinstance(check_idiom(relation, body), Refuted)
