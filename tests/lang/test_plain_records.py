"""Plain functions of records as sketches: noise on every aggregate, or a word on what is missing."""

import pytest

from kolahal.errors import UsageError
from kolahal.lang.patch import fill_source
from kolahal.lang.plain.convert import patch_plain, read_plain, sketch_of
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.source import SketchError

HEADER = '''"""Visits."""
from __future__ import annotations
from typing import NamedTuple
from kolahal import Between, Records, clip


class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)


# what we want to know
def f({parameters}):
{body}
'''


def text(body: str, parameters: str = "visits: Records[Visit]") -> str:
    return HEADER.format(body=body, parameters=parameters)


@pytest.mark.parametrize(
    ("body", "holes"),
    [
        ("    return len(visits)", 1),
        ("    s = sum(clip(v.age, 0, 9) for v in visits)\n    n = len(visits)\n    return s / max(n, 1)", 2),
        ("    return [sum(1 for v in visits if v.day == d) for d in range(7)]", 1),
        ("    t = 0\n    c = [0] * 7\n    for v in visits:\n        t += 1\n        c[v.day] += 1\n    return [t, c[0]]", 2),
        ("    return max((clip(v.age, 0, 1) for v in visits), default=0) + T", 1),
        ("    t = 0\n    for v in visits:\n        w = v.day\n        w += 1\n        t += w\n    return t", 1),
        ("    c = {0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0}\n    for v in visits:\n        c[v.day] += 1\n    return [c[k] for k in c]", 1),
        ("    old = [v for v in visits if v.age > 65]\n    late = [o for o in old if o.day > 3]\n    return len(old) + len(late) + sum(1 for x in late)", 3),
        ("    return len([v for v in visits if v.age > 65])", 1),
        ("\tt = 0\n\tfor v in visits:\n\t\tt += v.day\n\treturn t", 1),
    ],
)
def test_every_aggregate_gets_noise(body, holes):
    parameters = "visits: Records[Visit], T: float = 2"
    written = sketch_of(text(body, parameters), "f", "add_remove(2)")
    assert "# what we want to know" in written and "@sketch(adjacent=add_remove(2))" in written
    sketch = read_plain(text(body, parameters), "f", "add_remove(2)")
    assert len(sketch.holes) == holes
    assert [p.called for p in sketch.parameters] == ["visits", "eps", "T"]
    with pytest.raises(UsageError, match="no --patch"):
        patch_plain(text(body, parameters), "f", sketch, (), "<text>")


@pytest.mark.parametrize("many", ["list", "List", "Sequence", "Iterable"])
def test_a_plain_list_of_rows_is_one_of_records(many):
    body = "    return sum(v.day for v in visits)"
    plain = text(body, f"visits: {many}[Visit]").replace("import Between, Records, clip", "import Between")
    assert read_plain(plain, "f", "add_remove(1)") == read_plain(text(body), "f", "add_remove(1)")
    for program in (plain, text(body)):
        with pytest.raises(UsageError, match="--adjacent 'add_remove"):
            sketch_of(program, "f", "each_within(1)")


@pytest.mark.parametrize(
    ("body", "parameters", "why"),
    [
        ("    return sum(v.age for v in visits)", "visits: Records[Visit]", "by any amount"),
        ("    return len(visits)", "visits", "say what the records are"),
        ("    return len(visits)", "visits: list", "say what the records are"),
        ("    return len(visits)", "", "say what the records are"),
        ("    return any(v.age > 3 for v in visits)", "visits: Records[Visit]", "no place for noise on any"),
        ("    eps = 1\n    return len(visits)", "visits: Records[Visit]", "the name eps is taken"),
    ],
)
def test_what_is_missing_is_asked_for(body, parameters, why):
    with pytest.raises(UsageError, match=why):
        sketch_of(text(body, parameters), "f", "add_remove(1)")


def test_what_records_cannot_do_is_refused_at_its_place():
    with pytest.raises(SketchError, match="K165"):
        sketch_of(text("    return visits[0]"), "f", "replace(1)")


def test_a_patch_names_no_list_that_the_user_has_not():
    sketch = parse(
        "@sketch(adjacent=add_remove(1))\ndef f(xs: Records, eps: Epsilon):\n"
        "    return [sum(1 for x in xs if x > d) + Lap(hole) for d in range(7)]\n"
    )
    assert sketch.source is not None
    assert "Lap(14/eps)" in fill_source(sketch.source, sketch, (parse_scale("2*len(answers)/eps"),))


def test_bounds_that_are_missing_may_be_given():
    plain = text("    return sum(v.age for v in visits)")
    with pytest.raises(UsageError, match="--between age=0:100"):
        sketch_of(plain, "f", "add_remove(1)")
    written = sketch_of(plain, "f", "add_remove(1)", between=["age=-1:2.5"])
    assert "age: Between(-1, 2.5)" in written and "# what we want to know" in written
    assert read_plain(plain, "f", "add_remove(1)", between=["age=-1:2.5"]).adjacency.contributions() == ((-1, 2.5),)
    numbers = "from kolahal import Records\n\n\ndef f(xs: Records):\n    return sum(x for x in xs)\n"
    assert "xs: Records[Between(0, 9)]" in sketch_of(numbers, "f", "replace(1)", between=["xs=0:9"])


@pytest.mark.parametrize("given", ["age", "age=1", "age=2:1", "age=a:b", "name=0:1", "day=0:3", "=0:1", "age=0:1:2"])
def test_bounds_that_say_nothing_are_refused(given):
    with pytest.raises(UsageError, match="--between"):
        sketch_of(text("    return sum(v.age for v in visits)"), "f", "add_remove(1)", between=[given])
    with pytest.raises(UsageError, match="--between"):
        sketch_of("def f(q):\n    return sum(q)\n", "f", between=[given])
