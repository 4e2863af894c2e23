"""A first guess of the shifts of a program that goes on while values stay between noisy ends. Nothing here is trusted.

What is drawn before a loop moves away from what the turns that go on compare it with, so that these go on whatever the neighbours
are. Noise of such a turn stays; where the loop ends, noise follows the end that was passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from kolahal.logic.linear import Inequality, LinearForm
from kolahal.logic.terms import TRUE, Every, Formula, Symbol, Truth, negate, symbols_of
from kolahal.proof.find.compiled_paths import Use
from kolahal.proof.find.concrete_runs import Stage
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.shifts import Form
from kolahal.proof.trusted.values import Goto, Logical, Numeric, SegmentPath


def guessed(product: Product, stage: Stage) -> Mapping[Use, Form]:
    """Rules for some of the uses."""
    ends = _ends(product)
    away: dict[int, set[int]] = {}
    found: dict[Use, Form] = {}
    for loop, paths in product.first.paths.items():
        going = [path for path in paths if loop is not None and path.end == Goto(loop) and not _turns_a_flag(product, loop, path)]
        for path in going:
            for _, others in _compared(path, ends):
                for site, sign in others:
                    away.setdefault(site, set()).add(-sign)
            found |= {use: Form() for use in stage.uses_of(path)}
        for path in (path for path in paths if loop is not None and path not in going):
            drawn = {d.symbol: use for d, use in zip(path.draws, stage.uses_of(path), strict=True)}
            for own, _ in _compared(path, ends):
                for symbol, sign in own:
                    found.setdefault(drawn[symbol], Form(Fraction(-2 * sign)))
    moved = {site: Form(Fraction(next(iter(signs)))) for site, signs in away.items() if len(signs) == 1}
    return {**{use: moved[use[0]] for use in stage.uses() if use[0] in moved}, **found}


def _turns_a_flag(product: Product, loop: int, path: SegmentPath) -> bool:
    """Whether a turn sets a flag that it was asked for: then the loop is over, but for its name."""
    pairs = [(value, path.names.get(name)) for name, value in product.first.place(loop).names]
    return any(
        (negate(before.value) if now.value == TRUE else before.value) in path.conditions
        for before, now in pairs
        if isinstance(before, Logical) and isinstance(now, Logical) and isinstance(now.value, Truth)
    )


def _ends(product: Product) -> Mapping[Symbol, tuple[int, int]]:
    """The variables that hold one draw from before a loop, with its site and its sign."""
    found: dict[Symbol, tuple[int, int]] = {}
    for path in product.first.paths[None]:
        if not isinstance(path.end, Goto):
            continue
        drawn = {d.symbol: d.site for d in path.draws}
        for name, value in product.first.place(path.end.loop).names:
            given = path.names[name]
            if isinstance(value, Numeric) and isinstance(given, Numeric) and isinstance(given.value, LinearForm) and len(value.value.terms) == 1:
                own = [(symbol, weight) for symbol, weight in given.value.terms.items() if symbol in drawn]
                (symbol,) = value.value.terms
                if len(own) == 1 and isinstance(symbol, Symbol):
                    found[symbol] = (drawn[own[0][0]], 1 if own[0][1] > 0 else -1)
    return found


def _compared(path: SegmentPath, ends: Mapping[Symbol, tuple[int, int]]) -> Iterator[tuple[list[tuple[Symbol, int]], list[tuple[int, int]]]]:
    """The comparisons of noise of a turn with noise from before: the sides of both, as they are written to be below 0."""
    drawn = {d.symbol for d in path.draws}
    todo: list[Formula] = list(path.conditions)
    while todo:
        match todo.pop(0):
            case Every(parts):
                todo += parts
            case Inequality(LinearForm() as form, _) if symbols_of(form) & drawn:
                own = [(symbol, 1 if weight > 0 else -1) for symbol, weight in form.terms.items() if isinstance(symbol, Symbol) and symbol in drawn]
                others = [
                    (ends[symbol][0], ends[symbol][1] * (1 if weight > 0 else -1))
                    for symbol, weight in form.terms.items()
                    if isinstance(symbol, Symbol) and symbol in ends
                ]
                if others:
                    yield own, others
