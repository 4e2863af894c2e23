"""Sparse vector whose threshold is drawn anew after each hit, under a guard or not, for every length and every number of hits."""

from __future__ import annotations

import pytest

from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.proof.find.lengths import prove_every_length
from kolahal.settings import ProofSettings
from kolahal.verdicts import Proved

HEAD = "@sketch(adjacent=each_within(1))\ndef f(q: Private, T: float, c: int, eps: Epsilon):\n"
NEW = "t = T + Lap(2*c/eps)\n"
LOOP = NEW + "count = 0\nout = []\nfor x in q:\n"
HIT = "    if x + Lap(4*c/eps) > t:\n        out.append(True)\n        count += 1\n        t = T + Lap(2*c/eps)\n    else:\n        out.append(False)\n"
GUARDED = LOOP + "    if count < c:\n" + "".join(f"    {line}\n" for line in HIT.splitlines()) + "return out"
FRESH = """fresh, t = True, 0
count = 0
out = []
for x in q:
    if count < c:
        if fresh:
            t = T + Lap(2*c/eps)
            fresh = False
        if x + Lap(4*c/eps) > t:
            out.append(True)
            count += 1
            fresh = True
        else:
            out.append(False)
return out"""
WRITINGS = {
    "under a guard": GUARDED,
    "a flag": FRESH,
    "no threshold yet": FRESH.replace("fresh, t = True, 0", "t = None").replace("if fresh:", "if t is None:").replace("            fresh = False\n", "").replace("fresh = True", "t = None"),
    "the loop ends": LOOP + "    if count >= c:\n        break\n" + HIT + "return out",
    "while": NEW + "count, i = 0, 0\nout = []\nwhile i < len(q) and count < c:\n    if q[i] + Lap(4*c/eps) > t:\n        out.append(i)\n        count += 1\n        t = T + Lap(2*c/eps)\n    i += 1\nreturn out",
    "in one condition": LOOP + HIT.replace("if x", "if count < c and x") + "return out",
    "how many are left": (NEW + "left = c\nout = []\nfor x in q:\n" + HIT.replace("count += 1", "left -= 1").replace("if x", "if left > 0 and x") + "return out"),
    "only if more may come": LOOP + "    if count >= c:\n        break\n" + HIT.replace("        t =", "        if count < c:\n            t =") + "return out",
}
BROKEN = {
    "a threshold that costs more": GUARDED.replace("t = T + Lap(2*c/eps)\n        e", "t = T + Lap(c/eps)\n        e").replace("            t = T + Lap(2*c/eps)", "            t = T + Lap(c/eps)"),
    "one hit more": GUARDED.replace("count < c", "count <= c"),
    "hits that are not counted": GUARDED.replace("count += 1", "count += 0"),
    "noise for one hit": GUARDED.replace("Lap(4*c/eps)", "Lap(4/eps)"),
    "the noisy answer": GUARDED.replace("out.append(True)", "out.append(x)"),
    "the threshold": GUARDED.replace("return out", "return t"),
    "no new threshold, and no guard": (LOOP + HIT + "return out").replace("        t = T + Lap(2*c/eps)\n", ""),
    "a flag that stays": FRESH.replace("            fresh = False\n", ""),
}


@pytest.mark.parametrize("how", [*list(WRITINGS)[:3], *(pytest.param(how, marks=pytest.mark.thorough) for how in list(WRITINGS)[3:])])
def test_thresholds_that_are_drawn_anew_are_proved_for_every_length(how: str) -> None:
    sketch = parse(HEAD + "".join(f"    {line}\n" for line in WRITINGS[how].splitlines()))
    assert isinstance(prove_every_length(sketch, plain_claim(sketch)), Proved)


@pytest.mark.parametrize("how", BROKEN)
def test_what_costs_more_is_not_proved(how: str) -> None:
    sketch = parse(HEAD + "".join(f"    {line}\n" for line in BROKEN[how].splitlines()))
    assert not isinstance(prove_every_length(sketch, plain_claim(sketch), ProofSettings(rehearsals=1_500)), Proved)
