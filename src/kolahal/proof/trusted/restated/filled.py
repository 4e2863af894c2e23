"""Lists that a loop fills, as comprehensions.

`xs = []` and then `for x in q: e = Lap(s); xs.append(x + e)` is `xs = [x + Lap(s) for x in q]`, if nothing looks at xs before the loop
is over, if the loop does nothing else, and if nothing looks at what its own names are left with. Each value is computed once for an
item, whichever way: names are put in place of what they stand for, every draw still stands there once, and nothing that is computed
is left out, so that the same runs stop. Draws of one item are independent, so their order does not count.
"""

from __future__ import annotations

from dataclasses import replace

from kolahal.lang import ir


def gathered(body: ir.Block) -> ir.Block:
    for place, node in enumerate(body):
        match node:
            case ir.For(turn, over, (*before, ir.Append(name, value, False))):
                made = made_at(name, body[:place])
                item = appended(before, value)
                own = {turn, *(target for inner in before for target in targets_of(inner))}
                if made is None or item is None or own & looked_at(body[place + 1 :]):
                    continue
                if name in ir.names_in((over, item)) or changes(body, name) != 2 or is_answered(body, name):
                    continue
                comprehension = ir.Comprehension(item, turn, over, span=node.span)
                now = ir.Assign((name,), (comprehension,), span=node.span)
                return gathered((*body[:made], *without(body[made], name), *body[made + 1 : place], now, *body[place + 1 :]))
    return body


def is_answered(body: ir.Block, name: str) -> bool:
    """Whether a list is an answer or a part of one; then both runs have the same, and it may as well be filled item by item."""
    values = [node.value for node in ir.walk(body) if isinstance(node, ir.Return)]
    return any(ir.Var(name) in (value.items if isinstance(value, ir.TupleOf) else (value,)) for value in values)


def made_at(name: str, body: ir.Block) -> int | None:
    """Where a list begins empty, if nothing behind that names it."""
    for place in reversed(range(len(body))):
        match body[place]:
            case ir.Assign(targets, values) if (name, ir.ListOf(())) in zip(targets, values, strict=True) and name not in ir.names_in(values):
                return place
        if name in ir.names_in(body[place]):
            return None
    return None


def without(node: ir.Stmt, name: str) -> ir.Block:
    """An assignment that leaves a name out."""
    assert isinstance(node, ir.Assign)
    kept = [(target, value) for target, value in zip(node.targets, node.values, strict=True) if target != name]
    return (replace(node, targets=tuple(t for t, _ in kept), values=tuple(v for _, v in kept)),) if kept else ()


def appended(before: list[ir.Stmt], value: ir.Expr) -> ir.Expr | None:
    """What a turn appends, in one expression; None if it is not the only thing that the turn computes."""
    known: dict[str, ir.Expr] = {}
    unread: set[str] = set()
    own = {target for node in before for target in targets_of(node)}
    steps = [(node.targets[0], node.values[0]) for node in before if isinstance(node, ir.Assign) and len(node.targets) == 1]
    if len(steps) < len(before):
        return None
    for target, given in (*steps, ("", value)):
        read = ir.names_read(given)
        if target in known or not all(map(always_computed, ir.walk(given))) or read & own - known.keys():
            return None
        unread = (unread - read) | {target}
        known[target] = ir.rebuild(given, lambda part: known.get(part.name) if isinstance(part, ir.Var) else None)
    drawn = [part.site for part in ir.walk(known[""]) if isinstance(part, ir.Draw)]
    return known[""] if unread == {""} and len(set(drawn)) == len(drawn) else None


def always_computed(part: ir.Node) -> bool:
    """Whether a part of an expression is computed whenever the expression is, with all that is in it."""
    match part:
        case ir.Query() | ir.Comprehension() | ir.ListOf():
            return False
        case ir.Binary(op, _, _):
            return op not in ("and", "or")
        case ir.Draw(of=of):
            return of is None
        case _:
            return True


def chooses(node: object) -> bool:
    """Whether a place is chosen in a part, which stops the run where there is nothing to choose from."""
    return any(isinstance(part, ir.Draw) and part.of is not None for part in ir.walk(node))


def targets_of(node: object) -> tuple[str, ...]:
    return node.targets if isinstance(node, ir.Assign) else ()


def looked_at(node: object) -> set[str]:
    """The names whose values from before a part may look at; a block may give a name a new one first."""
    match node:
        case ir.For(name, over, inner):
            return looked_at(over) | (looked_at(inner) - {name})
        case ir.Comprehension(item, name, over):
            return looked_at(over) | (looked_at(item) - {name})
        case ir.Assign(_, values):
            return looked_at(values)
        case tuple():
            found: set[str] = set()
            given: set[str] = set()
            for part in node:
                found |= looked_at(part) - given
                given.update(targets_of(part))
            return found
        case ir.If(test, then, orelse):
            return looked_at((test, then, orelse))
        case ir.While(test, inner):
            return looked_at((test, inner))
        case _:
            return ir.names_in(node)


def changes(body: ir.Block, name: str) -> int:
    """How many statements give a name something, or add to it."""
    return sum(
        (isinstance(part, ir.Assign) and name in part.targets) or (isinstance(part, ir.Append | ir.For) and part.name == name)
        for part in ir.walk(body)
    )
