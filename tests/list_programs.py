"""Random programs about lists: named, copied, exchanged, made anew, grown, read, compared and returned."""

from __future__ import annotations

import random

FIXED = ("a", "b", "c")  # lists that may be given other names, and so never grow
GROWING = "out"


class ListWriter:
    """Writes one program; with `noise` it also draws some."""

    def __init__(self, rng: random.Random, noise: bool):
        self.rng, self.noise = rng, noise
        self.loops = 0

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def literal(self) -> str:
        return f"[{', '.join(self.pick('0', '1', '2', 'x') for _ in range(self.rng.randint(1, 2)))}]"

    def item(self) -> str:
        name = self.pick(*FIXED)
        return f"{name}[{self.pick('0', '0', f'len({name}) - 1')}]"

    def number(self) -> str:
        private = "q[0] + Lap(1/eps)" if self.noise else self.pick("1", "q[0]", "2")
        return self.pick("x", "0", "1", self.item(), self.item(), f"{self.item()} + 1", f"len({GROWING})", private)

    def condition(self) -> str:
        private = "q[0] + Lap(2/eps) > 0" if self.noise else "q[0] > 0"
        public = self.pick("N > 1", "N == 2", f"{self.item()} == {self.item()}", f"{self.item()} > 0")
        return self.pick(public, public, private, private, f"len({GROWING}) > 1", f"x == {self.item()}")

    def statement(self, deep: int) -> list[str]:
        first, second, third = self.rng.sample(FIXED, 3)
        kinds = ["name", "name", "swap", "turn", "anew", "grow", "x", "front", "return"]
        if deep:
            kinds += ["if", "if", "if", "loop" if self.loops < 2 else "if"]
        match self.rng.choice(kinds):
            case "name":
                return [f"{first} = {second}"]
            case "swap":
                return [f"{first}, {second} = {second}, {first}"]
            case "turn":
                return [f"{first}, {second}, {third} = {second}, {third}, {first}"]
            case "anew":
                return [f"{first} = {self.literal()}"]
            case "grow":
                return [f"{GROWING}.append({self.number()})"]
            case "front":
                return [f"{GROWING}.insert(0, {self.number()})"]
            case "x":
                return [f"x = {self.number()}"]
            case "return":
                return [f"if {self.condition()}:", f"    return {self.result()}"]
            case "loop":
                self.loops += 1
                head = self.pick("for i in range(N):", "for y in q:", f"for z in {first}:", "for i in range(2):")
                body = [line for line in self.block(2, 0) if not (f"for z in {first}:" == head and self.gives(line, first))]
                return [head, *("    " + line for line in body or ["pass"])]
            case _:
                then, orelse = self.block(1, deep - 1), self.block(1, deep - 1)
                lines = [f"if {self.condition()}:", *("    " + line for line in then)]
                return lines + (["else:", *("    " + line for line in orelse)] if self.rng.random() < 0.6 else [])

    def gives(self, line: str, name: str) -> bool:
        return " = " in line and name in line.split(" = ")[0]

    def block(self, size: int, deep: int) -> list[str]:
        return [line for _ in range(size) for line in self.statement(deep)]

    def result(self) -> str:
        return self.pick(*FIXED, self.item(), GROWING, "x", f"{self.item()}, x")

    def program(self) -> str:
        relation = self.pick("each_within(1)", "one_within(1)")
        lines = ["a, b, c = [0], [1], [0, 2]", f"{GROWING} = []", "x = 0"]
        lines += self.block(self.rng.randint(2, 5), 2)
        lines.append(f"return {self.pick(*FIXED, self.item(), self.item(), GROWING)}")
        body = "\n".join("    " + line for line in lines)
        return f"@sketch(adjacent={relation})\ndef f(q: Private, N: int, eps: Epsilon):\n{body}\n"
