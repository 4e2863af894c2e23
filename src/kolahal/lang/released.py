"""What a program computes its answer from: whoever may see that may see the answer.

`return total / max(count, 1)` is not linear, and proofs are about linear arithmetic. But the answer is a function of
`total` and `count`, so a program that gives away both is at most as private: what is proved of it holds for the other.
"""

from __future__ import annotations

from dataclasses import replace

from kolahal.lang import ir
from kolahal.lang.sketch import Sketch

LINEAR = ("+", "-")


def released(sketch: Sketch) -> Sketch:
    """The program that returns the parts of an answer that is not linear, if there is one place to answer.

    With several, the parts would not tell which of the places it was, and so not what is computed from them. What is
    answered where an assertion fails depends on public inputs alone.
    """
    guards, body = sketch.body[: sketch.preconditions], sketch.body[sketch.preconditions :]
    returns = [node for node in ir.walk(body) if isinstance(node, ir.Return)]
    if len(returns) != 1:
        return sketch
    (answer,) = returns
    items = answer.value.items if isinstance(answer.value, ir.TupleOf) else (answer.value,)
    if all(_is_linear(item) for item in items):
        return sketch
    public = frozenset(sketch.quantities())
    parts = tuple(part for item in items for part in _parts(item, public))
    if not parts:
        return sketch
    value = parts[0] if len(parts) == 1 else ir.TupleOf(parts, span=answer.span)

    def change(node: ir.Node) -> ir.Node | None:
        return replace(node, value=value) if isinstance(node, ir.Return) else None

    return replace(sketch, body=(*guards, *ir.rebuild(body, change)))


def _is_constant(expr: ir.Expr) -> bool:
    match expr:
        case ir.Const():
            return True
        case ir.Negate(of):
            return _is_constant(of)
        case ir.Binary(op, left, right):
            return op in (*LINEAR, "*", "/") and _is_constant(left) and _is_constant(right)
        case _:
            return False


def _is_linear(expr: ir.Expr) -> bool:
    """Whether nothing in an answer is a product or quotient of values that are not written down."""
    match expr:
        case ir.Binary("*", left, right):
            return (_is_constant(left) and _is_linear(right)) or (_is_constant(right) and _is_linear(left))
        case ir.Binary("/", left, right):
            return _is_constant(right) and _is_linear(left)
        case ir.Binary("//"):
            return False
        case ir.Binary(op, left, right) if op in LINEAR:
            return _is_linear(left) and _is_linear(right)
        case ir.Negate(of):
            return _is_linear(of)
        case ir.Call(_, arguments):
            return all(map(_is_linear, arguments))
        case _:
            return True


def _parts(expr: ir.Expr, public: frozenset[str]) -> tuple[ir.Expr, ...]:
    """The values that an answer is a function of, in the order in which they are computed."""
    match expr:
        case ir.Const():
            return ()
        case ir.Var(name) if name in public:
            return ()
        case ir.Length(ir.Var(name)) if f"len({name})" in public:
            return ()
        case _ if _is_linear(expr):
            return (expr,)
        case ir.Binary(_, left, right):
            return (*_parts(left, public), *_parts(right, public))
        case ir.Negate(of):
            return _parts(of, public)
        case ir.Call(_, arguments):
            return tuple(part for argument in arguments for part in _parts(argument, public))
        case _:
            return (expr,)
