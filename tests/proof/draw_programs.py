"""Coins, bits, chosen places and ghosts that begin anew, for what proofs for every length make of them; few are private."""

from __future__ import annotations

_LOOP = "for i in range(len(q)):\n    "
_PEEL = "taken = [0] * len(q)\nout = []\nfor t in range(k):\n    best = None\n    at = 0\n    for i in range(len(q)):\n        if taken[i] < 1:\n            v = q[i] + {draw}\n            if best is None or v > best:\n                best = v\n                at = i\n    taken[at] = 1\n    out.append(at)\nreturn out"
_COINS = {
    "one bit": "return q[0] != Flip(1/eps)",
    "one bit, turned": "c = Flip(1/eps)\nreturn not (c == q[0])",
    "every bit": f"out = []\n{_LOOP}out.append(q[i] != Flip(1/eps))\nreturn out",
    "with memory": f"out = []\n{_LOOP}kept = q[i] != Flip(2/eps)\n    out.append(kept != Flip(2/eps))\nreturn out",
    "one coin for all": f"c = Flip(1/eps)\nout = []\n{_LOOP}out.append(q[i] != c)\nreturn out",
    "coin in a branch": f"n = 0\n{_LOOP}if q[i]:\n        if Flip(1/eps):\n            n = n + 1\nreturn n",
    "coin beside a truth": f"n = 0\n{_LOOP}b = q[i] and Flip(1/eps)\n    if b or on:\n        n = n + 1\nreturn n",
    "coin as a guard": f"{_LOOP}if Flip(1/eps):\n        return i\nreturn q[0] != Flip(2/eps)",
    "bits compared": f"c = Flip(1/eps)\n{_LOOP}if q[i] == c and q[0] != q[i]:\n        return i\nreturn 0",
    "a truth that follows": f"last = False\nout = []\n{_LOOP}out.append((q[i] != last) != Flip(1/eps))\n    last = q[i]\nreturn out",
}
_CHOICES = {
    "of the answers": "return choose(q, 2/eps)",
    "of sums": "return choose([2 * x + T for x in q], 4/eps)",
    "of a list": f"a = []\n{_LOOP}a.append(q[i] - T)\nreturn choose(a, 2/eps)",
    "of numbers": "return choose([1, T, q[0]], 2/eps)",
    "of few numbers": "j = choose([0, N], 2/eps)\nreturn q[0] + j + Lap(1/eps)",
    "and measured": "j = choose(q, 4/eps)\nreturn j, q[j] + Lap(2/eps)",
    "twice": "j = choose(q, 4/eps)\nl = choose(q, 4/eps)\nif j == l:\n    return j\nreturn l",
    "and noise before": "e = T + Lap(2/eps)\nj = choose(q, 4/eps)\nif q[j] > e:\n    return j\nreturn e",
    "in a loop": "out = []\nfor t in range(k):\n    j = choose(q, 2*k/eps)\n    out.append(j)\nreturn out",
    "with flags": "taken = [0] * len(q)\nout = []\nfor t in range(k):\n    j = choose([q[i] - 9 * taken[i] for i in range(len(q))], 2*k/eps)\n    taken[j] = 1\n    out.append(j)\nreturn out",
    "of what is left": "left = [i for i in range(len(q))]\nout = []\nfor t in range(k):\n    if len(left) > 0:\n        j = choose([q[i] for i in left], 2*k/eps)\n        w = left[j]\n        out.append(w)\n        left = [i for i in left if i != w]\nreturn out",
}
_PEELS = {
    "peeled": _PEEL.format(draw="Lap(2*k/eps)"),
    "peeled, one-sided": _PEEL.format(draw="Exp(2*k/eps)"),
    "two loops": f"a = 0\n{_LOOP}if q[i] + Lap(4/eps) > T:\n        a = i\nb = 0\n{_LOOP}if q[i] + Lap(4/eps) > T and i != a:\n        b = i\nreturn a, b",
    "a place that is forgotten": f"out = []\nfor t in range(k):\n    at = 0\n    {_LOOP.replace(chr(10), chr(10) + '    ')}if q[i] + Lap(2*k/eps) > T:\n            at = i\n    if at > 1:\n        out.append(True)\n    else:\n        out.append(False)\nreturn out",
}


def _program(body: str, relation: str, private: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"@sketch(adjacent={relation})\ndef f(q: {private}, N: int, k: int, T: float, on: bool, eps: Epsilon):\n{lines}\n"


DRAWS = {f"coins, {name}": _program(body, "one_within(1)", "Private[bool]") for name, body in _COINS.items()}
DRAWS |= {
    f"choice {name}, {relation}": _program(body, f"{relation}(1)", "Private")
    for name, body in _CHOICES.items()
    for relation in ("each_within", "one_within")
}
DRAWS |= {name: _program(body, "monotone(1)", "Private") for name, body in _PEELS.items()}
