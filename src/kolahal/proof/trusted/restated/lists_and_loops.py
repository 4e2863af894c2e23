"""The same program with its lists and loops in the forms that proofs know more about.

*Lists that a loop fills* are comprehensions (`filled.py`), lists of scores also where a loop does more than that (`scored.py`).

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
from kolahal.proof.trusted.restated.filled import always_computed, changes, gathered
from kolahal.proof.trusted.restated.flagged import without_flags
from kolahal.proof.trusted.restated.idle import without_idle
from kolahal.proof.trusted.restated.left_over import without_left
from kolahal.proof.trusted.restated.permuted import without_permutation
from kolahal.proof.trusted.restated.scored import with_scores
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
    body = gathered(_without_unread(without_idle(with_scores(sketch)).body))
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
    replaced = changes(body, private) > 0  # then what was looked at before are other answers
    for name, made in ir.assignments(before):
        if name == private or not isinstance(made, ir.Comprehension) or changes(body, name) > 1:
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
    return any(all(map(always_computed, ir.walk(value))) and first in ir.walk(value) for value in values)


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
