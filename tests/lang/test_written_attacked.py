"""Written lists, dictionaries and helpers in programs over records, attacked: what Python does otherwise is never proved."""

import pytest

from kolahal.checking import check
from kolahal.lang.read.parse import parse
from kolahal.lang.source import SketchError
from kolahal.verdicts import Bounded, Proved

HEADER = '''
class Visit(NamedTuple):
    age: float
    n: int
    day: Between(0, 6, whole=True)
    member: bool
    kind: Literal["a", "b"]

def of_member(v, other):
    return 1 if v.member else 0

def as_float(x):
    return 2.0 if x > 3 else 1.0

def bracket(age):
    if age < 18.5:
        return 0
    return 1 if age < 65 else 2

@sketch(adjacent=add_remove(1))
def f(visits: Records[Visit], eps: Epsilon):
    n = len(visits)
'''
LEAK = "\n    if {}:\n        return n\n    return n + Lap(1/eps)"
WRONG = {
    "a list that is made later": "x = sum(w[0] for v in visits) + Lap(1/eps)\n    w = [1]\n    return x",
    "the length of one": "if n > 3:\n        y = len(c)\n    c = {'a': 1}\n    return n + Lap(1/eps)",
    "what `get` is given": "c = {'a': 1}\n    y = c.get('a', 1 / n)\n    return n + Lap(1/eps)",
    "what `get` does not take": "c = {'a': 1}\n    y = 0\n    if n > 3:\n        y = c.get('a', 1, 2)\n    return n + Lap(1/eps)",
    "a helper's argument": "return sum(of_member(v, 1 / v.n) for v in visits) + Lap(1/eps)",
    "a helper's root": "return sum(of_member(v, v.n ** 0.5) for v in visits) + Lap(1/eps)",
    "the last of several": "b = c = 0\n    for i, b in enumerate([3, 5]):\n        c += i * b" + LEAK.format("b > 4"),
    "the last of two lists": "b = c = 0\n    for a, b in zip([3, 5], [1, 2]):\n        c += a * b" + LEAK.format("b > 0"),
    "the last item": "b = y = 0\n    c = {'a': 1, 'b': 2}\n    for a, b in c.items():\n        y += b" + LEAK.format("b > 0"),
    "the last value": "b = y = 0\n    c = {'a': 1, 'b': 2}\n    for b in c.values():\n        y += b" + LEAK.format("b > 0"),
    "stepped behind": "b = c = 0\n    for a, b in zip([3, 5], [1, 2]):\n        c += a * b\n    b += 1" + LEAK.format("b > 1"),
    "a value from before": "c = {'a': 0, 'b': 0}\n    y = 0\n    for k, x in c.items():\n        c[k] = 5\n        y += x" + LEAK.format("y == 0"),
    "something else before": "c = y = 0\n    if n > 3:\n        y = len(c)\n    c = {'a': 1}\n    return n + Lap(1/eps)",
    "a label twice": "c = {'a': 0, 'b': 0}\n    for v in visits:\n        c[v.kind] += 1\n    return [c[k] + Lap(1/eps) for k in ('a', 'a')]",
    "another order": "c = {'a': 1, 'b': 20}\n    y = 0\n    for i, k in enumerate(['b', 'a']):\n        y += c[k] * i" + LEAK.format("y == 1"),
    "slices": "w = [1, 2, 3]\n    y = 0\n    for a, b in zip(w[1:], w[:-1]):\n        y += a * 10 + b" + LEAK.format("y == 53"),
    "the first of equal ones": "c = {'b': 3, 'a': 3}" + LEAK.format("max(c, key=c.get) == 'b'"),
}
FLOATS = ["v.age // 1 if 0 <= v.age < 3 else 0", "clip(v.age, 0, 1) // 1", "as_float(v.day)", "v.day / 1", "w[0]", "y"]
WHOLE = ["bracket(v.age)", "v.day // 3", "v.day % 3", "floor(v.day / 2)", "w[1] if v.member else 0", "(v.age > 0.5) + (v.age > 1.5)"]
REFUSED = {  # of these, with what is said
    "a list that is made later": "K167",
    "a helper's argument": "K171",
    "a helper's root": "K171",
    **dict.fromkeys(("the length of one", "what `get` is given", "what `get` does not take", "the last item"), "K103"),
    **dict.fromkeys(("a value from before", "something else before"), "K103"),
}
RIGHT = {
    "get": "c = {'a': 1}\n    y = c.get('a') + c.get('z', -1)\n    return n + y + Lap(1/eps)",
    "helper": "return sum(of_member(v, 1 / (1 + v.day)) for v in visits) + Lap(1/eps)",
    "the same name twice": "y = 0\n    for a, b in zip([3, 5], [1, 2]):\n        y += a * b\n    for i, b in enumerate([4, 9]):\n        y += i * b\n    return n + y + Lap(1/eps)",
    "in a comprehension": "out = []\n    for k, b in zip(['a', 'b'], [1, 2]):\n        out.append(b * sum(1 for v in visits if v.kind == k) + Lap(2/eps))\n    return [b for b in out]",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_private_is_not_proved(name):
    text = HEADER + "    " + WRONG[name] + "\n"
    if name in REFUSED:
        with pytest.raises(SketchError, match=REFUSED[name]):
            parse(text)
    else:
        assert not isinstance(check(parse(text)).verdict, Proved | Bounded)


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_private_is_proved(name):
    assert isinstance(check(parse(HEADER + "    " + RIGHT[name] + "\n")).verdict, Proved)


def counted_at(place):
    return f"{HEADER}    w = [1.0, 2]\n    c = [0] * 4\n    for v in visits:\n        y = v.day\n        y /= 1\n        c[{place}] += 1\n    return [x + Lap(1/eps) for x in c]\n"


@pytest.mark.parametrize("place", FLOATS)
def test_python_stops_at_places_that_are_floats(place):
    with pytest.raises(SketchError, match="K170"):
        parse(counted_at(place))


@pytest.mark.parametrize("place", WHOLE)
def test_whole_places_count(place):
    assert isinstance(check(parse(counted_at(place).replace("1.0, 2", "1, 2"))).verdict, Proved)


@pytest.mark.parametrize("change", ["def sum(a):\n    a.append(3)\n", "from other import sum\n"])
def test_lists_that_a_function_of_the_file_may_change_are_no_constants(change):
    """`sum(LIST)` reads a list, unless the file has a `sum` of its own."""
    program = f"LIST = [1, 2]\n{change}sum(LIST)\n@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return len(LIST) + q[0] + Lap(1/eps)\n"
    with pytest.raises(SketchError, match="K201"):
        parse(program)
    parse(program.replace(change, ""))
