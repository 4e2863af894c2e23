"""Products and quotients of values that may differ, and names whose values are followed to their places, for what is made of them."""

from __future__ import annotations

_LOOP = "for i in range(len(q)):\n    "
_COMPUTED = {
    "a product": "return q[0] * q[1] + Lap(1/eps)",
    "the same product twice": "a = q[0] * q[1]\nb = q[0] * q[1]\nreturn a - b + q[0] + Lap(1/eps)",
    "two products": "return q[0] * q[1] + q[1] * q[0] + Lap(1/eps)",
    "a product and a quotient": "return q[0] * q[1] + q[0] / q[1] + Lap(1/eps)",
    "two quotients": "return q[0] / q[1] + q[1] / q[0] + Lap(1/eps)",
    "whole factors": "m = 2\nfor i in range(len(q)):\n    m = m * (i + 1)\nreturn m + q[0] + Lap(1/eps)",
    "a whole and a real factor": f"m = 2\nx = 1\n{_LOOP}m = m * m\n    x = m * q[i] + x * x\nreturn x + Lap(1/eps)",
    "noise squared": "y = q[0] + Lap(1/eps)\nreturn y * y",
    "noise squared where it is drawn": "return (q[0] + Lap(1/eps)) * (q[1] + Lap(2/eps))",
    "noise between products": "a = q[0] * q[1]\ny = a + Lap(1/eps)\nb = y * y\nz = b + q[1] + Lap(2/eps)\nreturn z * b",
    "averages": f"s = 0\nout = []\n{_LOOP}s = s + q[i]\n    out.append((s + Lap(len(q)/eps)) / (i + 1))\nreturn out",
    "a quotient as a guard": f"s = 0\n{_LOOP}s = s + q[i]\n    if (s + Lap(len(q)/eps)) / (i + 1) > T:\n        return i\nreturn -1",
    "products from turn to turn": f"w = 1\n{_LOOP}w = w * (q[i] + Lap(1/eps))\n    w = w / 2\nreturn w",
    "a public product": "w = T * N\nreturn w * w + q[0] + Lap(1/eps)",
    "a public quotient": "w = T / N\nreturn w / T + q[0] + Lap(1/eps)",
    "a place that is computed": "j = N * 2\nj = j * j\nreturn q[j] + Lap(1/eps)",
    "a square of a square": "a = q[0] * q[0]\nb = a * a\nc = q[1] * q[1]\nreturn b * c + Lap(1/eps)",
    "one product in a branch": "x = 0\nif q[0] + Lap(2/eps) > T:\n    x = q[0] * q[1]\nreturn x + q[0] * q[1] + Lap(2/eps)",
    "a quotient that may stop": f"y = 0\n{_LOOP}y = 1 / q[i]\nreturn 0",
}
_END = "if most > T:\n    return 1\nreturn 0"
_WATCHED = {
    "the largest": f"most = q[0] + Lap(4/eps)\nfor i in range(1, len(q)):\n    r = q[i] + Lap(4/eps)\n    if r > most:\n        most = r\n{_END}",
    "the largest, in parts": f"most = 0\nout = []\n{_LOOP}r = q[i] + Lap(4/eps)\n    if i == 0 or (i < k and r > most):\n        most = r\n    elif i >= k:\n        out.append(r < most)\nreturn out",
    "the least of all": "least = q[0]\nfor x in q:\n    least = min(least, x + Lap(4/eps))\nif least < T:\n    return 1\nreturn 0",
    "both ends": "least = q[0] + Lap(4/eps)\nmost = least\nfor x in q:\n    r = x + Lap(4/eps)\n    least, most = min(least, r), max(most, r)\nif least < T < most:\n    return 1\nreturn 0",
    "a second loop": f"most = q[0] + Lap(4/eps)\nfor i in range(1, len(q)):\n    r = q[i] + Lap(4/eps)\n    if r > most:\n        most = r\n{_LOOP}if q[i] + Lap(4/eps) > most:\n        return i\nreturn 0",
    "from the end": "most = T\ni = len(q) - 1\nwhile i >= 0:\n    r = q[i] + Lap(4/eps)\n    if r >= most:\n        most = r\n    i = i - 1\nif most > T + 1:\n    return 1\nreturn 0",
    "two places in a turn": f"most = T\n{_LOOP}r = q[i] + q[0] + Lap(4/eps)\n    if r > most:\n        most = r\n{_END}",
}


def _program(body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"@sketch(adjacent=each_within(1))\ndef f(q: Private, N: int, k: int, T: float, eps: Epsilon):\n{lines}\n"


COMPUTED = {name: _program(body) for name, body in _COMPUTED.items()}
WATCHED = {name: _program(body) for name, body in _WATCHED.items()}
