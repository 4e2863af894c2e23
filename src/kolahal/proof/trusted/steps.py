"""A program as numbered steps, with loops and conditions numbered in source order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from kolahal.lang.ir import (
    Append,
    Assign,
    Binary,
    Block,
    Break,
    Comprehension,
    Continue,
    Expr,
    For,
    If,
    ListOf,
    Node,
    Return,
    Var,
    While,
    rebuild,
    walk,
)
from kolahal.lang.pretty import print_expression
from kolahal.lang.sketch import Sketch
from kolahal.proof.trusted.values import Unsupported


@dataclass(frozen=True, slots=True)
class Set:
    targets: tuple[str, ...]
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Push:
    name: str
    value: Expr
    front: bool


@dataclass(frozen=True, slots=True)
class Test:
    """`if`: goes on where the condition holds, to `orelse` elsewhere; `branch` numbers the conditions of ifs and
    whiles in source order."""

    branch: int
    test: Expr
    orelse: int


@dataclass(frozen=True, slots=True)
class Enter:
    loop: int


@dataclass(frozen=True, slots=True)
class Head:
    """A loop head, the place where segments begin and end; the condition of a `while` is a branch too."""

    loop: int
    branch: int | None
    node: While | For
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
    value: Expr


Step: TypeAlias = Set | Push | Test | Enter | Head | Next | Jump | Give


def compile_steps(body: Block) -> tuple[Step, ...]:
    """The program as a list of steps, with loops and ifs numbered in source order."""
    steps: list[Step | None] = []
    counts = {"loop": 0, "branch": 0}

    def emit(block: Block, leave: list[int], again: int | None) -> None:
        for node in block:
            match node:
                case Assign(targets, values):
                    steps.append(Set(targets, values))
                case Append(name, value, front):
                    steps.append(Push(name, value, front))
                case Return(value):
                    steps.append(Give(value))
                case Break():
                    leave.append(len(steps))
                    steps.append(None)
                case Continue():
                    assert again is not None
                    steps.append(Jump(-1 - again))
                case If(test, then, orelse):
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
                case While() | For():
                    loop, asks = counts["loop"], counts["branch"] if isinstance(node, While) else None
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
    by one; that is what an answer needs, and it makes the list known to both runs afterwards.
    """
    seen = 0

    def spread(target: str, node: Comprehension) -> Block:
        turn = f"{node.name}'{target}"  # not a Python name, so it hides nothing

        def rename(inner: Node) -> Node | None:
            return Var(turn, span=inner.span) if inner == Var(node.name) else None

        loop = For(turn, node.over, (Append(target, rebuild(node.item, rename), False),), span=node.span)
        return (Assign((target,), (ListOf(()),), span=node.span), loop)

    def block(body: Block) -> Block:
        nonlocal seen
        result: list[object] = []
        for node in body:
            mine = seen
            inside = sum(isinstance(n, Comprehension) for n in walk(node))
            match node:
                case Assign((target,), (Comprehension() as value,)) if inside == 1 and mine in released:
                    seen += 1
                    if any(inner == Var(target) for inner in walk(value)):
                        result += spread(f"{target}'", value)  # the old list is read while the new one grows
                        result.append(Assign((target,), (Var(f"{target}'"),), span=node.span))
                    else:
                        result += spread(target, value)
                case Return(Comprehension() as value) if inside == 1 and mine in released:
                    seen += 1
                    result += spread("answer'", value)
                    result.append(Return(Var("answer'"), span=node.span))
                case If(_, then, orelse):
                    result.append(replace(node, then=block(then), orelse=block(orelse)))
                case While() | For():
                    result.append(replace(node, body=block(node.body)))
                case _:
                    seen += inside
                    result.append(node)
        return tuple(result)  # type: ignore[arg-type]

    changed = replace(sketch, body=block(sketch.body))
    if seen != sum(isinstance(node, Comprehension) for node in walk(sketch.body)):
        raise Unsupported("a comprehension stands in an unusual place")
    return changed


def read_by(step: Step) -> object:
    match step:
        case Set(_, values):
            return values
        case Push(_, value, _) | Give(value):
            return value
        case Test(_, test, _):
            return test
        case Head(node=While(test, _)):
            return test
        case Head(node=For(_, over, _)):
            return over
        case _:
            return ()


def is_remainder(node: Node) -> bool:
    return isinstance(node, Binary) and node.op == "%"


def remainder_key(node: Node) -> str:
    return print_expression(node)  # type: ignore[arg-type]
