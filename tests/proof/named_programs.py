"""Programs that name noise, and programs that read lists of noise at variables."""

from __future__ import annotations

import random

LIST = "noisy = [x + Lap({}) for x in q]\n"
LARGEST = "best = 0\nfor i in range(len(q)):\n    if noisy[i] > noisy[best]:\n        best = i\n"


def text(relation: str, body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"@sketch(adjacent={relation}(1))\ndef f(q: Private, T: float, eps: Epsilon):\n{lines}"


class Namer:
    """Writes programs that name noise, `e` and `f`, and read lists, `a` and `b`, at variables, `j` and `k`."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.places = ["j", "k", "0"]
        self.in_loop = False

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def draw(self) -> str:
        return self.pick("Lap(1/eps)", "Lap(2/eps)", "Exp(1/eps)")

    def item(self) -> str:
        return f"{self.pick('a', 'a', 'a', 'b', 'q')}[{self.pick(*self.places)}]"

    def number(self, deep: int = 1) -> str:
        if not deep:
            return self.pick("e", "f", "s", "T", "1", self.item(), self.item(), self.item())
        a, b = self.number(deep - 1), self.number(deep - 1)
        return self.pick(a, a, f"{a} + {b}", f"{a} - {b}", f"max({a}, {b})", f"2 * ({a})", f"abs({a})")

    def condition(self) -> str:
        simple = f"{self.number()} {self.pick('<', '>', '<=', '>=', '==')} {self.number()}"
        longer = (f"c > 1 and {simple}", f"{simple} or e > 0", f"not ({simple} and {self.item()} > e)")
        return self.pick(simple, simple, simple, *longer, f"c % 2 == 0 or {simple}")

    def statement(self, deep: int) -> list[str]:
        kinds = [
            f"e = {self.draw()}",
            f"f = {self.draw()}",
            f"e, f = {self.pick('f', self.draw())}, {self.pick('e', self.draw())}",
            self.pick("f = e", "e = f", "e = e + f", "e = 0", "s = e"),
            "j, k = k, j",
            f"{self.pick('j', 'k')} = {self.pick(*self.places, '0', '1')}",
            f"{self.pick('j', 'k')} = {self.pick(*self.places)}",
            f"j, s = {self.pick(*self.places)}, {self.item()}",
            self.pick("k = k + 1", "j = j + 1", "k = k - 1", "j = k + 1", "j = k - 0"),
            f"s = {self.pick('s + ', '')}{self.number()}",
            f"s = {self.item()}",
            f"out.append({self.number()})",
            "c = c + 1",
        ]
        if not self.in_loop:
            kinds += ["a = [x + Lap(1/eps) for x in q]", "b = [x + Lap(1/eps) for x in a]", "b = a"]
        if not deep:
            return [self.pick(*kinds, "return e, s")]
        if self.rng.random() < 0.7:
            return [self.pick(*kinds)]
        then = self.block(self.rng.randint(1, 3), deep - 1)
        orelse = self.block(1, deep - 1) if self.rng.random() < 0.5 else []
        lines = [f"if {self.condition()}:", *("    " + line for line in then)]
        return lines + (["else:", *("    " + line for line in orelse)] if orelse else [])

    def block(self, size: int, deep: int) -> list[str]:
        return [line for _ in range(size) for line in self.statement(deep)]

    def loop(self) -> list[str]:
        head = self.pick("for i in range(len(q)):", "while i < len(q):", "for i in range(0, len(q), 2):", "for n in q:")
        self.in_loop, self.places = True, ["j", "k", *(["i"] * 3 if "i" in head.split() else [])]
        body = [f"{self.pick('j', 'k')} = i"] if "i" in self.places and self.rng.random() < 0.2 else []
        if "i" in self.places and self.rng.random() < 0.6:
            body.append(f"if {self.pick('a', 'b')}[i] {self.pick('>', '<')} {self.pick('a', 'b')}[{self.pick('j', 'k')}]:")
            body.append(f"    {self.pick('j = i', 'k = i', 'j, k = i, j', 'k, j = j, i')}")
        body += self.block(self.rng.randint(1, 3), 2)
        self.in_loop, self.places = False, ["j", "k", "0"]
        before, after = (["i = 0"], ["    i = i + 1"]) if head.startswith("while") else ([], [])
        return [*before, head, *("    " + line for line in body), *after]

    def program(self) -> str:
        lines = ["s = T", "c = 0", "out = []", "j = 0", "k = 0", f"e = {self.draw()}", f"f = {self.draw()}"]
        lines.append("a = [x + Lap(1/eps) for x in q]")
        lines.append(self.pick("b = [x + Lap(2/eps) for x in q]", "b = a", "b = [x + Lap(1/eps) for x in a]", "b = [x - 1 for x in a]"))
        for _ in range(self.rng.randint(1, 2)):
            lines += [*self.block(self.rng.randint(0, 2), 1), *self.loop()]
        answers = ("s", "k", "e, s", "out", "a[k]", "a[j], b[k]", "j, a[j]", "e + f, e", "c", "b[j] + e", "a[k] == a[j]")
        return text("each_within", "\n".join([*lines, f"return {self.pick(*answers)}"]))


PROVED = {
    "named": ("each_within", "e = Lap(1/eps)\nreturn q[0] + e"),
    "named, and used twice": ("each_within", "e = Lap(1/eps)\nreturn q[0] + e, q[0] + e"),
    "named again": ("each_within", "e = Lap(1/(9*eps))\ne = Lap(1/eps)\nreturn q[0] + e"),
    "compared and released": ("each_within", "e = Lap(1/eps)\nif q[0] + e > T:\n    return q[0] + e\nreturn 0"),
    "named in a loop that is left": ("each_within", "e = 0\nfor x in q:\n    e = Lap(1/eps)\n    break\nreturn q[0] + e"),
    "named in every turn": (
        "one_within",
        "t = T + Lap(1/eps)\nfor x in q:\n    e = Lap(1/eps)\n    if x + e > t:\n        return x + e\nreturn 0",
    ),
    "the largest": ("each_within", LIST.format("2/eps") + LARGEST + "return best"),
    "the largest, looked back": ("each_within", LIST.format("2/eps") + LARGEST.replace("[i] > noisy[best]", "[best] < noisy[i]") + "return best"),
    "the largest item, with noise": ("each_within", LIST.format("1/eps") + LARGEST + "return noisy[best] + Lap(1/eps)"),
    "the largest and the place before": (
        "one_within",
        LIST.format("1/eps") + "a = 0\nb = 0\nfor i in range(len(q)):\n    if noisy[i] > noisy[a]:\n        a, b = i, a\n    else:\n        a, b = b, a\nreturn noisy[b] + Lap(1/eps)",
    ),
    "above a threshold, by a counter": (
        "each_within",
        LIST.format("4/eps") + "t = T + Lap(2/eps)\ni = 0\nwhile i < len(q):\n    if noisy[i] > t:\n        return i\n    i = i + 1\nreturn -1",
    ),
}

BROKEN = {
    "two answers": "e = Lap(1/eps)\nf = e\nx = q[0]\nfor y in q:\n    x = y\nreturn q[0] + e, x + f",
    "the noise too": "e = Lap(1/eps)\nreturn q[0] + e, e",
    "named again, and used": "e = Lap(1/eps)\nf = e\ne = Lap(1/eps)\nreturn q[0] + e, q[0] + f",
    "named, and not drawn": "e = Lap(1/eps)\nif q[0] > 0:\n    e = 0\nreturn q[0] + e",
    "of the turn before": "e = Lap(1/eps)\nout = []\nfor x in q:\n    f = e\n    e = Lap(1/eps)\n    out.append(x + e)\n    out.append(x + f)\nreturn out",
    "an item that was not drawn": LIST.format("1/(9*eps)") + "best = 0\nfor i in range(1):\n    T = i\nreturn noisy[best]",
    "an item that was not drawn, in a list": LIST.format("1/(9*eps)") + "best = 0\nout = []\nfor i in range(1):\n    out.append(noisy[best])\nreturn out",
    "an item of a list made again": LIST.format("2/eps") + LARGEST + LIST.format("1/(9*eps)") + "return noisy[best]",
    "the largest item too": LIST.format("1/eps") + LARGEST + "return best, noisy[best]",
    "the largest with too little noise": LIST.format("1/(2*eps)") + LARGEST + "return best",
    "an item beside the largest": LIST.format("1/(2*eps)") + LARGEST + "if best > 0:\n    best = best - 1\nreturn noisy[best]",
    "an item that was skipped": LIST.format("1/(9*eps)") + LARGEST.replace("len(q)", "0, len(q), 2") + "best = best + 1\nreturn noisy[best]",
    "chosen by the answers": LIST.format("1/eps") + LARGEST.replace("if noisy[i] > noisy", "if q[i] > q") + "return noisy[best], best",
}  # fmt: skip

ODD = {
    "an item before there is a place": LIST.format("1/eps") + "x = noisy[0]\nbest = 1\nfor i in range(2, len(q)):\n    if noisy[i] > x + noisy[best]:\n        best = i\nreturn best",
    "truths": "high = [x + Lap(1/eps) > T for x in q]\nlast = 0\nfor i in range(len(q)):\n    if high[i]:\n        last = i\nreturn high[last]",
    "two places that may be one": LIST.format("1/eps") + "best = 0\nk = 0\nfor i in range(len(q)):\n    if noisy[i] > T:\n        best = i\n        k = k + 1\n        if noisy[2 * k] > noisy[best]:\n            k = best\nreturn best",
    "perhaps no place": LIST.format("1/eps") + "best = None\nfor i in range(len(q)):\n    if best is None or noisy[i] > noisy[best]:\n        best = i\nreturn best",
    "one place after another": LIST.format("1/eps") + "j = 0\nk = 1\nif noisy[j] < noisy[k]:\n    return 1\nreturn 0",
}  # fmt: skip
