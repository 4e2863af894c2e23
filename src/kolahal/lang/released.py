"""What a program computes its answer from: whoever may see that may see the answer.

`return total / max(count, 1)` is not linear, and proofs are about linear arithmetic. But the answer is a function of
`total` and `count`, so a program that gives away both is at most as private: what is proved of it holds for the other. The
same is true of all statements behind the last one that draws noise or reads private answers: they compute with names.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.kinds import LIST, infer
from kolahal.lang.sketch import Sketch

LINEAR = ("+", "-")


def released(sketch: Sketch) -> Sketch:
    """The program that returns what its last statements, or else the parts of its answer, are computed from, if these are not linear."""
    found = _before_last(sketch) or _of_parts(sketch)
    return _of_items(sketch) if found == sketch else found


def _before_last(sketch: Sketch) -> Sketch | None:
    """The program that returns the names that its last statements read, where these draw no noise and read no private answers.

    The answer is a function of these names and of public inputs. They must have a value on every run that comes so far, and
    no run may answer before.
    """
    guards, body = sketch.body[: sketch.preconditions], _put_off(sketch, sketch.body[sketch.preconditions :])
    end = max((i + 1 for i, node in enumerate(body) if _is_private(node, sketch.private.name)), default=0)
    first, last = body[:end], body[end:]
    if not first or not last or any(isinstance(node, ir.Return) for node in ir.walk(first)) or _is_linear_answer(last):
        return None
    read = {node.name for node in ir.walk(last) if isinstance(node, ir.Var)} & ir.assigned_names(first)
    sure = {name for node in first if isinstance(node, ir.Assign) for name in node.targets}
    types = infer(sketch)
    names = [name for name in dict.fromkeys(t for node in first if isinstance(node, ir.Assign) for t in node.targets) if name in read]
    if not names or not read <= sure or (len(names) > 1 and any(LIST in types.of(ir.Var(name)) for name in names)):
        return None
    values = tuple(ir.Var(name, span=last[0].span) for name in names)
    answer = ir.Return(values[0] if len(values) == 1 else ir.TupleOf(values, span=last[0].span), span=last[0].span)
    return replace(sketch, body=(*guards, *first, answer))


def _put_off(sketch: Sketch, body: ir.Block) -> ir.Block:
    """The same statements, in which what is not linear is computed as late as it can be.

    `m = (total + Lap(s)) / n` is `t = total + Lap(s)`, and then `m = t / n`, which is put behind statements that neither read
    nor change m, t or n.
    """
    taken = {node.name for node in ir.walk(sketch.body) if isinstance(node, ir.Var)} | ir.assigned_names(sketch.body)
    taken |= {p.name for p in sketch.parameters}
    split: list[ir.Stmt] = []
    for node in body:
        match node:
            case ir.Assign((_,), (value,)) if not _is_linear(value) and _is_private(node, sketch.private.name):
                split += _split(node, sketch, taken)
            case _:
                split.append(node)
    late: list[ir.Stmt] = []
    found: list[ir.Stmt] = []
    for node in split:
        touched = {name for put in late for name in _names(put)}
        if late and (not isinstance(node, ir.Assign) or ir.assigned_names((node,)) & touched or _read(node) & ir.assigned_names(tuple(late))):
            found, late = [*found, *late], []
        if isinstance(node, ir.Assign) and not all(map(_is_linear, node.values)) and not _is_private(node, sketch.private.name):
            late.append(node)
        else:
            found.append(node)
    return (*found, *late)


def _split(node: ir.Assign, sketch: Sketch, taken: set[str]) -> list[ir.Stmt]:
    """An assignment of a value that is not linear, behind those of its linear parts to names of their own, in Python's order."""
    before: list[ir.Stmt] = []

    def named(expr: ir.Expr) -> ir.Expr:
        match expr:
            case ir.Const() | ir.Var():
                return expr
            case ir.Binary(op, left, right) if not _is_linear(expr) and op in ("+", "-", "*", "/"):
                return replace(expr, left=named(left), right=named(right))
            case ir.Negate(of) if not _is_linear(expr):
                return replace(expr, of=named(of))
            case ir.Call(_, arguments) if not _is_linear(expr):
                return replace(expr, arguments=tuple(map(named, arguments)))
            case _:
                word = next(w for i in range(len(taken) + 1) if (w := f"part_{i}") not in taken)
                taken.add(word)
                before.append(ir.Assign((word,), (expr,), span=node.span))
                return ir.Var(word, span=expr.span)

    value = named(node.values[0])
    return [*before, replace(node, values=(value,))]


def _names(node: ir.Stmt) -> set[str]:
    return _read(node) | ir.assigned_names((node,))


def _read(node: ir.Stmt) -> set[str]:
    return {part.name for part in ir.walk(node) if isinstance(part, ir.Var)}


def _is_private(node: ir.Stmt, private: str) -> bool:
    """Whether a statement draws noise or reads private answers; how many there are is public."""
    lengths = {id(part.of) for part in ir.walk(node) if isinstance(part, ir.Length)}
    return any(
        isinstance(part, ir.Draw) or (isinstance(part, ir.Var) and part.name == private and id(part) not in lengths)
        for part in ir.walk(node)
    )


def _is_linear_answer(last: ir.Block) -> bool:
    """Whether the last statements are one answer, which `_of_parts` takes apart where it needs to."""
    return len(last) == 1 and isinstance(last[0], ir.Return)


def _of_parts(sketch: Sketch) -> Sketch:
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
    public |= {f"len({sketch.private.name})"} if sketch.length_name in public else set()
    parts = tuple(part for item in items for part in _parts(item, public))
    if not parts:
        return sketch
    value = parts[0] if len(parts) == 1 else ir.TupleOf(parts, span=answer.span)

    def change(node: ir.Node) -> ir.Node | None:
        return replace(node, value=value) if isinstance(node, ir.Return) else None

    return replace(sketch, body=(*guards, *ir.rebuild(body, change)))


def _of_items(sketch: Sketch) -> Sketch:
    """The program whose answer, a list that nothing else looks at, gets the parts of its items, if these are not linear.

    What stands before them says which statement put them there, if there are several, and so how many they are: the items
    can be computed from that, one after the other.
    """
    returns = [node for node in ir.walk(sketch.body[sketch.preconditions :]) if isinstance(node, ir.Return)]
    if len(returns) != 1 or not isinstance(returns[0].value, ir.Var):
        return sketch
    name = returns[0].value.name
    begun = [value for target, value in ir.assignments(sketch.body) if target == name]
    sites = [node for node in ir.walk(sketch.body) if isinstance(node, ir.Append) and node.name == name]
    read = [node for node in ir.walk(sketch.body) if node == ir.Var(name)]
    if begun != [ir.ListOf(())] or len(read) != 1 or any(node.front for node in sites) or all(_is_linear(node.value) for node in sites):
        return sketch
    public = frozenset(sketch.quantities())
    public |= {f"len({sketch.private.name})"} if sketch.length_name in public else set()

    def block(body: ir.Block) -> ir.Block:
        found: list[ir.Stmt] = []
        for node in body:
            match node:
                case ir.Append(of, value) if of == name:
                    site = ir.Const(Fraction(next(i for i, one in enumerate(sites) if one is node)), span=node.span)
                    parts = (() if len(sites) == 1 else (site,)) + (_parts(value, public) or (ir.Const(Fraction(0), span=node.span),))
                    found += [replace(node, value=part) for part in parts]
                case ir.If(_, then, orelse):
                    found.append(replace(node, then=block(then), orelse=block(orelse)))
                case ir.For(_, _, inner) | ir.While(_, inner):
                    found.append(replace(node, body=block(inner)))
                case _:
                    found.append(node)
        return tuple(found)

    return replace(sketch, body=block(sketch.body))


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
