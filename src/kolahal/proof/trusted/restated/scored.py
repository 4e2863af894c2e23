"""Lists of scores as comprehensions over those that the scores are of, made where a place is chosen by them.

*By a loop*: `scores = []` and then `for i in left: scores.append(q[i])` is `scores = [q[i] for i in left]`.

*Beside a list*: where `left.append(i)` and `scores.append(q[i])` stand together and both lists began empty, scores is
`[q[i] for i in left]` behind the loop, if q[i] depends on i and on what the loop does not change.

*By the same loop*: a loop that does what one before it does, but `scores.append(q[i])` in the place of `left.append(i)`, comes to that
in the same turns: it draws nothing, and looks at nothing that has changed since.

*By their places*: `[q[left[j]] for j in range(len(left))]` is `[q[i] for i in left]`.

*Later*: scores that are made before `if len(left) == 0: break` may as well be made behind it. Of an empty list there are no scores that
could stop a run, and otherwise they are computed in any case.

Nothing but `choose` and `len` looks at scores, they have no noise of their own, and all are computed as before: the same runs stop.
Proofs know how lists of places agree in two runs, and what it costs to choose by scores of these that are made right before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from kolahal.lang import ir
from kolahal.lang.sketch import Sketch
from kolahal.proof.trusted.restated.filled import (
    always_computed,
    appended,
    changes,
    chooses,
    looked_at,
    made_at,
    targets_of,
    without,
)
from kolahal.proof.trusted.restated.left_over import is_own, times_in

ZERO, ONE = (ir.Const(Fraction(number)) for number in (0, 1))
JUMPS = ir.Return | ir.Break | ir.Continue
EMPTY = {("==", ZERO), ("<=", ZERO), ("<", ONE)}
FULL = {("!=", ZERO), (">", ZERO), (">=", ONE)}


def with_scores(sketch: Sketch) -> Sketch:
    """The program with such lists; the program itself where there are none."""
    given = {parameter.name for parameter in sketch.parameters}
    chosen = {part.of.name for part in ir.walk(sketch.body) if isinstance(part, ir.Draw) and part.of is not None}
    for name in sorted(chosen - given):
        looks = sum(isinstance(part, ir.Draw | ir.Length) and part.of == ir.Var(name) for part in ir.walk(sketch.body))
        if looks == list(ir.walk(sketch.body)).count(ir.Var(name)):
            scores = _Scores(name, sketch)
            body = scores.block(sketch.body)
            sketch = sketch if body == sketch.body else replace(sketch, body=body)
    return sketch


class _Scores:
    """One list of scores."""

    def __init__(self, name: str, sketch: Sketch):
        self.name, self.sketch = name, sketch
        self.changes = changes(sketch.body, name)

    def block(self, body: ir.Block) -> ir.Block:
        for place, node in enumerate(body):
            match node:
                case ir.Assign((self.name,), (ir.Comprehension() as made,)) if self.changes == 1 and _is_plain(made.item):
                    return (*body[:place], *self.sunk(replace(node, values=(self.over_items(made),)), body[place + 1 :]))
                case ir.For() if self.changes == 2 and times_in(node, self.name) == 1 and (at := made_at(self.name, body[:place])) is not None:
                    before = (*body[:at], *without(body[at], self.name), *body[at + 1 : place])
                    found = self.by_loop(node) or self.beside(node, before) or self.by_the_same(node, before)
                    if found is not None:
                        kept, made = found
                        now = ir.Assign((self.name,), (self.over_items(made),), span=node.span)
                        return (*before, *kept, *self.sunk(now, body[place + 1 :]))
        return tuple(self.inside(node) for node in body)

    def inside(self, node: ir.Stmt) -> ir.Stmt:
        match node:
            case ir.If(_, then, orelse):
                return replace(node, then=self.block(then), orelse=self.block(orelse))
            case ir.For(_, _, body) | ir.While(_, body):
                return replace(node, body=self.block(body))
        return node

    # ---- how scores are filled

    def by_loop(self, node: ir.For) -> tuple[ir.Block, ir.Comprehension] | None:
        match node:
            case ir.For(turn, over, (*before, ir.Append(self.name, value, False))):
                item = appended(before, value)
                own = {target for inner in before for target in targets_of(inner)}
                alone = all(times_in(self.sketch.body, name) == times_in(node, name) for name in own) and is_own(turn, self.sketch)
                if item is not None and alone and _is_plain(item) and self.name not in ir.names_in((over, item)):
                    return (), ir.Comprehension(item, turn, over, span=node.span)
        return None

    def beside(self, node: ir.For, before: ir.Block) -> tuple[ir.Block, ir.Comprehension] | None:
        for one, other in _neighbours(node):
            for mine, theirs in ((one, other), (other, one)):
                match mine, theirs:
                    case ir.Append(self.name, value, False), ir.Append(name, ir.Var(turn), False) if made_at(name, before) is not None:
                        item = _spelled_out(value, node)
                        changed = _changed(node)
                        fixed = not (ir.names_read(item) - {turn}) & changed and changes((node,), name) == 1 and turn != name
                        fixed = fixed and (item == value or _is_steady(turn, node))
                        ends = not chooses(node) and not any(isinstance(part, ir.Return | ir.While) for part in ir.walk(node))
                        if fixed and ends and _is_plain(item):
                            kept = _without_statement(node.body, mine)
                            return (replace(node, body=kept),), ir.Comprehension(item, turn, ir.Var(name), span=mine.span)
        return None

    def by_the_same(self, node: ir.For, before: ir.Block) -> tuple[ir.Block, ir.Comprehension] | None:
        (mine,) = [part for part in ir.walk(node) if isinstance(part, ir.Append) and part.name == self.name] or (None,)
        for place, other in enumerate(before):
            if mine is None or mine.front or not isinstance(other, ir.For) or other.over != node.over:
                continue
            for part in ir.walk(other):
                match part:
                    case ir.Append(name, ir.Var(turn), False) if turn == other.name and made_at(name, before[:place]) is not None:
                        since = _changed(other) | _changed(before[place + 1 :])
                        own = ir.assigned_names((node,))
                        known = (ir.names_in((node.over, node.body)) | {name}) - own - {self.name}
                        once = changes((other,), name) == 1 and not known & (since - {name}) and name not in _changed(before[place + 1 :])
                        item = _spelled_out(mine.value, node)
                        looks = ir.names_read(item) & own <= {node.name} and (item == mine.value or _is_steady(node.name, node))
                        if once and looks and name not in ir.names_in(node) and _is_plain(item) and self.repeats(node, mine, other, part):
                            return (), ir.Comprehension(item, node.name, ir.Var(name), span=mine.span)
        return None

    def repeats(self, node: ir.For, mine: ir.Append, other: ir.For, theirs: ir.Append) -> bool:
        """Whether a loop does what another one does, but for what these two statements append."""
        kinds = ir.Draw | ir.Query | ir.Return | ir.While | ir.Comprehension
        if any(isinstance(part, kinds) for part in ir.walk(node)) or looked_at((node,)) & ir.assigned_names((node,)):
            return False
        words = [_words(loop) for loop in (node, other)]
        same = _marked(node.body, mine, words[0]) == _marked(other.body, theirs, words[1])
        # A name that both loops give something is left with the same; others must be looked at nowhere else.
        alone = (n for n in ir.assigned_names((node,)) if words[0][n] != words[1].get(n))
        return same and all(times_in(self.sketch.body, n) == times_in(node, n) or is_own(n, self.sketch) for n in alone)

    def over_items(self, made: ir.Comprehension) -> ir.Comprehension:
        """The comprehension over a list in place of the one over its places, if it looks at nothing but its items."""
        match made:
            case ir.Comprehension(item, turn, ir.Range(start, ir.Length(ir.Var(listed) as over), step)) if start == ZERO and step == ONE:
                here = ir.Index(over, ir.Var(turn))
                looks = list(ir.walk(item))
                if listed not in (turn, self.sketch.private.name) and looks.count(here) == looks.count(ir.Var(turn)) == looks.count(over) > 0:
                    return replace(made, item=ir.rebuild(item, lambda part: ir.Var(turn) if part == here else None), over=over)
        return made

    # ---- where they are made

    def sunk(self, made: ir.Assign, behind: ir.Block) -> Iterator[ir.Stmt]:
        """The statements behind the place where scores are made, and these made before the first one that chooses by them."""
        (comprehension,) = made.values
        assert isinstance(comprehension, ir.Comprehension)
        source = comprehension.over
        if not isinstance(source, ir.Var) or source.name == self.sketch.private.name or not _is_plain(comprehension.item):
            yield from (made, *behind)
            return
        for place, statement in enumerate(behind):
            node = ir.rebuild(statement, lambda part: ir.Length(source) if part == ir.Length(ir.Var(self.name)) else None)
            if ir.names_read(comprehension) & _changed(node) or _changed(node) & {self.name}:
                break
            empty, full = _by_length(node, source)
            if self.name in ir.names_read(node):
                looks = [list(ir.walk(part)).count(ir.Var(self.name)) for part in (full, node, self.sketch.body)]
                if full and looks[0] == looks[1] == looks[2] - self.lengths(statement) and isinstance(node, ir.If):
                    inside = tuple(self.sunk(made, full))
                    yield replace(node, then=inside) if node.then == full else replace(node, orelse=inside)
                    yield from behind[place + 1 :]
                    return
                break
            passed = full if full or empty else node
            if chooses(passed) or any(isinstance(part, JUMPS | ir.While) for part in ir.walk(passed)):
                break
            yield node
        else:
            place = len(behind)
        yield from (made, *behind[place:])

    def lengths(self, node: ir.Stmt) -> int:
        return list(ir.walk(node)).count(ir.Length(ir.Var(self.name)))


def _by_length(node: ir.Stmt, source: ir.Var) -> tuple[ir.Block, ir.Block]:
    """What a statement does where a list is empty and where it is not, if that is what it asks."""
    match node:
        case ir.If(test, then, orelse):
            is_not = isinstance(test, ir.Not)
            match test.of if isinstance(test, ir.Not) else test:
                case ir.Binary(op, ir.Length(of), limit) if of == source and ((op, limit) in EMPTY or (op, limit) in FULL):
                    return (then, orelse) if ((op, limit) in EMPTY) != is_not else (orelse, then)
    return (), ()


def _is_plain(item: ir.Expr) -> bool:
    """Whether a score is computed at once, without noise."""
    return all(always_computed(part) and not isinstance(part, ir.Draw) for part in ir.walk(item))


def _spelled_out(item: ir.Expr, loop: ir.For) -> ir.Expr:
    """A value with what the first statements of a loop give names in place of these."""
    known: dict[str, ir.Expr] = {}
    given = [target for part in ir.walk(loop) for target in targets_of(part)]
    for node in loop.body:
        match node:
            case ir.Assign((target,), (value,)) if given.count(target) == 1 and _is_plain(value):
                known[target] = _put(value, known)
            case _:
                break
    return _put(item, known)


def _is_steady(turn: str, loop: ir.For) -> bool:
    """Whether a name stands for one item of a loop in all of a turn."""
    return turn == loop.name and changes((loop,), turn) == 1


def _put(item: ir.Expr, known: dict[str, ir.Expr]) -> ir.Expr:
    return ir.rebuild(item, lambda part: known.get(part.name) if isinstance(part, ir.Var) else None)


def _changed(node: object) -> set[str]:
    """The names that get a value in a part, or something added to it."""
    return {part.name for part in ir.walk(node) if isinstance(part, ir.Append)} | ir.assigned_names((node,))  # type: ignore[arg-type]


def _neighbours(node: ir.Stmt) -> Iterator[tuple[ir.Stmt, ir.Stmt]]:
    """Statements of a loop that stand one right behind the other."""
    for part in ir.walk(node):
        match part:
            case ir.For(_, _, body) | ir.While(_, body):
                yield from pairwise(body)
            case ir.If(_, then, orelse):
                yield from (*pairwise(then), *pairwise(orelse))


def _without_statement(body: ir.Block, left_out: ir.Stmt) -> ir.Block:
    found: list[ir.Stmt] = []
    for node in body:
        match node:
            case ir.If(_, then, orelse):
                found.append(replace(node, then=_without_statement(then, left_out), orelse=_without_statement(orelse, left_out)))
            case ir.For(_, _, inner) | ir.While(_, inner):
                found.append(replace(node, body=_without_statement(inner, left_out)))
            case _:
                found += [] if node == left_out else [node]
    return tuple(found)


def _words(loop: ir.For) -> dict[str, str]:
    """The names that a loop gives something, by the order in which it does so first."""
    given = [loop.name]
    for part in ir.walk(loop):
        given += part.targets if isinstance(part, ir.Assign) else [part.name] if isinstance(part, ir.For) else []
    return {name: f"{place}'" for place, name in enumerate(dict.fromkeys(given))}


def _marked(body: ir.Block, mine: ir.Append, words: dict[str, str]) -> ir.Block:
    """A loop's statements with such words for its names, and a mark in place of one of them."""

    def change(part: ir.Node) -> ir.Node | None:
        match part:
            case ir.Append(mine.name):
                return ir.Append("", ZERO, False)
            case ir.Var(name) if name in words:
                return ir.Var(words[name])
            case ir.Assign(targets):
                return replace(part, targets=tuple(words[target] for target in targets))
            case ir.For(name):
                return replace(part, name=words[name])
        return None

    return ir.rebuild(body, change)
