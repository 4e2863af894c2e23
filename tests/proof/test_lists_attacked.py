"""Lists that are computed where they are read, public arithmetic and several answers under attack: none of these programs
is private, and none is proved."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kolahal.engine import reference
from kolahal.engine.faults import RunError
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.product import build_product
from kolahal.proof.trusted.values import Unsupported
from kolahal.verdicts import Proved, Unknown


def program(body: str, relation: str = "one_within(1)") -> Sketch:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: Private, T: float, N: int, eps: Epsilon):\n{lines}")


# Python computes all items at once, so it stops where one of them meets None, though nobody reads it.
STOPPING = {
    "a name that may be None": """
c = None
if q[0] > 0:
    c = 1
once = c
a = [x + once for x in q]
return 0
""",
    "next to noise": """
c = None
if q[0] > 0:
    c = 1
once = c
a = [x + once + Lap(1/eps) for x in q]
return 0
""",
    "by place": """
c = None
for x in q:
    if x > 0:
        c = 1
once = c
a = [q[i] - once for i in range(len(q))]
return 0
""",
    "handed on by another list": """
c = None
if q[0] > 0:
    c = 1
once = c
a = [once for x in q]
b = [max(y, 1) for y in a]
return 0
""",
    "items that are None": """
a = [None for x in q]
if T > 0:
    a = [x for x in q]
if q[0] <= 0:
    b = [y + 1 for y in a]
return 0
""",
    "items that are None, by place": """
a = [None for x in q]
if T > 0:
    a = q
once = a
if q[0] <= 0:
    b = [once[i] + 1 for i in range(len(q))]
return 0
""",
}


@pytest.mark.parametrize("name", STOPPING)
def test_a_run_that_stops_on_an_item_that_nobody_reads_is_not_proved(name: str) -> None:
    sketch = program(STOPPING[name])
    arguments = Arguments(Fraction(1), 1, (("T", Fraction(0)), ("N", Fraction(1))))

    def given(answer: int) -> object:
        return reference.run(sketch, (Fraction(answer),), arguments, (), lambda *_: (0,), number=Fraction)

    assert given(1) == 0
    with pytest.raises(RunError):
        given(0)
    with pytest.raises(Unsupported, match="None"):
        build_product(sketch, frozenset())
    assert isinstance(prove_every_length(sketch), Unknown)


BROKEN = {
    "the same noise in two lists": """
z = [Lap(1/eps) for x in q]
a = [q[i] + z[i] for i in range(len(q))]
b = [q[i] - z[i] for i in range(len(q))]
return a[0], b[0]
""",
    "noise read in another list, and alone in a later turn": """
z = [Lap(1/eps) for x in q]
a = [q[i] + z[i] for i in range(len(q))]
s = a[0]
for i in range(N):
    s = s + 1
return s, z[0]
""",
    "noise that cancels under another name": """
z = [Lap(1/eps) for x in q]
w = z
a = [q[i] + z[i] - w[i] for i in range(len(q))]
return a[0]
""",
    "noise that cancels in the next list": """
z = [Lap(1/eps) for x in q]
a = [q[i] + z[i] for i in range(len(q))]
b = [a[i] - z[i] for i in range(len(q))]
return b[0]
""",
    "named noise in all items and afterwards": """
c = Lap(1/eps)
a = [x + c for x in q]
if a[0] > 0:
    return c
return 0
""",
    "two variables at one place": """
a = [x + Lap(1/eps) for x in q]
best = 0
last = 0
s = a[best]
t = a[last]
return s, t + q[0]
""",
    "a place that was left for None": """
a = [x + Lap(1/eps) for x in q]
best = 0
s = a[best]
best = None
last = best
t = a[0]
return s, t - s + q[0]
""",
    "drawn at an assignment, and released": """
a = [x + Lap(1/(2*eps)) for x in q]
best = None
for i in range(len(q)):
    if best is None:
        best = 0
    else:
        if a[i] > a[best]:
            best = i
return best, a[0]
""",
    "what stands where the largest was": """
z = [Lap(2/eps) for x in q]
a = [q[i] + z[i] for i in range(len(q))]
best = 0
for i in range(len(q)):
    if a[i] > a[best]:
        best = i
return best, q[best]
""",
    "as many turns as private answers say": """
n, m = 1, 2
for x in q:
    if x > 0:
        n, m = m, n
s = 0
for i in range(n):
    s = s + 1
return s
""",
    "a range that begins where private answers say": """
n = 0
if q[0] > 0:
    n = 1
s = 0
for i in range(n, n + 3):
    s = i
return s
""",
    "as many turns as a list has items": """
out = []
if q[0] > 0:
    out.append(1)
s = 0
for i in range(len(out)):
    s = s + 1
return s
""",
    "an argument that private answers change, in a product": """
if q[0] > 0:
    N = 2
return N * T
""",
    "a division that stops some runs": """
y = 0
if q[0] > 0:
    y = 1 / T
return 0
""",
    "different arithmetic on equal values": """
x = q[0] + Lap(1/eps)
if q[0] > 0:
    return x / N
return x * N
""",
    "arithmetic that differs by 1": """
x = q[0] + Lap(1/eps)
if q[0] > 0:
    return x + N * T
return x + N * T + 1
""",
    "one answer pays for two": """
x = q[0] + Lap(1/eps)
if q[0] + Lap(2/eps) > T:
    return x * N
return 0
""",
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_not_private_is_not_proved(name: str) -> None:
    assert isinstance(prove_every_length(program(BROKEN[name])), Unknown)


SOUND = {
    "noise of another list, read once": """
z = [Lap(1/eps) for x in q]
a = [q[i] + z[i] for i in range(len(q))]
return a[0]
""",
    "a name with one value": """
c = N * T
a = [x + c + Lap(1/eps) for x in q]
return a[0]
""",
    "two answers with the same arithmetic": """
x = q[0] + Lap(2/eps)
if q[0] + Lap(2/eps) > T:
    return x * N
return x * N
""",
}


@pytest.mark.parametrize("name", SOUND)
def test_their_private_neighbours_are_proved(name: str) -> None:
    assert isinstance(prove_every_length(program(SOUND[name])), Proved)
