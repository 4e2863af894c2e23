"""What a program computes its answer from: whoever may see that may see the answer.

`return total / max(count, 1)` is not linear, and proofs are about linear arithmetic. But the answer is a function of
`total` and `count`, so a program that gives away both is at most as private: what is proved of it holds for the other. The
same is true of all statements behind the last one that draws noise or reads private answers: they compute with names.
"""

from __future__ import annotations

from dataclasses import replace

from kolahal.lang import ir
from kolahal.lang.kinds import LIST, infer
from kolahal.lang.lately import lately
from kolahal.lang.sketch import Role, Sketch
from kolahal.proof.trusted.restated.filled import chooses
from kolahal.proof.trusted.restated.released_items import released_items

LINEAR = ("+", "-")


@lately
def released(sketch: Sketch) -> Sketch:
    """The program that returns what its last statements, or else the parts of its answer, are computed from, if these are not
    linear, and whose lists of answers hold what their items are computed from."""
    found = before_last(sketch) or _of_parts(sketch)
    public, noisy = _public(found), _noisy(found)
    return released_items(found, _is_linear, lambda value: _parts(value, public, noisy))


def _public(sketch: Sketch) -> frozenset[str]:
    public = frozenset(sketch.quantities())
    return public | ({f"len({sketch.private.name})"} if sketch.length_name in public else set())


def _noisy(sketch: Sketch) -> frozenset[str]:
    """The names that are only ever given sums with noise of their own, and the lists that hold nothing else."""
    given = [(name, value) for name, value in ir.assignments(sketch.body) if value != ir.ListOf(())]
    given += [(name, value.item) for name, value in given if isinstance(value, ir.Comprehension)]
    given += [(node.name, node.value) for node in ir.walk(sketch.body) if isinstance(node, ir.Append)]
    turns = {node.name for node in ir.walk(sketch.body) if isinstance(node, ir.For | ir.Comprehension)}
    return frozenset(name for name, _ in given) - turns - {n for n, value in given if not _is_noisy_sum(value) and not isinstance(value, ir.Comprehension)}


def _is_noisy_sum(expr: ir.Expr) -> bool:
    if isinstance(expr, ir.Binary) and expr.op in LINEAR:
        return _is_noisy_sum(expr.left) or _is_noisy_sum(expr.right)
    return isinstance(expr, ir.Draw) and expr.of is None


def before_last(sketch: Sketch) -> Sketch | None:
    """The program that returns the names that its last statements read, where these draw no noise and read no private answers.

    The answer is a function of these names and of public inputs. They must have a value on every run that comes so far, and
    whether a run answers before is decided by public inputs alone.
    """
    guards, body = sketch.body[: sketch.preconditions], _put_off(sketch, sketch.body[sketch.preconditions :])
    end = max((i + 1 for i, node in enumerate(body) if _is_private(node, sketch.private.name)), default=0)
    end += _sums_of_noise(body[:end], body[end:])
    first, last = body[:end], body[end:]
    if not first or not last or not _is_public_whether(first, sketch) or _is_linear_answer(last):
        return None
    read = ir.names_read(last) & ir.assigned_names(first)
    sure = {name for node in first if isinstance(node, ir.Assign) for name in node.targets}
    types = infer(sketch)
    names = [name for name in dict.fromkeys(t for node in first if isinstance(node, ir.Assign) for t in node.targets) if name in read]
    if not names or not read <= sure or (len(names) > 1 and any(LIST in types.of(ir.Var(name)) for name in names)):
        return None
    values = tuple(ir.Var(name, span=last[0].span) for name in names)
    answer = ir.Return(values[0] if len(values) == 1 else ir.TupleOf(values, span=last[0].span), span=last[0].span)
    return replace(sketch, body=(*guards, *first, answer))


def _sums_of_noise(first: ir.Block, last: ir.Block) -> int:
    """How many of the last statements, up to the last sum with noise that was drawn under a name: the sum tells less."""
    noise = {name for name, value in ir.assignments(first) if isinstance(value, ir.Draw)}
    found = 0
    for i, node in enumerate(last):
        if not isinstance(node, ir.Assign):
            break
        if ir.names_read(node) & noise and all(map(_is_linear, node.values)):
            found = i + 1
    return found


def _put_off(sketch: Sketch, body: ir.Block) -> ir.Block:
    """The same statements, in which what is not linear is computed as late as it can be.

    `m = (total + Lap(s)) / n` is `t = total + Lap(s)`, and then `m = t / n`, which is put behind statements that neither read
    nor change m, t or n. None of these chooses a place: a run that stops there would not stop at `t / n` first.
    """
    taken = ir.names_read(sketch.body) | ir.assigned_names(sketch.body)
    taken |= {p.name for p in sketch.parameters}
    split: list[ir.Stmt] = []
    for node in body:
        match node:
            case ir.Assign((_,), (value,)) if not _is_linear(value) and _is_private(node, sketch.private.name):
                split += _split(node, taken)
            case _:
                split.append(node)
    late: list[ir.Stmt] = []
    found: list[ir.Stmt] = []
    for node in split:
        touched = {name for put in late for name in _names(put)}
        if late and (not isinstance(node, ir.Assign) or chooses(node) or ir.assigned_names((node,)) & touched or ir.names_read(node) & ir.assigned_names(tuple(late))):
            found, late = [*found, *late], []
        if isinstance(node, ir.Assign) and not all(map(_is_linear, node.values)) and not _is_private(node, sketch.private.name):
            late.append(node)
        else:
            found.append(node)
    return (*found, *late)


def _split(node: ir.Assign, taken: set[str]) -> list[ir.Stmt]:
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
                word = ir.numbered("part", taken)
                taken.add(word)
                before.append(ir.Assign((word,), (expr,), span=node.span))
                return ir.Var(word, span=expr.span)

    value = named(node.values[0])
    return [*before, replace(node, values=(value,))]


def _names(node: ir.Stmt) -> set[str]:
    return ir.names_read(node) | ir.assigned_names((node,))


def _is_private(node: ir.Stmt, private: str) -> bool:
    """Whether a statement draws noise or reads private answers; how many there are is public."""
    lengths = {id(part.of) for part in ir.walk(node) if isinstance(part, ir.Length)}
    return any(
        isinstance(part, ir.Draw) or (isinstance(part, ir.Var) and part.name == private and id(part) not in lengths)
        for part in ir.walk(node)
    )


def _is_public_whether(block: ir.Block, sketch: Sketch) -> bool:
    """Whether public inputs alone decide whether a run answers here, and in which place."""
    fixed = {p.name for p in sketch.parameters if p.role is not Role.PRIVATE} - ir.assigned_names(sketch.body)
    counted = sketch.length_name in sketch.quantities()

    def is_public(test: ir.Expr) -> bool:
        match test:
            case ir.Const():
                return True
            case ir.Var(name):
                return name in fixed
            case ir.Length(ir.Var(name)):
                return counted and name == sketch.private.name
            case ir.Binary(_, left, right):
                return is_public(left) and is_public(right)
            case ir.Negate(of) | ir.Not(of):
                return is_public(of)
            case _:
                return False

    for node in block:
        match node:
            case ir.Return():
                pass
            case ir.If(test, then, orelse) if is_public(test):
                if not _is_public_whether((*then, *orelse), sketch):
                    return False
            case _ if any(isinstance(part, ir.Return) for part in ir.walk(node)):
                return False
    return True


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
    public, noisy = _public(sketch), _noisy(sketch)
    parts = tuple(part for item in items for part in _parts(item, public, noisy))
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


def _parts(expr: ir.Expr, public: frozenset[str], noisy: frozenset[str]) -> tuple[ir.Expr, ...]:
    """The values that an answer is a function of, in the order in which they are computed.

    `max(count, 1)` tells what `count` tells where that is a sum with noise, which is as good as told by the answers above 1.
    """
    match expr:
        case ir.Const():
            return ()
        case ir.Var(name) if name in public:
            return ()
        case ir.Length(ir.Var(name)) if f"len({name})" in public:
            return ()
        case ir.Call("max" | "min" | "abs", arguments) if len(of := _parts_of_all(arguments, public, noisy)) == 1:
            named = of[0].of.name if isinstance(of[0], ir.Index) else of[0].name if isinstance(of[0], ir.Var) else None
            return of if named in noisy or _is_noisy_sum(of[0]) or not _is_linear(expr) else (expr,)
        case _ if _is_linear(expr):
            return (expr,)
        case ir.Binary(_, left, right):
            return _parts_of_all((left, right), public, noisy)
        case ir.Negate(of):
            return _parts(of, public, noisy)
        case ir.Call(_, arguments):
            return _parts_of_all(arguments, public, noisy)
        case _:
            return (expr,)


def _parts_of_all(exprs: tuple[ir.Expr, ...], public: frozenset[str], noisy: frozenset[str]) -> tuple[ir.Expr, ...]:
    return tuple(part for expr in exprs for part in _parts(expr, public, noisy))
