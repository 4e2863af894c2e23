"""Random mechanisms over the whole language: many that are nearly private, and many that are anything at all.

A text comes from its seed alone. What the checker refuses (a name that is always None, mostly) is written anew.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import count

from kolahal.lang.read.parse import parse
from kolahal.lang.source import SketchError

RELATIONS = ("each_within", "each_within", "one_within", "monotone", "sum_within")
DISTANCES = ("1", "1", "1", "1", "2", "1/2")
COEFFICIENTS = ("1", "1", "2", "2", "3", "4", "4", "6", "8", "1/2", "3/2")
NOISES = (("Lap",), ("Lap",), ("Lap", "Exp"), ("Exp",), ("DiscreteLap",), ("DiscreteLap", "DiscreteExp"))
ODD_SCALES = ("1/eps**2", "2", "len(q)/eps**2")
PARAMETERS = {"q": "Private", "N": "int", "M": "int", "T": "float", "flag": "bool"}
START = {"s": "0", "t": "T", "c": "0", "v": "None", "m": "None", "done": "False", "out": "[]"}
SHAPES = (50, 22, 10, 8, 10)


def write(seed: int, shapes: Sequence[int] = SHAPES) -> str:
    """The text of a mechanism that the checker accepts; `shapes` weighs tiny, free, threshold, maximum and sums."""
    for attempt in count():
        text = _Writer(random.Random(f"{seed} {attempt}")).program(shapes)
        try:
            parse(text)
        except SketchError:
            continue
        return text
    raise AssertionError("count() has no end")


class _Writer:
    """Writes one mechanism; `rng` chooses."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.noises: Sequence[str] = rng.choice(NOISES)
        self.whole = self.noises[0].startswith("Discrete")
        # Most draws of a mechanism have scales of one kind; with all chosen alone, hardly one would be private.
        self.coefficient, self.per = self.pick(*COEFFICIENTS), self.pick("", "", "", "", "N*", "len(q)*")
        self.answer = "q[0]"
        self.draws = 0

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def maybe(self, text: str, share: float) -> str:
        return text if self.chance(share) else ""

    # ---- expressions

    def draw(self) -> str:
        self.draws += 1
        noise = self.pick(*self.noises)
        if self.chance(0.02):
            return f"{noise}({self.pick(*ODD_SCALES)})"
        coefficient = self.coefficient if self.chance(0.6) else self.pick(*COEFFICIENTS)
        return f"{noise}({self.per if self.chance(0.8) else ''}{coefficient}/eps)"

    def of_answer(self) -> str:
        """An answer, or something that is computed from one."""
        x = self.answer
        if self.chance(0.03):  # outside the affine core
            return self.pick(f"{x} * {x}", f"{x} // 2", f"{x} % 2", f"T * {x}", f"1 / {x}", f"{x} * ({self.draw()})")
        halves = () if self.whole else (f"{x} / 2", f"0.5 * {x}")
        return self.pick(
            *[x] * 8, f"2 * {x}", f"{x} - 1", f"-{x}", f"abs({x})", f"max({x}, 0)", f"min({x}, T)", *halves
        )

    def noisy(self) -> str:
        return f"{self.of_answer()} + {self.draw()}"

    def number(self, depth: int = 1) -> str:
        if depth == 0:
            if self.draws < 3 and self.chance(0.4):
                return self.pick(f"({self.noisy()})", self.draw())
            return self.pick("s", "s", "t", "T", "0", "1", "c", self.answer, self.answer)
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            a, a, f"{a} + {b}", f"{a} - {b}", f"2 * {a}", f"max({a}, {b})", f"abs({a})", f"-{a}", f"3 * {b} - {a}"
        )

    def condition(self) -> str:
        a, b = self.number(), self.number(0)
        noisy = self.noisy() if self.draws < 3 else a
        simple = self.pick(
            f"{a} {self.pick('>', '<', '>=', '<=')} {b}", f"{noisy} {self.pick('>', '<')} {self.pick('t', 'T', 's')}"
        )
        public = self.pick(
            *("c >= N", "done", "not done", "c % 2 == 0", "c < M", "v is None", "flag", "flag", "len(out) < 2"),
            *("c // 2 == 1", "0 <= c < N", "len(q) > 1", "T > 0", "N == 1"),
        )
        return self.pick(
            simple, simple, simple, public, f"{public} or {simple}", f"{public} and {simple}", f"v is None or {a} > v"
        )

    # ---- statements

    def statement(self, deep: int, loop: str) -> list[str]:
        kinds = ["s", "s", "c", "out", "out", "t", "v", "done", "both", "return"]
        kinds += ["if", "if", "if", "for"] if deep else []
        kinds += ["break", "continue"] if loop else []
        match self.rng.choice(kinds):
            case "s":
                return [
                    self.pick(
                        f"s = s + {self.number()}",
                        f"s += {self.noisy()}",
                        f"s = {self.number()}",
                        f"s -= {self.answer}",
                    )
                ]
            case "c":
                return [self.pick("c = c + 1", "c += 2", "c = c + 1")]
            case "out":
                value = self.pick(self.number(), self.noisy(), "True", "c", "None", "s", "done")
                return [f"out.append({value})" if self.chance(0.8) else f"out.insert(0, {value})"]
            case "t":
                return [f"t = {self.pick('T', '0', 's')} + {self.draw()}"]
            case "v":
                return [f"v = {self.number()}"]
            case "both":
                return [self.pick(f"m, v = c, {self.number()}", "s, t = t, s")]
            case "done":
                return [self.pick("done = True", f"done = {self.condition()}")]
            case "return":
                return [f"return {self.result()}"] if self.chance(0.4) else ["pass"]
            case "break":
                return ["break"]
            case "continue":
                return ["continue"] if loop == "for" else ["break"]
            case "for":
                return self.loop(deep - 1)
            case _:
                then = self.block(self.rng.randint(1, 2), deep - 1, loop)
                orelse = self.block(1, deep - 1, loop) if self.chance(0.4) else []
                lines = [f"if {self.condition()}:", *_inside(then)]
                if orelse and self.chance(0.2):
                    lines += [f"elif {self.condition()}:", "    c = c + 1"]
                return lines + (["else:", *_inside(orelse)] if orelse else [])

    def block(self, size: int, deep: int, loop: str) -> list[str]:
        return [line for _ in range(size) for line in self.statement(deep, loop)]

    def result(self) -> str:
        return self.pick(
            "out",
            "out",
            "m",
            "c",
            "s",
            "s",
            "done",
            "v",
            "c, s",
            "s, t",
            "len(out)",
            self.number(),
            self.noisy(),
            f"[{self.noisy()}, s]",
        )

    def loop(self, deep: int) -> list[str]:
        kind = self.pick("items", "items", "range", "range", "down", "count", "while", "step")
        outer, self.answer = self.answer, "x" if kind == "items" else "q[i]"
        if kind in ("count", "while"):
            self.answer = outer
        body = _inside(self.block(self.rng.randint(1, 3), deep, "while" if kind == "while" else "for"))
        self.answer = outer
        match kind:
            case "items":
                return ["for x in q:", *body]
            case "range":
                return ["for i in range(len(q)):", *body]
            case "down":
                return ["for i in range(len(q) - 1, -1, -1):", *body]
            case "step":
                return ["for i in range(0, len(q), 2):", *body]
            case "count":
                return [f"for k in range({self.pick('N', '2', 'M')}):", *body]
            case _:
                test = self.pick("w < N", "w < len(q)", f"w < 2 and {self.condition()}")
                return ["w = 0", f"while {test}:", *body, "    w = w + 1"]

    # ---- shapes

    def free(self) -> list[str]:
        """Anything: a few statements, a loop or two, an answer."""
        lines = []
        if self.chance(0.1):
            lines.append(f"q = [y{self.maybe(f' + {self.draw()}', 0.6)} for y in q]")
        if self.chance(0.6):
            lines += self.block(self.rng.randint(0, 1), 1, "") + self.loop(1)
        lines += self.block(self.rng.randint(0, 2), 1, "")
        return [*lines, f"return {self.result()}"]

    def tiny(self) -> list[str]:
        """A line or two, where all verdicts are cheap."""
        return self.rng.choice(
            (
                lambda: [f"return {self.noisy()}"],
                lambda: [f"return {self.noisy()}, q[-1] + {self.draw()}"],
                lambda: [f"b = {self.noisy()}", f"return b {self.pick('>', '>=', '<')} {self.pick('T', '0', 'q[-1]')}"],
                lambda: [
                    f"b = {self.noisy()}",
                    f"return {self.pick('b, b', 'b, T', 'abs(b)', 'b, b > T', 'max(b, 0)', '2 * b, -b')}",
                ],
                lambda: [f"return [{self.of_answer().replace('q[0]', 'y')} + {self.draw()} for y in q]"],
                lambda: [
                    f"if {self.condition()}:",
                    f"    return {self.noisy()}",
                    f"return {self.pick(self.noisy(), '0', 'q[0]')}",
                ],
                lambda: [f"t = {self.draw()}", f"return q[0] + t, {self.pick('T + t', 'q[-1] - t', 't')}"],
                lambda: [f"return max(q[0], q[-1]) + {self.draw()}"],
                lambda: [
                    f"a = q[0] + {self.draw()}",
                    f"b = q[-1] + {self.draw()}",
                    f"return {self.pick('a > b', 'a + b', 'max(a, b)', 'a, b', 'a - b')}",
                ],
                lambda: [f"return q[0] + {self.draw()} {self.pick('+', '-')} {self.draw()}"],
                lambda: [f"return q[0] - q[-1] + {self.draw()}"],
                lambda: [
                    f"a = [{self.of_answer().replace('q[0]', 'y')} + {self.draw()} for y in q]",
                    f"return {self.pick('a', 'a[0]', 'a[-1] > a[0]', 'a[0] - a[-1]', 'max(a[0], a[-1])', 'a[0], T')}",
                ],
                lambda: [f"return [{self.noisy()} for k in range({self.pick('N', '2', 'len(q)')})]"],
                lambda: [
                    "half = eps / 2",
                    f"return q[0] + {self.pick(*self.noises)}({self.pick('1', '2', 'N')}/half), T",
                ],
                lambda: [f"return len(q) {self.maybe('+ q[0] ', 0.7)}+ {self.draw()}"],
                lambda: [
                    f"t = T + {self.draw()}",
                    f"if q[0]{self.maybe(' + ' + self.draw(), 0.7)} > t:",
                    f"    return {self.pick('True', 't', '1')}",
                    "return False",
                ],
            )
        )()

    def threshold(self) -> list[str]:
        self.answer = "x"
        hit = self.rng.choice(
            (
                ["return i"],
                ["out.append(True)", "c = c + 1", "if c >= N:", "    break"],
                ["out.append(True)"],
                ["out.append(b)", "break"],
                [f"out.append(x + {self.draw()})", "c = c + 1", "if c >= N:", "    break"],
                ["out.append(b - t)", "break"],
                ["out.append(True)", f"t = T + {self.draw()}", "c = c + 1", "if c >= N:", "    break"],
            )
        )
        lines = [
            f"t = T{self.maybe(' + ' + self.draw(), 0.9)}",
            "i = 0",
            "for x in q:",
            "    i = i + 1",
            f"    b = {self.of_answer()}{self.maybe(' + ' + self.draw(), 0.9)}",
            f"    if b {self.pick('>', '>', '>=', '<')} t:",
            *(f"        {line}" for line in hit),
        ]
        if self.chance(0.7):
            lines += ["    else:", f"        {self.pick('out.append(False)', 'out.append(None)', 'pass', 'continue')}"]
        return [*lines, "return out" if hit != ["return i"] else "return 0"]

    def maximum(self) -> list[str]:
        self.answer = "x"
        return [
            "m, v = 0, None",
            "i = 0",
            "for x in q:",
            f"    b = {self.noisy()}",
            f"    if v is None or b {self.pick('>', '>', '>=', '<')} v:",
            "        m, v = i, b",
            "    i = i + 1",
            f"return {self.pick('m', 'm', f'm + {self.draw()}', 'v', 'm, v')}",
        ]

    def sums(self) -> list[str]:
        self.answer = "x"
        return [
            "for x in q:",
            f"    s = s + {self.of_answer()}{self.maybe(' + ' + self.draw(), 0.5)}",
            *([f"    out.append(s{self.maybe(' + ' + self.draw(), 0.6)})"] if self.chance(0.5) else []),
            f"return {self.pick('out', f's + {self.draw()}', 's')}",
        ]

    def program(self, shapes: Sequence[int]) -> str:
        all_shapes = (self.tiny, self.free, self.threshold, self.maximum, self.sums)
        shape = self.rng.choices(all_shapes, weights=shapes)[0]
        lines = shape()
        body = "\n".join(lines)
        lines = [*(f"{name} = {value}" for name, value in START.items() if _uses(name, body)), *lines]
        text = "\n".join(lines)
        kinds = PARAMETERS | ({"q": "Private[int]"} if self.whole else {})
        used = [f"{name}: {kind}" for name, kind in kinds.items() if name == "q" or _uses(name, text)]
        distances = [d for d in DISTANCES if d.isdigit()] if self.whole else DISTANCES  # whole answers move by wholes
        relation = f"{self.pick(*RELATIONS)}({self.pick(*distances)})"
        head = f"@sketch(adjacent={relation})\ndef hunted({', '.join(used)}, eps: Epsilon):\n"
        return head + "".join(f"    {line}\n" for line in lines)


def _inside(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _uses(name: str, text: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None
