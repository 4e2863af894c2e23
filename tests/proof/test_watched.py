"""Names whose values are followed to their places: the least and the largest so far, and programs that only look so."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from every_length import load
from test_set_aside import outcome

from kolahal.lang import ir
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.certificate import recheck
from kolahal.proof.trusted.restated.watched import Followed, extremes, watched
from kolahal.report.proofs import explain_shortly
from kolahal.verdicts import Certificate, Proved

# The least and the largest of the first k, and then whether others are between them: 2/8 + 2/8 + 2/4.
PROVED = {
    "the largest alone": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 2):
    most = 0
    out = []
    for i in range(len(q)):
        if i == 0:
            most = q[i] + Lap(4/eps)
        elif i < k:
            r = q[i] + Lap(4/eps)
            if r > most:
                most = r
        else:
            r = q[i] + Lap(4/eps)
            if r < most:
                out.append(0)
            else:
                out.append(1)
                break
    return out
""",
    "min and max": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 2):
    least, most = 0, 0
    out = []
    for i in range(len(q)):
        if i < k:
            r = q[i] + Lap(8/eps)
            if i == 0:
                least = r
                most = r
            else:
                least = min(least, r)
                most = max(most, r)
        else:
            r = q[i] + Lap(4/eps)
            if least <= r < most:
                out.append(0)
            else:
                out.append(1)
                break
    return out
""",
    "a flag": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 2):
    least, most = 0, 0
    out = []
    done = False
    for i in range(len(q)):
        if not done:
            if i == 0:
                least = q[i] + Lap(8/eps)
                most = least
            elif i < k:
                r = q[i] + Lap(8/eps)
                if r < least:
                    least = r
                elif most < r:
                    most = r
            else:
                r = q[i] + Lap(4/eps)
                if r < least or r >= most:
                    out.append(1)
                    done = True
                else:
                    out.append(0)
    return out
""",
    "a list first": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 2):
    noisy = [x + Lap(8/eps) for x in q]
    least = noisy[0]
    most = noisy[0]
    for r in noisy:
        least = min(least, r)
        most = max(most, r)
    count = 0
    for x in q:
        v = x + Lap(4/eps)
        if v < least or v >= most:
            return count
        count += 1
    return count
""",
    "while": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 2):
    i = 0
    first = True
    least = 0
    most = 0
    while i < len(q) and i < k:
        r = q[i] + Lap(8/eps)
        if first:
            least, most = r, r
            first = False
        if r > most:
            most = r
        if r < least:
            least = r
        i += 1
    while i < len(q):
        r = q[i] + Lap(4/eps)
        if r < least or r >= most:
            return i
        i += 1
    return -1
""",
    "a loop for each phase": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 2):
    least = q[0] + Lap(8/eps)
    most = least
    for i in range(1, min(k, len(q))):
        r = q[i] + Lap(8/eps)
        least = min(least, r)
        most = max(most, r)
    out = []
    for i in range(max(k, 1), len(q)):
        r = q[i] + Lap(4/eps)
        out.append(least <= r < most)
        if not (least <= r < most):
            break
    return out
""",
    "whole noise, which ties": """
@sketch(adjacent=each_within(1))
def f(q: Private[int], eps: Epsilon, k: int = 2):
    least, most = 0, 0
    out = []
    for i in range(len(q)):
        if i == 0:
            least = q[i] + DiscreteLap(8/eps)
            most = least
        elif i < k:
            r = q[i] + DiscreteLap(8/eps)
            if r > most:
                most = r
            elif r < least:
                least = r
        else:
            r = q[i] + DiscreteLap(4/eps)
            if r >= least and r < most:
                out.append(0)
            else:
                out.append(1)
                break
    return out
""",
}
BROKEN = {
    "an end moves later": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 2):
    least, most = 0, 0
    out = []
    for i in range(len(q)):
        if i == 0:
            least = q[i] + Lap(8/eps)
            most = least
        elif i < k:
            r = q[i] + Lap(8/eps)
            if r > most:
                most = r
            elif r < least:
                least = r
        else:
            r = q[i] + Lap(4/eps)
            if r >= least and r < most:
                out.append(0)
            elif r >= most:
                most = r
                out.append(1)
            else:
                out.append(2)
                break
    return out
""",
    "updates are told": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 2):
    least, most = 0, 0
    out = []
    for i in range(len(q)):
        if i == 0:
            least = q[i] + Lap(8/eps)
            most = least
        elif i < k:
            r = q[i] + Lap(8/eps)
            if r > most:
                most = r
                out.append(1)
            elif r < least:
                least = r
        else:
            r = q[i] + Lap(4/eps)
            if not (r >= least and r < most):
                break
    return out
""",
    "goes on after the first outside": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 2):
    least, most = 0, 0
    out = []
    for i in range(len(q)):
        if i == 0:
            least = q[i] + Lap(8/eps)
            most = least
        elif i < k:
            r = q[i] + Lap(8/eps)
            if r > most:
                most = r
            elif r < least:
                least = r
        else:
            r = q[i] + Lap(4/eps)
            if r >= least and r < most:
                out.append(0)
            else:
                out.append(1)
    return out
""",
    "too little noise for one end": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 2):
    least, most = 0, 0
    out = []
    for i in range(len(q)):
        if i == 0:
            least = q[i] + Lap(8/eps)
            most = least
        elif i < k:
            r = q[i] + Lap(6/eps)
            if r > most:
                most = r
            elif r < least:
                least = r
        else:
            r = q[i] + Lap(4/eps)
            if r >= least and r < most:
                out.append(0)
            else:
                out.append(1)
                break
    return out
""",
    "stops in some runs": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 2):
    least, most = 0, 0
    out = []
    for i in range(len(q)):
        if i == 0:
            least = q[i] + Lap(8/eps)
            most = least
        elif i < k:
            r = q[i] + Lap(8/eps)
            if r > most:
                most = r
                if i > 2:
                    least = q[i + 5]
            elif r < least:
                least = r
        else:
            r = q[i] + Lap(4/eps)
            if r >= least and r < most:
                out.append(0)
            else:
                out.append(1)
                break
    return out
""",
}
ALL = [pair for pair in (*PROVED.items(), *BROKEN.items()) if "Discrete" not in pair[1]]  # which takes two numbers a draw


@pytest.fixture(scope="module")
def proved() -> Proved:
    found = prove_every_length(load(PROVED["the largest alone"]))
    assert isinstance(found, Proved), found
    return found


@pytest.mark.parametrize("name", [name for name in PROVED if name != "the largest alone"])
def test_extremes_are_proved_for_every_length(name: str) -> None:
    assert isinstance(prove_every_length(load(PROVED[name])), Proved)


@pytest.mark.parametrize("name", BROKEN)
def test_what_only_looks_so_is_not_proved(name: str) -> None:
    assert not isinstance(prove_every_length(load(BROKEN[name])), Proved)


def watches_of(sketch: Sketch) -> list[tuple[Followed, ...]]:
    names = extremes(sketch)
    return [(Followed(one, first), *(Followed(other, not first) for other in names if other != one)) for one in names for first in (True, False)]


@pytest.mark.parametrize(("name", "text"), ALL, ids=[name for name, _ in ALL])
def test_the_watched_program_gives_the_same_output(name: str, text: str) -> None:
    sketch = load(text)
    assert watches_of(sketch)
    for watches in watches_of(sketch):
        changed = watched(sketch, watches)
        for seed in range(40):
            rng = random.Random(seed)
            database = [Fraction(rng.randint(-3, 3)) for _ in range(rng.randint(1, 6))]
            arguments = Arguments(Fraction(1), len(database), (("k", Fraction(rng.randint(0, 4))),))
            noise: dict[object, list[Fraction]] = {}
            assert outcome(sketch, database, arguments, noise, seed) == outcome(changed, database, arguments, noise, seed)


def test_what_a_comprehension_counts_with_is_no_place_behind_it() -> None:
    lines = "xs = [q[j] for j in range(len(q))]", "imax, largest = 0, 0", "for i in range(len(q)):", "    noisy = xs[i] + Lap(2/eps)", "    if i == 0 or noisy > largest:", "        imax, largest = i, noisy", "return imax"
    sketch = load("@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n" + "".join(f"    {line}\n" for line in lines))
    changed, arguments = watched(sketch, (Followed("largest"),)), Arguments(Fraction(1), 2)
    noise: dict[object, list[Fraction]] = {}
    assert outcome(sketch, [Fraction(1), Fraction(0)], arguments, noise, 0) == outcome(changed, [Fraction(1), Fraction(0)], arguments, noise, 0)


@pytest.mark.parametrize(
    ("test", "found"),
    [("r > most", True), ("not r <= most", True), ("0 < r - most", True), ("most - r + 0 < 0", True), ("r + r > most + r", True),
     ("r - most > 5", False), ("r + most > 0", False), ("r - i > most", False)],
)  # fmt: skip
def test_the_largest_is_known_however_it_is_compared(test: str, found: bool) -> None:
    text = f"""
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    most = 0
    out = []
    for i in range(len(q)):
        r = q[i] + Lap(4/eps)
        if most > 3:
            out.append(i)
        if {test}:
            most = r
    return out
"""
    assert extremes(load(text)) == (("most",) if found else ())


@pytest.mark.parametrize(("last", "place"), [(False, 1), (True, 2)])
def test_of_equal_values_the_first_or_the_last_counts(last: bool, place: int) -> None:
    text = "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    most = q[0]\n    for i in range(1, len(q)):\n"
    text += "        if q[i] > most:\n            most = q[i]\n    if most > 9:\n        return 1\n    return 0\n"
    for body in (text, text.replace("if q[i] > most:\n            most = q[i]", "r = q[i]\n        most = max(most, r)")):
        changed = watched(load(body.replace("q[i] > most", "r > most").replace("most = q[i]", "most = r").replace("        if r", "        r = q[i]\n        if r")), (Followed("most", last),))
        told = replace(changed, body=(*changed.body[:-2], ir.Return(ir.Var("most'at"))))
        assert outcome(told, [Fraction(x) for x in (3, 5, 5, 4)], Arguments(Fraction(1), 4, ()), {}, 0) == place


def test_a_proof_says_whose_places_it_follows(proved: Proved) -> None:
    document = proved.certificate.document()
    assert document["watched"] == [{"name": "most", "last": False}]
    lines = "\n".join(explain_shortly(document, load(PROVED["the largest alone"])))
    assert "the answer at the place of `most` (counted from 0; the place of `most` as the first run ends)" in lines


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"name": "most"', '"name": "out"'),
        ('"name": "most"', '"name": "nobody"'),
        ('"watched": [', '"unwatched": ['),
        ('"closed": {', '"open": {'),
        ("(<= k turn.0)", "(<= 0 turn.0)"),  # so that turns that are to come would be left out
        ("(and (< 0 turn.0) (<= k turn.0))", "true"),
        ("(and (< 0 turn.0) (<= k turn.0))", "(<= most@2 most@1)"),  # the second run has no part in it
        ('"closed": {\n    "0"', '"closed": {\n    "7"'),
    ],
)
def test_a_changed_certificate_is_refused(proved: Proved, old: str, new: str) -> None:
    text = proved.certificate.text
    assert old in text and not recheck(proved.certificate)
    assert recheck(Certificate(text.replace(old, new, 1)))


def test_the_conditions_that_close_are_shown_by_the_first_run_alone(proved: Proved) -> None:
    (case,) = json.loads(proved.certificate.text)["cases"]
    alone = [script for script in case["obligations"] if "past ghost 1" in script]
    assert alone and not any("@2" in script for script in alone)
