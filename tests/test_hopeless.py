"""Sketches that no noise at their holes makes private end at once, with the example that says why; others are not given up."""

from __future__ import annotations

import pytest

from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Mechanism
from kolahal.proof.refute.shrink import confirm
from kolahal.roads.hopeless import WHY, is_impossible, refute_all
from kolahal.roads.methods import synthesize
from kolahal.settings import Settings
from kolahal.verdicts import Proved, Refuted

BITS = "@sketch(adjacent=one_within(1))\ndef m(q: Private[bool, 30], eps: Epsilon):\n"
EACH = "@sketch(adjacent=each_within(1))\ndef m(q: Private, eps: Epsilon):\n"
SUM = "@sketch(adjacent=sum_within(1))\ndef m(q: Private, eps: Epsilon):\n"

TOLD = {
    "a bit behind the others": BITS + "    return [b != Flip(hole) for b in q] + [q[17]]\n",
    "a bit that is appended": BITS
    + "    out = []\n    for b in q:\n        out.append(b != Flip(hole))\n    out.append(q[17])\n    return out\n",
    "a bit before the others": BITS
    + "    out = [q[17]]\n    for i in range(len(q)):\n        out.append(not q[i] if Flip(hole) else q[i])\n    return out\n",
    "a bit among the others": BITS + "    return [q[i] if i == 17 else q[i] != Flip(hole) for i in range(30)]\n",
    "two bits as one": BITS + "    return [b != Flip(hole) for b in q] + [q[3] and q[4]]\n",
    "an answer": EACH + "    return [q[0], q[1] + Lap(hole)]\n",
    "a comparison": EACH + "    return q[0] > q[1], q[0] + Lap(hole)\n",
    "a comparison that decides on noise": EACH
    + "    if q[0] > 3:\n        return Lap(hole)\n    return q[1] + Lap(hole) + 100\n",
    "the place of the largest": EACH + "    return q.index(max(q)), max(q) + Lap(hole)\n",
    "a sum above a number": SUM + "    s = sum(q)\n    n = s + Lap(hole)\n    return n, s > 10\n",
    "the difference of two with the same noise": EACH + "    x = Lap(hole)\n    return q[0] + x, q[1] + x\n",
}

NOT_HOPELESS = {
    "told where noise is large, and never without": EACH + "    if Lap(hole) > 5:\n        return q[0]\n    return 0\n",
    "told where a coin falls": BITS + "    return [q[0] and Flip(hole)] + [b != Flip(hole) for b in q]\n",
    "noise that is forgotten": EACH + "    return (q[0] + Lap(hole)) * 0 + 1\n",
    "too little noise beside it": EACH + "    return q[0] + Lap(1/(2*eps)), q[1] + Lap(hole)\n",
    "enough noise": EACH + "    return q[0] + Lap(hole)\n",
}


@pytest.mark.parametrize("text", TOLD.values(), ids=TOLD)
def test_what_no_noise_hides_is_refuted_without_a_search(text: str) -> None:
    found = synthesize(parse(text))
    assert found.method == "law" and found.best is None and found.reason == WHY
    (judged,) = found.judged
    assert isinstance(judged.verdict, Refuted) and is_impossible(judged.verdict)
    assert all(judged.ranked.completion), "a great deal of noise at every hole"


@pytest.mark.parametrize("text", TOLD.values(), ids=TOLD)
def test_its_example_speaks_against_other_noise_too(text: str) -> None:
    sketch = parse(text)
    (judged,) = refute_all(sketch, Settings())
    assert isinstance(judged.verdict, Refuted)
    for scale in ("1/(7*eps)", "3/eps"):
        program = Mechanism(sketch, (parse_scale(scale),) * len(sketch.holes)).filled()
        again = confirm(program, judged.verdict.example, plain_claim(program))
        assert again is not None and is_impossible(again)


@pytest.mark.parametrize("text", NOT_HOPELESS.values(), ids=NOT_HOPELESS)
def test_where_some_choice_of_holes_may_do_nothing_is_given_up(text: str) -> None:
    sketch = parse(text)
    assert refute_all(sketch, Settings()) == refute_all(sketch, Settings(), at_once=True) == ()


def test_a_leak_that_ends_without_noise_is_found() -> None:
    best = synthesize(parse(NOT_HOPELESS["told where noise is large, and never without"])).best
    assert best is not None and not any(best.ranked.completion) and isinstance(best.verdict, Proved)
