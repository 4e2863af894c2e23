"""Answers that are quotients by a number above 0: whether one is between bounds is a question about linear arithmetic.

`total / max(count, 1) >= 3` holds just where `total >= 3 * max(count, 1)` does, with the same noise.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.sketch import Sketch
from kolahal.model import Equals, Event, Within


def linear_event(sketch: Sketch, event: Event) -> tuple[Sketch, Event]:
    """The same event of a program whose comparisons are linear, where it is about a quotient; otherwise what is given."""
    found = compared(sketch, event) if isinstance(event, Within) else None
    return (sketch, event) if found is None else (found, Equals(Fraction(1)))


def compared(sketch: Sketch, event: Within) -> Sketch | None:
    """The program that answers 1 where the quotient that another one answers with is within bounds, and 0 elsewhere."""
    guards, body = sketch.body[: sketch.preconditions], sketch.body[sketch.preconditions :]
    returns = [node for node in ir.walk(body) if isinstance(node, ir.Return)]
    if len(returns) != 1 or body[-1] is not returns[0]:
        return None
    match returns[0].value:
        case ir.Binary("/", top, below) if not isinstance(below, ir.Const) and is_positive(below, body, sketch):
            pass
        case _:
            return None
    taken = ir.names_read(sketch.body) | {p.name for p in sketch.parameters}
    taken |= ir.assigned_names(sketch.body)
    above, under = (ir.numbered(base, taken) for base in ("above", "under"))
    span = returns[0].span
    one, other = ir.Var(above, span=span), ir.Var(under, span=span)
    tests: list[ir.Expr] = []
    for end, op in ((event.low, ">="), (event.high, "<=")):
        if end is not None:
            bound = ir.Binary("*", ir.Const(end, span=span), other, span=span)
            tests.append(ir.Binary(op, one, bound, span=span))
    if not tests:
        return None
    test = tests[0] if len(tests) == 1 else ir.Binary("and", tests[0], tests[1], span=span)
    answers = [ir.Return(ir.Const(Fraction(value), span=span), span=span) for value in (1, 0)]
    asked = ir.If(test, (answers[0],), (answers[1],), span=span)
    made = ir.Assign((above, under), (top, below), span=span)
    return replace(sketch, body=(*guards, *body[:-1], made, asked))


def is_positive(expr: ir.Expr, body: ir.Block, sketch: Sketch) -> bool:
    """Whether a value is above 0 on every run: it is `max` of something and of a number above 0, or a name that is that alone.

    An argument that is changed somewhere may still have the value that it was called with.
    """
    match expr:
        case ir.Const(value=Fraction() as value):
            return value > 0
        case ir.Call("max", arguments):
            return any(is_positive(argument, (), sketch) for argument in arguments)
        case ir.Var(name) if all(name != p.name for p in sketch.parameters):
            given = [value for target, value in ir.assignments(body) if target == name]
            loops = any(isinstance(node, ir.For | ir.Comprehension) and node.name == name for node in ir.walk(body))
            return len(given) == 1 and not loops and is_positive(given[0], (), sketch)
        case _:
            return False
