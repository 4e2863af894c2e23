"""The first of the others on concrete numbers: what a winner's noise follows, and which runs tie. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from kolahal.proof.find.compiled_paths import CompiledPath, ConcreteState
from kolahal.proof.trusted.others import COUNT, MOVE, NONE, Others, first, winner
from kolahal.proof.trusted.symbols import ghost_value


def sums_of(path: CompiledPath, state: ConcreteState, others: Others, place: CompiledPath | None = None) -> list[tuple[int, Any]]:
    """The place and the noisy sum of each draw of a path that is for one of the sums; places are those of the first run."""
    found = []
    for index, (drawn, rest, _) in enumerate(path.draws):
        if drawn.site in others.lead.sites:
            found.append(((place or path).turns[index](state), rest(state) + drawn.factor * state[drawn.symbol]))
    return found


def look_ahead(sums: Sequence[tuple[int, Any]], moves: Sequence[Any], winners: Sequence[int | None], others: Others) -> tuple[Any, bool]:
    """How far the first of the others moves, in moves of an answer, and whether a winner ties with it or with another."""
    best = min if others.lead.least else max
    rest = [(value, value + others.slope * moves[at]) for at, value in sums if at not in winners and 0 <= at < len(moves)]
    before = best((one for one, _ in rest), default=None)
    won = [value for at, value in sums if at in winners]
    tied = before in won or len(set(won)) < len(won)
    if before is None:
        return 0, tied
    move = Fraction(best(two for _, two in rest) - before) / others.slope
    return move.numerator if move.denominator == 1 else move, tied


def begin(others: Others, move: Any) -> ConcreteState:
    """The state of the rule where a run begins."""
    return {MOVE: move, **dict.fromkeys(others.symbols(), 0), NONE: True}


def pass_by(state: ConcreteState, ones: Iterable[tuple[int, Any]], twos: Iterable[tuple[int, Any]], others: Others) -> None:
    """One draw after another, in both runs."""
    for (at, one), (_, two) in zip(ones, twos):
        chosen = [which for which in range(others.ghosts) if state[ghost_value(which)] == at]
        for which in chosen:
            state[winner(which, 1)], state[winner(which, 2)] = one, two
        if not chosen:
            best = min if others.lead.least else max
            for run, value in ((1, one), (2, two)):
                state[first(run)] = value if state[NONE] else best(state[first(run)], value)
            state[NONE] = False
        state[COUNT] += 1
