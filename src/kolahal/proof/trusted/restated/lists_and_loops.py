"""The same program with its lists and loops in the forms that proofs know more about.

*Gathered lists.* `xs = []` and then `for x in q: e = Lap(s); xs.append(x + e)` is `xs = [x + Lap(s) for x in q]`, if nothing looks at
xs before the loop is over, if the loop does nothing else, and if nothing looks at what its own names are left with. Each value is
computed once for an item, whichever way: names are put in place of what they stand for, every draw still stands there once, and
nothing that is computed is left out, so that the same runs stop. Draws of one item are independent, so their order does not count.

*Unread lists.* A list that nothing looks at does not grow: what was put into it is computed, and given to a name that nothing reads.

*First turns.* Behind `best = xs[0]`, a loop over all of xs has a first turn, or the run has stopped. `for i in range(len(xs)): …` is
`i = 0; …` and then `for i in range(1, len(xs)): …`, where the turns draw no noise, and end neither themselves nor the loop.

*Idle statements.* What nothing depends on is left out (`idle.py`).

*Windows.* Tails of a list that have a name are read from the list (`tails.py`). Loops of a few turns inside others are their turns
(`unrolled.py`).

*What is left.* Lists of the places that are left are lists of those that are gone (`left_over.py`), and so are lists of flags
(`flagged.py`).

*Permute-and-flip* is noisy max with exponential noise (`permuted.py`): not the same with the same noise, but as likely to be each place.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.sketch import Sketch
from kolahal.proof.trusted.restated.flagged import without_flags
from kolahal.proof.trusted.restated.idle import without_idle
from kolahal.proof.trusted.restated.left_over import without_left
from kolahal.proof.trusted.restated.permuted import without_permutation
from kolahal.proof.trusted.restated.tails import without_tails
from kolahal.proof.trusted.restated.unrolled import unrolled

ZERO, ONE = (ir.Const(Fraction(number)) for number in (0, 1))


def restated(sketch: Sketch) -> Sketch:
    """The program in these forms; the program itself where there is nothing to do.

    A form in which an input never changes that the program changes is none: more would be relied upon than calls see to.
    """
    found = _in_these_forms(sketch)
    return found if {*found.required} <= {*sketch.required} and {*found.quantities()} <= {*sketch.quantities()} else sketch


def _in_these_forms(sketch: Sketch) -> Sketch:
    sketch = unrolled(without_tails(without_permutation(sketch)))
    sketch = without_flags(without_left(sketch))
    body = _gathered(_without_unread(without_idle(sketch).body))
    body = _begun(body, sketch)
    return sketch if body == sketch.body else replace(sketch, body=body)


def _without_unread(body: ir.Block) -> ir.Block:
    read = ir.names_read(body)
    made = {target for target, value in ir.assignments(body) if isinstance(value, ir.ListOf)}

    def given(node: ir.Node) -> ir.Node | None:
        match node:
            case ir.Append(name, value) if name in made - read:
                return ir.Assign((f"{name}, unread",), (value,), span=node.span)
            case _:
                return None

    return ir.rebuild(body, given)


# ---------------------------------------------------------------- gathered lists


def _gathered(body: ir.Block) -> ir.Block:
    for place, node in enumerate(body):
        match node:
            case ir.For(turn, over, (*before, ir.Append(name, value, False))):
                made = _made_at(name, body[:place])
                item = _item(before, value)
                own = {turn, *(target for inner in before for target in _targets(inner))}
                if made is None or item is None or own & _looked_at(body[place + 1 :]):
                    continue
                if name in ir.names_in((over, item)) or _changes(body, name) != 2 or _is_answered(body, name):
                    continue
                comprehension = ir.Comprehension(item, turn, over, span=node.span)
                now = ir.Assign((name,), (comprehension,), span=node.span)
                return _gathered((*body[:made], *_without(body[made], name), *body[made + 1 : place], now, *body[place + 1 :]))
    return body


def _is_answered(body: ir.Block, name: str) -> bool:
    """Whether a list is an answer or a part of one; then both runs have the same, and it may as well be filled item by item."""
    values = [node.value for node in ir.walk(body) if isinstance(node, ir.Return)]
    return any(ir.Var(name) in (value.items if isinstance(value, ir.TupleOf) else (value,)) for value in values)


def _made_at(name: str, body: ir.Block) -> int | None:
    """Where a list begins empty, if nothing behind that names it."""
    for place in reversed(range(len(body))):
        match body[place]:
            case ir.Assign(targets, values) if (name, ir.ListOf(())) in zip(targets, values, strict=True) and name not in ir.names_in(values):
                return place
        if name in ir.names_in(body[place]):
            return None
    return None


def _without(node: ir.Stmt, name: str) -> ir.Block:
    """An assignment that leaves a name out."""
    assert isinstance(node, ir.Assign)
    kept = [(target, value) for target, value in zip(node.targets, node.values, strict=True) if target != name]
    return (replace(node, targets=tuple(t for t, _ in kept), values=tuple(v for _, v in kept)),) if kept else ()


def _item(before: list[ir.Stmt], value: ir.Expr) -> ir.Expr | None:
    """What a turn appends, in one expression; None if it is not the only thing that the turn computes."""
    steps = [(node.targets[0], node.values[0]) for node in before if isinstance(node, ir.Assign) and len(node.targets) == 1]
    if len(steps) < len(before):
        return None
    known: dict[str, ir.Expr] = {}
    unread: set[str] = set()
    own = {target for node in before for target in _targets(node)}
    for target, given in (*steps, ("", value)):
        read = ir.names_read(given)
        if target in known or not all(map(_always_computed, ir.walk(given))) or read & own - known.keys():
            return None
        unread = (unread - read) | {target}
        known[target] = ir.rebuild(given, lambda part: known.get(part.name) if isinstance(part, ir.Var) else None)
    drawn = [part.site for part in ir.walk(known[""]) if isinstance(part, ir.Draw)]
    return known[""] if unread == {""} and len(set(drawn)) == len(drawn) else None


def _always_computed(part: ir.Node) -> bool:
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


def _targets(node: object) -> tuple[str, ...]:
    return node.targets if isinstance(node, ir.Assign) else ()


def _looked_at(node: object) -> set[str]:
    """The names whose values from before a part may look at; a block may give a name a new one first."""
    match node:
        case ir.For(name, over, inner):
            return _looked_at(over) | (_looked_at(inner) - {name})
        case ir.Comprehension(item, name, over):
            return _looked_at(over) | (_looked_at(item) - {name})
        case ir.Assign(_, values):
            return _looked_at(values)
        case tuple():
            found: set[str] = set()
            given: set[str] = set()
            for part in node:
                found |= _looked_at(part) - given
                given.update(_targets(part))
            return found
        case ir.If(test, then, orelse):
            return _looked_at((test, then, orelse))
        case ir.While(test, inner):
            return _looked_at((test, inner))
        case _:
            return ir.names_in(node)


def _changes(body: ir.Block, name: str) -> int:
    """How many statements give a name something, or add to it."""
    return sum(
        (isinstance(part, ir.Assign) and name in part.targets) or (isinstance(part, ir.Append | ir.For) and part.name == name)
        for part in ir.walk(body)
    )


# ---------------------------------------------------------------- first turns


def _begun(body: ir.Block, sketch: Sketch) -> ir.Block:
    found: list[ir.Stmt] = []
    for place, node in enumerate(body):
        if isinstance(node, ir.For) and _is_plain(node.body) and _begins(node.over, body[:place], body, sketch.private.name):
            found += _with_first_turn(node, ir.names_in((body, sketch.body)) | {p.name for p in sketch.parameters})
        else:
            found.append(node)
    return tuple(found)


def _is_plain(body: ir.Block) -> bool:
    """Whether the turns of a loop draw no noise, hold no other loop, and go on to the next one unless they answer."""
    kinds = ir.Draw | ir.Query | ir.Comprehension | ir.For | ir.While | ir.Break | ir.Continue
    return not any(isinstance(part, kinds) for part in ir.walk(body))


def _begins(over: ir.Var | ir.Range, before: ir.Block, body: ir.Block, private: str) -> bool:
    """Whether a loop comes to all of a list whose first item was looked at before it; the list never changes, nor do the answers
    that it is as long as."""
    replaced = _changes(body, private) > 0  # then what was looked at before are other answers
    for name, made in ir.assignments(before):
        if name == private or not isinstance(made, ir.Comprehension) or _changes(body, name) > 1:
            continue
        if any(_looks_first(node, name) for node in before):
            alike = {name, private} if made.over in (ir.Var(private), _all_places(private)) and not replaced else {name}
            if over == ir.Var(name) or any(over == _all_places(one) for one in alike):
                return True
    return False


def _all_places(name: str) -> ir.Range:
    return ir.Range(ZERO, ir.Length(ir.Var(name)), ONE)


def _looks_first(node: ir.Stmt, name: str) -> bool:
    values = node.values if isinstance(node, ir.Assign) else ()
    first = ir.Index(ir.Var(name), ZERO)
    return any(all(map(_always_computed, ir.walk(value))) and first in ir.walk(value) for value in values)


def _with_first_turn(loop: ir.For, taken: set[str]) -> ir.Block:
    again = deepcopy(loop.body)
    if isinstance(loop.over, ir.Range):
        first: ir.Expr = ZERO
        rest = ir.For(loop.name, replace(loop.over, start=ONE), again, span=loop.span)
    else:
        place = ir.numbered("place", taken)
        first = ir.Index(loop.over, ZERO)
        item = ir.Assign((loop.name,), (ir.Index(loop.over, ir.Var(place)),), span=loop.span)
        rest = ir.For(place, replace(_all_places(loop.over.name), start=ONE), (item, *again), span=loop.span)
    return ir.Assign((loop.name,), (first,), span=loop.span), *loop.body, rest
