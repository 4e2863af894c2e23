"""Attempts to make everyday Python mean something else to Kolahal than to Python."""

from __future__ import annotations

import pytest
from test_idioms import assert_python_agrees, text_of

from kolahal.lang.read.parse import parse
from kolahal.lang.source import SketchError
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.verdicts import Bounded, Proved

HELPERS = """
def ignore(x, y):
    return y


def some(x, y):
    return x if y > 0 else y


def grow(xs, x):
    xs.append(x)
    return x


def first_large(x):
    if x > 1:
        return x


def first_below(xs, t):
    for x in xs:
        if x < t:
            return x
        for y in xs:
            if y > x + t:
                return -y
            if y > 3:
                break
        t = t - 1
    while True:
        t += 1
        if t > 3:
            return t


def numbers(xs, k):
    out = []
    for i, x in enumerate(xs, k):
        k += 2
        out.append(i)
    return out


def lazy(xs):
    xs[0] = 0
    return
    yield


def local(x):
    return K
    import os as K


"""


def attack_of(body: str) -> str:
    return text_of(body).replace("@sketch", HELPERS + "@sketch")


# ---------------------------------------------------------------- the same to Python

SAME = {
    # These differed once.
    "a list grows by what it was": "out = [T]\nout += [len(out), out[-1] + 1]\nout.extend([out[-1], noisy(len(out), eps), len(out)])\nreturn out",
    "an item far before the first": "xs = [1, 2, 3]\nxs[N - 5] = 9\nreturn xs",
    "an item far before the first grows": "xs = [1, 2, 3]\nxs[N - 5] += 9\nreturn xs",
    "a label to count from": "d = {'k': 0}\nout = []\nfor i, x in enumerate(q, d['k']):\n    d['k'] += 2\n    out.append(i)\nreturn out",
    "a helper's own name to count from": "xs = numbers(q, N)\nreturn xs",
    "a part from -0 on": "return len(q[-0:]), len(q[:-0])",
    "a helper that comes to its end": "x = first_large(T)\nreturn x is None",
    "a helper that ends in a loop": "x = first_below(q, T)\nreturn x",
    "an argument without a value": "if T > 0:\n    y = 1\nreturn ignore(y, 0)",
    "an argument that is used sometimes": "for y in q:\n    pass\nx = some(y, T)\nreturn x",
    "an argument that divides by zero": "x = ignore(1 / (N - 2), T)\nreturn x",
    "a part that has no end": "c = None\nif T > 0:\n    c = 1\nd = first_large(N)\nreturn len(q[c:]), len(q[:c]), len(q[None:d]), len(q[d:]), len(q[:d])",
    # These never did.
    "values before places": "out = [1, 2]\nout[grow(out, 0)] = out[0] + grow(out, 1)\nreturn out",
    "what was there before it grew": "out = [1]\nreturn len(out), grow(out, 5), len(out), max(len(out), grow(out, 0), len(out))",
    "an item steps while its list grows": "out = [1]\nout[-1] += grow(out, 5)\nout.append(out[-1] + grow(out, 7))\nreturn out",
    "places and numbers change hands": "xs = [1, 2, 3]\ni = 0\ni, xs[i] = 2, 9\nxs[i], i = i + 1, 0\nreturn xs",
    "names of a comprehension hide others": "x = [1, 2]\ny = [x for x in x if x > 1]\nreturn [x + z for z in [len(x)] for x in [z, z + 1]]",
    "a loop that sorts what it goes through": "xs = [3, 1, 2]\nout = []\nfor x in xs:\n    out.append(x)\n    xs.sort()\nreturn out",
    "a part is taken before it changes": "xs = [1, 2, 3]\nout = []\nfor x in xs[1:]:\n    xs[2] = 7\n    out.append(x)\nreturn out",
    "a name of a loop after it": "i = 7\nx = 8\nfor i, x in enumerate(q[1:]):\n    i += 1\nreturn i, x",
    "links of a chain": "out = [1]\nreturn len(out) < grow(out, 1.5) < len(out), T > 0 and noisy(1, eps) > 0 and Lap(1/eps) > 0",
    "a dictionary on both ways": "if T > 0:\n    d = {'a': 1}\nelse:\n    d = {'a': 2}\nd['a'] += 1\nreturn d['a']",
    "labels change hands": "d = {'a': 1 * Lap(1/eps), 'b': 2 * Lap(1/eps)}\nd = {'b': d['a'], 'a': noisy(d['b'], eps)}\nreturn d['a'], d['b']",
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_python_means_the_same(name: str) -> None:
    assert_python_agrees(attack_of(SAME[name]))


def test_a_constant_of_zero_counts_from_the_beginning() -> None:
    assert assert_python_agrees(attack_of("return sum(q[-K:])").replace("K = 2", "K = 0"))


# ---------------------------------------------------------------- not to be read

REFUSED = {
    "a range beside a list": ("return [1] + range(3)", "K103"),
    "a part of a range beside a list": ("xs = [1]\nxs = xs + [2] + range(3)[1:]\nreturn xs", "K103"),
    "a tuple of the file beside a list": ("return [1] + BINS", "K103"),
    "nothing more for a list that some runs have not made": ("if q[0] > 0:\n    xs = []\nxs += []\nreturn 0", "K219"),
    "nothing more for a number": ("T += []\nreturn T", "K205"),
    "a tuple of the file or a list": ("return BINS if q[0] > 0 else [0, 1, 3]", "K220"),
    "a tuple of the file by another name": ("xs = BINS\nreturn xs if q[0] > 0 else [0, 1, 3]", "K103"),
    "a part of a tuple": ("return BINS[1:]", "K103"),
    "a helper that returns and yields": ("xs = [q[0]]\nlazy(xs)\nreturn xs", "K150"),
    "a helper whose constant is its own below": ("x = local(T)\nreturn x", "K150"),
    "a range over a list that grows behind it": ("out = [1]\nreturn [i for i, x in zip(range(len(out)), [grow(out, 9), 5])]", "K127"),
    "a count of a list that grows behind it": ("out = [1]\nreturn [i for i, x in enumerate(range(len(out)), grow(out, 9))]", "K127"),
    "a label of a dictionary that some runs have not made": ("if q[0] > 0:\n    d = {'a': 1}\nd['a'] = 3\nreturn d['a']", "K103"),
    "a list through a helper and a choice": ("out = [1]\nys = some(out, T)\nys.append(2)\nreturn out", "K209"),
    "a loop that gives its list away": ("xs = [1, 2]\nfor x in xs:\n    xs[1] = 7\n    xs = [0, 0]\nreturn xs", "K127"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_python_reads_otherwise_is_refused(name: str) -> None:
    body, code = REFUSED[name]
    with pytest.raises(SketchError) as caught:
        parse(attack_of(body))
    assert code in {fault.code for fault in caught.value.diagnostics}


# ---------------------------------------------------------------- not private

LEAKS = {  # what Python shows of the answers: a value as it is, or whether the run stops
    "an answer that a list had at its end": "xs = [q[0]]\nxs += [Lap(1/eps), xs[-1]]\nreturn xs[2]",
    "a place that is not there": "n = sum(x > 0 for x in q)\nxs = [0, 0]\nxs[-n - 1] = 1\nreturn 0",
    "a number that does not follow its name": "d = {'k': 0}\nm = 0\nfor i, x in enumerate(q, d['k']):\n    if x > 0:\n        m = i\n    d['k'] = -i - 1\nreturn m",
    "all answers": "return sum(q[-0:])",
    "a division that happens": "x = 0\nif q[0] > 0:\n    x = ignore(1 / T, 0)\nreturn x",
    "a name that has no value": "if q[0] > 0:\n    y = 1\nreturn ignore(y, 0)",
    "a name that is used sometimes": "if q[0] > 0:\n    y = 1\nx = some(y, 0)\nreturn x",
}  # fmt: skip


@pytest.mark.parametrize("name", LEAKS)
def test_no_leak_is_proved(name: str) -> None:
    sketch = parse(attack_of(LEAKS[name]))
    assert not isinstance(prove_every_length(sketch), Proved)
    assert not isinstance(prove_bounded(sketch, size=2), Bounded)
