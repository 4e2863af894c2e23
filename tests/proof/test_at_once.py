"""What must be valid for lists that are drawn at once, byte for byte; tests/draws/test_one_shot.py has their verdicts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from test_obligations import made_up_invariant

from digests import agrees, digest
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.proof.trusted.neighbours import neighbours_of
from kolahal.proof.trusted.obligations import obligations
from kolahal.proof.trusted.product import build_product, build_system
from kolahal.proof.trusted.shifts import Alignment, Always, AtGhost, FollowedSums, Form, Shift
from kolahal.proof.trusted.values import Unsupported

TOP = """noisy = [{item} for x in q]
{before}
out = []
while len(out) < k:
    best, top = {none}, 0
    for i in range(len(q)):
        if i not in out and ({first} or noisy[i] > {seen}):
            best, top = i, noisy[i]
    out.append(best)
{after}
return {answer}"""
WORDS = {"item": "x + Lap(2*k/eps)", "none": "-1", "first": "best == -1", "seen": "top", "answer": "out", "before": "pass", "after": "pass", "private": "Private"}
HALF = AtGhost(0, Form(Fraction(1, 2)), Form())
FOUND = AtGhost(0, Form(cancel=True, lead=True), Form())
AWAY, ALONG = AtGhost(0, Form(Fraction(2)), Form()), AtGhost(0, Form(Fraction(1), True), Form())
WAYS: dict[str, tuple[dict[str, str], str, Shift]] = {
    "up by two": ({}, "each_within(1)", AWAY),
    "one and its move": ({}, "each_within(1)", ALONG),
    "one answer": ({}, "one_within(1)", ALONG),
    "one way": ({}, "monotone(1)", ALONG),
    "looked at again": ({"seen": "noisy[best]"}, "each_within(1)", AWAY),
    "subtracted": ({"item": "3 - 2*x - Lap(2*k/eps)"}, "each_within(1)", ALONG),
    "exponential": ({"item": "x + Exp(2*k/eps)"}, "each_within(1)", AWAY),
    "an item told": ({"answer": "noisy[0]"}, "each_within(1)", AWAY),
    "as it was": ({}, "each_within(1)", Always(Form())),
    "moves that add up": ({}, "sum_within(2)", ALONG),
    "whole": ({"private": "Private[int]", "item": "x + DiscreteLap(2*k/eps)"}, "each_within(1)", AWAY),
    "whole, one-sided": ({"private": "Private[int]", "item": "x + DiscreteExp(2*k/eps)"}, "monotone(1)", AWAY),
    "with public numbers": ({"item": "x + len(q) + k + Lap(2*k/eps)"}, "each_within(1)", AWAY),
    "a factor": ({"item": "x + 3 * Lap(2*k/eps)"}, "one_within(1)", ALONG),
    "loops after it": ({"after": "n = 0\nfor y in range(k):\n    n = n + y\nfor z in range(k):\n    n = n + z"}, "each_within(1)", AWAY),
    "noise alone": ({"item": "Lap(2*k/eps)"}, "each_within(1)", AWAY),
    "a copy looked at": ({"before": "more = [2 * y for y in noisy]", "seen": "more[best] / 2"}, "each_within(1)", AWAY),
}
REFUSED = {
    "all move": ({}, Alignment((Always(Form(Fraction(1))),), ("best",), (0,))),
    "no ghost that begins anew": ({}, Alignment((AWAY,), ("best",), (None,))),
    "another place": ({}, Alignment((AtGhost(1, Form(Fraction(2)), Form()),), ("best",), (0,))),
    "a name is followed": ({}, Alignment((AtGhost(0, Form(follow="top"), Form()),), ("best",), (0,))),
    "a name is followed elsewhere": ({}, Alignment((AtGhost(0, Form(Fraction(2)), Form(follow="top")),), ("best",), (0,))),
    "others move": ({}, Alignment((AtGhost(0, Form(Fraction(2)), Form(Fraction(1))),), ("best",), (0,))),
    "others cancel": ({}, Alignment((AtGhost(0, Form(Fraction(2)), Form(cancel=True)),), ("best",), (0,))),
    "no such ghost": ({}, Alignment((AtGhost(0, Form(Fraction(2)), Form(), 1),), ("best",), (0,))),
    "a ghost before the first": ({}, Alignment((AtGhost(0, Form(Fraction(2)), Form(), -1),), ("best",), (0,))),
    "the largest is followed": ({}, Alignment((AtGhost(0, Form(lead=True), Form()),), ("best",), (0,))),
    "the largest, which nobody says what it is of": ({}, Alignment((FOUND,), ("best",), (0,))),
    "the largest of nothing": ({}, Alignment((FOUND,), ("best",), (0,), (), FollowedSums(()))),
    "the largest of another draw": ({"before": "s = q[0] + Lap(1/eps)"}, Alignment((Always(Form()), FOUND), ("best",), (0,), (), FollowedSums((0,)))),
    "the largest, by another draw": ({"before": "s = q[0] + Lap(1/eps)"}, Alignment((Always(Form(lead=True)), FOUND), ("best",), (0,), (), FollowedSums((1,)))),
    "the largest of one list of two": ({"before": "more = [x + Lap(k/eps) for x in q]"}, Alignment((Always(Form()), FOUND), ("best",), (0,), (), FollowedSums((1,)))),
    "the largest, and a look ahead": ({}, Alignment((FOUND,), ("best",), (0,), (parse_scale("1"),), FollowedSums((0,)))),
    "the largest of whole noise": ({"private": "Private[int]", "item": "x + DiscreteLap(2*k/eps)"}, Alignment((FOUND,), ("best",), (0,), (), FollowedSums((0,)))),
    "the largest, and another ghost": ({}, Alignment((FOUND,), ("best", "i"), (0, None), (), FollowedSums((0,)))),
    "the largest, and nothing moves": ({}, Alignment((Always(Form()),), ("best",), (0,), (), FollowedSums((0,)))),
    "the largest, at another place": ({}, Alignment((AtGhost(1, Form(cancel=True, lead=True), Form()),), ("best",), (0,), (), FollowedSums((0,)))),
    "the largest, and others move": ({}, Alignment((AtGhost(0, Form(cancel=True, lead=True), Form(Fraction(1))),), ("best",), (0,), (), FollowedSums((0,)))),
    "the largest, and others follow it": ({}, Alignment((AtGhost(0, Form(cancel=True, lead=True), Form(lead=True)),), ("best",), (0,), (), FollowedSums((0,)))),
    "the largest, and a name": ({}, Alignment((AtGhost(0, Form(cancel=True, lead=True, follow="top"), Form()),), ("best",), (0,), (), FollowedSums((0,)))),
    "the largest, of cells that are closed": ({}, Alignment((FOUND,), ("best",), (0,), (), FollowedSums((0,)), ((1, ()),))),
    "a look ahead": ({}, Alignment((AWAY,), ("best",), (0,), (parse_scale("1"),))),
    "all follow": ({}, Alignment((Always(Form(follow="top")),), ("best",), (0,))),
    "half steps of whole noise": ({"private": "Private[int]", "item": "x + DiscreteLap(2*k/eps)"}, Alignment((HALF,), ("best",), (0,))),
    "noise inside a size": ({"item": "abs(x + Lap(2*k/eps))"}, Alignment((AWAY,), ("best",), (0,))),
    "noise in the largest of two": ({"item": "max(x, Lap(2*k/eps))"}, Alignment((AWAY,), ("best",), (0,))),
    "noise times nothing": ({"item": "x + 0 * Lap(2*k/eps)"}, Alignment((AWAY,), ("best",), (0,))),
    "the first answer in all": ({"item": "x + q[0] + Lap(2*k/eps)"}, Alignment((AWAY,), ("best",), (0,))),
    "bits": ({"private": "Private[bool]", "item": "Lap(2*k/eps)"}, Alignment((AWAY,), ("best",), (0,))),
    "noise that looks at a variable": ({"before": "s = q[0] + Lap(1/eps)", "item": "x + s + Lap(2*k/eps)"}, Alignment((AWAY, AWAY), ("best",), (0,))),
    "noise of another list": ({"before": "more = [y + Lap(k/eps) for y in noisy]"}, Alignment((AWAY, AWAY), ("best",), (0,))),
    "noise of another list, by place": ({"before": "more = [noisy[i] + Lap(k/eps) for i in range(len(q))]"}, Alignment((AWAY, AWAY), ("best",), (0,))),
    "made twice": ({"before": "noisy = [x + Lap(2*k/eps) for x in q]"}, Alignment((AWAY, AWAY), ("best",), (0,))),
    "two noises": ({"item": "x + Lap(2*k/eps) + Lap(k/eps)"}, Alignment((AWAY, AWAY), ("best",), (0,))),
    "several kinds of winners": ({"none": "None", "first": "best is None"}, Alignment((AWAY,), ("best",), (0,))),
}


SEVERAL = {"the second of two": (Always(Form()), AWAY), "the first of two": (AWAY, Always(Form())), "two": (AWAY, ALONG)}

# Winners that are the same for the whole run, and follow the first of the others.
GAP = """noisy = [{item} for x in q]
best = 0
for i in range(len(q)):
    if noisy[i] {than} noisy[best]:
        best = i
second = None
for i in range(len(q)):
    if i != best and (second is None or noisy[i] {than} noisy[second]):
        second = i
if second is None:
    return best, 0, 0
return best, {told}, noisy[best] - noisy[second]"""
FOLLOWS = Form(cancel=True, lead=True)
ONE_WINNER, TWO_WINNERS = AtGhost(0, FOLLOWS, Form()), AtGhost(0, FOLLOWS, AtGhost(0, FOLLOWS, Form(), 1))
NAMED: dict[str, tuple[dict[str, str], str, Shift, int]] = {
    "a gap": ({}, "each_within(1)", ONE_WINNER, 1),
    "a gap to the least": ({"than": "<"}, "one_within(1)", ONE_WINNER, 1),
    "a gap of what is subtracted": ({"item": "3 - 2*x - Lap(2/eps)"}, "each_within(1)", ONE_WINNER, 1),
    "a gap, by units alone": ({}, "each_within(1)", AtGhost(0, Form(Fraction(2)), Form()), 1),
    "a gap, one-sided": ({"item": "x + Exp(2/eps)"}, "monotone(1)", AtGhost(0, Form(Fraction(2)), Form()), 1),
    "two winners": ({"told": "second"}, "each_within(1)", TWO_WINNERS, 2),
}
TURNS: dict[str, tuple[dict[str, str], str, Shift]] = {
    "turns": ({}, "each_within(1)", FOUND),
    "turns, looked at again": ({"seen": "noisy[best]"}, "one_within(1)", FOUND),
    "turns, of what is subtracted": ({"item": "3 - 2*x - Lap(2*k/eps)"}, "monotone(1)", FOUND),
    "turns, one-sided": ({"item": "x + Exp(2*k/eps)"}, "monotone(1)", AtGhost(0, Form(Fraction(1), lead=True), Form())),
    "turns, by units alone": ({}, "each_within(1)", AWAY),
    "turns and a break": ({"after": "    if best < 0:\n        break"}, "each_within(1)", FOUND),
    "turns and an answer": ({"after": "    for y in range(k):\n        if y == best:\n            return out"}, "each_within(1)", FOUND),
    "turns and a list of theirs": ({"after": "for z in out:\n    if z > k:\n        return [0]"}, "each_within(1)", FOUND),
}
ORDER = [*WAYS, *SEVERAL, *NAMED, *(name + least for name in TURNS for least in ("", ", the least")), *(f"refused: {name}" for name in REFUSED)]


def derived(words: dict[str, str], relation: str, alignment: Alignment) -> list[str]:
    lines = "\n".join(f"    {line}" for line in TOP.format(**WORDS | words).split("\n"))
    return asked(f"@sketch(adjacent={relation})\ndef f(q: {(WORDS | words)['private']}, k: int, eps: Epsilon):\n{lines}\n", alignment)


def asked(text: str, alignment: Alignment) -> list[str]:
    sketch = parse(text)
    product = build_product(sketch, frozenset(), at_once=True)
    found = []
    for neighbours in neighbours_of(sketch):
        system = build_system(product, neighbours, alignment, None, ())
        found += [obligation.script() for obligation in obligations(system, made_up_invariant(system))]
    return found


@pytest.mark.mutants
@pytest.mark.parametrize("name", WAYS)
def test_what_must_be_valid_is_what_it_was(name: str) -> None:
    words, relation, shift = WAYS[name]
    agrees("at_once.txt", {name: digest(derived(words, relation, Alignment((shift,), ("best",), (0,))))}, ORDER)


@pytest.mark.mutants
@pytest.mark.parametrize("name", NAMED)
def test_winners_of_the_whole_run_follow_the_others(name: str) -> None:
    words, relation, shift, winners = NAMED[name]
    text = GAP.format(**{"item": "x + Lap(2/eps)", "than": ">", "told": "0"} | words)
    lines = "\n".join(f"    {line}" for line in text.split("\n"))
    alignment = Alignment((shift,), ("best", "second")[:winners], (None,) * winners, (), FollowedSums((0,), "<" in text))
    agrees("at_once.txt", {name: digest(asked(f"@sketch(adjacent={relation})\ndef f(q: Private, k: int, eps: Epsilon):\n{lines}\n", alignment))}, ORDER)


@pytest.mark.mutants
@pytest.mark.parametrize("name", TURNS)
def test_winners_of_turns_follow_the_others(name: str) -> None:
    words, relation, shift = TURNS[name]
    for least in (False, True):
        alignment = Alignment((shift,), ("best",), (0,), (), FollowedSums((0,), least))
        agrees("at_once.txt", {name + ", the least" * least: digest(derived(words, relation, alignment))}, ORDER)


@pytest.mark.mutants
@pytest.mark.parametrize("name", SEVERAL)
def test_of_several_lists_some_move(name: str) -> None:
    words = {"before": "more = [x + Lap(k/eps) for x in q]", "seen": "top + more[0]"}
    agrees("at_once.txt", {name: digest(derived(words, "each_within(1)", Alignment(SEVERAL[name], ("best",), (0,))))}, ORDER)


@pytest.mark.mutants
@pytest.mark.parametrize("name", REFUSED)
def test_other_shifts_are_refused(name: str) -> None:
    words, alignment = REFUSED[name]
    relation = "one_within(1)" if name == "bits" else "each_within(1)"
    with pytest.raises(Unsupported) as caught:
        derived(words, relation, alignment)
    agrees("at_once.txt", {f"refused: {name}": digest([str(caught.value)])}, ORDER)
