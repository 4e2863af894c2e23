"""What a run carries from loop head to loop head: the symbols of its state there, and their values on arrival."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kolahal.logic.terms import FALSE, TRUE, ZERO, Sum, Symbol, Term, Truth
from kolahal.proof.trusted.symbols import Own
from kolahal.proof.trusted.values import (
    Built,
    Goto,
    Logical,
    Maybe,
    Numeric,
    Pending,
    PrivateAnswers,
    Run,
    SegmentPath,
    SegmentStart,
    SymbolicValue,
    Unsupported,
    View,
    bound,
)


def state_symbols(place: SegmentStart) -> Iterator[Symbol]:
    for _, value in place.names:
        yield from symbols_in(value)
    for _, symbol in place.ghosts:
        yield symbol


def symbols_in(value: SymbolicValue) -> Iterator[Symbol]:
    """The symbols of a variable at a loop head that belong to one run."""
    match value:
        case Numeric(term) if _own(term):
            yield _only(term)
        case Logical(Own() as symbol):
            yield symbol
        case Maybe(Symbol() as none, inner):
            yield none
            yield from symbols_in(inner)
        case Built(length=length, inside=inside):
            yield _only(length)
            yield from [inside] if isinstance(inside, Own) else []


def _own(term: Sum) -> bool:
    return [isinstance(unknown, Own) for unknown in term.terms] == [True]


def _only(term: Sum) -> Symbol:
    (symbol,) = term.terms
    assert isinstance(symbol, Symbol)
    return symbol


def known_to(run: Run, loop: int) -> tuple[Symbol, ...]:
    """The symbols of a run at a loop head, the turns among them."""
    here = run.place(loop)
    return (*dict.fromkeys(state_symbols(here)), *(symbol for _, symbol in here.ghosts if not isinstance(symbol, Own)))


def carried(run: Run, path: SegmentPath, known: Mapping[Symbol, Term]) -> Iterator[tuple[Symbol, Term]]:
    """The variables of a run at the loop head that a path leads to, with their values there."""
    assert isinstance(path.end, Goto)
    for name, value in run.place(path.end.loop).names:
        yield from updates_of(value, path.names[name], known)


def updates_of(
    symbols: SymbolicValue, value: SymbolicValue, binding: Mapping[Symbol, Term]
) -> list[tuple[Symbol, Term]]:
    """The symbols of a variable at a loop head with their new values."""
    value = bound(value, binding)
    match symbols, value:
        case Pending(), Pending():
            return []
        case (PrivateAnswers() | View(), _):
            if value != symbols:
                raise Unsupported("a variable stands for different lists at different times")
            return []
        case Built(length=length, inside=inside), Built(length=now, inside=then):
            return [(_only(length), now), *([(inside, then)] if isinstance(inside, Own) else [])]
        case Maybe(none=Truth()), _:
            if value != symbols:
                raise Unsupported("an item that was drawn is taken for one that was not")
            return []
        case Maybe(Symbol() as none, inner), Maybe(now_none, now):
            if type(inner) is not type(now) and now_none == TRUE:
                stand_in = Logical(FALSE) if isinstance(inner, Logical) else Numeric(ZERO)  # read where it is not None
                return [(none, TRUE), *updates_of(inner, stand_in, {})]
            return [(none, now_none), *updates_of(inner, now, {})]
        case Maybe(Symbol() as none, inner), Numeric() | Logical():
            return [(none, FALSE), *updates_of(inner, value, {})]
        case Numeric(term), Numeric(now):
            return [(_only(term), now)] if _own(term) else []
        case Logical(Symbol() as symbol), Logical(now):
            return [(symbol, now)] if isinstance(symbol, Own) else []
        case _:
            raise Unsupported("a variable holds values of several kinds")
