"""A winner with its lead over the first of the others, in several writings."""

from __future__ import annotations

from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch

RUNNING = """best, top, second = -1, 0, 0
for i in range(len(q)):
    x = q[i] + Lap(2/eps)
    if best == -1:
        best, top = i, x
    elif x > top:
        best, top, second = i, x, top
    elif i == 1 or x > second:
        second = x
return best, top - second"""
WITH_NONE = """top = None
second = None
best = 0
i = 0
for answer in q:
    x = answer + Lap(2/eps)
    if top is None or x > top:
        second = top
        top = x
        best = i
    elif second is None or x > second:
        second = x
    i += 1
if second is None:
    return best, 0
return best, top - second"""
LIST_FIRST = RUNNING.replace("best, top, second = -1, 0, 0", "noisy = [x + Lap(2/eps) for x in q]\nbest, top, second = -1, 0, 0").replace(
    "x = q[i] + Lap(2/eps)", "x = noisy[i]"
)
TWO_FIRST = """a = q[0] + Lap(2/eps)
b = q[1] + Lap(2/eps)
if a >= b:
    best, top, second = 0, a, b
else:
    best, top, second = 1, b, a
for i in range(2, len(q)):
    x = q[i] + Lap(2/eps)
    if x >= top:
        best, top, second = i, x, top
    elif x >= second:
        second = x
return best, top - second"""
LEAST = RUNNING.replace("x > top", "x < top").replace("x > second", "x < second").replace("top - second", "second - top")

KEEPS_THE_LEAD = """best, top, lead = 0, 0, 0
for i in range(len(q)):
    x = q[i] + Lap(2/eps)
    if i == 0:
        top = x
    elif x > top:
        best = i
        lead = x - top
        top = x
    elif i == 1 or x > top - lead:
        lead = top - x
return best, lead"""


def program(body: str, relation: str = "each_within(1)", private: str = "Private") -> Sketch:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, eps: Epsilon):\n{lines}")


LEADS = {
    "lead": program(RUNNING),
    "lead_least": program(LEAST, "one_within(1)"),
    "lead_monotone": program(RUNNING.replace("2/eps", "1/eps").replace("q[i]", "3 + q[i]"), "monotone(1)"),
}
