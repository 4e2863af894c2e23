"""Programs that reach the corners of what proofs for every length cover, each for one thing; few of them are private."""

from __future__ import annotations

HUGE = 2**1023  # the product of four of these has 4,093 bits; 4,096 are the most


def _program(body: str, relation: str = "each_within(1)", private: str = "Private") -> str:
    lines = "\n".join(f"    {line}" for line in body.strip().split("\n"))
    return (
        f"@sketch(adjacent={relation})\n"
        f"def f(q: {private}, N: int, M: int, T: float, on: bool, eps: Epsilon):\n{lines}\n"
    )


_LOOP = "for i in range(len(q)):\n    "
_BODIES = {
    # places of lists of the program's own
    "place of numbers": "a = [0, N, 2]\nreturn a[N] + q[0] + Lap(1/eps)",
    "place of truths": "b = [True, N > 1]\nif b[N]:\n    return 1\nreturn q[0] + Lap(1/eps)",
    "place of perhaps none": "m = None\nif on:\n    m = N\nc = [None, 1, m]\nif c[N] is None:\n    return 0\nreturn c[M] + q[0] + Lap(1/eps)",
    "place of none and truth": "c = [None, on]\nx = c[N]\nif x is None:\n    return 0\nreturn q[0] + Lap(1/eps)",
    "place of equal items": "a = [N, N, N]\nreturn a[M] + q[0] + Lap(1/eps)",
    "place of equal truths": "b = [on, on, on]\nif b[N]:\n    return 1\nreturn q[0] + Lap(1/eps)",
    "first and last place": "a = [q[0], N, T]\nreturn a[0] + a[len(a) - 1] + a[1] + Lap(1/eps)",
    "place outside": "a = [1, 2]\nreturn a[2] + q[0] + Lap(1/eps)",
    "place before": "a = [1, 2]\nreturn a[-1] + q[0] + Lap(1/eps)",
    "no items": "a = []\nfor x in q:\n    a.append(1)\nreturn a[0] + Lap(1/eps)",
    "list without items": "a = []\nreturn a[N] + q[0] + Lap(1/eps)",
    "grown at both ends": f"out = []\n{_LOOP}out.append(q[i] + Lap(1/eps))\n    out.insert(0, i)\n    out.insert(0, N)\n    t = out[0] + out[len(out) - 1] + out[1]\n    out.append(t)\nreturn out",
    "read where it was": f"out = [0, 1]\n{_LOOP}t = out[i] + out[N]\n    out.append(t + q[i] + Lap(1/eps))\n    out.insert(0, 1)\n    t = out[i + 1]\nreturn out",
    "truths read where they were": f"out = [on]\n{_LOOP}if out[i]:\n        out.append(q[i] + Lap(1/eps) > 0)\n    else:\n        out.append(not out[0])\nreturn out",
    "whole items": f"out = [1]\n{_LOOP}if q[i] + Lap(1/eps) > out[i]:\n        out.append(out[i] + 1)\n    else:\n        out.append(2)\nreturn out",
    "items of several kinds": f"out = [None]\n{_LOOP}if out[i] is None:\n        out.append(q[i] + Lap(1/eps))\nreturn out",
    "two names of a list": f"a = [1, 2]\nb = a\n{_LOOP}if a[0] + q[i] + Lap(1/eps) > b[N]:\n        return b\nreturn a",
    "a list of another": "a = [1]\nfor x in q:\n    b = a\n    a = [x + Lap(1/eps)]\n    if b[0] > 1:\n        return b\nreturn a",
    "lists by chance": "a = [1, 2]\nif on:\n    a = q\nreturn a[0] + Lap(1/eps)",
    "two places at once": "i = 0\nj = 1\nwhile i < len(q):\n    if q[i] + q[j] - q[i] + Lap(1/eps) > T:\n        return i\n    i = i + 1\n    j = 0\nreturn 0",
    "read after growing": f"out = [1]\n{_LOOP}out.append(q[i] + Lap(1/eps))\n    if out[N] > 0 or out[i] > 1:\n        return i\nreturn out",
    "an empty list in a loop": f"a = []\n{_LOOP}if q[i] + Lap(1/eps) > 0:\n        return a[0]\nreturn 0",
    "two views without noise": f"a = [2 * x for x in q]\nb = [3 * x for x in q]\n{_LOOP}if a[i] + b[i] + Lap(1/eps) > T:\n        return i\nreturn 0",
    "view at one place or another": "a = [x + Lap(2/eps) for x in q]\nif on:\n    return a[0]\nreturn a[1]",
    "view made between reads": "a = [x + Lap(2/eps) for x in q]\nt = a[0]\nb = [x + Lap(3/eps) for x in q]\nif a[0] > b[0] + t:\n    return 1\nreturn 0",
    "range of a view": "a = [x + Lap(2/eps) for x in q]\nfor i in range(len(a)):\n    if a[i] > T:\n        return i\nreturn 0",
    "range with a step of an argument": "s = 0\nfor i in range(0, len(q), N + 1):\n    s = s + q[i]\nreturn s + Lap(1/eps)",
    "range with a step of nothing": "s = 0\nfor i in range(0, len(q), 1 - 1):\n    s = s + q[i]\nreturn s + Lap(1/eps)",
    "view with a whole division": "a = [x // 2 for x in q]\nreturn a[0] + Lap(1/eps)",
    "view with a remainder": "a = [N % 2 + x + Lap(1/eps) for x in q]\nreturn a[0]",
    "view over one": "a = [x / 1 + Lap(1/eps) for x in q]\nreturn a[0]",
    "view over nothing": "a = [x / 0 + Lap(1/eps) for x in q]\nreturn a[0]",
    "answers by another name": f"a = q\n{_LOOP}if a[i] + Lap(1/eps) > 0:\n        return i\nreturn len(a)",
    "list in place of a number": "a = [1]\nreturn q[0] + Lap(1/eps) + len(a)",
    # functions and operators
    "abs": "return abs(q[0] - T) + abs(N) + Lap(1/eps)",
    "max and min": "return max(q[0], T, 0) + min(q[0], N, M) + Lap(1/eps)",
    "max with noise": "return max(q[0] + Lap(1/eps), q[1] + Lap(2/eps)) + Lap(3/eps)",
    "product of unknowns": "return q[0] * T + Lap(1/eps)",
    "product of numbers": "x = 2 * q[0]\ny = q[0] * 3\nreturn x - y / 4 + -(T) + Lap(1/eps)",
    "division by nothing": "return (q[0] + Lap(1/eps)) / (1 - 1)",
    "division by an argument": "x = q[0] / N\nif x > 0:\n    return 1\nreturn x + Lap(1/eps)",
    "whole division": "x = q[0] // 2\nreturn x + Lap(1/eps)",
    "just short enough": f"x = {HUGE}\ny = x * x * x * x * 8\nreturn y * q[0] + Lap(1/eps)",
    "too long": f"x = {HUGE}\ny = x * x * x * x * 16\nreturn y * q[0] + Lap(1/eps)",
    "too long below": f"x = {HUGE}\ny = q[0] / x / x / x / x / 16\nreturn y + Lap(1/eps)",
    "too long factors": f"x = {HUGE}\ny = 16 * (x * (x * (x * (x * q[0]))))\nreturn y + Lap(1/eps)",
    "comparisons": "a = q[0] < T\nb = q[0] <= T\nc = T < q[0]\nd = q[0] >= T\nif a and not b or c == d or a != c:\n    return q[1] + Lap(1/eps)\nreturn on",
    "equal numbers": "if N == M:\n    return 1\nif N != T:\n    return 2\nreturn q[0] + Lap(1/eps)",
    "equal to nothing": "m = None\nif on:\n    m = N\nif m == None:\n    return q[0] + Lap(1/eps)\nif m != 3:\n    return 1\nreturn m",
    "none in a sum": "m = None\nif on:\n    m = N\nreturn m + q[0] + Lap(1/eps)",
    "none compared": f"m = None\n{_LOOP}if m is not None and m < 3:\n        return i\n    m = q[i] + Lap(1/eps)\nreturn None",
    "none or truth": f"b = None\n{_LOOP}if b is None:\n        b = q[i] + Lap(1/eps) > 0\nreturn b",
    "never none": "if N is None:\n    return 1\nreturn q[0] + Lap(1/eps)",
    "and with places": f"{_LOOP}if i + 1 < len(q) and q[i + 1] > 0 or on:\n        return q[0] + Lap(1/eps)\nreturn 0",
    "or with places": "b = N < 1 or q[N - 1] > T\nif b:\n    return q[0] + Lap(1/eps)\nreturn 0",
    "sure and unsure": "b = True and q[0] > 0\nc = False and q[1] > 0\nd = False or q[2] > 0\ne = True or q[3] > 0\nif b and not c and d and e:\n    return 1\nreturn Lap(1/eps)",
    "noise on the right": f"{_LOOP}if on and q[i] + Lap(1/eps) > 0:\n        return i\n    if on or not (q[i] + Lap(2/eps) > Lap(3/eps)):\n        return 0 - i\nreturn 0",
    "noise on the right of a value": "b = on and q[0] + Lap(1/eps) > 0\nreturn b",
    "noise on the right of what is sure": "b = True and q[0] + Lap(1/eps) > 0\nreturn b",
    "noise in a while": "i = 0\nwhile i < len(q) and q[i] + Lap(1/eps) < T:\n    i = i + 1\nreturn i",
    "not in a while": "i = 0\nwhile not (i >= len(q) or q[i] + Lap(1/eps) > T):\n    i = i + 1\nreturn i",
    # remainders
    "remainder": f"s = 0\n{_LOOP}s = s + q[i]\n    if (i + 1) % M == 0:\n        s = 0\nreturn s + Lap(1/eps)",
    "remainder of the length": "return len(q) % N + q[0] + Lap(1/eps)",
    "remainder twice": f"c = 0\n{_LOOP}c = c + i % 2 + i % 3 + i % 2\nreturn c + q[0] + Lap(1/eps)",
    "remainder of a real": "return q[0] % 2 + Lap(1/eps)",
    "remainder by a real": "return N % T + q[0] + Lap(1/eps)",
    "remainder by what changes": f"k = 1\n{_LOOP}k = k + 1\n    if i % k == 0:\n        return q[i] + Lap(1/eps)\nreturn 0",
    "remainder on the right": f"{_LOOP}b = on and i % 2 == 0\n    if b:\n        return q[i] + Lap(1/eps)\nreturn 0",
    "remainder in a condition": f"{_LOOP}if on and i % 2 == 0:\n        return q[i] + Lap(1/eps)\nreturn 0",
    # comprehensions
    "view": f"a = [x + Lap(2/eps) for x in q]\n{_LOOP}if a[i] > T:\n        return i\nreturn 0",
    "view twice": f"a = [x + Lap(2/eps) for x in q]\n{_LOOP}if a[i] > T and a[i] < N:\n        return i\n    if a[0] > 3:\n        return 1\nreturn 0",
    "view of a view": f"a = [2 * x for x in q]\nb = [y + Lap(2/eps) + y for y in a]\n{_LOOP}if b[i] > a[i]:\n        return i\nreturn 0",
    "view on the right": f"a = [x + Lap(2/eps) for x in q]\n{_LOOP}if on and a[i] > T:\n        return i\nreturn 0",
    "view made anew": f"a = [x + Lap(2/eps) for x in q]\nb = a[0]\na = [x + Lap(3/eps) for x in q]\n{_LOOP}if a[i] > b:\n        return i\nreturn 0",
    "view in a loop": f"{_LOOP}a = [x + Lap(2/eps) for x in q]\n    if a[i] > T:\n        return i\nreturn 0",
    "two views": f"a = [x + Lap(2/eps) for x in q]\nb = [x + Lap(3/eps) for x in q]\n{_LOOP}if a[i] > b[i]:\n        return i\nreturn 0",
    "view of public values": f"a = [x + N * 2 + T for x in q]\n{_LOOP}if a[i] + Lap(1/eps) > T:\n        return i\nreturn 0",
    "view for a loop": "a = [x + Lap(2/eps) for x in q]\nfor y in a:\n    if y > T:\n        return 1\nreturn 0",
    "view of what changes": "k = 1\nk = k + 1\na = [x + k + Lap(2/eps) for x in q]\nreturn a[0]",
    "view that may stop": "a = [x / N + Lap(2/eps) for x in q]\nreturn a[0]",
    "view that may read beside": "a = [q[0] + x for x in q]\nreturn a[0] + Lap(1/eps)",
    "view that divides": "a = [x / 2 + Lap(2/eps) for x in q]\nreturn a[0]",
    "view over a range": "a = [i + Lap(2/eps) for i in range(3)]\nreturn a[0] + q[0]",
    "view over its own": "b = [1, 2]\na = [x + Lap(2/eps) for x in b]\nreturn a[0] + q[0]",
    "answer is a view": "return [x + Lap(1/eps) for x in q]",
    "answer is a named view": "a = [x + Lap(1/eps) for x in q]\nreturn a",
    "answer is the input": "return q",
    "list replaced by itself": "a = q\na = [x + Lap(1/eps) for x in a]\nreturn a",
    "view used and returned": f"a = [x + Lap(2/eps) for x in q]\ns = 0\n{_LOOP}s = s + a[i]\nif s > 0:\n    return a\nreturn a",
    "views in both ways": "if on:\n    a = [x + Lap(1/eps) for x in q]\nelse:\n    a = [x + Lap(2/eps) for x in q]\nreturn a",
    "view in a while": "i = 0\nwhile i < N:\n    a = [x + Lap(1/eps) for x in q]\n    i = i + 1\n    if a[0] > 0:\n        return 1\nreturn 0",
    # loops
    "range with a step": "s = 0\nfor i in range(1, len(q), 2):\n    s = s + q[i]\nreturn s + Lap(1/eps)",
    "range downwards": "s = 0\nfor i in range(len(q) - 1, 0, -2):\n    s = s + q[i]\nreturn s + Lap(1/eps)",
    "range that changes": "k = N\nfor i in range(k):\n    k = k + 1\n    if q[0] + Lap(1/eps) > k:\n        return i\nreturn 0",
    "range of an argument": "for i in range(N, M):\n    if q[0] + Lap(1/eps) > i:\n        return i\nreturn 0",
    "range of a call": "for i in range(max(N, 1)):\n    if q[0] + Lap(1/eps) > i:\n        return i\nreturn 0",
    "loop over a list": "a = [1, 2, N]\nfor y in a:\n    if q[0] + Lap(1/eps) > y:\n        return y\nreturn 0",
    "loop over a list that is replaced": "a = [1, 2, N]\nfor y in a:\n    a = [3]\n    if q[0] + Lap(1/eps) > y:\n        return y\nreturn 0",
    "nested loops": "c = 0\nfor x in q:\n    for j in range(N):\n        if x + Lap(1/eps) > j:\n            c = c + 1\n        else:\n            break\n    if c > 3:\n        continue\n    c = c + 1\nreturn c",
    "loops one after another": f"s = 0\n{_LOOP}s = s + q[i]\nt = s + Lap(2/eps)\nfor x in q:\n    if x + Lap(3/eps) > t:\n        continue\n    t = t + 1\n    break\nreturn t",
    "while with continue": "i = 0\nc = 0\nwhile i < len(q):\n    i = i + 1\n    if on:\n        continue\n    if q[i - 1] + Lap(1/eps) > 0:\n        c = c + 1\n        break\nreturn c, i",
    "while of a truth": "done = False\ni = 0\nwhile not done:\n    done = i + 1 >= len(q) or q[i] + Lap(1/eps) > T\n    i = i + 1\nreturn done, i",
    "if in an if": f"c = 0\n{_LOOP}if on:\n        if q[i] + Lap(1/eps) > 0:\n            c = c + 1\n        elif N > 2:\n            c = c + 2\n        else:\n            return c\n    else:\n        c = c + 3\nreturn c",
    "a name by chance": f"{_LOOP}if q[i] + Lap(1/eps) > 0:\n        k = i\n    if on:\n        return k\nreturn 0",
    "a name from before": f"k = N\n{_LOOP}if q[i] + Lap(1/eps) > k:\n        k = i\nreturn k",
    "a number and a truth": f"k = N\n{_LOOP}k = q[i] + Lap(1/eps) > 0\nreturn k",
    "an argument that changes": f"N = N + 1\n{_LOOP}N = N + 1\n    if q[i] + Lap(1/eps) > N:\n        return N\nreturn T",
    "a truth that stays": f"b = on\n{_LOOP}if b and q[i] + Lap(1/eps) > 0:\n        b = False\n        return i\nreturn b",
    # answers
    "answers of several sorts": "if on:\n    return 1, q[0] + Lap(1/eps), True, None\nreturn 2, 0, False, None",
    "answers of several lengths": "if on:\n    return 1, q[0] + Lap(1/eps)\nreturn 2, 0, N",
    "one answer or two": "if on:\n    return 1, q[0] + Lap(1/eps)\nreturn q[1] + Lap(1/eps)",
    "a list as the answer": "return [q[0] + Lap(1/eps), N, 3]",
    "lists of several lengths": "if on:\n    return [1, q[0] + Lap(1/eps)]\nreturn [2]",
    "mean": "s = 0\nfor x in q:\n    s = s + x\nreturn (s + Lap(1/eps)) / len(q)",
    "scaled answer": "s = q[0] + Lap(1/eps)\nr = N * (3 - s) - T\nreturn r",
    "scaled answers": "s = q[0] + Lap(1/eps)\nreturn (2 * s + -(N), (s - 1) / (N * 2), s * q[1])",
    "answer times a negative number": "return (q[0] + Lap(1/eps)) * (-N)",
    "answer over an answer": "return (N + Lap(1/eps)) / q[0]",
    "settled in a loop": "while True:\n    return (q[0] + Lap(1/eps)) * N",
    "settled under an if": "if on:\n    N = 2\nr = (q[0] + Lap(1/eps)) * M\nreturn r",
    "remainder of an answer": "return (q[0] + Lap(1/eps)) % N",
    # noise
    "noise times noise": "return Lap(1/eps) * Lap(2/eps) + q[0]",
    "noise in a factor": "return q[0] + 3 * Lap(1/eps) - 2 * Lap(2/eps)",
    "noise that cancels": "x = Lap(1/eps)\nreturn q[0] + x - x",
    "one-sided": "return q[0] + Exp(1/eps) - Exp(2*N/eps)",
    "noise of the length": "return q[0] + Lap(len(q)/eps) + Lap(N*M/eps) + Lap(1/eps**2)",
    "noise of a real": "return q[0] + Lap(T/eps)",
}
_WHOLE = {
    "whole noise": f"s = 0\n{_LOOP}s = s + q[i] + DiscreteLap(1/eps)\nreturn s",
    "whole names": f"s = 0\nt = 0.5\nu = T\nw = 1 / 2\n{_LOOP}s = s + q[i]\n    t = t + s\n    u = s\n    w = N\n    if s + DiscreteExp(1/eps) > t + u + w:\n        return s\nreturn s",
    "whole noise in half steps": f"s = 0\n{_LOOP}s = s + q[i] / 2 + DiscreteLap(1/eps)\nreturn s",
    "whole and real noise": f"s = 0\nr = 0\n{_LOOP}s = s + DiscreteLap(2/eps)\n    r = r + q[i] + Lap(1/eps)\nreturn s, r",
}
_RELATIONS = ("one_within(1)", "sum_within(2)", "monotone(1/2)")

ODD = {name: _program(body) for name, body in _BODIES.items()}
ODD |= {name: _program(body, private="Private[int]") for name, body in _WHOLE.items()}
ODD |= {f"{name}, real": _program(body) for name, body in _WHOLE.items()}
ODD |= {
    f"{name}, {relation}": _program(_BODIES[name], relation)
    for relation in _RELATIONS
    for name in ("view for a loop", "mean", "one-sided", "noise of the length")
}
ODD |= {
    "two answers": _program("return q[0] + q[1] + Lap(1/eps)", private="Private[2]"),
    "two whole answers": _program("return q[0] + q[1] + DiscreteLap(1/eps)", "one_within(2)", "Private[int, 2]"),
    "read behind what was put in front": _program(f"out = [0, 1]\n{_LOOP}t = out[i]\n    out.insert(0, q[i] + Lap(1/eps))\n    if out[i + 1] > t:\n        return i\nreturn out"),
    "a loop before an answer": _program("s = 0\nt = T\nif N > 1:\n    for x in q:\n        s = s + x\n    return s + Lap(1/eps)\nreturn t + q[0] + Lap(1/eps)"),
    "a loop beside an else": _program("s = 0\nt = T\nif N > 1:\n    for x in q:\n        s = s + x\nelse:\n    s = t\nreturn s + Lap(1/eps)"),
    "noise times nothing": _program("return q[0] + 0 * Lap(1/eps)"),
}
ODD |= {
    f"view over {places}": _program(f"b = [1, 2]\na = [q[i] + Lap(2/eps) for i in {over}]\nreturn a[0] + b[0]")
    for places, over in {
        "all places": "range(len(q))",
        "all places but one": "range(1, len(q))",
        "every second place": "range(0, len(q), 2)",
        "places of another list": "range(len(b))",
        "too few places": "range(len(q) - 1)",
    }.items()
}
ODD |= {
    f"view over all places, with {item}": _program(f"b = [1, 2]\na = [{item} + Lap(2/eps) for i in range(len(q))]\nreturn a[0] + b[0]")
    for item in ("q[i + 1]", "q[0]", "b[i]", "q[i] / N", "q[i] / 2", "i")
}
ODD |= {"view at its items": _program("b = [i for i in range(len(q))]\na = [q[x] + Lap(2/eps) for x in b]\nreturn a[0]")}
ODD |= {
    "range of a list that grows": _program("out = [1]\nfor i in range(len(out)):\n    out.append(q[0] + Lap(1/eps))\nreturn out"),
    "answers of several lengths after noise": _program("x = q[0] + Lap(1/eps)\nif x > 0:\n    return x, 1\nreturn x, 1, N"),
    "one answer or two after noise": _program("x = q[0] + Lap(1/eps)\nif x > 0:\n    return x, 1\nreturn x"),
    "lists by chance in a loop": _program(f"a = [x + 1 for x in q]\nif on:\n    a = [x + 2 for x in q]\n{_LOOP}if a[i] + Lap(1/eps) > T:\n        return i\nreturn 0"),
    "lists by chance after a loop": _program("a = [x + 1 for x in q]\nwhile a[0] + Lap(1/eps) > T:\n    a = [x + 2 for x in q]\nreturn 0"),
    "view of nothing": _program("a = [None for x in q]\nif a[0] is None:\n    return q[0] + Lap(1/eps)\nreturn 0"),
    "view of perhaps nothing": _program("c = [None, 1, 2]\nm = c[N]\na = [x + m + Lap(1/eps) for x in q]\nreturn a[0]"),
    "answers that are views after views": _program("a = [x + Lap(1/eps) for x in q]\nb = [x + Lap(2/eps) for x in q]\nif on:\n    return [x + Lap(3/eps) for x in q]\nif N > 1:\n    return a\nc = [x + Lap(4/eps) for x in q]\nreturn c"),
    "the name of a loop after it": _program("i = 5\nfor i in range(N):\n    if q[0] + Lap(1/eps) > i:\n        break\nreturn i"),
    "the item of a loop after it": _program("x = T\nfor x in q:\n    if x + Lap(1/eps) > N:\n        break\nreturn x + Lap(2/eps)"),
    "noise times nothing in a truth": _program("b = q[0] > 0 * Lap(1/eps)\nreturn b"),
    "equalities as values": _program("a = N == M\nb = T != 1\nif a or b:\n    return 1\nreturn q[0] + Lap(1/eps)"),
    "view of a list that grows": _program("out = [1]\na = [x + len(out) + Lap(1/eps) for x in q]\nout.append(2)\nreturn a[0]"),
    "view of a name of another view": _program("y = 1\na = [x + y + Lap(1/eps) for x in q]\nb = [y for y in q]\nreturn a[0] + b[0]"),
    "view of a name of a loop": _program("y = 1\na = [x + y + Lap(1/eps) for x in q]\nfor y in q:\n    if y > T:\n        return 0\nreturn a[0]"),
    "view of a name that a loop sets": _program("for n in range(N):\n    k = n\n    a = [x + k + Lap(1/eps) for x in q]\n    if a[0] > T:\n        return n\nreturn 0"),
    "truths at a place that may differ": _program(f"out = [on]\nk = 0\n{_LOOP}if out[k]:\n        out.append(q[i] + Lap(1/eps) > 0)\n    else:\n        out.append(True)\n    if q[i] + Lap(2/eps) > T:\n        k = i\nreturn out"),
    "view of a name by chance": _program("if on:\n    b = 2\na = [x + b + Lap(1/eps) for x in q]\nreturn a[0]"),
}

# Programs for shifts that follow rules inside rules: conditions of several parts, counters, variables that runs are sorted by.
_NOISE = "e = Lap(1/eps)\nf = Lap(2/eps)\n"
_COUNTED = f"k = 0\nc = 0\n{_NOISE}"
_FOLLOWED = "a = [x + Lap(2/eps) for x in q]\n"
_RULED = {
    "both parts": f"{_NOISE}if q[0] + e > 0 and q[1] + f > 1:\n    return 1\nreturn 0",
    "either part": f"{_NOISE}k = 0\nif q[0] + e > 0 or q[1] + f > N:\n    k = 1\nreturn k",
    "neither part": f"{_NOISE}k = N\nif not (q[0] + e > 0 or q[1] + f > N):\n    k = M\nreturn k",
    "not both parts": f"{_NOISE}k = N\nif not (q[0] + e > 0 and q[1] + f > N and e > f):\n    k = M\nreturn k",
    "parts of which some are public": f"{_NOISE}k = 0\nif N > 1 and q[0] + e > 0 and on and q[1] + f > T:\n    k = 1\nreturn k, on",
    "parts before noise": f"{_COUNTED}if (e > 0 or f > 0) and (q[0] + Lap(1/eps) > e or f > 1):\n    k = 1\nreturn k",
    "parts after noise": f"{_COUNTED}if Lap(3/eps) > e or (e > q[0] and f > 0 and N > 1):\n    k = 1\nelif e > 1 and f > 1:\n    k = 2\nreturn k",
    "parts asked again": f"{_COUNTED}if e > q[0] and f > 0:\n    k = 1\nif e > q[0] and f > 0:\n    c = 1\nif f > 0 or e > 3:\n    k = k + 1\nreturn k, c",
    "parts of a while": "i = 0\ne = Lap(1/eps)\nwhile i < len(q) and q[i] + e > 0:\n    f = Lap(2/eps)\n    if f > e or q[i] + f > N or on:\n        i = i + 1\n    if f > 2 and f < 5:\n        break\n    i = i + 1\nreturn i",
    "parts in a loop": f"k = 0\n{_LOOP}e = Lap(1/eps)\n    if q[i] + e > 0 and q[i] + e < N:\n        k = k + 1\nreturn k",
    "counted in a loop": f"k = 0\n{_LOOP}if k < N:\n        if q[i] + Lap(N/eps) > T:\n            k = k + 1\nreturn k",
    "counted down": f"k = M\nt = T + Lap(1/eps)\n{_LOOP}if k > 0 and q[i] + Lap(M/eps) > t:\n        k = k - 1\n        t = T + Lap(1/eps)\nreturn k",
    "sorted by what is settled": f"k = 0\nj = 0\ne = Lap(1/eps)\nif e > 0:\n    j = 1\n{_LOOP}if q[i] + Lap(2/eps) > j:\n        k = i\nfor x in q:\n    if x + Lap(3/eps) > k:\n        j = 2\nreturn j, k",
    "sorted by what is forgotten": f"k = 0\nj = 0\ns = 0\ne = Lap(1/eps)\nif e > 0:\n    j = 1\n{_LOOP}if j > 5:\n        s = 1\nfor x in q:\n    s = 0\nif q[0] + e > N:\n    k = 1\nreturn k",
    "sorted by what one answer knows": f"k = 0\ne = Lap(1/eps)\n{_LOOP}if q[i] + e > 0:\n        j = 1\n        return j\n    k = k + 1\nreturn k",
    "sorted by what is known early": f"j = 0\nk = 0\nif q[0] + Lap(1/eps) > 0:\n    j = 1\n{_LOOP}if q[i] + Lap(2/eps) > j:\n        k = i\nreturn j, k",
    "sorted by perhaps nothing": f"j = None\n{_LOOP}if q[i] + Lap(1/eps) > T:\n        j = i\nreturn j",
    "sorted in nested loops": f"k = 0\nj = 0\n{_LOOP}for n in range(N):\n        if q[i] + Lap(1/eps) > n:\n            k = n\n    j = j + 1\nreturn k, j",
    "a list by two names": f"{_FOLLOWED}b = a\nk = 0\n{_LOOP}if b[i] > a[k]:\n        k = i\nreturn k",
    "a list by three names": f"{_FOLLOWED}c = a\nb = c\nk = 0\n{_LOOP}if c[i] > b[k]:\n        k = i\nreturn a[k]",
    "a place by several names": f"{_FOLLOWED}k = 0\nm = 0\nj = 0\n{_LOOP}if a[i] > a[k]:\n        j = m\n        m = k\n        k = i\nreturn a[j]",
    "a list of noise alone": f"e = [Lap(2/eps) for x in q]\na = [e[i] + q[i] for i in range(len(q))]\nk = 0\n{_LOOP}if a[i] > a[k]:\n        k = i\nreturn k",
    "a list of another list": f"{_FOLLOWED}b = [y + 1 for y in a]\nc = [b[i] - q[i] for i in range(len(b))]\nk = 0\n{_LOOP}if c[i] > b[k]:\n        k = i\nreturn k",
    "places of two lists": f"{_FOLLOWED}b = [x + Lap(3/eps) for x in q]\nj = 0\nk = 0\n{_LOOP}if a[i] > a[k]:\n        k = i\n    if b[i] > b[j]:\n        j = i\nreturn a[k] + b[j], j",
    "no place yet": f"{_FOLLOWED}k = None\n{_LOOP}if k is None:\n        k = i\n    elif a[i] > a[k]:\n        k = i\nreturn k",
    "no place, and two lists": f"{_FOLLOWED}b = [x - Lap(3/eps) for x in q]\nk = None\n{_LOOP}if k is None or a[i] > a[k] and b[i] < b[k]:\n        k = i\nreturn k",
    "no place, and a look at the item": f"{_FOLLOWED}k = None\nt = 0\n{_LOOP}t = a[i]\n    if k is None:\n        k = i\n    elif t > a[k]:\n        k = i\nreturn k",
    "items looked at from both sides": f"{_FOLLOWED}k = 0\n{_LOOP}if a[k] + T <= a[i] + 1:\n        k = i\n    if a[i] >= a[k] - N:\n        k = i\nreturn k",
    "items by their place": f"{_FOLLOWED}k = 0\n{_LOOP}if a[i] > T:\n        k = i + 1\n    if k > 0 and a[i] < a[k - 1]:\n        k = i\nreturn k",
    "noise of all items": "e = Lap(1/eps)\na = [x + e for x in q]\nreturn a[0], e",
    "noise of no item": "f = Lap(1/eps)\ne = Lap(1/eps)\na = [x + f for x in q]\nreturn e",
    "noise with two factors": "e = Lap(1/eps)\nf = Lap(2/eps)\nif q[0] > T:\n    return q[0] + 2 * e + f\nreturn q[1] - e + f",
    "parts of a truth in a while": "i = 0\nwhile (q[0] + Lap(1/eps) > 0) == (i < N):\n    i = i + 1\nreturn i",
    "public numbers": f"t = N * M\nu = T / N\nw = (t * u + len(q) * T) / t\n{_LOOP}if q[i] + Lap(1/eps) > w - u:\n        return i\nreturn w",
    "public numbers in a list": f"t = N * T\na = [x + t + Lap(1/eps) for x in q]\n{_LOOP}if a[i] > T / M:\n        return i\nreturn 0",
    "numbers that are not public": "k = 0\nfor x in q:\n    k = k + N\nt = k * N\nreturn t + q[0] + Lap(1/eps)",
    "numbers over noise": "t = N / (q[0] + Lap(1/eps))\nreturn t",
    "settled at two places": "if on:\n    return (q[0] + Lap(1/eps)) * N\nr = (q[1] + Lap(2/eps)) / len(q)\nreturn r",
    "settled in several": "if on:\n    return (2 - T * (q[0] + Lap(1/eps)), N)\nfor x in q:\n    if x + Lap(1/eps) > 0:\n        return (x + Lap(2/eps)) * T, N + M\nreturn 0, 0",
    "settled beside another": "r = (q[0] + Lap(1/eps)) * T\ns = q[1] + Lap(1/eps)\nif on:\n    return s\nreturn r",
    "places by chance": f"out = [1, 2]\nj = 0\n{_LOOP}if q[i] + Lap(1/eps) > 0:\n        j = 1\n    out.append(out[j])\nreturn out",
}
RULED = {name: _program(body) for name, body in _RULED.items()}
RULED |= {
    f"{name}, whole": _program(_RULED[name].replace("Lap", "DiscreteLap"), private="Private[int]")
    for name in ("either part", "parts in a loop", "a place by several names", "no place yet")
}
RULED |= {f"{name}, one": _program(body, "one_within(1)") for name, body in _RULED.items() if name.startswith(("counted", "sorted"))}
