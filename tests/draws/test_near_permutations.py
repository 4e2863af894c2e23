"""Programs written near the border of what is permute-and-flip: which are restated as noisy max is what it was, byte for byte, and
those that are have each place as likely as before."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from test_permute_and_flip import FORMS
from test_selection import program as permuted

from digests import agrees, digest
from kolahal.exact.probe import event_probability
from kolahal.model import Arguments, Equals
from kolahal.proof.trusted.restated.permuted import without_permutation
from near_misses import shown, taken

TOP = "top = q[0]\nfor x in q:\n    if x > top:\n        top = x"
REST = "    left = [j for j in left if j != i]"
BY_VALUE = f"{TOP}\nleft = [i for i in range(len(q))]\nwhile len(left) > 0:\n    i = left[choose([0 for j in left], 1)]\n    if q[i] + Exp(2/eps) >= top:\n        return i\n{REST}\nreturn -1"
TEST = "q[i] + Exp(2/eps) >= top"
GONE = FORMS["those that are gone"]
WRITTEN: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    **{
        f"the most: {name}": (BY_VALUE, ((TOP, text),))
        for name, text in {
            "at once": "top = max(q)", "of a list": "s = [x for x in q]\ntop = max(s)", "by max": "top = q[0]\nfor x in q:\n    top = max(top, x)", "by max, turned": "top = q[0]\nfor x in q:\n    top = max(x, top)", "turned": "top = q[0]\nfor x in q:\n    if top < x:\n        top = x",
            "ties too": "top = q[0]\nfor x in q:\n    if x >= top:\n        top = x", "ties, turned": "top = q[0]\nfor x in q:\n    if top <= x:\n        top = x", "by places": "top = q[0]\nfor j in range(len(q)):\n    if q[j] > top:\n        top = q[j]", "from the second": "top = q[0]\nfor j in range(1, len(q)):\n    if q[j] > top:\n        top = q[j]",
            "by max and places": "top = q[0]\nfor j in range(1, len(q)):\n    top = max(top, q[j])", "from the third": "top = q[0]\nfor j in range(2, len(q)):\n    top = max(top, q[j])", "not to the end": "top = q[0]\nfor j in range(len(q) - 1):\n    top = max(top, q[j])", "each second": "top = q[0]\nfor j in range(0, len(q), 2):\n    top = max(top, q[j])",
            "the least": "top = q[0]\nfor x in q:\n    top = min(top, x)", "the last": "top = q[0]\nfor x in q:\n    top = x", "of three": "top = q[0]\nfor x in q:\n    top = max(top, x, 3)", "one more": "top = q[0]\nfor x in q:\n    top = max(top, x) + 1", "another name": "top = q[0]\nm = 0\nfor x in q:\n    m = max(top, x)",
            "another place": "top = q[0]\nfor j in range(len(q)):\n    top = max(top, q[0])", "from another place": "top = q[1]\nfor x in q:\n    top = max(top, x)", "from nothing": "top = 0\nfor x in q:\n    top = max(top, x)", "of another list": "s = [x + 1 for x in q]\ntop = s[0]\nfor x in q:\n    top = max(top, x)",
            "a smaller one": "top = q[0]\nfor x in q:\n    if x < top:\n        top = x", "the place": "top = q[0]\nfor x in q:\n    if x > top:\n        top = x + 1", "with another branch": "top = q[0]\nfor x in q:\n    if x > top:\n        top = x\n    else:\n        top = top", "two statements": "top = q[0]\nm = 0\nfor x in q:\n    m = m + 1\n    top = max(top, x)",
            "its own name": "top = q[0]\nfor top in q:\n    top = max(top, top)", "changed behind": "top = max(q)\ntop = top - 1", "changed in between": "top = q[0]\nm = 0\nfor x in q:\n    top = max(top, x)\ntop = top + m",
        }.items()
    },
    **{
        f"passes: {name}": (BY_VALUE, ((TEST, text),))
        for name, text in {
            "turned": "top <= q[i] + Exp(2/eps)", "a difference": "q[i] - top + Exp(2/eps) >= 0", "denied": "not q[i] + Exp(2/eps) < top", "denied, turned": "not top > q[i] + Exp(2/eps)", "noise alone": "Exp(2/eps) >= top - q[i]", "noise alone, turned": "top - q[i] <= Exp(2/eps)", "minus": "-(top - q[i]) + Exp(2/eps) >= 0",
            "minus, turned": "-q[i] - Exp(2/eps) <= -top", "twice denied": "not (not (q[i] + Exp(2/eps) >= top))", "minus minus": "-(-(q[i] + Exp(2/eps))) >= top", "less than nothing": "top - q[i] - Exp(2/eps) <= 0", "strictly": "q[i] + Exp(2/eps) > top", "strictly, turned": "top < q[i] + Exp(2/eps)", "below": "q[i] + Exp(2/eps) <= top",
            "noise taken away": "q[i] - Exp(2/eps) >= top", "noise twice": "q[i] + Exp(2/eps) + Exp(2/eps) >= top", "twice": "2 * (q[i] + Exp(2/eps)) >= 2 * top", "the score twice": "q[i] + q[i] + Exp(2/eps) >= top", "the most twice": "q[i] + Exp(2/eps) >= top + top", "no score": "Exp(2/eps) >= top", "no most": "q[i] + Exp(2/eps) >= 0", "no noise": "q[i] >= top",
            "another number": "q[i] + Exp(2/eps) >= top + 1", "another place": "q[0] + Exp(2/eps) >= top", "minus noise": "-(q[i] + Exp(2/eps)) >= top", "minus the difference": "-(q[i] - top) + Exp(2/eps) >= 0", "Laplace": "q[i] + Lap(2/eps) >= top", "equal": "q[i] + Exp(2/eps) == top", "another test": "q[i] + Exp(2/eps) >= top and len(left) > 0", "the place itself": "i + Exp(2/eps) >= top",
        }.items()
    },
    **{
        f"left: {name}": (BY_VALUE, ((REST, text),))
        for name, text in {
            "turned": "    left = [j for j in left if i != j]", "denied": "    left = [j for j in left if not j == i]", "denied, turned": "    left = [j for j in left if not i == j]", "by a loop": "    more = []\n    for j in left:\n        if j != i:\n            more.append(j)\n    left = [j for j in more]", "equal": "    left = [j for j in left if j == i]", "below": "    left = [j for j in left if j < i]",
            "another": "    left = [j for j in left if j != 0]", "itself": "    left = [j for j in left if j != j]", "one more": "    left = [j + 0 for j in left if j != i]", "two conditions": "    left = [j for j in left if j != i and j != 1]", "of all": "    left = [j for j in range(len(q)) if j != i]", "twice": "    left = [j for j in left if j != i]\n    left = [j for j in left if j != i]", "at the front": "    w = [j for j in left]\n    left = [j for j in w if j != i]",
            "sometimes": "    if i > 0:\n        left = [j for j in left if j != i]", "not at all": "    i = 0",
        }.items()
    },
    **{
        f"begins: {name}": (BY_VALUE, (("left = [i for i in range(len(q))]", text),))
        for name, text in {
            "listed": "left = list(range(len(q)))", "by a loop": "left = []\nfor i in range(len(q)):\n    left.append(i)", "a length with a name": "n = len(q)\nleft = [i for i in range(n)]", "a length that changes": "n = len(q)\nn = n - 0\nleft = [i for i in range(n)]", "so many": "left = [i for i in range(3)]", "an argument": "left = [i for i in range(int(eps))]", "one less": "left = [i for i in range(len(q) - 1)]", "from one": "left = [i for i in range(1, len(q))]",
            "each second": "left = [i for i in range(0, len(q), 2)]", "one place often": "left = [0 for i in range(len(q))]", "places moved": "left = [i + 0 for i in range(len(q))]", "backwards": "left = []\nfor i in range(len(q)):\n    left.insert(0, i)", "another item": "left = []\nfor i in range(len(q)):\n    left.append(0)", "of a list": "s = [x + 1 for x in q]\nleft = [i for i in range(len(s))]", "of a list of noise": "s = [Exp(2/eps) for x in q]\nleft = [i for i in range(len(s))]",
        }.items()
    },
    **{
        f"goes on: {name}": (BY_VALUE, (("while len(left) > 0:", text),))
        for name, text in {"not empty": "while len(left) != 0:", "at least one": "while len(left) >= 1:", "for ever": "while True:", "so many turns": "for turn in range(len(q)):", "as many as answers": "for x in q:", "two left": "while len(left) > 1:", "one turn": "for turn in range(1):", "one turn less": "for turn in range(len(q) - 1):", "turned": "while 0 < len(left):", "not below": "while len(left) >= 0:", "fewer": "while len(left) < 3:"}.items()
    },
    **{
        f"a lot: {name}": (BY_VALUE, (("i = left[choose([0 for j in left], 1)]", text),))
        for name, text in {
            "with a name": "lot = choose([0 for j in left], 1)\n    i = left[lot]", "of equal scores": "equal = [5 for j in left]\n    i = left[choose(equal, 1)]", "by places": "i = left[choose([0 for j in range(len(left))], 1)]", "of all": "i = left[choose([0 for x in q], 1)]", "of one less": "i = left[choose([0 for j in range(len(left) - 1)], 1)]", "from the second": "i = left[choose([0 for j in range(1, len(left))], 1)]", "each second": "i = left[choose([0 for j in range(0, len(left), 2)], 1)]",
            "of places": "i = left[choose([j for j in left], 1)]", "the lot itself": "i = choose([0 for j in left], 1)", "the first": "i = left[0]", "two lots": "i = left[choose([0 for j in left], 1)]\n    m = left[choose([0 for j in left], 1)]", "of another list": "s = [0, 1]\n    i = s[choose([0 for j in left], 1)]", "one behind": "i = left[choose([0 for j in left], 1) - 0]", "a truth": "i = left[choose([True for j in left], 1)]", "a scale of its own": "i = left[choose([0 for j in left], 3/eps)]",
        }.items()
    },
    **{
        f"gone: {name}": (GONE, ((old, new),))
        for name, (old, new) in {
            "as it is": ("out = []", "out = []"), "at the front": ("out.append(i)", "out.insert(0, i)"), "another": ("out.append(i)", "out.append(0)"), "not at all": ("    out.append(i)\n", ""), "in": ("not in out", "in out"), "begins with one": ("out = []", "out = [0]"), "fewer places": ("[i for i in range(len(q)) if", "[i for i in range(1, len(q)) if"), "another item": ("[i for i in range(len(q)) if", "[0 for i in range(len(q)) if"),
            "twice": ("out.append(i)", "out.append(i)\n    out.append(i)"), "denied": ("i not in out]", "not i in out]"), "a number": ("i not in out]", "0 not in out]"), "told": ("return i\n", "return i, len(out)\n"),
        }.items()
    },
}

WRITTEN |= {
    f"gone, and goes on: {name}": (GONE, (("for turn in range(len(q)):", text),))
    for name, text in {
        "fewer than all": "while len(out) < len(q):", "not all": "while len(out) != len(q):", "for ever": "while True:", "at most all": "while len(out) <= len(q):", "fewer than two": "while len(out) < 2:", "more": "while len(out) > 0:", "not one": "while len(out) != 1:",
        "at least one": "while len(out) >= 1:", "by a name": "n = len(q)\nwhile len(out) < n:", "of another list": "w = [0]\nwhile len(out) < len(w):", "one turn less": "for turn in range(1, len(q)):", "not turned": "while len(q) > len(out):",
    }.items()
}
WRITTEN |= {
    f"the end: {name}": (BY_VALUE, changes)
    for name, changes in {
        "left, and told behind": (("return i\n", "break\n"), ("return -1", "return i")), "told behind, with a name": (("return i\n", "winner = i\n        break\n"), ("return -1", "return winner"), ("left = [i for i in range(len(q))]", "left = [i for i in range(len(q))]\nwinner = -1")),
        "what is left is told": (("return i\n", "break\n"), ("return -1", "return left")), "how many are left": (("return i\n", "return len(left)\n"),), "its score": (("return i\n", "return q[i] + Lap(1/eps)\n"),), "the most": (("return i\n", "return top + Lap(1/eps)\n"),), "noise behind": (("return -1", "return Lap(1/eps)"),),
        "goes on": (("return i\n", "continue\n"),), "a loop behind": (("return i\n", "break\n"), ("return -1", "s = 0\nfor x in q:\n    s = s + 1\nreturn i + s")), "another branch": (("        return i\n" + REST, "        return i\n    else:\n        left = [j for j in left if j != i]"),), "denied, and behind": ((f"if {TEST}:\n        return i\n" + REST, f"if not {TEST}:\n        left = [j for j in left if j != i]\n        continue\n    return i"),),
        "asked twice": (("return i\n", f"return i\n    if {TEST}:\n        return 0\n"),), "two names for it": (("    if q", "    m = i\n    if q"), ("return i\n", "return m\n")), "two of them": (("return i\n", "return i, i\n"),), "something else first": (("    if q", "    n = 3\n    if q"),), "nothing": (("return i\n", "return 0\n"),),
        "a question before": (("top = q[0]", "c = choose(q, 1/eps)\ntop = q[0]"),), "noise before": (("top = q[0]", "e = Exp(3/eps)\ntop = q[0]"),), "twice": (("return -1", "left = [i for i in range(len(q))]\nwhile len(left) > 0:\n    i = left[choose([0 for j in left], 1)]\n    if q[i] + Exp(2/eps) >= top:\n        return i\n" + REST + "\nreturn -2"),),
    }.items()
}  # fmt: skip

NAMED, ORDERED = FORMS["those that pass, and a lot with a name"], FORMS["an order first"]
WRITTEN |= {
    f"those that pass: {name}": (NAMED, (("return passed[lot]", text),))
    for name, text in {
        "a winner with a name": "winner = passed[lot]\nreturn winner", "told twice": "winner = passed[lot]\nreturn winner, winner", "and its score": "winner = passed[lot]\nreturn winner, q[winner] + Lap(1/eps)", "how many": "winner = passed[lot]\nreturn winner, len(passed)", "the list anew": "winner = passed[lot]\npassed = []\nreturn winner", "and the lot": "return passed[lot], lot",
        "the score": "return q[passed[lot]] + Lap(1/eps)", "something between": "n = 3\nreturn passed[lot] + n", "in a branch": "if len(q) > 1:\n    return passed[lot]\nreturn 0", "in two branches": "if len(q) > 1:\n    return passed[lot]\nreturn passed[lot]", "in a loop": "out = []\nfor turn in range(2):\n    out.append(passed[lot])\nreturn out",
        "another place": "return passed[0]", "one behind": "return passed[lot - 0]", "another lot": "second = choose([0 for i in passed], 1)\nreturn passed[second]", "the most again": "winner = passed[lot]\nreturn winner, best + Lap(1/eps)", "a name of the loop": "winner = passed[lot]\nreturn winner, i", "the list in a list": "return [passed[lot] for turn in range(2)]", "the lot is changed": "lot = lot + 0\nreturn passed[lot]",
        "a comprehension of that name": "winner = [passed[lot] for lot in range(1)]\nreturn winner", "the list grows": "passed.append(0)\nreturn passed[lot]", "in a while": "n = 0\nwhile n < 1:\n    n = n + 1\n    winner = passed[lot]\nreturn n",
    }.items()
}
WRITTEN |= {
    f"those that pass, at once: {name}": (FORMS["those that pass"], (("return passed[choose([0 for i in passed], 1)]", text),))
    for name, text in {
        "a winner": "winner = passed[choose([0 for i in passed], 1)]\nreturn winner", "its score": "return q[passed[choose([0 for i in passed], 1)]] + Lap(1/eps)", "two": "a = passed[choose([0 for i in passed], 1)]\nb = passed[choose([0 for i in passed], 1)]\nreturn a, b", "equal scores with a name": "equal = [0 for i in passed]\nreturn passed[choose(equal, 1)]", "in a branch": "if len(q) > 1:\n    return passed[choose([0 for i in passed], 1)]\nreturn 0",
        "in a loop": "n = 0\nfor turn in range(2):\n    n = passed[choose([0 for i in passed], 1)]\nreturn n", "unequal scores": "return passed[choose([i for i in passed], 1)]", "of all": "return passed[choose([0 for x in q], 1)]", "nothing": "return 0", "all": "return passed", "something first": "n = 2\nreturn passed[choose([0 for i in passed], 1)] + n",
    }.items()
}
WRITTEN |= {
    f"an order: {name}": (ORDERED, (changes,))
    for name, changes in {
        "something between": ("best = max(q)", "n = 3\nbest = max(q)"), "what is left between": ("best = max(q)", "n = len(left)\nbest = max(q)"), "the order between": ("best = max(q)", "n = order[0]\nbest = max(q)"), "the last lot between": ("best = max(q)", "n = j\nbest = max(q)"), "the most first": ("left = list(range(len(q)))", "w = max(q)\nleft = list(range(len(q)))"), "a break": ("        return i\nreturn None", "        break\nreturn i"),
        "a winner with a name": ("        return i\nreturn None", "        winner = i\n        break\nreturn winner"), "the order grows": ("        return i\n", "        return i\n    order.append(0)\n"), "a lot inside": ("for i in order:", "for i in order:\n    w = choose(q, 1/eps)"), "noise behind": ("return None", "return Lap(1/eps)"), "all that were looked at": ("        return i\n", "        return i, len(order)\n"), "the first is told": ("return i\n", "return order[0]\n"),
        "for ever": ("for turn in range(len(q)):", "while True:"), "while some are left": ("for turn in range(len(q)):", "while len(left) > 0:"), "until all are ordered": ("for turn in range(len(q)):", "while len(order) < len(q):"), "one turn less": ("for turn in range(len(q)):", "for turn in range(1, len(q)):"), "without noise": ("<= Exp(2/eps)", "<= 0"), "places": ("for i in order:", "for t in range(len(order)):\n    i = order[t]"), "two orders": ("best = max(q)", "other = []\nfor i in order:\n    other.append(i)\nbest = max(q)"),
        "a condition first": ("for i in order:", "for i in order:\n    if i == 0:\n        continue"), "at the front": ("order.append(left[j])", "order.insert(0, left[j])"), "another place": ("order.append(left[j])", "order.append(j)"), "twice": ("order.append(left[j])", "order.append(left[j])\n    order.append(left[j])"),
    }.items()
}  # fmt: skip


def written(name: str) -> str:
    body, changes = WRITTEN[name]
    for old, new in changes:
        body = body.replace(old, new)
    return body


@pytest.mark.mutants
@pytest.mark.parametrize("start", range(0, len(WRITTEN), 12))
def test_what_is_near_the_border_is_restated_as_it_was(start: int) -> None:
    for name in list(WRITTEN)[start : start + 12]:
        found = [shown(without_permutation, program) for program in taken([written(name)], permuted)] or ["not taken"]
        agrees("near_permutations.txt", {name: digest(found)}, WRITTEN)


@pytest.mark.thorough
def test_what_is_restated_there_is_as_likely_to_be_each_place() -> None:
    changed = 0
    for name in WRITTEN:
        for program in taken([written(name)], permuted):
            if (other := without_permutation(program)) != program:
                changed += 1
                for q in ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(2))):
                    for place in range(2):
                        one, two = (event_probability(p, q, Arguments(Fraction(1), 2), np.zeros((1, 0)), Equals(Fraction(place)))[0] for p in (program, other))
                        assert float(one) == pytest.approx(float(two), rel=1e-9), name
    assert changed > 30
