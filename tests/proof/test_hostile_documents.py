"""A certificate from a stranger is accepted or refused, in time; it never makes the check stumble or hang."""

from __future__ import annotations

import copy
import json
import time
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kolahal.checking import _faults, verify
from kolahal.errors import KolahalError, UsageError
from kolahal.lang.scale import parse_scale
from kolahal.model import Proved
from kolahal.proof import exhibit
from kolahal.proof.bounded import prove_bounded
from kolahal.proof.documents import Malformed, read_number, read_whole
from kolahal.proof.lengths import prove_every_length
from kolahal.proof.refute import refute
from kolahal.settings import Settings
from kolahal.sketches.gallery import load_one

CLAIM = parse_scale("eps")
KINDS = ("every length", "every length, a ghost", "bounded", "counterexample")


@cache
def document(kind: str) -> Any:
    """A valid document of each kind."""
    if kind == "counterexample":
        mechanism = load_one("noisy_max_1").complete("1/eps").filled()
        refuted = refute(mechanism, CLAIM, Settings())
        assert refuted is not None
        return json.loads(json.dumps(exhibit.document(refuted, mechanism, CLAIM)))
    name, *scales = ("noisy_max_1", "2/eps") if "ghost" in kind else ("above_threshold_1", "2/eps", "4/eps")
    mechanism = load_one(name).complete(*scales).filled()
    found = prove_bounded(mechanism, size=2) if kind == "bounded" else prove_every_length(mechanism)
    assert isinstance(found, Proved)
    return json.loads(found.certificate.text)


@pytest.mark.parametrize("kind", KINDS)
def test_the_documents_are_valid(kind: str) -> None:
    assert verify(json.dumps(document(kind))) == []


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


JUNK = (
    *(None, True, False, 0, 1, -1, 3.5, 1e308, float("inf"), float("nan"), 10**400, -(10**30), 5_000, [], {}, [1]),
    *("", "x", "1/0", "1e999999", "1e9999999999", "nan", "-1", "9" * 5_000, "1/3", "\0", "\ud800", "eps**99999"),
    *("(" * 3_000, "(and " * 400 + "true" + ")" * 400, {"a": 1}, [None], [[]], nested(60), {"rule": "always"}),
)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the parts of a document are, the whole not among them."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [place for key, value in items for place in ((*path, key), *places(value, (*path, key)))]


def change(data: Any, draw: st.DataObject) -> None:
    path = draw.draw(st.sampled_from(places(data)))
    holder = data
    for step in path[:-1]:
        holder = holder[step]
    old = holder[path[-1]]
    match draw.draw(st.sampled_from(["delete", "junk", "copy", "text"])):
        case "delete":
            del holder[path[-1]]
        case "copy":
            other = data
            for step in draw.draw(st.sampled_from(places(data))):
                other = other[step]
            holder[path[-1]] = copy.deepcopy(other)
        case "text" if isinstance(old, str):
            at = draw.draw(st.integers(0, len(old)))
            new = draw.draw(st.sampled_from(["", "0", "99999", "(", ")", "/", "*", "eps", "q", "-", " ", "False"]))
            holder[path[-1]] = old[:at] + new + old[at + draw.draw(st.sampled_from([0, 1, 3])) :]
        case _:
            holder[path[-1]] = copy.deepcopy(draw.draw(st.sampled_from(JUNK)))


@settings(max_examples=150)
@given(st.sampled_from(KINDS), st.integers(1, 3), st.data())
def test_a_changed_document_is_judged_and_nothing_else(kind: str, changes: int, draw: st.DataObject) -> None:
    changed = copy.deepcopy(document(kind))
    for _ in range(changes):
        if places(changed):
            change(changed, draw)
    text = json.dumps(changed)
    try:
        faults = verify(text)
    except KolahalError:
        return
    assert all(isinstance(fault, str) for fault in faults)
    # `verify` turns whatever happens into a fault; that nothing happens is the reader's own merit.
    if "program" in changed and "claim" in changed and "certificate" not in changed:
        _faults(json.loads(text), Settings())


HEAD = "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n"
SLOW = {
    "many turns": "    s = 0\n    for i in range(1000000):\n        s = s + 1\n    return s + Lap(1/eps)\n",
    "growth": "    out = []\n    for i in range(1000000):\n        out.append(q[0] + Lap(1/eps))\n    return out\n",
    "squares": "    s = 3\n    for i in range(60):\n        s = s * s\n    return s + Lap(1/eps)\n",
    "squares, line by line": "    s = 3\n" + "    s = s * s\n" * 60 + "    return s + Lap(1/eps)\n",
    "branches": "    s = 0\n" + "    if q[0] + Lap(1/eps) > 0:\n        s = s + 1\n" * 14 + "    return s\n",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SLOW)
def test_a_program_that_takes_forever_is_refused(kind: str, name: str) -> None:
    changed = {**document(kind), "program": HEAD + SLOW[name]}
    if kind == "counterexample":
        changed |= {"arguments": {}, "d1": ["0"], "d2": ["1"], "epsilon": "1", "claim": "100*eps"}
    elif kind == "bounded":
        changed |= {"size": 1, "cases": changed["cases"][:1]}
    else:
        assumptions = [text.replace("every", "one") for text in changed["assumptions"]]
        changed |= {"adjacency": "one_within(1)", "assumptions": assumptions}
        changed["assumptions"][1] = "neighbours: one answer may move by at most 1, the others stay"
    start = time.process_time()
    assert verify(json.dumps(changed)) != []
    assert time.process_time() - start < 20  # it takes a second or two; without limits, no end was seen


@pytest.mark.parametrize(
    "change",
    [
        {"d1": ["0"] * 5_000, "d2": ["1"] * 5_000},
        {"d1": ["1e9999999999", "0"]},
        {"d1": ["9" * 1_000_000, "0"]},
        {"epsilon": "1e-9999999999"},
        {"event": {"all": [{"within": ["0", "1e99999999999"]}]}},
    ],
)
def test_absurd_sizes_are_refused(change: dict[str, Any]) -> None:
    assert verify(json.dumps({**document("counterexample"), **change})) != []


@pytest.mark.parametrize("size", [10**6, 10**400, -1, "2", 2.0, True, None])
def test_absurd_sizes_of_a_bounded_proof_are_refused(size: Any) -> None:
    assert verify(json.dumps({**document("bounded"), "size": size})) != []


def test_texts_that_are_no_documents() -> None:
    for text in ("", "{", "[]", "1", "null", "{}", '{"certificate": 1}', "[" * 100_000, '"' + "x" * 1000 + '"'):
        with pytest.raises(UsageError):
            verify(text)


@pytest.mark.parametrize("value", ["1e5", "1/0", " 1", "1_000", "٣", "0x10", "", "1/-2", 1.5, True, None, [], 10**400])
def test_what_is_not_an_exact_number(value: object) -> None:
    with pytest.raises(Malformed):
        read_number(value)


def test_exact_numbers() -> None:
    assert [str(read_number(v)) for v in ("3/4", "-2", "+1", "2.50", 7)] == ["3/4", "-2", "1", "5/2", "7"]
    assert read_whole(3, 3) == 3
    with pytest.raises(Malformed):
        read_whole(4, 3)
