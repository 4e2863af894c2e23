"""Where noise may go in a plain program: wherever private data reaches what is given out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields
from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.lang import ir
from kolahal.lang.kinds import LIST, NONE, NUMERIC, WHOLE, infer
from kolahal.lang.operators import COMPARISONS
from kolahal.lang.sketch import Sketch, Type
from kolahal.lang.source import Span
from kolahal.lang.taint import Flow, bindings, find_flow
from kolahal.nouns import dataclass


@dataclass(slots=True)
class NoisyPlaces:
    """Places of noise, by the spans of what it is added to."""

    values: set[Span] = field(default_factory=set)
    steps: set[Span] = field(default_factory=set)  # statements such as `s += x`
    lists: set[Span] = field(default_factory=set)  # lists that are answered as they are
    divided: set[Span] = field(default_factory=set)  # values that something follows which binds closer than a sum
    parameters: list[str] = field(default_factory=list)  # public numbers that private data is compared with
    answers: str = ""  # the private list, where noise goes to each of its items before anything else

    def __bool__(self) -> bool:
        return bool(self.values or self.steps or self.lists or self.answers)


class NoisePlaces:
    def __init__(self, sketch: Sketch, copies: bool):
        self.sketch = sketch
        self.copies = copies
        self.types = infer(sketch)
        self.flow = find_flow(sketch, control=True)
        self.controlled = set(map(id, self.flow.controlled))
        self.kept = self.whole_names() | self.counters()
        self.noisy = NoisyPlaces()
        self.covered: set[tuple[int, int]] = set()  # statement and place in it whose value has noise

    def find(self) -> NoisyPlaces:
        thresholds = self.thresholds()
        fixed = self.sketch.quantities()
        reals = [p.name for p in self.sketch.arguments if p.type is Type.FLOAT and p.name in fixed]
        self.noisy.parameters = [name for name in reals if name in thresholds]
        for node in ir.walk(self.sketch.body):
            match node:
                case ir.Assign(targets, values):
                    for place, (target, value) in enumerate(zip(targets, values, strict=True)):
                        taken = isinstance(value, ir.Index) and value.span == node.span  # by a loop: it has no text
                        if target not in self.kept and not taken:
                            self.assignment(node, place, value, target in thresholds)
                case ir.Append(name, value, _) if name not in self.kept:
                    self.value(node, 0, value, self.depends(node, value))
        if self.tells_places():
            return NoisyPlaces(answers=self.sketch.private.name)
        self.uncovered()
        if not self.noisy:
            raise UsageError(self.nothing_to_hide())
        return self.noisy

    def nothing_to_hide(self) -> str:
        """Why there is no place for noise: nothing private is told, or only truth values are, which noise is not added to."""
        name, private = self.sketch.name, self.sketch.private.name
        if not any(self.depends(node, node.value) for node in ir.walk(self.sketch.body) if isinstance(node, ir.Return)):
            return f"{name}: nothing that it returns depends on {private}, so that no noise is needed"
        return (
            f"{name}: what it returns depends on {private} by truth values, and there is no place to add noise to the numbers "
            f"behind them; compare the numbers in a loop, as in `for x in {private}: out.append(x > 0)`"
        )

    def tells_places(self) -> bool:
        """Whether all that is told are whole numbers, and some is a place that was chosen by comparing private numbers with each
        other that have no noise so far. However that is written, each of these is to have one noise, and a place none."""
        told = [node.value for node in ir.walk(self.sketch.body) if isinstance(node, ir.Return)]
        parts = [part for value in told for part in (value.items if isinstance(value, ir.TupleOf | ir.ListOf) else (value,))]
        if not all(kinds and kinds <= {WHOLE, NONE} for kinds in map(self.types.of, parts)):
            return False
        named = set().union(*map(variables_of, parts))
        while more := {n for target, value in bindings(self.sketch) if target in named for n in variables_of(value)} - named:
            named |= more
        raw = self.raw(control=False)
        return any(
            target in named and not is_step(target, value) and not isinstance(value, ir.Const)
            for test, then in self.branches()
            if any(self.compares_private(part, raw) for part in ir.walk(test))
            for node in ir.walk(then)
            if isinstance(node, ir.Assign)
            for target, value in zip(node.targets, node.values, strict=True)
            if self.types.of(value) <= {WHOLE}
        )

    def compares_private(self, node: ir.Node, raw: Flow) -> bool:
        """Whether private numbers are compared with each other, one of them as it is; one may be None at first."""
        if not isinstance(node, ir.Binary) or node.op not in COMPARISONS:
            return False
        sides = node.left, node.right
        return all(self.flow.of(side) and self.types.of(side) & NUMERIC for side in sides) and any(map(raw.of, sides))

    def branches(self) -> Iterator[tuple[ir.Expr, ir.Block]]:
        """The conditions that private data decides, and what hangs on them."""
        for node in ir.walk(self.sketch.body):
            if isinstance(node, ir.If):
                yield node.test, (*node.then, *node.orelse)

    def depends(self, node: ir.Node, value: ir.Expr) -> bool:
        return id(node) in self.controlled or self.flow.of(value)

    def is_number(self, value: ir.Expr) -> bool:
        kinds = self.types.of(value)
        return bool(kinds) and kinds <= NUMERIC

    def assignment(self, node: ir.Assign, place: int, value: ir.Expr, compared: bool) -> None:
        match value:
            case ir.Comprehension(item, name, over):
                numbers = self.types.inside(name, over).of(item)
                if numbers and numbers <= NUMERIC and self.depends(node, item):
                    self.mark(node, place, item)
            case ir.ListOf(items):
                for item in items:
                    self.value(node, place, item, self.depends(node, item))
            case _:
                self.value(node, place, value, compared or self.depends(node, value))

    def value(self, node: ir.Node, place: int, value: ir.Expr, wanted: bool) -> None:
        copied = isinstance(value, ir.Var) and not self.copies and value.name in self.noisy_names()
        if wanted and self.is_number(value) and not copied:
            self.mark(node, place, value)

    def mark(self, node: ir.Node, place: int, value: ir.Expr) -> None:
        self.covered.add((id(node), place))
        if value.span == node.span:  # `s += x`, or the second name of `a = b = x`, which has no text of its own
            self.noisy.steps.add(value.span)
        else:
            self.noisy.values.add(value.span)

    def noisy_names(self) -> set[str]:
        """Names of which some value has noise so far."""
        names = set()
        for node in ir.walk(self.sketch.body):
            match node:
                case ir.Assign(targets, _):
                    names |= {t for place, t in enumerate(targets) if (id(node), place) in self.covered}
                case ir.Append(name, _, _) if (id(node), 0) in self.covered:
                    names.add(name)
        return names

    # ---- names that stay as they are

    def whole_names(self) -> set[str]:
        """Names that places in lists and bounds of ranges are made of: noise would make them useless there."""
        names: set[str] = set()
        for node in ir.walk(self.sketch.body):
            match node:
                case ir.Index(_, at):
                    names |= variables_of(at)
                case ir.Range():
                    names |= variables_of(node)
        while True:
            more = {
                name for target, value in bindings(self.sketch) if target in names for name in variables_of(value)
            } - names
            if not more:
                return names
            names |= more

    def counters(self) -> set[str]:
        """Names that begin with a whole number and are only ever stepped, and names of loops that count."""
        steps: dict[str, list[ir.Expr]] = {}
        loops = set()
        for node in ir.walk(self.sketch.body):
            if isinstance(node, ir.For) and isinstance(node.over, ir.Range):
                loops.add(node.name)
            if isinstance(node, ir.Assign):
                for target, value in zip(node.targets, node.values, strict=True):
                    steps.setdefault(target, []).append(value)
        return loops | {
            name
            for name, values in steps.items()
            if all(is_step(name, value) for value in values) and not all(isinstance(v, ir.Const) for v in values)
        }

    def thresholds(self) -> set[str]:
        """Public names that private data, and not only a counter, is compared with."""
        found: set[str] = set()
        for one, other in self.comparisons():
            private = variables_of(one) & self.flow.names
            if private - self.kept and not self.flow.of(other):
                found |= variables_of(other)
        return found

    def comparisons(self) -> Iterator[tuple[ir.Expr, ir.Expr]]:
        """Both orders of every comparison of numbers."""
        for node in ir.walk(self.sketch.body):
            match node:
                case ir.Binary(op, left, right) if op in COMPARISONS and self.is_number(left) and self.is_number(right):
                    yield left, right
                    yield right, left

    # ---- private data that meets no assignment on its way

    def uncovered(self) -> None:
        data = self.raw(control=False)
        decided = self.raw(control=True)
        for one, _ in self.comparisons():
            if data.of(one):
                self.noisy.values.add(one.span)
        sums = self.sums()
        for node in ir.walk(self.sketch.body):
            if isinstance(node, ir.Return):
                for value in node.value.items if isinstance(node.value, ir.TupleOf | ir.ListOf) else (node.value,):
                    self.answer(value, decided)
                    if self.is_number(value) and variables_of(value) & sums:
                        self.mark_answer(value)

    def answer(self, value: ir.Expr, raw: Flow) -> None:
        match value:
            case ir.Comprehension(item, name, over):
                kinds = self.types.inside(name, over).of(item)
                if kinds and kinds <= NUMERIC and raw.of(item):
                    self.noisy.values.add(item.span)
            case ir.Var(name) if LIST in self.types.of(value):
                items = self.types.items.get(name, frozenset())
                if items and items <= NUMERIC and name in raw.names:
                    self.noisy.lists.add(value.span)
            case _ if self.is_number(value) and raw.of(value):
                self.mark_answer(value)

    def mark_answer(self, value: ir.Expr) -> None:
        """Noise on an answer; on what is divided, where that is divided by something public."""
        match value:
            case ir.Binary("/", left, right) if not self.flow.of(right):
                self.noisy.divided.add(left.span)
                self.mark_answer(left)
            case _:
                self.noisy.values.add(value.span)

    def sums(self) -> set[str]:
        """Names that gather noise in the turns of a loop, such as `s += x`: noise on the answer may do instead."""
        found = set()
        for loop in ir.walk(self.sketch.body):
            if isinstance(loop, ir.For | ir.While):
                for node in ir.walk(loop.body):
                    if isinstance(node, ir.Assign):
                        for place, (target, value) in enumerate(zip(node.targets, node.values, strict=True)):
                            if (id(node), place) in self.covered and target in variables_of(value):
                                found.add(target)
        return found

    def raw(self, control: bool) -> Flow:
        """What depends on private data without having met noise."""
        return find_flow(self.sketch, control=control, covered=frozenset(self.covered))


def variables_of(part: ir.Node) -> set[str]:
    """The names in an expression, without those of which only the length is asked."""
    if isinstance(part, ir.Length):
        return set()
    if isinstance(part, ir.Var):
        return {part.name}
    values = [getattr(part, f.name) for f in fields(part)]
    parts = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
    return set().union(*(variables_of(item) for item in parts if isinstance(item, ir.Node)))


def is_step(name: str, value: ir.Expr) -> bool:
    match value:
        case ir.Const(value=Fraction() as number):
            return number.denominator == 1
        case ir.Binary("+" | "-", ir.Var(other), ir.Const(value=Fraction() as number)):
            return other == name and number.denominator == 1
        case _:
            return False
