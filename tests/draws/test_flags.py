"""Lists of flags, restated as lists of the places whose flag is set: when, with the same answers and faults, and what is proved by it."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from kolahal.engine.faults import RunError
from kolahal.engine.reference import run
from kolahal.lang.claims import plain_claim
from kolahal.lang.ir import Var, walk
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.restated.flagged import without_flags
from kolahal.settings import ProofSettings
from kolahal.verdicts import Proved

PEELED = """used = [False] * len(q)
out = []
for t in range(k):
    best, top = -1, 0
    for i in range(len(q)):
        if not used[i]:
            x = q[i] + Lap(2*k/eps)
            if best == -1 or x > top:
                best, top = i, x
    used[best] = True
    out.append(best)
return out"""
ONE_SHOT = """noisy = [x + Lap(2*k/eps) for x in q]
used = [False] * len(q)
out = []
for t in range(k):
    best = -1
    for i in range(len(q)):
        if not used[i] and (best == -1 or noisy[i] > noisy[best]):
            best = i
    used = [used[i] or i == best for i in range(len(q))]
    out.append(best)
return out"""
ANEW = "used = [u or i == best for i, u in enumerate(used)]"


def program(body: str) -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent=each_within(1))\ndef f(q: Private, k: int, eps: Epsilon):\n{lines}\n")


@pytest.mark.parametrize("body", [
    PEELED,
    pytest.param(ONE_SHOT, marks=pytest.mark.thorough),
    pytest.param(PEELED.replace("used[best] = True", ANEW), marks=pytest.mark.thorough),
    pytest.param(PEELED.replace("used[best] = True", "if best >= 0:\n        used[best] = True"), marks=pytest.mark.thorough),
    pytest.param(PEELED.replace("range(k)", "range(3)").replace("Lap(2*k/eps)", "Exp(6/eps)"), marks=pytest.mark.thorough),
    pytest.param(ONE_SHOT.replace("used = [used[i] or i == best for i in range(len(q))]", "used[best] = True"), marks=pytest.mark.thorough),
    pytest.param(ONE_SHOT.replace("range(k)", "range(2)").replace("2*k/eps", "4/eps"), marks=pytest.mark.thorough),
])
def test_top_k_with_flags_is_proved_for_every_length(body: str) -> None:
    found = program(body)
    assert isinstance(prove_every_length(found, plain_claim(found)), Proved)


@pytest.mark.parametrize("body", [
    PEELED.replace("2*k/eps", "2/eps"),
    pytest.param(PEELED.replace("used[best] = True", "used[best] = True\n    out.append(top)"), marks=pytest.mark.thorough),
    pytest.param(PEELED.replace("used[best] = True", "used[best] = True\n    if q[0] > 3:\n        used[0] = True"), marks=pytest.mark.thorough),
    pytest.param(ONE_SHOT.replace("2*k/eps", "1.9*k/eps"), marks=pytest.mark.thorough),
])
def test_what_costs_more_is_not_proved(body: str) -> None:
    found = program(body)
    assert not isinstance(prove_every_length(found, plain_claim(found), ProofSettings(rehearsals=1_500)), Proved)


def outcome(sketch: Sketch, answers: list[Fraction], k: int, noise: float) -> object:
    given = Arguments(Fraction(1), len(answers), (("k", Fraction(k)),))
    try:
        return run(sketch, answers, given, (), lambda *_: (noise,))
    except RunError as error:
        return [diagnostic.code for diagnostic in error.diagnostics]


WANDERING = "used = [False] * len(q)\nout = []\nfor i in range(len(q)):\n    if used[i] or i == 1:\n        out.append(i)\n{0}\n    out.append(7 if used[i] else 8)\nreturn out"


@pytest.mark.parametrize("body", [
    PEELED, ONE_SHOT, PEELED.replace("used[best] = True", ANEW),
    PEELED.replace("used = [False] * len(q)", "n = len(q)\nused = [False for x in q]").replace("range(len(q))", "range(n)"),
    PEELED.replace("used[best] = True", "used[k - 2 * t] = True"),
    PEELED.replace("used[best] = True", "used[t - 3] = True"),
    WANDERING.format("    used[i // 2] = True\n    used[0 - i] = True"),
    WANDERING.format("    b = i - 1\n    used = [j == b or used[j] for j in range(len(used))]"),
    "used = [False] * len(q)\nfor i in range(len(q)):\n    if used[i]:\n        continue\n    used[len(q) - 1] = True\n    if i == 0 and not used[i] and used[i] != used[i]:\n        return [1]\nreturn [len(used)]",
])
def test_the_same_runs_give_the_same_answers_and_stop_for_the_same_reason(body: str) -> None:
    before = program(body)
    after = without_flags(before)
    assert after != before and "used" not in {node.name for node in walk(after.body) if isinstance(node, Var)}
    for size, k, noise in itertools.product(range(4), (1, 2, 4), (0.0, 1.5)):
        answers = [Fraction(7 * i % 5) for i in range(size)]
        assert outcome(before, answers, k, noise) == outcome(after, answers, k, noise), (size, k)


# There are k flags, and not one for each answer: the run stops where the place is not one of them.
EARLY = "used = [False for i in range(k)]\np = 0\nif q[0] > 3:\n    p = 1\na = q[1]\nused[p] = True\nk = len(q)\nreturn 0"


def test_an_argument_is_no_length_before_it_is_given_one() -> None:
    found = parse(str(program(EARLY)).replace("q: Private", "q: Private[2]"))
    assert isinstance(outcome(found, [Fraction(4), Fraction(0)], 1, 0), list)
    assert outcome(found, [Fraction(3), Fraction(0)], 1, 0) == 0
    assert not isinstance(prove_every_length(found, plain_claim(found)), Proved)


@pytest.mark.parametrize("body", [
    WANDERING.format("    out.append(1 if [used[i] for i in range(1)][0] else 2)"),  # a name of the comprehension's own
    WANDERING.format("    used[0] = False"),
    WANDERING.format("    used[0] = used[i]"),
    WANDERING.format("    for i in range(3):\n        out.append(0)"),  # behind which i is no place
    WANDERING.format("    used.append(True)"),
    WANDERING.replace("return out", "return used").format("    pass"),
    WANDERING.format("    pass").replace("range(len(q)):", "range(k):"),  # more places than there are flags
    WANDERING.format("    used = [used[i] or i == out[0] for i in range(len(q))]"),
    WANDERING.format("    while used[i]:\n        break"),
    EARLY,
])
def test_other_lists_of_flags_stay(body: str) -> None:
    assert without_flags(program(body)) == program(body)
