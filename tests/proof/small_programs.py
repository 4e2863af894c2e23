"""Programs of a few lines, each for one thing that few others do: the quickest to show what is wrong with it."""

from __future__ import annotations

_LOOP = "for i in range(len(q)):\n    "
_BODIES = {
    # scores that are made and chosen from at once
    "scores": "return choose([2 * x + T for x in q], 4/eps)",
    "scores by place": "j = choose([q[i] - T for i in range(len(q))], 2/eps)\nreturn j",
    "scores of a list of its own": f"a = []\n{_LOOP}a.append(q[i])\nj = choose([x - T for x in a], 2/eps)\nreturn j",
    "scores of a view": "b = [x + 1 for x in q]\nj = choose([2 * y for y in b], 4/eps)\nreturn j",
    "scores of noise before": "e = Lap(1/eps)\nj = choose([x + e for x in q], 4/eps)\nreturn j",
    "scores with noise": "j = choose([x + Lap(1/eps) for x in q], 4/eps)\nreturn j",
    "scores with noise that may stop": "j = choose([x / N + Lap(1/eps) for x in q], 4/eps)\nreturn j",
    "scores of noise before that may stop": "e = Lap(1/eps)\nj = choose([x / N + e for x in q], 4/eps)\nreturn j",
    "scores of a list of noise": "a = [x + Lap(2/eps) for x in q]\nj = choose([y for y in a], 4/eps)\nreturn j",
    "scores with a remainder": "j = choose([q[i] + i % 2 for i in range(len(q))], 4/eps)\nreturn j",
    "scores of themselves": "s = choose(q, 2/eps)\ns = choose([x + s for x in q], 4/eps)\nreturn s",
    "scores of what they replace": "s = [2 * x for x in q]\ns = [y + s[0] for y in s]\nreturn choose(s, 8/eps)",
    "a copy of a list": f"a = []\n{_LOOP}a.append(q[i] + Lap(1/eps))\nb = [x for x in a]\nif b[0] > T:\n    return b\nreturn 0",
    "one number for every item": f"a = []\n{_LOOP}a.append(q[i] + Lap(1/eps))\nb = [T for x in a]\nif b[0] > N:\n    return b\nreturn 0",
    "scores of a range": "j = choose([i + q[0] for i in range(N)], 4/eps)\nreturn j",
    "scores from a later place": "j = choose([q[i] for i in range(1, len(q))], 2/eps)\nreturn j",
    "scores that may stop": "j = choose([x / N for x in q], 2/eps)\nreturn j",
    "scores kept": "s = [2 * x for x in q]\nj = choose(s, 4/eps)\nreturn j, s[0] + Lap(1/eps)",
    "scores in a branch": "if on:\n    s = [2 * x for x in q]\n    j = choose(s, 4/eps)\n    return j\nreturn 0",
    "scores asked for or not": "s = [2 * x for x in q]\nb = on and choose(s, 4/eps) > 0\nreturn b",
    "scores asked for or told": "s = [2 * x for x in q]\nb = on or choose(s, 4/eps) > 0\nreturn b, s[0] + Lap(1/eps)",
    "scores that change": f"s = 0\n{_LOOP}s = s + 1\n    j = choose([x + s for x in q], 4/eps)\n    if j > 1:\n        return j\nreturn 0",
    # numbers that only public arguments make
    "a public product": "return q[0] + T * U + Lap(1/eps)",
    "a public quotient": "return q[0] + T / U + Lap(1/eps)",
    "a public product twice": "a = T * U\nb = T * U\nif a == b:\n    return q[0] + Lap(1/eps)\nreturn q[1]",
    "a public threshold": f"{_LOOP}if q[i] + Lap(4/eps) > T * U / N:\n        return i\nreturn 0",
    "a product of answers": "return q[0] * q[1] + Lap(1/eps)",
    "a product with what changes": f"s = 1\n{_LOOP}s = s * U\nreturn s * T + q[0] + Lap(1/eps)",
    # coins and truths
    "a truth compared": "b = q[0] + Lap(1/eps) > T\nc = q[1] + Lap(1/eps) > T\nreturn b == c, b != on",
    "a coin beside noise": "c = Flip(2/eps)\nx = q[0] + Lap(2/eps)\nif c:\n    return x\nreturn c != on",
    "a coin twice": "c = Flip(2/eps)\nreturn c != on, c == on",
    "a coin in a sum": "c = Flip(2/eps)\nx = q[0] + Lap(2/eps)\nif c and x > T:\n    x = x + 1\nreturn x",
    "a truth that lasts": f"go = True\nn = 0\n{_LOOP}if go and q[i] + Lap(1/eps) > T:\n        n = n + 1\n    go = n >= 3\nreturn n",
    "truths that last": f"go = on\nno = on\n{_LOOP}if go != no:\n        return q[i] + Lap(1/eps)\n    go = T <= i\n    no = not (N < i)\nreturn 0",
    # None and places
    "none in a list": f"best = None\n{_LOOP}if q[i] + Lap(1/eps) > T:\n        best = i\nif best is None:\n    return None\nreturn best, q[best] + Lap(1/eps)",
    "none compared with a place": f"best = None\ntop = None\n{_LOOP}v = q[i] + Lap(1/eps)\n    if top is None or v > top:\n        top = v\n        best = i\nreturn best",
    "places kept in a list": f"out = []\n{_LOOP}if q[i] + Lap(1/eps) > T:\n        out.append(i)\nreturn out",
    "in a list": f"out = []\n{_LOOP}if i not in out and q[i] + Lap(1/eps) > T:\n        out.append(i)\nreturn out",
    "places of places": f"left = [i for i in range(len(q))]\nout = []\n{_LOOP}w = left[0]\n    if q[w] + Lap(1/eps) > T:\n        out.append(w)\nreturn out",
    # lists of noise, read in all ways
    "read backwards": "a = [x + Lap(2/eps) for x in q]\nfor i in range(len(q) - 1, -1, -1):\n    if a[i] > T:\n        return i\nreturn 0",
    "read at falling places": f"a = [x + Lap(2/eps) for x in q]\nj = len(q) - 1\n{_LOOP}if a[j] > T:\n        return j\n    j = j - 1\nreturn 0",
    "read at what is left": f"a = [x + Lap(2/eps) for x in q]\n{_LOOP}if a[len(q) - 1 - i] > T:\n        return i\nreturn 0",
    "read from the second on": "a = [x + Lap(2/eps) for x in q]\nbest = 0\nfor i in range(1, len(q)):\n    if a[i] > a[best]:\n        best = i\nreturn best",
    "read by a copy": f"a = [x + Lap(2/eps) for x in q]\nb = a\nk = 0\n{_LOOP}k = i\n    if b[k] > T:\n        return k\nreturn 0",
    "two lists, one of the other": f"a = [x + Lap(2/eps) for x in q]\nb = [y + 1 for y in a]\n{_LOOP}if b[i] > T:\n        return i\nreturn 0",
    "read backwards through another": "a = [x + Lap(2/eps) for x in q]\nb = [2 * y for y in a]\nfor i in range(len(q) - 1, -1, -1):\n    if b[i] > T:\n        return i\nreturn 0",
    "the last one": "a = [x + Lap(2/eps) for x in q]\nreturn a[len(q) - 1], a[0]",
    "the best and its value": "a = [x + Lap(2/eps) for x in q]\nbest = 0\nfor i in range(len(q)):\n    if a[i] > a[best]:\n        best = i\nreturn best, a[best]",
    # asserted, whole, asked first
    "asserted": "assert N > 1\nreturn q[0] + Lap(N/eps)",
    "many places at the top": "a = q[2] + q[0]\nb = -q[3]\nreturn a + b + Lap(1/eps)",
    "a place in the first condition": f"if q[1] + Lap(1/eps) > T and q[4] > 0:\n    return 1\n{_LOOP}if q[i] > 0:\n        return 2\nreturn 0",
    "a place in a list at the top": "a = [q[1], abs(q[2])]\nif not (max(a[0], q[5]) + Lap(1/eps) > T):\n    return 1\nreturn 0",
    "noise of the next whole number": "return q[0] + Lap((N + 1)/eps)",
    "an answer that is public arithmetic": "s = q[0] + Lap(1/eps)\nif on:\n    return [s / len(q), 3 - s]\nreturn [N * s, -s]",
}
_WHOLE = {
    "whole noise on places": f"a = [x + DiscreteLap(2/eps) for x in q]\n{_LOOP}if a[i] > N:\n        return i\nreturn 0",
    "whole numbers in lists": f"out = [0]\n{_LOOP}out.append(out[i] + q[i] + DiscreteLap(1/eps))\nreturn out",
    "whole scores": "return choose([3 * x + N for x in q], 6/eps)",
}
_FEW = ("scores", "scores of a view", "a public product", "read from the second on", "none compared with a place", "the best and its value")


def _program(body: str, relation: str = "each_within(1)", private: str = "Private") -> str:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"@sketch(adjacent={relation})\ndef f(q: {private}, N: int, T: float, U: float, on: bool, eps: Epsilon):\n{lines}\n"


SMALL = {name: _program(body) for name, body in _BODIES.items()}
SMALL |= {name: _program(body, private="Private[int]") for name, body in _WHOLE.items()}
SMALL |= {f"{name}, {relation}": _program(_BODIES[name], relation) for name in _FEW for relation in ("one_within(2)", "sum_within(1)", "monotone(1)")}
