"""What names stand for, found in the text alone: lists of noise, variables that they are read at, whole numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.kinds import NONE, WHOLE, Types
from kolahal.lang.sketch import Role, Sketch, Type


def names_of_views(sketch: Sketch, views: Sequence[ir.Comprehension]) -> dict[int, set[str]]:
    """For each comprehension the names that may stand for it."""
    named: dict[int, set[str]] = {i: set() for i in range(len(views))}
    assigned = list(ir.assignments(sketch.body))
    changed = True
    while changed:
        changed = False
        for i, view in enumerate(views):
            for target, value in assigned:
                if value is view or (isinstance(value, ir.Var) and value.name in named[i]):
                    changed = changed or target not in named[i]
                    named[i].add(target)
    return named


def noisy_views(views: Sequence[ir.Comprehension], named: Mapping[int, set[str]]) -> frozenset[int]:
    """The comprehensions whose items draw noise, or read a list whose items do."""
    noisy = {i for i, view in enumerate(views) if any(isinstance(node, ir.Draw) for node in ir.walk(view.item))}
    for _ in views:
        lists = set().union(*(named[i] for i in noisy))
        noisy |= {i for i, v in enumerate(views) if lists & {n.name for n in ir.walk(v) if isinstance(n, ir.Var)}}
    return frozenset(noisy)


def how_read(
    sketch: Sketch, views: Sequence[ir.Comprehension], noisy: frozenset[int], named: Mapping[int, set[str]]
) -> tuple[frozenset[int], frozenset[int]]:
    """The lists of noise that are read backwards, and those whose first item no loop comes to."""
    return _read_back(sketch, views, noisy, named), _begun_late(sketch, noisy, named)


def _read_back(
    sketch: Sketch, views: Sequence[ir.Comprehension], noisy: frozenset[int], named: Mapping[int, set[str]]
) -> frozenset[int]:
    """The lists of noise whose items seem to be read from the last to the first. A mistake here is a fault that cannot be
    excluded: whichever way a list is read, no item may be drawn twice."""
    nodes = list(ir.walk(sketch.body))
    falling, rising = set[str](), set[str]()
    for node in nodes:
        if isinstance(node, ir.For):
            step = node.over.step if isinstance(node.over, ir.Range) else None
            down = isinstance(step, ir.Negate) or (isinstance(step, ir.Const) and isinstance(step.value, Fraction) and step.value < 0)
            (falling if down else rising).add(node.name)
    for target, value in ir.assignments(sketch.body):
        if isinstance(value, ir.Binary) and value.left == ir.Var(target) and value.op in ("+", "-"):
            (falling if value.op == "-" else rising).add(target)

    def falls(at: ir.Expr) -> bool:
        match at:
            case ir.Binary("-", left, right):
                return falls(left) or any(isinstance(n, ir.Var) and n.name in rising - falling for n in ir.walk(right))
            case ir.Binary("+", left, right):
                return falls(left) or falls(right)
            case ir.Var(name):
                return name in falling - rising
            case _:
                return False

    falling |= {target for target, value in ir.assignments(sketch.body) if falls(value)}
    found: set[int] = set()
    for _ in views:
        for i in noisy:
            outer = [views[o].item for o in found if o != i]
            inside = any(isinstance(n, ir.Var) and n.name in named[i] for item in outer for n in ir.walk(item))
            over = any(isinstance(of := views[o].over, ir.Var) and of.name in named[i] for o in found)
            reads = [n.at for n in nodes if isinstance(n, ir.Index) and n.of.name in named[i]]
            rises = any(isinstance(at, ir.Var) and at.name in rising - falling for at in reads)
            if inside or over or (any(map(falls, reads)) and not rises):
                found.add(i)
    return frozenset(found)


def _begun_late(sketch: Sketch, noisy: frozenset[int], named: Mapping[int, set[str]]) -> frozenset[int]:
    """The lists of noise whose first item no loop comes to, as in `best = 0` and `for i in range(1, len(q))`: a variable
    that is given its place stands for it. A mistake here is a fault that cannot be excluded."""
    starts: dict[str, set[bool]] = {}
    for node in ir.walk(sketch.body):
        if isinstance(node, ir.For) and isinstance(node.over, ir.Range):
            starts.setdefault(node.name, set()).add(_above_zero(node.over.start))
    for target, value in ir.assignments(sketch.body):
        if isinstance(value, ir.Const):
            starts.setdefault(target, set()).add(_above_zero(value))
    reads = [n for n in ir.walk(sketch.body) if isinstance(n, ir.Index) and isinstance(n.at, ir.Var)]
    return frozenset(
        i for i in noisy if any(n.of.name in named[i] and starts.get(n.at.name) == {True} for n in reads if isinstance(n.at, ir.Var))
    )


def _above_zero(value: ir.Expr) -> bool:
    return isinstance(value, ir.Const) and isinstance(value.value, Fraction) and value.value > 0


def find_followed(
    sketch: Sketch, noisy: frozenset[int], named: Mapping[int, set[str]]
) -> dict[int, tuple[tuple[str, str], ...]]:
    """For each comprehension with noise the variables that it is read at, and those they may come from, each with the
    name of a ghost."""
    loops = {node.name for node in ir.walk(sketch.body) if isinstance(node, ir.For)}
    own = ir.assigned_names(sketch.body) - loops
    copies = [(target, value.name) for target, value in ir.assignments(sketch.body) if isinstance(value, ir.Var)]
    result = {}
    for i in sorted(noisy):
        reads = [n for n in ir.walk(sketch.body) if isinstance(n, ir.Index) and n.of.name in named[i]]
        names = {n.at.name for n in reads if isinstance(n.at, ir.Var)}
        for _ in copies:
            names |= {source for target, source in copies if target in names}
        result[i] = tuple((name, f"item {i + 1} at {name}") for name in sorted(names & own))
    return result


def counters(sketch: Sketch) -> frozenset[str]:
    """The variables that are given nothing but values that never change, and steps from their own: they go on, and remember nothing."""
    changing = ir.assigned_names(sketch.body)

    def goes_on(target: str, value: ir.Expr) -> bool:
        names = [node.name for node in ir.walk(value) if isinstance(node, ir.Var) and node.name in changing]
        steps = isinstance(value, ir.Binary) and value.op in ("+", "-") and value.left == ir.Var(target)
        return not names or (steps and names == [target])

    given = [(target, goes_on(target, value)) for target, value in ir.assignments(sketch.body)]
    return frozenset({target for target, _ in given} - {target for target, goes in given if not goes})


def indexing_lists(sketch: Sketch, types: Types) -> frozenset[str]:
    """The lists of whole numbers, in a program that reads a list at items of another one: they may be places."""
    over = {n.name for n in ir.walk(sketch.body) if isinstance(n, ir.For | ir.Comprehension) and isinstance(n.over, ir.Var)}
    places = [n.at for n in ir.walk(sketch.body) if isinstance(n, ir.Index)]
    uses = [n for at in places for n in ir.walk(at) if isinstance(n, ir.Index) or (isinstance(n, ir.Var) and n.name in over)]
    return frozenset(name for name, kinds in types.items.items() if uses and kinds == {WHOLE})


def may_be_none(sketch: Sketch, types: Types) -> frozenset[str]:
    """The variables that stand for no place at times: they are None, or get a number below 0, which stands for it."""
    below = {name for name, value in ir.assignments(sketch.body) if _below_zero(value)}
    return frozenset(below | {name for name, kinds in types.names.items() if NONE in kinds})


def _below_zero(value: ir.Expr) -> bool:
    constant = isinstance(value, ir.Const) and isinstance(value.value, Fraction) and value.value < 0
    return constant or (isinstance(value, ir.Negate) and _above_zero(value.of))


def assigned_once(sketch: Sketch) -> frozenset[str]:
    """The names that have one value from where they get it on: assigned in one place, outside of loops."""
    nodes = list(ir.walk(sketch.body))
    counts = Counter(name for node in nodes if isinstance(node, ir.Assign) for name in node.targets)
    counts.update(node.name for node in nodes if isinstance(node, ir.Append | ir.For | ir.Comprehension))
    looped = {name for loop in nodes if isinstance(loop, ir.For | ir.While) for name in ir.assigned_names((loop,))}
    taken = {parameter.name for parameter in sketch.parameters}
    return frozenset(name for name, count in counts.items() if count == 1) - looped - taken


def may_fault(node: ir.Node) -> bool:
    """Whether computing this part of an item may stop the run; a division by a number that is not 0 never does."""
    match node:
        case ir.Index() | ir.Binary("//" | "%"):
            return True
        case ir.Binary("/", _, ir.Const(value=Fraction() as divisor)):
            return divisor == 0
        case ir.Binary("/"):
            return True
        case _:
            return False


def whole_names(sketch: Sketch) -> frozenset[str]:
    """The variables that hold whole numbers where answers and noise are whole; a mistake here is found on arrival."""
    names = {p.name for p in sketch.parameters if p.type is not Type.FLOAT and p.role is not Role.EPSILON}
    names |= ir.assigned_names(sketch.body)

    def fractional(value: ir.Expr) -> bool:
        return any(
            (isinstance(n, ir.Const) and isinstance(n.value, Fraction) and n.value.denominator != 1)
            or (isinstance(n, ir.Binary) and n.op == "/")
            or (isinstance(n, ir.Draw) and not n.noise.whole and not n.noise.selects)
            or (isinstance(n, ir.Var) and n.name not in names)
            for n in ir.walk(value)
        )

    while True:
        lost = {target for target, value in ir.assignments(sketch.body) if target in names and fractional(value)}
        if not lost:
            return frozenset(names)
        names -= lost
