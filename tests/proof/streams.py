"""Random programs that read private answers in order: the kind that proofs for every length are about."""

from __future__ import annotations

import random

SCALES = ("1/eps", "2/eps", "N/eps", "len(q)/eps")


class Writer:
    """Writes one program; `rng` chooses."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.lines: list[str] = []
        self.index = True  # whether the loop has a counter `i`, or only an item `x`
        self.in_while = False

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def draw(self) -> str:
        return f"{self.pick('Lap', 'Lap', 'Exp')}({self.pick(*SCALES)})"

    def answer(self) -> str:
        return self.pick(f"{self.source}[{self.place}]", "x" if not self.index else f"q[{self.place}]")

    def number(self, depth: int = 2) -> str:
        if depth == 0:
            return self.pick("s", "t", "T", "1", "2", self.answer(), self.answer(), self.draw())
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(a, f"{a} + {b}", f"{a} - {b}", f"2 * ({a})", f"max({a}, {b})", f"abs({a})", f"({a}) / 2")

    def condition(self) -> str:
        a, b = self.number(1), self.number(1)
        simple = f"{a} {self.pick('>', '<', '>=', '<=')} {b}"
        count = self.pick("c >= N", "done", "not done", "c % 2 == 0", "c < N", "v is None")
        return self.pick(
            simple, simple, count, f"{count} or {simple}", f"{count} and {simple}", f"v is None or {a} > v"
        )

    def statement(self, deep: int) -> list[str]:
        kinds = ["s", "c", "out", "t", "v", "done", "both"]
        kinds += ["if", "if", "if"] if deep else ["break", "return", "continue"]
        match self.rng.choice(kinds):
            case "s":
                return [f"s = s + {self.number(1)}"]
            case "c":
                return ["c = c + 1"]
            case "out":
                value = self.pick(self.number(), "True", "c", "None", "s")
                return [f"out.append({value})" if self.rng.random() < 0.7 else f"out.insert(0, {value})"]
            case "t":
                return [f"t = T + {self.draw()}"]
            case "v":
                return [f"v = {self.number(1)}"]
            case "both":
                return [f"m, v = c, {self.number(1)}"]
            case "done":
                return ["done = True"]
            case "break" | "return" | "continue" as word:
                if word == "continue" and self.in_while:
                    return ["break"]
                return [f"return {self.result()}" if word == "return" else word]
            case _:
                then = self.block(self.rng.randint(1, 2), deep - 1)
                orelse = self.block(1, deep - 1) if self.rng.random() < 0.5 else []
                lines = [f"if {self.condition()}:", *("    " + line for line in then)]
                return lines + (["else:", *("    " + line for line in orelse)] if orelse else [])

    def block(self, size: int, deep: int) -> list[str]:
        return [line for _ in range(size) for line in self.statement(deep)]

    def result(self) -> str:
        return self.pick("out", "m", "c", "s", "done", "v", "c, s", "m, done")

    def loop(self) -> list[str]:
        kind = self.rng.choice(("items", "range", "while", "one", "down"))
        self.index, self.in_while = kind != "items", kind in ("while", "one")
        self.place = {"items": "j", "one": "i - 1"}.get(kind, "i")
        body_size, deep = self.rng.randint(1, 4), 2
        if kind == "items":
            body = self.block(body_size, deep)
            return [
                f"for x in {self.source}:",
                *("    " + line.replace(f"{self.source}[j]", "x").replace("q[j]", "x") for line in body),
            ]
        body = ["    " + line for line in self.block(body_size, deep)]
        if kind == "range":
            return ["for i in range(len(q)):", *body]
        if kind == "down":
            return ["for i in range(len(q) - 1, -1, -1):", *body]
        head = self.pick("i < len(q)", "i < len(q) and not done", f"i < len(q) and {self.source}[i] <= t")
        if kind == "one":
            head = self.pick("i <= len(q)", "not done and i <= len(q)")
        return [f"i = {int(kind == 'one')}", f"while {head}:", *body, "    i = i + 1"]

    def program(self) -> str:
        relation = self.pick("each_within(1)", "one_within(1)", "monotone(1)", "sum_within(2)")
        lines = ["s = 0.5", "c = 0", "done = False", "out = []", "m, v = None, None", f"t = T + {self.draw()}"]
        self.source = self.pick("q", "a")
        if self.source == "a":
            lines.append(
                self.pick(
                    "a = q",
                    "a = [y for y in q]",
                    f"a = [y + {self.draw()} for y in q]",
                    f"a = [2 * y + {self.draw()} for y in q]",
                )
            )
        lines += self.loop()
        if self.rng.random() < 0.3:
            lines += ["c = 0", *self.loop()]
        self.index, self.place = True, "0"
        if self.rng.random() < 0.3:
            lines.append(f"s = s + {self.draw()}")
        lines.append(f"return {self.result()}")
        body = "\n".join("    " + line for line in lines)
        return f"@sketch(adjacent={relation})\ndef program(q: Private, N: int, T: float, eps: Epsilon):\n{body}\n"
