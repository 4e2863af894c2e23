"""Lists of flags, restated as lists of the places whose flag is set: when, with the same answers and faults, and what is proved by it."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from digests import agrees, digest
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
from near_misses import same_output, shown, taken

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


# ---------------------------------------------------------------- written near the border of what is restated

ASKS = "used = [False] * len(q)\nout = []\nfor i in range(len(q)):\n    if used[i] or i == 1:\n        out.append(i)\n    b = i - 1\n    {0}\nreturn out"
AGAIN = "    used = [used[j] or j == b for j in range(len(q))]"
NEAR = {
    **{
        f"begins: {name}": ASKS.format("used[b] = True").replace("used = [False] * len(q)", text)
        for name, text in {
            "as it is": "used = [False] * len(q)", "of answers": "used = [False for x in q]", "a name": "n = len(q)\nused = [False for x in range(n)]", "true": "used = [True] * len(q)", "so many": "used = [False] * 3", "an argument": "used = [False] * k", "one less": "used = [False for x in range(1, len(q))]", "each second": "used = [False for x in range(0, len(q), 2)]",
            "a name given twice": "n = len(q)\nn = len(q)\nused = [False for x in range(n)]", "a name of something else": "n = len(q) + 0\nused = [False for x in range(n)]", "a name in a branch": "if k > 1:\n    n = len(q)\nelse:\n    n = len(q)\nused = [False for x in range(n)]", "a name of a loop": "n = len(q)\nfor n in range(2):\n    k = k + n\nused = [False for x in range(n)]",
            "an argument with a length": "used = [False for x in range(k)]\nk = len(q)", "a name of a comprehension": "n = len(q)\nm = [n for n in range(2)]\nused = [False for x in range(n)]", "of another list": "s = [x + 1 for x in q]\nused = [False for x in s]", "a length of another list": "s = [x + 1 for x in q]\nused = [False for x in range(len(s))]", "other answers": "q = [x + 1 for x in q]\nused = [False for x in q]",
        }.items()
    },
    **{
        f"in a turn: {name}": ASKS.format(text)
        for name, text in {
            "set": "used[b] = True", "set to false": "used[b] = False", "set to a flag": "used[b] = used[i]", "its own place": "used[i] = True", "a number": "used[0] = True", "computed": "used[i // 2] = True", "a place of a flag": "used[1 if used[0] else 0] = True", "anew": AGAIN.strip(), "anew, turned": "used = [j == b or used[j] for j in range(len(q))]",
            "anew, equal turned": "used = [used[j] or b == j for j in range(len(used))]", "anew, by enumerate": "used = [u or j == b for j, u in enumerate(used)]", "anew, of fewer": "used = [used[j] or j == b for j in range(1, len(q))]", "anew, and": "used = [used[j] and j == b for j in range(len(q))]", "anew, not equal": "used = [used[j] or j != b for j in range(len(q))]", "anew, itself": "used = [used[j] or j == j for j in range(len(q))]",
            "anew, another flag": "used = [used[0] or j == b for j in range(len(q))]", "anew, three": "used = [used[j] or j == b or j == 0 for j in range(len(q))]", "anew, of the turn": "used = [used[j] or j == i for j in range(len(q))]", "anew, without a flag": "used = [j == b for j in range(len(q))]", "anew, a name that has no value": "used = [used[j] or j == c for j in range(len(q))]\n    c = 1",
            "asked in a condition": "used[b] = True\n    if not used[i]:\n        out.append(7)\n    else:\n        out.append(8)", "asked in an answer": "used[b] = True\n    out.append(1 if used[i] else 2)", "asked twice": "used[b] = True\n    out.append(1 if used[i] and used[i] else 2)", "asked of two": "used[b] = True\n    for j in range(len(q)):\n        if used[i] and not used[j]:\n            out.append(j)",
            "asked of another place": "used[b] = True\n    if used[0]:\n        out.append(3)", "asked of a moved place": "used[b] = True\n    c = i\n    if used[c]:\n        out.append(3)", "asked in a while": "while used[i]:\n        break", "in a while": "c = 0\n    while c < 2:\n        c = c + 1\n        used[b] = True\n        if used[i]:\n            out.append(c)",
            "its length in a while": "c = 0\n    while c < len(used):\n        c = c + 1\n    used[b] = True", "its length": "used[b] = True\n    out.append(len(used))", "in a branch": "if i > 0:\n        used[b] = True\n    else:\n        used[i] = True", "asked in a branch": "used[b] = True\n    if i > 0:\n        if used[i]:\n            out.append(1)\n    else:\n        if used[i]:\n            out.append(2)", "asked in a list": "used[b] = True\n    out.append(sum([1 if used[j] else 0 for j in range(len(q))]))",
            "all of them": "used[b] = True\n    for u in used:\n        if u:\n            out.append(1)", "places of its own": "used[b] = True\n    for j in range(len(used)):\n        if used[j]:\n            out.append(j)", "fewer places": "used[b] = True\n    for j in range(1, len(used)):\n        if used[j]:\n            out.append(j)", "so many places": "used[b] = True\n    for j in range(2):\n        if used[j]:\n            out.append(j)",
            "each second place": "used[b] = True\n    for j in range(0, len(used), 2):\n        if used[j]:\n            out.append(j)", "a place that is changed": "used[b] = True\n    for j in range(len(used)):\n        j = j - 1\n        if used[j]:\n            out.append(j)", "a place of an inner loop": "used[b] = True\n    for j in range(len(q)):\n        for j in range(2):\n            out.append(j)\n        if used[j]:\n            out.append(9)",
            "it grows": "used.append(True)", "it is another list": "used = [False] * len(q)", "a copy": "other = [u for u in used]\n    used[b] = True\n    if other[0]:\n        out.append(5)", "two lists": "used[b] = True\n    other = [False] * len(q)\n    other[b] = True\n    if other[i]:\n        out.append(6)", "nothing": "pass",
        }.items()
    },
    "told": ASKS.format("used[b] = True").replace("return out", "return used"), "asked before": "out = []\n" + ASKS.format("used[b] = True").replace("out = []\n", ""), "two lists of flags": ASKS.format("used[b] = True\n    gone[i] = True\n    if gone[i] and used[i]:\n        out.append(4)").replace("out = []", "out = []\ngone = [False] * len(q)"), "a name that it would have": "gone_used = 3\n" + ASKS.format("used[b] = True\n    out.append(gone_used)"),
}  # fmt: skip


@pytest.mark.mutants
@pytest.mark.parametrize("start", range(0, len(NEAR), 12))
def test_what_is_near_the_border_is_restated_as_it_was(start: int) -> None:
    for name in list(NEAR)[start : start + 12]:
        found = ["not taken"]
        for sketch in taken([NEAR[name]], program):
            other = without_flags(sketch)
            found = [shown(without_flags, sketch)]
            assert other == sketch or same_output(sketch, other, 8, 3), name
        agrees("near_flags.txt", {name: digest(found)}, NEAR)
