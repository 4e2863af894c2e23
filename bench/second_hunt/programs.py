"""Small random programs in the sketch language, as text: lists under several names first, then flags, counts and noise.

A careful writer lets only public and noisy values decide and answer, so that about half of what it writes is private at
some scale near the one it picks; a careless one slips now and then, or always.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.second_hunt.tidying import matters, tidy

HEAD = "from kolahal import DiscreteExp, DiscreteLap, Epsilon, Exp, Lap, Private\n" + (
    "from kolahal import each_within, monotone, one_within, sketch, sum_within\n"
)
RELATIONS = ("each_within", "one_within", "sum_within", "monotone")
PUBLIC, NOISY, RAW = "public", "noisy", "raw"
MOST_DRAWS = 3  # places that draw
NUMBERS = ("0", "1", "2", "-1", "3")


@dataclass(slots=True)
class Names:
    """What may be read here, and what it depends on."""

    whole: dict[str, str] = field(default_factory=dict)  # whole numbers: places and counts
    numbers: dict[str, str] = field(default_factory=dict)
    flags: dict[str, str] = field(default_factory=dict)
    maybe: dict[str, str] = field(default_factory=dict)  # a number or None
    lists: dict[str, str] = field(default_factory=dict)  # never grow, may have several names; at least one item
    grown: dict[str, str] = field(default_factory=dict)  # grow, and have one name each

    def copy(self) -> Names:
        parts = (self.whole, self.numbers, self.flags, self.maybe, self.lists, self.grown)
        return Names(*(dict(part) for part in parts))


def worse(*levels: str) -> str:
    """What something depends on that is computed from things of these levels."""
    return RAW if RAW in levels else NOISY if NOISY in levels else PUBLIC


def write(seed: int) -> str:
    """The program of a seed, with its imports; most of them read private answers and draw noise where it matters."""
    rng = random.Random(f"second hunt {seed}")
    text = ""
    for _ in range(12):
        text = _Writer(rng).program()
        noisy = "Lap(" in text or "Exp(" in text
        if (matters(text) and (noisy or rng.random() < 0.3)) or rng.random() < 0.03:
            break
    return HEAD + "\n\n" + text


class _Writer:
    def __init__(self, rng: random.Random):
        self.rng = rng
        self.careless = rng.choices((0.0, 0.06, 0.35, 1.0), (50, 22, 18, 10))[0]
        self.relation = rng.choice(RELATIONS)
        self.distance = rng.choices(("1", "2", "1/2", "0.5"), (70, 15, 9, 6))[0]
        self.whole_noise = rng.random() < 0.6
        self.mixed = rng.random() < 0.05  # noise of both kinds
        self.one_sided = rng.choice((0.0, 0.0, 0.1, 0.5))
        halves = 0.02 if "/" in self.distance or "." in self.distance else 1.0  # whole answers do not move by halves
        self.whole_answers = rng.random() < halves * (0.9 if self.whole_noise else 0.3)
        self.size = rng.choice((1, 2, 2, 3)) if rng.random() < 0.3 else 0
        self.flags_in_lists = rng.random() < 0.08
        self.tuples = (
            rng.random() < 0.3
        )  # answers with several items; lists otherwise, and seldom both, which is refused
        self.arguments: dict[str, str] = {}
        self.sites: list[str] = []  # for each place that draws, what its loops multiply
        self.loops: list[str] = []  # what the loops around multiply
        self.budget = rng.randint(2, 7)
        self.fresh = 0

    # ---- the whole program

    def program(self) -> str:
        rng = self.rng
        for name, kind, share in (("N", "int", 0.35), ("M", "int", 0.1), ("T", "float", 0.3), ("flag", "bool", 0.12)):
            if rng.random() < share:
                self.arguments[name] = kind
        names = Names()
        for name, kind in self.arguments.items():
            table = {"int": names.whole, "float": names.numbers, "bool": names.flags}[kind]
            table[name] = PUBLIC
        body: list[str] = []
        if rng.random() < 0.65:
            body += self.make_lists(names)
        body += self.choose(names) if names.lists and rng.random() < 0.4 else self.block(names, 0)
        body += self.answer(names)
        kept = tidy(body) if rng.random() < 0.95 else body
        return self.header() + self.fill("\n".join(_indent(kept))) + "\n"

    def header(self) -> str:
        kinds = [*(["int"] if self.whole_answers else []), *([str(self.size)] if self.size else [])]
        private = f"Private[{', '.join(kinds)}]" if kinds else "Private"
        arguments = "".join(f"{name}: {kind}, " for name, kind in self.arguments.items())
        return (
            f"@sketch(adjacent={self.relation}({self.distance}))\ndef hunted(q: {private}, {arguments}eps: Epsilon):\n"
        )

    def fill(self, text: str) -> str:
        """Scales around the tight one: each place may spend its part, and what a loop repeats costs as often."""
        rng = self.rng
        left = sum(f"S{number}_" in text for number in range(len(self.sites)))
        unit = {"1": 1.0, "2": 2.0}.get(self.distance, 0.5) * max(1, left)
        for number, factor in enumerate(self.sites):
            size = unit * rng.choices((0.5, 1, 2, 3, 0.25), (12, 55, 25, 4, 4))[0]
            often = factor if factor and rng.random() < 0.75 else ""
            shown = f"{int(size)}" if size == int(size) else f"{size}"
            text = text.replace(f"S{number}_", f"{shown}*{often}/eps" if often else f"{shown}/eps")
        return text

    # ---- pieces

    def pick(self, *choices: tuple[float, Callable[[], list[str]]]) -> list[str]:
        made = self.rng.choices([c for _, c in choices], [w for w, _ in choices])[0]
        return made()

    def slips(self) -> bool:
        return self.rng.random() < self.careless

    def noise(self) -> str:
        if len(self.sites) >= MOST_DRAWS:
            return "0"
        whole = self.whole_noise != (self.mixed and self.rng.random() < 0.5)
        name = "Exp" if self.rng.random() < self.one_sided else "Lap"
        self.sites.append("*".join(dict.fromkeys(self.loops)))
        return f"{'Discrete' if whole else ''}{name}(S{len(self.sites) - 1}_)"

    def place(self, names: Names) -> str:
        """A place in the private list."""
        loops = [n for n in names.whole if n in ("i", "j")]
        if loops and self.rng.random() < 0.7:
            return self.rng.choice(loops)
        if self.size > 1 and self.rng.random() < 0.4:
            return str(self.rng.randrange(self.size))
        return self.rng.choices(("0", "-1", "1", "len(q) - 1"), (80, 10, 4, 6))[0]

    def raw(self, names: Names) -> str:
        """A private number."""
        known = [n for n, level in names.numbers.items() if level == RAW]
        if known and self.rng.random() < 0.4:
            return self.rng.choice(known)
        one = f"q[{self.place(names)}]"
        if "x" in names.numbers and names.numbers["x"] == RAW and self.rng.random() < 0.3:
            one = "x"
        if self.rng.random() < 0.1:
            odd = (f"{one} / 2", f"{one} // 2", f"{one} % 2", f"min({one}, 1, 2)")
            return self.rng.choice((f"-{one}", f"2 * {one}", f"abs({one})", f"max({one}, 0)", f"{one} - q[0]", *odd))
        return one

    def public(self, names: Names) -> str:
        found = [n for n, level in (*names.whole.items(), *names.numbers.items()) if level == PUBLIC]
        found += [f"{n}[0]" for n, level in names.lists.items() if level == PUBLIC and not self.flags_in_lists]
        found += [f"len({n})" for n, level in (*names.lists.items(), *names.grown.items()) if level == PUBLIC]
        if found and self.rng.random() < 0.55:
            one = self.rng.choice(found)
            return one if self.rng.random() < 0.92 else self.rng.choice((f"{one} % 2", f"{one} - 1", f"2 * {one}"))
        return self.rng.choices((self.rng.choice(NUMBERS), "len(q)", "0.5"), (80, 12, 0 if self.whole_noise else 8))[0]

    def noisy(self, names: Names) -> str:
        """A number that may be answered: noise on a private number, or what was made of such."""
        known = [n for n, level in names.numbers.items() if level == NOISY]
        known += [f"{n}[0]" for n, level in names.lists.items() if level == NOISY and not self.flags_in_lists]
        if known and self.rng.random() < 0.5:
            return self.rng.choice(known)
        base = self.rng.choices((self.raw(names), self.public(names)), (75, 25))[0]
        sign = "-" if self.rng.random() < 0.08 else "+"
        draw = self.noise()
        if draw == "0":
            return self.rng.choice(known) if known else "0"
        return f"{base} {sign} {draw}"

    def value(self, names: Names) -> tuple[str, str]:
        """A number, and what it depends on."""
        if self.slips():
            return self.raw(names), RAW
        if self.rng.random() < 0.5:
            return self.noisy(names), NOISY
        return self.public(names), PUBLIC

    def condition(self, names: Names) -> tuple[str, str]:
        rng = self.rng
        text, level = self.comparison(names)
        if rng.random() < 0.08:
            more, other = self.comparison(names)
            text, level = f"{text} {rng.choice(('and', 'or'))} {more}", worse(level, other)
        if rng.random() < 0.05:
            text = f"not ({text})"
        return text, level

    def comparison(self, names: Names) -> tuple[str, str]:
        rng = self.rng
        operator = rng.choices((">", ">=", "<", "<=", "==", "!="), (34, 18, 14, 8, 14, 12))[0]
        if self.slips():
            other, level = (self.public(names), PUBLIC) if rng.random() < 0.7 else self.value(names)
            return f"{self.raw(names)} {operator} {other}", RAW
        if names.flags and rng.random() < 0.3:
            name, level = rng.choice(list(names.flags.items()))
            return name, level
        if names.maybe and rng.random() < 0.25:
            name, level = rng.choice(list(names.maybe.items()))
            return f"{name} is {rng.choice(('', 'not '))}None", level
        if self.flags_in_lists and names.lists and rng.random() < 0.3:
            name, level = rng.choice(list(names.lists.items()))
            return f"{name}[0]", level
        if rng.random() < 0.35:
            return f"{self.public(names)} {operator} {self.public(names)}", PUBLIC
        if rng.random() < 0.03:
            return f"eps {operator} 1", PUBLIC
        right = self.noisy(names) if rng.random() < 0.45 else self.public(names)
        return f"{self.noisy(names)} {operator} {right}", NOISY

    # ---- statements

    def block(self, names: Names, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(1, 4 if depth == 0 else 2)):
            if self.budget <= 0 and lines:
                break
            self.budget -= 1
            lines += self.statement(names, depth)
        return lines

    def statement(self, names: Names, depth: int) -> list[str]:
        deep = 0 if depth >= 2 else 1
        return self.pick(
            (22 if len(names.lists) > 1 else 0, lambda: self.rename(names)),
            (8, lambda: self.make_lists(names)),
            (8, lambda: self.read_list(names)),
            (20, lambda: self.draw(names)),
            (26 * deep, lambda: self.branch(names, depth)),
            (14 * deep, lambda: self.loop(names, depth)),
            (4 * deep, lambda: self.while_loop(names, depth)),
            (9, lambda: self.count(names)),
            (7, lambda: self.flag(names)),
            (5, lambda: self.nothing(names)),
            (7, lambda: self.comprehension(names)),
            (10, lambda: self.grow(names, depth)),
            (7 * deep if depth == 0 else 0, lambda: self.search(names)),
        )

    def item(self, names: Names) -> tuple[str, str]:
        if self.flags_in_lists:
            return self.rng.choice(("True", "False")), PUBLIC
        if self.rng.random() < 0.75:
            return self.rng.choice(NUMBERS), PUBLIC
        return self.value(names)

    def literal(self, names: Names) -> tuple[str, str]:
        items = [self.item(names) for _ in range(self.rng.choice((1, 1, 1, 2)))]
        return f"[{', '.join(text for text, _ in items)}]", worse(*(level for _, level in items))

    def make_lists(self, names: Names) -> list[str]:
        """Two or three lists, or one anew."""
        if names.lists and self.rng.random() < 0.7:
            name = self.rng.choice(list(names.lists))
            text, names.lists[name] = self.literal(names)
            return [f"{name} = {text}"]
        wanted = ["a", "b", "c"][: self.rng.choice((2, 2, 3))]
        made = [self.literal(names) for _ in wanted]
        names.lists.update({name: level for name, (_, level) in zip(wanted, made, strict=True)})
        if self.rng.random() < 0.5:
            return [f"{', '.join(wanted)} = {', '.join(text for text, _ in made)}"]
        lines = [f"{name} = {text}" for name, (text, _) in zip(wanted, made, strict=True)]
        if self.rng.random() < 0.3 and len(wanted) > 2:
            names.lists[wanted[-1]] = names.lists[wanted[0]]
            lines[-1] = f"{wanted[-1]} = {wanted[0]}"
        return lines

    def rename(self, names: Names) -> list[str]:
        known = list(names.lists)
        self.rng.shuffle(known)
        levels = names.lists
        if len(known) > 2 and self.rng.random() < 0.25:
            x, y, z = known[:3]
            levels[x], levels[y], levels[z] = levels[y], levels[z], levels[x]
            return [f"{x}, {y}, {z} = {y}, {z}, {x}"]
        x, y = known[:2]
        if self.rng.random() < 0.5:
            levels[x], levels[y] = levels[y], levels[x]
            return [f"{x}, {y} = {y}, {x}"]
        if self.rng.random() < 0.25:
            text, level = self.literal(names)
            levels[x], levels[y] = levels[y], level
            return [f"{x}, {y} = {y}, {text}"]
        levels[x] = levels[y]
        return [f"{x} = {y}"]

    def choose(self, names: Names) -> list[str]:
        """Lists that get other names where a condition holds, and an answer from one of them: who stands for whom counts."""
        rng = self.rng
        lines = self.rename(names) if rng.random() < 0.4 else []
        lines += self.draw(names) if rng.random() < 0.4 else []
        operator = rng.choice((">", ">=", "==", "!="))
        plain = f"{self.raw(names)} {operator} {rng.choice(('0', '1', *self.known_numbers(names)))}"
        test = plain if rng.random() < 0.5 + 0.5 * self.careless else self.condition(names)[0]
        branch = [f"if {test}:", *_indent([*self.rename(names), *(self.rename(names) if rng.random() < 0.3 else [])])]
        if rng.random() < 0.3:
            branch += ["else:", *_indent(self.rename(names))]
        if rng.random() < 0.25:
            head = rng.choice(("for k in range(2):", "for i in range(len(q)):", "for x in q:"))
            branch = [head, *_indent(branch)]
        lines += branch
        lines += self.rename(names) if rng.random() < 0.25 else []
        first, second = rng.choice(list(names.lists)), rng.choice(list(names.lists))
        if rng.random() < 0.6:
            return [*lines, self.listed(first, self.tuples or rng.random() < 0.6)]
        if self.flags_in_lists:
            return lines
        compared = f"{first}[0] {rng.choice(('==', '!=', '>'))} {second}[{rng.choice(('0', '-1'))}]"
        return [*lines, f"if {compared}:", f"    return {self.scalar(names)}"]

    def known_numbers(self, names: Names) -> list[str]:
        return [] if self.flags_in_lists else [*names.numbers, *(f"{name}[0]" for name in names.lists)]

    def read_list(self, names: Names) -> list[str]:
        if not names.lists or self.flags_in_lists:
            return self.draw(names)
        name = self.rng.choice(list(names.lists))
        target = self.rng.choice(("u", "v"))
        if self.rng.random() < 0.15:
            names.whole["n"] = names.lists[name]
            return [f"n = len({name})"]
        names.numbers[target] = names.lists[name]
        return [f"{target} = {name}[{self.rng.choice(('0', '0', '0', '-1'))}]"]

    def draw(self, names: Names) -> list[str]:
        target = self.rng.choice(("u", "v", "t"))
        kind = self.rng.random()
        if kind < 0.25:
            draw = self.noise()
            names.numbers[target] = NOISY if draw != "0" else PUBLIC
            return [f"{target} = {draw}"]
        text, level = self.value(names)
        if kind < 0.85 and level == PUBLIC:
            text, level = self.noisy(names), NOISY
        names.numbers[target] = level
        return [f"{target} = {text}"]

    def branch(self, names: Names, depth: int) -> list[str]:
        """An `if`; what it decides depends on what its condition depends on."""
        text, level = self.condition(names)
        ways, lines = [names.copy()], [f"if {text}:"]
        lines += _indent(self.way(ways[0], depth))
        if self.rng.random() < 0.12:
            other, second = self.condition(names)
            level = worse(level, second)
            ways.append(names.copy())
            lines += [f"elif {other}:", *_indent(self.way(ways[-1], depth))]
        ways.append(names.copy())
        if self.rng.random() < 0.45:
            lines += ["else:", *_indent(self.way(ways[-1], depth))]
        self.meet(names, ways, level)
        return lines

    def way(self, names: Names, depth: int) -> list[str]:
        if self.rng.random() < 0.28:
            return self.answer(names)
        return self.block(names, depth + 1)

    def meet(self, names: Names, ways: list[Names], level: str) -> None:
        """What is known behind a branch: names that every way has; one that a way has changed depends on the condition."""
        before = names.copy()
        for part in ("whole", "numbers", "flags", "maybe", "lists", "grown"):
            tables: list[dict[str, str]] = [getattr(way, part) for way in ways]
            merged = {name: worse(*(t[name] for t in tables)) for name in tables[0] if all(name in t for t in tables)}
            old = getattr(before, part)
            for name in merged:
                if part == "lists" or any(t[name] != old.get(name) for t in tables):
                    merged[name] = worse(merged[name], level)
            getattr(names, part).clear()
            getattr(names, part).update(merged)

    def loop(self, names: Names, depth: int) -> list[str]:
        rng = self.rng
        inner = names.copy()
        variable = "i" if "i" not in names.whole else "j"
        kind = rng.random()
        if kind < 0.5:
            head, often = f"for {variable} in range(len(q)):", "len(q)"
            inner.whole[variable] = PUBLIC
        elif kind < 0.62:
            head, often = "for x in q:", "len(q)"
            inner.numbers["x"] = RAW
        elif kind < 0.7 and names.lists and not self.flags_in_lists:
            name = rng.choice(list(names.lists))
            head, often = f"for y in {name}:", ""
            inner.numbers["y"] = names.lists[name]
        elif kind < 0.85 and "N" in self.arguments:
            head, often = (
                f"for k in {rng.choice(('range(N)', 'range(1, N)', 'range(0, N, 2)', 'range(N, 0, -1)'))}:",
                "N",
            )
            inner.whole["k"] = PUBLIC
        else:
            head, often = (
                f"for k in {rng.choice(('range(2)', 'range(1, 3)', 'range(2, 0, -1)', 'range(0, 4, 2)'))}:",
                "",
            )
            inner.whole["k"] = PUBLIC
        self.loops += [often] if often and self.relation not in ("one_within", "sum_within") else []
        body = self.block(inner, depth + 1)
        if rng.random() < 0.3:
            text, _ = self.condition(inner)
            body += [f"if {text}:", *_indent([rng.choices(("break", "continue"), (3, 1))[0]])]
        if often and self.loops:
            self.loops.pop()
        self.meet(names, [names.copy(), inner], PUBLIC)
        return [head, *_indent(body)]

    def search(self, names: Names) -> list[str]:
        """The first answer, or all answers, that a noisy limit lets through: above threshold and what looks like it."""
        rng = self.rng
        limit = rng.choice(("T", "0", "N")) if rng.random() < 0.7 else self.public(names)
        limit = limit if limit not in ("T", "N") or limit in self.arguments else "1"
        lines = [f"t = {limit} + {self.noise()}"] if rng.random() < 0.8 else [f"t = {limit}"]
        names.numbers["t"] = NOISY
        self.loops += ["len(q)"] if rng.random() < 0.15 else []
        test = f"q[i] + {self.noise()} {rng.choice(('>', '>=', '<', '=='))} t"
        self.loops.clear()
        kind = rng.random()
        if kind < 0.5:
            then = [
                f"return {rng.choice(('i', 'i + 1', 'True', 't', 'q[i]', 'None', 'i, 1' if self.tuples else '[i]'))}"
            ]
        elif kind < 0.75:
            then, lines = ["m = i", *rng.choice(([], ["break"]))], [*lines, "m = None"]
            names.maybe["m"] = NOISY
        else:
            lines = [*lines, *([] if "out" in names.grown else ["out = []"])]
            names.grown["out"] = NOISY
            then = ["out.append(True)", "else:", "    out.append(False)"] if rng.random() < 0.6 else ["out.append(i)"]
        body = [f"if {test}:", *_indent(then)] if "else:" not in then else [f"if {test}:", "    " + then[0], *then[1:]]
        return [*lines, "for i in range(len(q)):", *_indent(body)]

    def while_loop(self, names: Names, depth: int) -> list[str]:
        names.whole["n"] = PUBLIC
        inner = names.copy()
        bound = self.rng.choice(("2", "len(q)", *(["N"] if "N" in self.arguments else [])))
        more = ""
        if self.rng.random() < 0.35:
            text, _ = self.comparison(inner)
            more = f" and {text}"
        head = [f"n = {self.rng.choice(('0', '0', '1'))}", f"while n < {bound}{more}:"]
        body = self.block(inner, depth + 1)
        self.meet(names, [names.copy(), inner], NOISY if more else PUBLIC)
        return [*head, *_indent([*body, "n += 1"])]

    def count(self, names: Names) -> list[str]:
        if "n" in names.whole and self.rng.random() < 0.5:
            return [self.rng.choice(("n += 1", "n = n + 1", "n = 1 - n", "n = 2 * n"))]
        if self.rng.random() < 0.4:
            start = [] if "s" in names.numbers and self.rng.random() < 0.3 else ["s = 0"]
            lines = [*start, "for x in q:", "    s += x"] if self.rng.random() < 0.6 else [f"s = {self.raw(names)}"]
            names.numbers["s"] = RAW
            return lines
        names.whole["n"] = PUBLIC
        return [f"n = {self.rng.choice(('0', '1', 'len(q)'))}"]

    def flag(self, names: Names) -> list[str]:
        target = self.rng.choice(("f", "g"))
        if self.rng.random() < 0.4:
            names.flags[target] = PUBLIC
            return [f"{target} = {self.rng.choice(('True', 'False'))}"]
        text, names.flags[target] = self.condition(names)
        return [f"{target} = {text}"]

    def nothing(self, names: Names) -> list[str]:
        if "m" in names.maybe:
            text, names.maybe["m"] = self.value(names)
            return [f"m = {text}"]
        names.maybe["m"] = PUBLIC
        lines = ["m = None"]
        if self.rng.random() < 0.7:
            text, level = self.condition(names)
            value, other = self.value(names)
            names.maybe["m"] = worse(level, other)
            lines += [f"if {text}:", f"    m = {value}"]
        return lines

    def comprehension(self, names: Names) -> list[str]:
        if self.flags_in_lists:
            return self.flag(names)
        self.loops.append("len(q)") if self.relation in ("each_within", "monotone") else None
        draw = self.noise()
        self.loops.pop() if self.relation in ("each_within", "monotone") else None
        level = NOISY if draw != "0" and not draw.startswith("0") else RAW
        if draw == "0" and not self.slips():
            names.lists.setdefault("r", PUBLIC)
            names.lists["r"] = PUBLIC
            return ["r = [z * 2 for z in range(1, 3)]"]
        if self.rng.random() < 0.15 and level == NOISY:
            return [f"q = [z + {draw} for z in q]"]
        names.lists["r"] = level
        return [f"r = [z + {draw} for z in q]" if draw != "0" else "r = [z for z in q]"]

    def grow(self, names: Names, depth: int) -> list[str]:
        if "out" not in names.grown:
            if depth:
                return self.draw(names)
            names.grown["out"] = PUBLIC
            return ["out = []"]
        if self.flags_in_lists or self.rng.random() < 0.2:
            text, level = self.condition(names)
        else:
            text, level = self.value(names)
        names.grown["out"] = worse(level, names.grown["out"])
        return [f"out.append({text})" if self.rng.random() < 0.8 else f"out.insert(0, {text})"]

    # ---- answers

    def answer(self, names: Names) -> list[str]:
        rng = self.rng
        safe = (PUBLIC, NOISY)
        kind = rng.random()
        lists = [n for n, level in (*names.lists.items(), *names.grown.items()) if level in safe or self.slips()]
        tuples = self.tuples != (rng.random() < 0.03)
        if lists and kind < 0.5:
            telling = [n for n in lists if names.lists.get(n, names.grown.get(n)) != PUBLIC]
            name = rng.choice(telling if telling and rng.random() < 0.7 else lists)
            return [self.listed(name, name in names.lists and (tuples or rng.random() < 0.5))]
        if kind < 0.62:
            first, second = self.scalar(names), self.scalar(names)
            return [f"return {first}, {second}" if tuples else f"return [{first}, {second}]"]
        if kind < 0.67 and not tuples:
            return [f"return [{self.scalar(names)}]"]
        return [f"return {self.scalar(names)}"]

    def listed(self, name: str, one: bool) -> str:
        """An answer from a list: one of its items, or all of it, which need not be the kind that other answers are."""
        return f"return {name}[0]" if one else f"return len({name})" if self.tuples else f"return {name}"

    def scalar(self, names: Names) -> str:
        rng = self.rng
        if self.slips():
            return self.raw(names)
        tables = (names.whole, names.numbers, names.flags, names.maybe)
        known = [(n, level) for table in tables for n, level in table.items() if level != RAW]
        telling = [n for n, level in known if level == NOISY]
        if telling and rng.random() < 0.6:
            return rng.choice(telling)
        if known and rng.random() < 0.3:
            return rng.choice(known)[0]
        if rng.random() < 0.5:
            return self.noisy(names)
        if rng.random() < 0.15:
            return self.condition(names)[0]
        return rng.choice((*NUMBERS, "None", "True", "len(q)"))


def _indent(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
