"""Programs that go on while values stay between many noisy ends: a first guess makes the search short."""

from __future__ import annotations

import pytest
from every_length import load

from kolahal.proof.find.lengths import prove_every_length
from kolahal.settings import ProofSettings
from kolahal.verdicts import Proved

HEAD = "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon, low: float = 0, high: float = 1):\n"
ENDS = "    l1 = low + Lap(8/eps)\n    h1 = high - Lap(8/eps)\n    l2 = low + Lap(8/eps)\n    h2 = high + Lap(8/eps)\n"
IN_TURN = HEAD + ENDS + """    first = True
    out = []
    for a in q:
        v = a + Lap(4/eps)
        if first:
            inside = l1 <= v and v < h1
        else:
            inside = l2 <= v and v < h2
        first = not first
        if not inside:
            out.append(1)
            break
        out.append(0)
    return out
"""
WITH_A_FLAG = HEAD + ENDS + """    first = True
    stopped = False
    out = []
    for a in q:
        if not stopped:
            e = Lap(4/eps)
            v = a + e
            if first:
                inside = l1 <= v and v < h1
            else:
                inside = l2 <= v and v - h2 < 0
            first = not first
            if not inside:
                out.append(1)
                stopped = True
            else:
                out.append(0)
    return out
"""
BY_PLACE = HEAD + ENDS + """    count = 0
    for x in q:
        v = x + Lap(4/eps)
        if count < 3:
            if v < l1 or v >= h1:
                return count
        else:
            if v < l2 or v >= h2:
                return count
        count += 1
    return count
"""


@pytest.mark.parametrize("text", [IN_TURN, BY_PLACE, WITH_A_FLAG], ids=["in turn", "by place", "with a flag"])
def test_four_noisy_ends_are_proved_within_a_quick_search(text: str) -> None:
    assert isinstance(prove_every_length(load(text), None, ProofSettings().quick(fixed=False)), Proved)


@pytest.mark.parametrize(("old", "new"), [("Lap(4/eps)", "Lap(3/eps)"), ("h2 = high + Lap(8/eps)", "h2 = high + Lap(7/eps)")])
def test_with_less_noise_they_are_not(old: str, new: str) -> None:
    assert old in BY_PLACE
    assert not isinstance(prove_every_length(load(BY_PLACE.replace(old, new)), None, ProofSettings().quick(fixed=True)), Proved)
