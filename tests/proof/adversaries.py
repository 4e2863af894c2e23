"""Programs that look private and are not, each written against one step of the argument for every length.

A relation, parameters after `q`, and a body; `load` makes a program of them.
"""

from __future__ import annotations

from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch

EACH, ONE, SUM, UP = "each_within(1)", "one_within(1)", "sum_within(1)", "monotone(1)"

BROKEN: dict[str, tuple[str, str, str]] = {}


def add(name: str, relation: str, body: str, parameters: str = "") -> None:
    assert name not in BROKEN
    BROKEN[name] = relation, parameters, body


def load(name: str) -> Sketch:
    relation, parameters, body = BROKEN[name]
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: Private, {parameters}eps: Epsilon):\n{lines}")


# ---------------------------------------------------------------- early returns and loops that end differently

add("returns at a raw answer", EACH, """
for x in q:
    if x > 0:
        return 1
return 0""")
add("returns at a raw answer, with noise on what is returned", ONE, """
for i in range(len(q)):
    if q[i] > 0:
        return i + Lap(1/eps)
return 9 + Lap(1/eps)""")
add("noise in the answer, none in the stop", EACH, """
for x in q:
    if x > 0:
        return x + Lap(2/eps)
return 0""")
add("stops early on a private sum", ONE, """
s = 0
for x in q:
    s = s + x
    if s > 2:
        break
return s > 2""")
add("counts the turns until a raw stop", ONE, """
c = 0
for x in q:
    c = c + 1
    if x > 0:
        break
return c""")
add("the number of outputs depends on raw answers", ONE, """
out = []
for x in q:
    if x > 0:
        out.append(x + Lap(1/eps))
return out""")
add("outputs of different lengths, the same items", ONE, """
out = []
for x in q:
    if x > 0:
        out.append(0)
return out""")
add("the length of a list is the leak", ONE, """
out = []
for x in q:
    if x > 0:
        out.append(Lap(1/eps))
return len(out)""")
add("a while that runs as long as the answer", ONE, """
c = 0
while c < 5 and c < q[0]:
    c = c + 1
return c""")
add("a while with noise in the bound, drawn anew", ONE, """
c = 0
while c < 2 and c < q[0] + Lap(1/eps):
    c = c + 1
return c""")
add("continue hides an item", ONE, """
out = []
for x in q:
    if x > 1:
        continue
    out.append(x + Lap(1/eps))
return out""")
add("noise once, compared many times, and a value that shows it", EACH, """
t = Lap(1/eps)
for x in q:
    if x + Lap(2/eps) > t:
        return x + Lap(1/eps)
return t""")
add("the threshold's noise is returned", EACH, """
t = Lap(2/eps)
out = []
for x in q:
    out.append(x > t)
out.append(t)
return out""")

# ---------------------------------------------------------------- noise in one run and not in the other

add("noise only where the answer is positive", ONE, """
s = q[0]
if q[0] > 0:
    s = s + Lap(1/eps)
return s""")
add("two sites, one for each side", ONE, """
if q[0] > 0:
    return 2 + Lap(1/eps)
return 0 + Lap(1/eps)""")
add("different scales on different sides", ONE, """
s = 0
if q[0] > 0:
    s = Lap(1/eps)
else:
    s = Lap(8/eps)
return s""")
add("a draw more where the answer is positive", ONE, """
s = q[0] + Lap(2/eps)
if q[0] > 0:
    s = s + Lap(2/eps)
return s""")
add("noise that is skipped by and", ONE, """
if q[0] > 0 and Lap(1/eps) > 1:
    return 1
return 0""")
add("noise that is skipped by or", ONE, """
return_ = 0
if q[0] > 0 or Lap(1/eps) > 1:
    return_ = 1
return return_""")
add("a comprehension under a private branch", ONE, """
a = [x + Lap(1/eps) for x in q]
if q[0] > 0:
    return a[0]
return a[0] + 3""")

# ---------------------------------------------------------------- one-sided and whole noise

add("one-sided noise on an answer", ONE, "return q[0] + Exp(1/eps)")
add("one-sided noise, from above", ONE, "return q[0] - Exp(1/eps)")
add("one-sided noise of all answers", EACH, "return [x + Exp(8/eps) for x in q]")
add("the largest value with one-sided noise", EACH, """
v = None
for x in q:
    b = x + Exp(2/eps)
    if v is None or b > v:
        v = b
return v""")
add("the smallest of one-sided noise", EACH, """
m, v = 0, None
i = 0
for x in q:
    b = x + Exp(1/eps)
    if v is None or b < v:
        m, v = i, b
    i = i + 1
return m""")
add("one-sided noise below a threshold", EACH, """
t = Exp(0.9/eps)
for x in q:
    if x + Exp(0.9/eps) < t:
        return 1
return 0""")
add("one-sided noise under abs", ONE, "return abs(q[0] + Exp(1/eps))")
add("whole noise halved", ONE, "return q[0] + DiscreteLap(1/eps) / 2")
add("whole noise doubled", ONE, "return q[0] + 2 * DiscreteLap(2/eps)")
add("half an answer under whole noise", "one_within(1)", "return q[0] / 2 + DiscreteLap(1/eps)")
add("whole one-sided noise on an answer", ONE, "return q[0] + DiscreteExp(4/eps)")
add("whole noise too small by a tie", EACH, """
a = q[0] + DiscreteLap(1/eps)
b = q[-1] + DiscreteLap(1/eps)
return a > b, a == b""")

# ---------------------------------------------------------------- one draw for several things

add("one draw for two answers", ONE, """
t = Lap(1/eps)
return q[0] + t, q[-1] - t""")
add("one draw for all answers", EACH, """
t = Lap(1/eps)
return [x + t for x in q]""")
add("a draw and itself", ONE, """
t = Lap(1/eps)
return q[0] + t, t""")
add("a draw and its sign", ONE, """
t = Lap(1/eps)
return q[0] + t, t > 0""")
add("the difference of two noisy answers, and one of them", ONE, """
a = q[0] + Lap(1/eps)
b = a - q[0]
return a, b""")
add("noise that cancels", ONE, """
t = Lap(1/eps)
s = q[0] + t
return s - t""")
add("noise that cancels in a loop", ONE, """
t = Lap(1/eps)
s = t
for x in q:
    s = s + x
return s - t""")
add("noise times zero", ONE, "return q[0] + 0 * Lap(1/eps)")
add("noise that a max throws away", ONE, "return max(q[0], q[0] + Lap(1/eps) - 100)")
add("noise that a min throws away", ONE, "return min(q[0], 100 + Lap(1/eps))")
add("a noisy list read twice", ONE, """
a = [x + Lap(2/eps) for x in q]
return a[0] - a[0] + q[0]""")
add("a noisy list and the raw one", ONE, """
a = [x + Lap(1/eps) for x in q]
return a[0] - q[0] > 0, a[0]""")

# ---------------------------------------------------------------- branches without noise on private values

add("a branch on a raw comparison of two answers", ONE, """
if q[0] > q[-1]:
    return 1
return 0""")
add("a branch on a raw answer sets a flag", ONE, """
done = False
for x in q:
    if x > 1:
        done = True
return done""")
add("a raw flag steers later noise", ONE, """
done = False
for x in q:
    if x > 1:
        done = True
s = 0
if done:
    s = 2
return s + Lap(1/eps)""")
add("the raw maximum's place", EACH, """
m, v = 0, None
i = 0
for x in q:
    if v is None or x > v:
        m, v = i, x
    i = i + 1
return m""")
add("the raw maximum's place with noise for one step", EACH, """
m, v = 0, None
i = 0
for x in q:
    if v is None or x > v:
        m, v = 3 * i, x
    i = i + 1
return m + Lap(1/eps)""")
add("a rounded answer", ONE, """
s = 0
if q[0] >= 1:
    s = 2
if q[0] >= 2:
    s = 4
return s + Lap(1/eps)""")
add("an equality on raw answers", ONE, "return q[0] == q[-1]")
add("None where the answer is small", ONE, """
v = None
if q[0] > 0:
    v = 1
return v is None""")

# ---------------------------------------------------------------- budgets

add("the budget is spent at each of two answers", EACH, "return q[0] + Lap(1/eps), q[-1] + Lap(1/eps)")
add("all answers at the price of one", EACH, "return [x + Lap(1/eps) for x in q]")
add("sparse vector without an end", EACH, """
t = Lap(1/eps)
out = []
for x in q:
    if x + Lap(1/eps) > t:
        out.append(True)
    else:
        out.append(False)
return out""")
add("sparse vector with the count below the budget", EACH, """
t = Lap(2/eps)
out = []
c = 0
for x in q:
    if x + Lap(N/eps) > t:
        out.append(True)
        c = c + 1
        if c > N:
            break
    else:
        out.append(False)
return out""", "N: int, ")
add("noisy max with half its noise", EACH, """
m, v = 0, None
i = 0
for x in q:
    b = x + Lap(1/eps)
    if v is None or b > v:
        m, v = i, b
    i = i + 1
return m""")
add("noisy max returns its value too", EACH, """
m, v = 0, None
i = 0
for x in q:
    b = x + Lap(1.9/eps)
    if v is None or b > v:
        m, v = i, b
    i = i + 1
return m, v""")
add("the first loop pays, the second does not", ONE, """
s = 0
for x in q:
    s = s + x
a = s + Lap(2/eps)
for x in q:
    s = s + x
return a, s + Lap(2/eps)""")
add("a nested loop releases all again", ONE, """
out = []
for i in range(2):
    for x in q:
        out.append(x + Lap(1/eps))
return out""")
add("an answer that is read twice counts twice", ONE, "return q[0] + q[0] + Lap(1/eps)")
add("the same place by two names", ONE, """
s = 0
for i in range(len(q)):
    s = s + q[i] + q[0]
return s + Lap(1/eps)""")
add("a sum that doubles", ONE, """
s = 0
for x in q:
    s = 2 * s + x
return s + Lap(1/eps)""")
add("moves that add up, all at one price", SUM, "return q[0] - q[-1] + Lap(0.5/eps)")
add("monotone moves, but both ways are compared", UP, """
a = q[0] + Lap(1/eps)
b = -q[-1] + Lap(1/eps)
return a, b""")
add("a scale that shrinks with the number of answers", ONE, "return q[0] + Lap(1/eps/len(q))")
add("noise of another power of the budget", ONE, "return q[0] + Lap(1/eps**2)")
add("a constant scale", ONE, "return q[0] + Lap(1)")
add("different arithmetic at different returns", ONE, """
s = q[0] + Lap(1/eps)
if q[0] > 0:
    return s / 2
return s * 2""")
