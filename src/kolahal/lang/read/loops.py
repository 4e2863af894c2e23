"""Loops of everyday Python: over pairs, backwards, over parts of lists; and the values that a loop adds up or looks for."""

from __future__ import annotations

import ast
from collections.abc import Callable
from copy import deepcopy
from dataclasses import field
from typing import Protocol

from kolahal.lang.read.inline import Helpers
from kolahal.lang.read.items import LowersItems
from kolahal.lang.read.scopes import Function
from kolahal.lang.read.snippets import Lowered, changed_names, expression, name, names_of, placed, renamed, statements
from kolahal.lang.read.tree import Refused, stored_names
from kolahal.nouns import dataclass

Generator = ast.ListComp | ast.GeneratorExp
PAIRING = ("enumerate", "zip", "reversed")

AGGREGATES = {"sum": "total", "max": "largest", "min": "smallest", "any": "found", "all": "holds"}
LISTS = ("sorted", "list")  # calls that make a list
BUILTINS = frozenset(AGGREGATES) | {*LISTS, "enumerate", "zip", "reversed", "range", "len", "abs"}


class Lowers(LowersItems, Protocol):
    """What loops need of whoever lowers the rest."""

    lost: set[str]
    function: Function
    helpers: Helpers

    def builtin(self, node: ast.AST) -> str | None: ...


def is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def copied(items: ast.expr, item: str) -> ast.expr:
    return expression("[item for item in items]", items, item=item, items=items)


def is_membership(node: ast.expr) -> bool:
    """Whether this is `x in xs` or `x not in xs`, of a list."""
    match node:
        case ast.Compare(_, [ast.In() | ast.NotIn()], [ast.Name() | ast.List() | ast.Tuple()]):
            return True
        case _:
            return False


def membership(node: ast.Compare, left: ast.expr, turn: str) -> ast.expr:
    """The same as one look at each item."""
    asked = "any(x == y for y in xs)" if isinstance(node.ops[0], ast.In) else "all(x != y for y in xs)"
    return expression(asked, node, x=left, y=turn, xs=node.comparators[0])


def best_place(node: ast.Call) -> tuple[str, ast.Call] | None:
    """The list and the call of max or min in `xs.index(max(xs))`."""
    match node:
        case ast.Call(ast.Attribute(ast.Name(word), "index"), [ast.Call(ast.Name("max" | "min"), [ast.Name(again)], []) as which], []) if word == again:
            return word, which
        case _:
            return None


def best_of_places(node: ast.expr) -> ast.ListComp | None:
    """The values that `max(range(n), key=lambda i: value)` compares, in its order."""
    match node:
        case ast.Call(
            ast.Name("max" | "min"),
            [ast.Call(ast.Name("range"), [_], []) as places],
            [ast.keyword("key", ast.Lambda(ast.arguments([], [ast.arg(i)], None, [], [], None, []), value))],
        ):
            turn = ast.comprehension(ast.copy_location(ast.Name(i, ast.Store()), places), places, [], 0)
            return ast.copy_location(ast.ListComp(value, [turn]), node)
        case _:
            return None


@dataclass(slots=True)
class ItemSource:
    """Where the items of a loop come from: how many there are, and the one at a place."""

    count: ast.expr
    item: ast.expr | tuple[ItemSource, ...]  # with the name of the place in it
    before: list[ast.stmt] = field(default_factory=list)
    lists: set[str] = field(default_factory=set)  # that are read in every turn


class Loops:
    def __init__(self, lowers: Lowers):
        self.lowers = lowers

    def is_plain(self, over: ast.expr) -> bool:
        """Whether a loop of the simpler forms can run over something."""
        return isinstance(over, ast.Name) or is_range(over)

    def is_by_key(self, node: ast.expr) -> bool:
        """Whether this is `max(range(n), key=…)`, or `min`."""
        return best_of_places(node) is not None

    def in_words(self, node: ast.Call) -> ast.expr | Lowered | None:
        """`clip(x, low, high)`, `xs.index(max(xs))` and `max(range(n), key=lambda i: xs[i])` in simpler words."""
        best = best_place(node)
        if best is not None and self.lowers.builtin(best[1]):
            return self.best(node, *best)
        values = best_of_places(node)
        if values is not None and self.lowers.builtin(node) and self.lowers.builtin(values.generators[0].iter):
            before, word = self.lowers.named(values)
            rest, place = self.best(node, word, node)
            return [*before, *rest], place
        if self.lowers.tree.ours(node.func) != "clip" or len(node.args) != 3 or node.keywords:
            return None
        found = expression("min(max(x, y), z)", node, x=node.args[0], y=node.args[1], z=node.args[2])
        own = [self.lowers.builtin(part) for part in ast.walk(found) if isinstance(part, ast.Call)][:2]
        return found if None not in own else None

    def best(self, node: ast.expr, word: str, which: ast.Call) -> Lowered:
        """`xs.index(max(xs))`: the first place of the largest item, or of the smallest."""
        assert isinstance(which.func, ast.Name)
        top, place, i = (self.lowers.fresh(base) for base in ("best", "place", "i"))
        sign = ">" if which.func.id == "max" else "<"
        text = f"top = xs[0]\nplace = 0\nfor i in range(1, len(xs)):\n    if xs[i] {sign} top: top, place = xs[i], i"
        return statements(text, node, top=top, place=place, i=i, xs=word), name(place, node)

    # ---- loops

    def loop(
        self, target: ast.expr, over: ast.expr, body: list[ast.stmt], at: ast.AST, orelse: list[ast.stmt] | None = None
    ) -> list[ast.stmt]:
        """`for target in over: body`, whose body is lowered already."""
        found = self.lowers.builtin(over)
        if found in PAIRING:
            assert isinstance(over, ast.Call)
            return self.pairing(found or "", over, target, body, at, orelse or [])
        before: list[ast.stmt] = []
        match over:  # a part of a list that stays as it is needs no copy
            case ast.Subscript(ast.Name(word), ast.Slice()) if word not in changed_names(body) | stored_names(target):
                before, part = self.slice(over, over.value, over.slice)
                assert isinstance(part, ast.ListComp)
                (turn,) = part.generators
                body = [*self.bind(target, part.elt, over), *body]
                return [*before, ast.copy_location(ast.For(turn.target, turn.iter, body, orelse or []), at)]
        if is_range(over):
            assert isinstance(over, ast.Call)
            before, over.args = self.lowers.ordered(over.args)
        else:
            try:
                before, word = self.lowers.named(over)
            except Refused:  # the body is still read
                self.lowers.lost |= stored_names(target) | stored_names(over)
                word = self.lowers.fresh("items")
                before = statements("xs = []", over, xs=word)
            over = name(word, over)
            if over.id in self.lowers.changed & changed_names(body):  # an item that comes later may be another by then
                assert isinstance(over, ast.Name)
                return [*before, *self.by_places(over, target, body, at, orelse or [])]
        return [*before, ast.copy_location(ast.For(target, over, body, orelse or []), at)]

    def pairing(
        self, word: str, over: ast.Call, target: ast.expr, body: list[ast.stmt], at: ast.AST, orelse: list[ast.stmt]
    ) -> list[ast.stmt]:
        if word == "reversed" and len(over.args) == 1 and is_range(over.args[0]):
            return self.backwards(over.args[0], target, body, at, orelse)
        return self.by_places(over, target, body, at, orelse)

    def by_places(
        self, over: ast.expr, target: ast.expr, body: list[ast.stmt], at: ast.AST, orelse: list[ast.stmt]
    ) -> list[ast.stmt]:
        """A loop that counts, and takes the items at its places, as Python's own iterators do."""
        place = self.lowers.fresh("i")
        source = self.source(over, place)
        changed = source.lists & (changed_names(body, self.lowers.rebuilt) | stored_names(target))
        if changed:
            raise self.lowers.tree.refuse("K127", over, name=min(changed))
        bound = self.bind(target, source.item, over)
        match bound:
            case [ast.Assign([ast.Name(first)], ast.Name(second)), *rest] if (
                second == place and first not in changed_names(rest)
            ):
                place, bound = first, [renamed(statement, {second: first}) for statement in rest]
        head = statements("for i in range(n): pass", at, i=place, n=source.count)
        (loop,) = head
        assert isinstance(loop, ast.For)
        loop.body, loop.orelse = [*bound, *body], orelse
        return [*source.before, loop]

    def backwards(
        self, over: ast.expr, target: ast.expr, body: list[ast.stmt], at: ast.AST, orelse: list[ast.stmt]
    ) -> list[ast.stmt]:
        """`reversed(range(start, stop))`."""
        assert isinstance(over, ast.Call)
        if len(over.args) not in (1, 2) or over.keywords:
            want, fix = "a list, or a range of step 1", "Write range(start, stop, step) with the step that you need."
            raise self.lowers.tree.refuse("K122", over, name="reversed", want=want, fix=fix)
        before, ends = self.lowers.ordered(over.args)
        start = ends[0] if len(ends) == 2 else expression("0", over)
        down = expression("range(stop - 1, start - 1, -1)", over, start=start, stop=ends[-1])
        if len(ends) == 1:
            down = expression("range(stop - 1, -1, -1)", over, stop=ends[0])
        return [*before, ast.copy_location(ast.For(target, down, body, orelse), at)]

    def bind(self, target: ast.expr, item: ast.expr | tuple[ItemSource, ...], at: ast.expr) -> list[ast.stmt]:
        """The names of a loop get their values."""
        match target, item:
            case ast.Name(word), ast.expr():
                return [self.lowers.assignment(word, placed(deepcopy(item), target), target)]
            case ast.Tuple(targets) | ast.List(targets), tuple(parts) if len(targets) == len(parts):
                return [s for one, part in zip(targets, parts, strict=True) for s in self.bind(one, part.item, at)]
            case _:
                raise self.lowers.tree.refuse("K125", target)

    # ---- where items come from

    def source(self, node: ast.expr, place: str) -> ItemSource:
        here = name(place, node)
        match self.lowers.builtin(node), node:
            case "enumerate", ast.Call(_, args, keywords):
                return self.counted(node, args, {k.arg: k.value for k in keywords}, place)
            case "zip", ast.Call(_, [_, *_] as args, []):
                parts = tuple(self.source(arg, place) for arg in args)
                for at, part in enumerate(parts):
                    self.stays(node, part, [s for later in parts[at + 1 :] for s in later.before])
                counts = [part.count for part in parts]
                count = counts[0]
                if len(counts) > 1:
                    count = ast.copy_location(ast.Call(name("min", node), counts, []), node)
                return ItemSource(count, parts, [s for p in parts for s in p.before], set().union(*(p.lists for p in parts)))
            case "zip", _:
                fix = "Write zip(a, b)."
                raise self.lowers.tree.refuse("K122", node, name="zip", want="lists, and nothing else", fix=fix)
            case "reversed", ast.Call(_, [inner], []):
                before, word = self.lowers.named(inner)
                item = expression("xs[len(xs) - 1 - i]", node, xs=word, i=place)
                return ItemSource(expression("len(xs)", node, xs=word), item, before, {word})
            case "reversed", _:
                raise self.lowers.tree.refuse("K122", node, name="reversed", want="one list", fix="Write reversed(q).")
            case "range", ast.Call(_, [stop], []):
                before, stop = self.lowers.expression(stop)
                return ItemSource(stop, here, before)
            case _:
                before, word = self.lowers.named(node)
                item = expression("xs[i]", node, xs=word, i=place)
                return ItemSource(expression("len(xs)", node, xs=word), item, before, {word})

    def stays(self, node: ast.expr, source: ItemSource, later: list[ast.stmt]) -> None:
        """Refuse a source whose number of items changes while what stands behind it is computed: `range` has counted by then."""
        changed = names_of([source.count]) & changed_names(later)
        if changed:
            raise self.lowers.tree.refuse("K127", node, name=min(changed))

    def counted(
        self, node: ast.expr, args: list[ast.expr], keywords: dict[str | None, ast.expr], place: str
    ) -> ItemSource:
        """`enumerate(xs, start)`."""
        if not args or len(args) + len(keywords) > 2 or set(keywords) - {"start"}:
            want, fix = "a list, and a number to start with", "Write enumerate(q) or enumerate(q, 1)."
            raise self.lowers.tree.refuse("K122", node, name="enumerate", want=want, fix=fix)
        inner = self.source(args[0], place)
        number: ast.expr = name(place, node)
        before = inner.before
        if args[1:] or keywords:
            more, start = self.lowers.expression(args[1] if args[1:] else keywords["start"])
            self.stays(node, inner, more)
            if not isinstance(start, ast.Constant):  # what it is before the first turn, whatever becomes of its name
                kept, start = self.lowers.keep(start, "start")
                more = [*more, *kept]
            before = [*before, *more]
            if not (isinstance(start, ast.Constant) and start.value == 0):
                number = expression("i + start", node, i=place, start=start)
        return ItemSource(inner.count, (ItemSource(inner.count, number), inner), before, inner.lists)

    # ---- parts of lists

    def slice(self, node: ast.Subscript, of: ast.expr, part: ast.expr) -> Lowered:
        """`xs[start:stop]` as a list of its own, whose ends are moved into the list as Python does."""
        assert isinstance(part, ast.Slice)
        if isinstance(of, ast.Tuple):
            raise self.lowers.tree.refuse("K103", node, thing="a part of a tuple, which is a tuple", fix="Write list(…)[…].")
        before, word = self.lowers.named(of)
        x = self.lowers.fresh("i")
        if part.lower is None and part.upper is None and part.step is not None and ast.unparse(part.step) == "-1":
            return before, expression("[xs[i] for i in range(len(xs) - 1, -1, -1)]", node, xs=word, i=x)
        step = 1 if part.step is None else getattr(part.step, "value", 0)
        if type(step) is not int or step < 1:
            raise self.lowers.tree.refuse("K119", node)
        start, stop = expression("0", node), expression("len(xs)", node, xs=word)
        if part.lower is not None:
            more, start = self.end(part.lower, word, "end", "max(end, 0)", "0")
            before = [*before, *more]
        if part.upper is not None:
            more, stop = self.end(part.upper, word, "min(end, len(xs))", "end", "len(xs)")
            before = [*before, *more]
        text = "[xs[i] for i in range(start, stop)]" if step == 1 else f"[xs[i] for i in range(start, stop, {step})]"
        return before, expression(text, node, xs=word, i=x, start=start, stop=stop)

    def end(self, node: ast.expr, word: str, ahead: str, negative: str, without: str) -> Lowered:
        """An end of a slice, as a place from 0 on; it may be counted from the end of the list, and lie behind it, or be None."""
        match node:
            case ast.Constant(None):
                return [], expression(without, node, xs=word)
            case ast.Constant(int()):
                return [], expression(ahead, node, end=node, xs=word)
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as far) as size) if far > 0:  # -0 is the beginning
                return [], expression(negative, node, end=expression("len(xs) - end", node, end=size, xs=word))
        before, value = self.lowers.expression(node)
        kept, end = self.lowers.keep(value, "end")
        moved = statements("if end < 0: end = max(end + len(xs), 0)", node, end=end.id, xs=word)
        if self.may_be_none(node):
            moved = statements(f"if end is None: end = {without}\nelif end < 0: end = max(end + len(xs), 0)", node, end=end.id, xs=word)
        return [*before, *kept, *moved], expression(ahead, node, end=end.id, xs=word)

    def may_be_none(self, node: ast.expr) -> bool:
        """Whether a value is no arithmetic, in a function that names None elsewhere than in comparisons, or has helpers."""
        if isinstance(node, ast.BinOp | ast.UnaryOp | ast.Constant) or (isinstance(node, ast.Call) and self.lowers.builtin(node)):
            return False
        parts = list(ast.walk(self.lowers.function))
        asked = {id(side) for part in parts if isinstance(part, ast.Compare) for side in part.comparators}
        if any(isinstance(part, ast.Call) and self.lowers.helpers.is_helper(part) for part in parts):
            return True
        return any(isinstance(part, ast.Constant) and part.value is None and id(part) not in asked for part in parts)

    # ---- values that a loop makes

    def turns(self, node: Generator, each: Callable[[ast.expr], list[ast.stmt]]) -> list[ast.stmt]:
        """The loops of a comprehension; `each` says what happens to an item. Its names are its own."""
        own = set().union(*(stored_names(generator.target) for generator in node.generators))
        names = {word: self.lowers.fresh(word) for word in sorted(own)}
        first = node.generators[0].iter
        for place, generator in enumerate(node.generators):
            if generator.is_async:
                raise self.lowers.tree.refuse("K117", node)
            for part in (generator.target, *generator.ifs, *([generator.iter] if place else [])):
                renamed(part, names)
        assert node.generators[0].iter is first
        body = each(renamed(node.elt, names))
        for generator in reversed(node.generators):
            for test in reversed(generator.ifs):
                before, left = self.lowers.expression(test)
                body = [*before, *statements("if test: body", test, test=left, body=body)]
            body = self.loop(generator.target, generator.iter, body, node)
        return body

    def listed(self, node: Generator, word: str) -> list[ast.stmt]:
        """A list with the items of a comprehension."""

        def each(item: ast.expr) -> list[ast.stmt]:
            before, item = self.lowers.expression(item)
            return [*before, *statements("xs.append(x)", item, xs=word, x=item)]

        return [*statements("xs = []", node, xs=word), *self.turns(node, each)]

    def generated(self, node: ast.expr) -> Generator:
        """What an aggregate goes through, as a generator."""
        if isinstance(node, ast.GeneratorExp):
            return node
        found = expression("[x for x in xs]", node, x="x", xs=node)
        assert isinstance(found, ast.ListComp)
        return found

    def before_extra(self, items: ast.expr, extra: ast.expr) -> tuple[list[ast.stmt], Generator]:
        """What an aggregate goes through, of which Python computes so much before it comes to `start=` or `default=`."""
        if isinstance(extra, ast.Constant):
            return [], items if isinstance(items, ast.ListComp) else self.generated(items)
        first = items.generators[0].iter if isinstance(items, ast.GeneratorExp) else items
        before, word = self.lowers.named(first)
        if not isinstance(items, ast.GeneratorExp):
            return before, self.generated(name(word, items))
        items.generators[0].iter = name(word, first)
        return before, items

    def aggregate(self, node: ast.Call, function: str, word: str) -> list[ast.stmt]:
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        allowed = {"sum": {"start"}, "max": {"default"}, "min": {"default"}, "sorted": {"reverse"}}.get(function, set())
        most = 2 if function == "sum" else 1
        if not 1 <= len(node.args) <= most or isinstance(node.args[0], ast.Starred) or set(keywords) - allowed:
            want, fix = WANTED[function]
            raise self.lowers.tree.refuse("K122", node, name=function, want=want, fix=fix)
        items = node.args[0]
        match function:
            case "sum":
                start = node.args[1] if node.args[1:] else keywords.get("start") or expression("0", node)
                return self.total(node, items, start, word)
            case "max" | "min" if "default" in keywords:
                return self.extreme_or(node, function, items, keywords["default"], word)
            case "max" | "min":
                return self.extreme(node, function, items, word)
            case "any" | "all":
                return self.search(node, function == "any", items, word)
            case "sorted":
                return self.ranked(node, items, keywords.get("reverse"), word)
            case _:
                return self.listed(self.generated(items), word)

    def total(self, node: ast.Call, items: ast.expr, start: ast.expr, word: str) -> list[ast.stmt]:
        def each(item: ast.expr) -> list[ast.stmt]:
            before, item = self.lowers.expression(item)
            if is_truth(item):  # Python counts True as 1
                return [*before, *statements("if x: s = s + 1", item, s=word, x=item)]
            return [*before, *statements("s = s + x", item, s=word, x=item)]

        first, source = self.before_extra(items, start)
        before, start = self.lowers.expression(start)
        return [*first, *before, self.lowers.assignment(word, start, node), *self.turns(source, each)]

    def extreme(self, node: ast.Call, function: str, items: ast.expr, word: str) -> list[ast.stmt]:
        """The largest or smallest of some items; a list without any has none, and the run stops."""
        before, xs = self.lowers.named(as_list(items))
        i = self.lowers.fresh("i")
        text = f"m = xs[0]\nfor i in range(1, len(xs)): m = {function}(m, xs[i])"
        return [*before, *statements(text, node, m=word, xs=xs, i=i)]

    def extreme_or(
        self, node: ast.Call, function: str, items: ast.expr, default: ast.expr, word: str
    ) -> list[ast.stmt]:
        empty = self.lowers.fresh("empty")

        def each(item: ast.expr) -> list[ast.stmt]:
            before, item = self.lowers.kept(item, "item")
            text = f"if empty:\n    m = x\n    empty = False\nelse: m = {function}(m, x)"
            return [*before, *statements(text, node, m=word, x=item, empty=empty)]

        first, source = self.before_extra(items, default)
        before, default = self.lowers.expression(default)
        start = statements("m = default\nempty = True", node, m=word, default=default, empty=empty)
        return [*first, *before, *start, *self.turns(source, each)]

    def search(self, node: ast.Call, wanted: bool, items: ast.expr, word: str) -> list[ast.stmt]:
        """`any` and `all`: they look no further than they must, and neither does the loop."""
        source = self.generated(items)
        if len(source.generators) > 1:
            raise self.lowers.tree.refuse("K117", source)

        def each(item: ast.expr) -> list[ast.stmt]:
            before, item = self.lowers.expression(item)
            test = "x" if wanted else "not x"
            return [*before, *statements(f"if {test}:\n    found = {wanted}\n    break", item, found=word, x=item)]

        return [*statements(f"found = {not wanted}", node, found=word), *self.turns(source, each)]

    def ranked(self, node: ast.Call, items: ast.expr, reverse: ast.expr | None, word: str) -> list[ast.stmt]:
        """A sorted list, by putting one item after the other to its place."""
        if not (reverse is None or (isinstance(reverse, ast.Constant) and isinstance(reverse.value, bool))):
            want, fix = WANTED["sorted"]
            raise self.lowers.tree.refuse("K122", node, name="sorted", want=want, fix=fix)
        sign = ">" if isinstance(reverse, ast.Constant) and reverse.value else "<"
        words = {base: self.lowers.fresh(base) for base in ("new", "placed", "y", "z")}

        def each(item: ast.expr) -> list[ast.stmt]:
            before, item = self.lowers.kept(item, "item")
            text = (
                "new = []\n"
                "placed = False\n"
                "for y in xs:\n"
                f"    if not placed and x {sign} y:\n"
                "        new.append(x)\n"
                "        placed = True\n"
                "    new.append(y)\n"
                "if not placed: new.append(x)\n"
                "xs = [z for z in new]"
            )
            return [*before, *statements(text, node, xs=word, x=item, **words)]

        made: list[ast.stmt] = []
        if isinstance(items, ast.GeneratorExp | ast.ListComp):  # so that what is sorted stands apart from the sorting
            made, name = self.lowers.named(as_list(items))
            items = ast.copy_location(ast.Name(name, ast.Load()), items)
        return [*made, *statements("xs = []", node, xs=word), *self.turns(self.generated(items), each)]


def as_list(items: ast.expr) -> ast.expr:
    """A comprehension for a generator, and everything else as it is."""
    if isinstance(items, ast.GeneratorExp):
        return ast.copy_location(ast.ListComp(items.elt, items.generators), items)
    return items


def is_truth(node: ast.expr) -> bool:
    """Whether an expression is a truth value, as far as its form says."""
    match node:
        case ast.Compare() | ast.UnaryOp(ast.Not(), _) | ast.Constant(bool()):
            return True
        case ast.BoolOp(_, values):
            return all(map(is_truth, values))
        case _:
            return False


WANTED = {
    "sum": ("one list or generator", "Write sum(q) or sum(x for x in q)."),
    "max": ("two numbers or more, or one list", "Write max(a, b) or max(q)."),
    "min": ("two numbers or more, or one list", "Write min(a, b) or min(q)."),
    "any": ("one list or generator", "Write any(x > 0 for x in q)."),
    "all": ("one list or generator", "Write all(x > 0 for x in q)."),
    "sorted": ("one list, and `reverse=True` or nothing", "Write sorted(out) or sorted(out, reverse=True)."),
    "list": ("one list or range", "Write list(q), or [] for a list without items."),
}
