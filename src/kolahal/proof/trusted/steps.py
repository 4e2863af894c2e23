"""A program as numbered steps, with loops and conditions numbered in source order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from kolahal.lang import ir
from kolahal.lang.pretty import print_expression
from kolahal.lang.sketch import Sketch
from kolahal.nouns import dataclass
from kolahal.proof.trusted.values import Unsupported


@dataclass(frozen=True, slots=True)
class Set:
    targets: tuple[str, ...]
    values: tuple[ir.Expr, ...]


@dataclass(frozen=True, slots=True)
class Push:
    name: str
    value: ir.Expr
    front: bool


@dataclass(frozen=True, slots=True)
class Test:
    """`if`: goes on where the condition holds, to `orelse` elsewhere; `branch` numbers the conditions of ifs and
    whiles in source order."""

    branch: int
    test: ir.Expr
    orelse: int


@dataclass(frozen=True, slots=True)
class Enter:
    loop: int


@dataclass(frozen=True, slots=True)
class Head:
    """A loop head, the place where segments begin and end; the condition of a `while` is a branch too."""

    loop: int
    branch: int | None
    node: ir.While | ir.For
    exit: int


@dataclass(frozen=True, slots=True)
class Next:
    """The end of a turn."""

    loop: int
    head: int


@dataclass(frozen=True, slots=True)
class Jump:
    to: int


@dataclass(frozen=True, slots=True)
class Give:
    value: ir.Expr


Step: TypeAlias = Set | Push | Test | Enter | Head | Next | Jump | Give


def compile_steps(body: ir.Block) -> tuple[Step, ...]:
    """The program as a list of steps, with loops and ifs numbered in source order."""
    steps: list[Step | None] = []
    counts = {"loop": 0, "branch": 0}

    def emit(block: ir.Block, leave: list[int], again: int | None) -> None:
        for node in block:
            match node:
                case ir.Assign(targets, values):
                    steps.append(Set(targets, values))
                case ir.Append(name, value, front):
                    steps.append(Push(name, value, front))
                case ir.Return(value):
                    steps.append(Give(value))
                case ir.Break():
                    leave.append(len(steps))
                    steps.append(None)
                case ir.Continue():
                    assert again is not None
                    steps.append(Jump(-1 - again))
                case ir.If(test, then, orelse):
                    branch = counts["branch"]
                    counts["branch"] += 1
                    at = len(steps)
                    steps.append(None)
                    emit(then, leave, again)
                    over = len(steps)
                    steps.append(None)
                    steps[at] = Test(branch, test, len(steps))
                    emit(orelse, leave, again)
                    steps[over] = Jump(len(steps))
                case ir.While() | ir.For():
                    loop, asks = counts["loop"], counts["branch"] if isinstance(node, ir.While) else None
                    counts["loop"] += 1
                    counts["branch"] += asks is not None
                    steps.append(Enter(loop))
                    head = len(steps)
                    steps.append(None)
                    breaks: list[int] = []
                    emit(node.body, breaks, loop)
                    steps.append(Next(loop, head))
                    steps[head] = Head(loop, asks, node, len(steps))
                    for at in breaks:
                        steps[at] = Jump(len(steps))

    emit(body, [], None)
    ends = {step.loop: at for at, step in enumerate(steps) if isinstance(step, Next)}
    done = [Jump(ends[-1 - s.to]) if isinstance(s, Jump) and s.to < 0 else s for s in steps]
    return tuple(step for step in done if step is not None)


def spread_comprehensions(sketch: Sketch, released: frozenset[int]) -> Sketch:
    """The same program with some comprehensions written as loops that append.

    `released` counts comprehensions in source order. A loop that appends has its items compared between the runs one
    by one; that is what an answer needs, and it makes the list known to both runs afterwards. A copy of a list that grows
    stays one.
    """
    seen = 0
    grown = {node.name for node in ir.walk(sketch.body) if isinstance(node, ir.Append)}

    def copies(value: ir.Comprehension) -> bool:
        return value.item == ir.Var(value.name) and isinstance(value.over, ir.Var) and value.over.name in grown

    def spread(target: str, node: ir.Comprehension) -> ir.Block:
        turn = f"{node.name}'{target}"  # not a Python name, so it hides nothing

        def rename(inner: ir.Node) -> ir.Node | None:
            return ir.Var(turn, span=inner.span) if inner == ir.Var(node.name) else None

        loop = ir.For(turn, node.over, (ir.Append(target, ir.rebuild(node.item, rename), False),), span=node.span)
        return (ir.Assign((target,), (ir.ListOf(()),), span=node.span), loop)

    def block(body: ir.Block) -> ir.Block:
        nonlocal seen
        result: list[object] = []
        for node in body:
            mine = seen
            inside = sum(isinstance(n, ir.Comprehension) for n in ir.walk(node))
            match node:
                case ir.Assign(_, (ir.Comprehension() as value,)) if inside == 1 and copies(value):
                    seen += 1
                    result.append(node)
                case ir.Assign((target,), (ir.Comprehension() as value,)) if inside == 1 and mine in released:
                    seen += 1
                    if any(inner == ir.Var(target) for inner in ir.walk(value)):
                        result += spread(f"{target}'", value)  # the old list is read while the new one grows
                        result.append(ir.Assign((target,), (ir.Var(f"{target}'"),), span=node.span))
                    else:
                        result += spread(target, value)
                case ir.Return(ir.Comprehension() as value) if inside == 1 and mine in released:
                    seen += 1
                    result += spread("answer'", value)
                    result.append(ir.Return(ir.Var("answer'"), span=node.span))
                case ir.If(_, then, orelse):
                    result.append(replace(node, then=block(then), orelse=block(orelse)))
                case ir.While() | ir.For():
                    result.append(replace(node, body=block(node.body)))
                case _:
                    seen += inside
                    result.append(node)
        return tuple(result)  # type: ignore[arg-type]

    changed = replace(sketch, body=block(sketch.body))
    if seen != sum(isinstance(node, ir.Comprehension) for node in ir.walk(sketch.body)):
        raise Unsupported("a comprehension stands in an unusual place")
    return changed


def decide_flags(sketch: Sketch) -> Sketch:
    """The program in which a truth value that is the answer, or looked at behind a loop head, or may not draw its noise, is decided
    where it gets its value, as in `if v > t: go = False` and `else: go = True` for `go = not v > t`: a condition, on which shifts may depend."""
    steps = compile_steps(sketch.body)
    live = live_names(steps)
    told = frozenset(step.value.name for step in steps if isinstance(step, Give) and isinstance(step.value, ir.Var))
    flags = told.union(*(live[at] for at, step in enumerate(steps) if isinstance(step, Head)))

    def decide(node: ir.Node) -> ir.Node | None:
        match node:
            case ir.Assign((target,), (value,)) if _compares(value) and (target in flags or _may_not_draw(value)):
                ways = ((ir.Assign((target,), (ir.Const(truth, span=value.span),), span=node.span),) for truth in (True, False))
                return ir.If(value, *ways, span=node.span)
            case ir.Return(value) if _compares(value):
                ends = ((ir.Return(ir.Const(truth, span=value.span), span=node.span),) for truth in (True, False))
                return ir.If(value, *ends, span=node.span)
            case _:
                return None

    return replace(sketch, body=ir.rebuild(sketch.body, decide))


def _may_not_draw(value: ir.Expr) -> bool:
    """Whether noise stands in a part of a condition that may not be reached."""
    rights = [n.right for n in ir.walk(value) if isinstance(n, ir.Binary) and n.op in ("and", "or")]
    return any(isinstance(node, ir.Draw) for right in rights for node in ir.walk(right))


def _compares(value: ir.Expr) -> bool:
    """Whether a value is a truth that is made of comparisons; no part of a number is."""
    return isinstance(value, ir.Not | ir.Binary) and any(isinstance(n, ir.Binary) and n.op in ("<", "<=", ">", ">=") for n in ir.walk(value))


def settle_answers(sketch: Sketch) -> Sketch:
    """The program without public arithmetic on its answers, such as a division by len(q), which need not be linear.

    Where both runs give the same value, they give the same after it too, if it is the same arithmetic: that of one place
    to answer.
    """
    public = set(sketch.quantities())

    def is_public(expr: ir.Expr) -> bool:
        match expr:
            case ir.Const():
                return True
            case ir.Negate(of):
                return is_public(of)
            case ir.Binary(_, left, right):
                return is_public(left) and is_public(right)
            case ir.Var(name):
                return name in public
            case ir.Length(ir.Var(name)):
                return sketch.name_of_length(name) in public
            case _:
                return False

    def essence(expr: ir.Expr) -> ir.Expr:
        match expr:
            case ir.Binary("+" | "-" | "*" | "/", left, right) if is_public(right):
                return essence(left)
            case ir.Binary("+" | "-" | "*", left, right) if is_public(left):
                return essence(right)
            case ir.TupleOf(items):
                return replace(expr, items=tuple(essence(item) for item in items))
            case _:
                return expr

    def settle(block: ir.Block) -> ir.Block:
        settled: list[ir.Stmt] = []
        for node in block:
            match node:
                case ir.If():
                    settled.append(replace(node, then=settle(node.then), orelse=settle(node.orelse)))
                case ir.For() | ir.While():
                    settled.append(replace(node, body=settle(node.body)))
                case ir.Return(value):
                    before = settled[-1] if settled else None
                    match before, value:
                        case ir.Assign((target,), (ir.Binary() as given,)), ir.Var(name) if name == target:
                            settled.pop()
                            value = given
                    settled.append(replace(node, value=essence(value)))
                case _:
                    settled.append(node)
        return tuple(settled)

    return replace(sketch, body=settle(sketch.body))


def _read_by(step: Step) -> object:
    match step:
        case Set(_, values):
            return values
        case Push(name, value, _):
            return (ir.Var(name), value)
        case Give(value):
            return value
        case Test(_, test, _):
            return test
        case Head(node=ir.While(test, _)):
            return test
        case Head(node=ir.For(_, over, _)):
            return over
        case _:
            return ()


def written_by(step: Step) -> tuple[str, ...]:
    """The names that a step may give a value to; the name of a `for` only where a turn begins."""
    match step:
        case Set(targets, _):
            return targets
        case Head(node=ir.For(name, _, _)):
            return (name,)
        case _:
            return ()


def _after(step: Step, at: int) -> tuple[int, ...]:
    """The steps that may come right after this one."""
    match step:
        case Jump(to):
            return (to,)
        case Next(_, head):
            return (head,)
        case Head(exit=leave):
            return (at + 1, leave)
        case Test(_, _, orelse):
            return (at + 1, orelse)
        case Give():
            return ()
        case _:
            return (at + 1,)


def reached_from(steps: Sequence[Step], at: int, until: int | None = None) -> set[int]:
    """The steps that may follow, from `at` itself on, up to the next arrival at the step `until`."""
    seen: set[int] = set()
    todo = [at]
    while todo:
        here = todo.pop()
        if here < len(steps) and here not in seen and (here != until or here == at):
            seen.add(here)
            todo += _after(steps[here], here)
    return seen


def live_names(steps: Sequence[Step]) -> list[frozenset[str]]:
    """For each step the names whose values before it may be read: by it, or later and before they are written."""
    live = [frozenset[str]() for _ in (*steps, None)]
    changed = True
    while changed:
        changed = False
        for at, step in reversed(list(enumerate(steps))):
            names = {node.name for node in ir.walk(_read_by(step)) if isinstance(node, ir.Var)}
            for later in _after(step, at):
                leaves = isinstance(step, Head) and later == step.exit
                names |= live[later] - (set() if leaves else set(written_by(step)))
            changed = changed or names != live[at]
            live[at] = frozenset(names)
    return live


def chosen_next(steps: Sequence[Step], live: Sequence[frozenset[str]], target: str, at: int) -> bool:
    """Whether the step after `at` chooses a place of the list `target`, whatever happens, and is the last to look at it."""
    nodes = list(ir.walk(_read_by(steps[at + 1])))
    lazy = any(isinstance(n, ir.Comprehension) or (isinstance(n, ir.Binary) and n.op in ("and", "or")) for n in nodes)
    chosen = [isinstance(n, ir.Draw) and n.of == ir.Var(target) for n in nodes].count(True)
    plain = isinstance(steps[at + 1], Set | Push | Give) and written_by(steps[at]) == (target,) and not lazy
    return plain and nodes.count(ir.Var(target)) == chosen == 1 and (isinstance(steps[at + 1], Give) or target not in live[at + 2])


def chosen_first(step: Step) -> ir.Var | None:
    """The list of scores that a place is chosen from before anything else that may stop a run is computed in a step."""
    match step:
        case Set(_, (value, *_)) | Push(_, value, _) | Test(_, value, _) | Give(value):
            while True:
                match value:
                    case ir.Draw(of=of):
                        return of
                    case ir.Index(_, value) | ir.Binary(_, value, _) | ir.Not(value) | ir.Negate(value) | ir.IsNone(value):
                        pass
                    case ir.ListOf((value, *_)) | ir.TupleOf((value, *_)) | ir.Call(_, (value, *_)):
                        pass
                    case _:
                        return None
    return None


def is_remainder(node: ir.Node) -> bool:
    return isinstance(node, ir.Binary) and node.op == "%"


def remainder_key(node: ir.Node) -> str:
    return print_expression(node)  # type: ignore[arg-type]
