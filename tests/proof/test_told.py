"""What a run asks its records is told, whatever names the program has: written out, and attacked by names."""

from __future__ import annotations

from typing import Any

import pytest
from test_run_questions import read

from kolahal.checking import check
from kolahal.lang import ir
from kolahal.lang.read.parse import parse
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.restated.told import told
from kolahal.verdicts import Bounded, Proved

COUNT = "sum(1 for r in rows if r.age <= {0})"
ASKED = "sum(1 for record in rows if record.age <= {0})"
WRITTEN: dict[str, tuple[str, str, str]] = {  # a program, what it tells, and what it tells with marks
    "a value": (
        f"t = 3\nt = t + Lap(1/eps)\nreturn {COUNT.format('t')} + Lap(1/eps)",
        f"told = []\nt = 3\nt = t + Lap(1/eps)\ntold.append(0)\ntold.append(t)\ntold.append({ASKED.format('t')} + Lap(1/eps))\nreturn told",
        f"told = []\nt = 3\nt = t + Lap(1/eps)\ntold.append(0)\ntold.append(t)\ntold.append(False)\ntold.append({ASKED.format('t')} + Lap(1/eps))\nreturn told",
    ),
    "a list": (
        f"t = Lap(1/eps)\nreturn [1, {COUNT.format('t')} + Lap(1/eps)]",
        f"told = []\nt = Lap(1/eps)\ntold.append(0)\ntold.append(t)\ntold.append(1)\ntold.append({ASKED.format('t')} + Lap(1/eps))\nreturn told",
        f"told = []\nt = Lap(1/eps)\ntold.append(0)\ntold.append(t)\ntold.append(True)\ntold.append(1)\ntold.append({ASKED.format('t')} + Lap(1/eps))\nreturn told",
    ),
    "a list that grows": (
        f"t = Lap(1/eps)\nout = []\nfor k in range(K):\n    out.append({COUNT.format('t')} + Lap(1/eps))\nreturn out",
        *[f"told = []\nt = Lap(1/eps)\nout = []\nfor k in range(K):\n    told.append(k)\n    told.append(t)\n    out.append({ASKED.format('t')} + Lap(1/eps))\ntold.append(True)\nfor told_item in out:\n    told.append(told_item)\nreturn told"] * 2,
    ),
    "answers of two kinds": (
        f"t = Lap(1/eps)\nif {COUNT.format('t')} > 3:\n    return 1\nreturn 2, 3",
        *[f"told = []\nt = Lap(1/eps)\ntold.append(0)\ntold.append(t)\nif {ASKED.format('t')} > 3:\n    told.append(False)\n    told.append(1)\n    return told\ntold.append(True)\ntold.append(2)\ntold.append(3)\nreturn told"] * 2,
    ),
    "a value, and a list of one": (
        f"t = Lap(1/eps)\nn = {COUNT.format('t')}\nif K > 2:\n    return n + Lap(1/eps)\nreturn [n + Lap(1/eps)]",
        *[f"told = []\nt = Lap(1/eps)\ntold.append(0)\ntold.append(t)\nn = {ASKED.format('t')}\nif K > 2:\n    told.append(False)\n    told.append(n + Lap(1/eps))\n    return told\ntold.append(True)\ntold.append(n + Lap(1/eps))\nreturn told"] * 2,
    ),
    "a list that is made, and none": (
        f"t = Lap(1/eps)\nn = {COUNT.format('t')}\nif K > 2:\n    return [n + Lap(1/eps) for j in range(2)]\nreturn []",
        *[f"told = []\nt = Lap(1/eps)\ntold.append(0)\ntold.append(t)\nn = {ASKED.format('t')}\nif K > 2:\n    told.append(True)\n    told_list = [n + Lap(1/eps) for j in range(2)]\n    for told_item in told_list:\n        told.append(told_item)\n    return told\ntold.append(True)\nreturn told"] * 2,
    ),
    "behind what is asserted, and asked twice": (
        f"assert K >= 2\nt = Lap(1/eps)\nn = {COUNT.format('t')} - {COUNT.format('2*t')}\nreturn n + Lap(1/eps), 5",
        "assert K >= 2\ntold = []\nt = Lap(1/eps)\ntold.append(0)\ntold.append(t)\nn = sum((1 if (record.age <= t) else 0) + ((-1) * (1 if (record.age <= (2 * t)) else 0)) for record in rows)\ntold.append(n + Lap(1/eps))\ntold.append(5)\nreturn told",
        "assert K >= 2\ntold = []\nt = Lap(1/eps)\ntold.append(0)\ntold.append(t)\nn = sum((1 if (record.age <= t) else 0) + ((-1) * (1 if (record.age <= (2 * t)) else 0)) for record in rows)\ntold.append(True)\ntold.append(n + Lap(1/eps))\ntold.append(5)\nreturn told",
    ),
    "in a loop of its own": (
        f"t = Lap(1/eps)\nwhile t < 3:\n    t = t + 1\nreturn {COUNT.format('t')} + Lap(1/eps)",
        f"told = []\nt = Lap(1/eps)\nwhile t < 3:\n    t = t + 1\ntold.append(0)\ntold.append(t)\ntold.append({ASKED.format('t')} + Lap(1/eps))\nreturn told",
        f"told = []\nt = Lap(1/eps)\nwhile t < 3:\n    t = t + 1\ntold.append(0)\ntold.append(t)\ntold.append(False)\ntold.append({ASKED.format('t')} + Lap(1/eps))\nreturn told",
    ),
}


def body(sketch: Any) -> str:
    lines = str(sketch).split("eps: Epsilon):\n")[1].rstrip().split("\n")
    return "\n".join(line[4:] for line in lines)


@pytest.mark.mutants
@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_asked_is_told_before_and_the_answer_behind_it(name: str) -> None:
    sketch = read(WRITTEN[name][0].replace("\n", "\n    "))
    assert [body(told(sketch, marked)) for marked in (False, True)] == [*WRITTEN[name][1:]] and told(sketch) == told(sketch, False)
    assert {type(part.front) for part in ir.walk(told(sketch).body) if isinstance(part, ir.Append)} <= {bool}


@pytest.mark.mutants
def test_without_questions_a_program_stays() -> None:
    sketch = read("return sum(1 for r in rows) + Lap(1/eps)")
    assert told(sketch) is sketch and told(sketch, True) is sketch


# A program that asks with a number that is private: nothing of that is hidden, however it uses a name that proofs might.
ASKS = "t = sum(1 for r in rows if r.age > 50)\nn = sum(1 for r in rows if r.age <= 20 * t)\n{0}return n + Lap(2/eps)"
NAMES = {
    "an empty list": "told = []\n", "a number": "told = 3\n", "an item of a loop": "for told in range(2):\n    n = n + 0\n", "a list that grows": "told = []\ntold.append(1)\n",
    "an item of a comprehension": "m = [0 for told in range(2)]\n", "after a longer name": "told_ = []\ntold = []\n", "the name of items": "told_item = []\n", "the name of a list": "told_list = []\n",
    "two at once": "told, told_ = [], []\n", "none": "",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_no_name_of_the_program_makes_it_forget_what_was_asked(name: str) -> None:
    sketch = read(ASKS.format(NAMES[name]).replace("\n", "\n    "))
    other = told(sketch)
    given = [node for node in ir.walk(other.body) if isinstance(node, ir.Assign) and node.targets[0].startswith("told") and node not in sketch.body]
    (first,) = [node.targets[0] for node in given]
    assert not {first, f"{first}_item", f"{first}_list"} & ir.names_in(sketch.body)
    assert not isinstance(prove_every_length(sketch), Proved)


@pytest.mark.mutants
@pytest.mark.parametrize("name", NAMES)
def test_another_name_is_taken_where_the_program_has_it(name: str) -> None:
    sketch = read(ASKS.format(NAMES[name]).replace("\n", "\n    "))
    taken = ir.names_in(sketch.body)
    longer = "told"
    while taken & {longer, f"{longer}_item", f"{longer}_list"}:
        longer += "_"
    assert f"    {longer}.append(t)\n    " in str(told(sketch)) and f"    return {longer}" in str(told(sketch))


def test_such_a_program_has_no_verdict_for_small_inputs_either() -> None:
    assert not isinstance(check(read(ASKS.format("told = []\n").replace("\n", "\n    "))).verdict, Proved | Bounded)


@pytest.mark.mutants
def test_a_parameter_is_a_name_as_well() -> None:
    sketch = parse(str(read(ASKS.format("").replace("\n", "\n    "))).replace("K: int", "told: int"))
    assert "    told_.append(t)\n" in str(told(sketch))
