"""From when on no watched place is noted any more: `i >= k`, a phase that is over. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kolahal.logic.compiled import compile_formula
from kolahal.logic.linear import number
from kolahal.logic.terms import FALSE, Equation, Formula, Neither, below, every, symbols_of
from kolahal.proof.find.compiled_paths import ConcreteState, ObservedStates
from kolahal.proof.find.houdini import Inductive
from kolahal.proof.trusted.neighbours import public_symbols
from kolahal.proof.trusted.obligations import Clause, System
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.states import carried, known_to
from kolahal.proof.trusted.values import Goto, SegmentPath

Closed = tuple[tuple[int, tuple[Formula, ...]], ...]


def closings(product: Product, sample: ObservedStates, steps: int) -> Closed:
    """For each loop what holds on, once it does, and keeps the first run from noting a place."""
    run, found = product.first, []
    for loop in (place.loop for place in run.places if place.loop is not None):
        if not product.watched & run.unsettled[loop, None]:
            continue
        states = [state for at, state in sample.states if at == loop]
        tried = dict.fromkeys(frozenset(_seen_before(product, loop, path, states)) for path in run.paths[loop] if isinstance(path.end, Goto) and not _notes(product, loop, path))
        closed = dict.fromkeys(every(sorted(held, key=str)) for own in tried if (held := _lasting(product, loop, own, steps)))
        found.append((loop, tuple(closed)))
    return tuple(found)


def _notes(product: Product, loop: int, path: SegmentPath) -> bool:
    before = dict(product.first.place(loop).names)
    return any(path.names.get(name) != before.get(name) for name in product.watched)


def _seen_before(product: Product, loop: int, path: SegmentPath, states: Sequence[ConcreteState]) -> Iterator[Formula]:
    """The conditions of a path that are decided where its turn begins."""
    known = {*known_to(product.first, loop), *public_symbols(product.sketch)}
    own = [condition for condition in path.conditions if symbols_of(condition) <= known]
    there = list(filter(compile_formula(every(own)), states))
    for condition in own:
        match condition:
            case Neither(Equation(form)):
                for sharper in (below(number(0), form), below(form, number(0))):
                    if there and all(map(compile_formula(sharper), there)):
                        yield sharper
            case _:
                yield condition


def _lasting(product: Product, loop: int, conditions: frozenset[Formula], steps: int) -> list[Formula]:
    """Those of the conditions that each turn keeps; none, if a place may be noted where they hold."""
    run, clauses = product.first, []
    for i, path in enumerate(run.paths[loop]):
        goals = (FALSE,) if _notes(product, loop, path) else ()
        if isinstance(path.end, Goto) and path.end.loop == loop:
            turns = [(symbol, path.ghosts[ghost]) for ghost, symbol in run.place(loop).ghosts]
            clauses.append(Clause(str(i), loop, path.conditions, goals, loop, (*carried(run, path, {}), *turns)))
        elif goals:
            clauses.append(Clause(str(i), loop, path.conditions, goals, None, ()))
    lasting = Inductive(System((), {}, tuple(clauses)), {loop: tuple(conditions)}, steps)
    lasting.weaken()
    return [] if lasting.broken_goal() else lasting.left[loop]
