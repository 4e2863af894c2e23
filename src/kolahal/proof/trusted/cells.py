"""Which first runs the ghosts' values stand for, and which are no longer among them, whatever follows.

docs/theory-lengths.md, "The ghost" and "Watched names", says why nothing has to be shown of the latter.
"""

from __future__ import annotations

from collections.abc import Iterator

from kolahal.logic.linear import variable
from kolahal.logic.terms import Formula, Sum, below, equal, every, is_whole, negate, put_in, some, symbols_of
from kolahal.nouns import dataclass
from kolahal.proof.trusted.obligations import Clause
from kolahal.proof.trusted.shifts import Alignment
from kolahal.proof.trusted.states import carried, known_to
from kolahal.proof.trusted.symbols import LENGTH, Turn, ghost_symbol, ghost_value
from kolahal.proof.trusted.values import Goto, Maybe, Numeric, Returned, Run, SegmentPath, SymbolicValue, Unsupported


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a first run under an alignment; `watched` are the names that note where other names' values are from."""

    run: Run
    alignment: Alignment
    watched: frozenset[str]

    def counted(self, loop: int | None) -> Iterator[Formula]:
        """That a first run at a loop head is not surely outside of the ghosts' cell."""
        for which in range(len(self.alignment.ghosts)):
            if loop is not None and (missed := self.missed(loop, which)) is not None:
                yield negate(missed)

    def missed(self, loop: int, which: int) -> Formula | None:
        """That a first run at a loop head is outside of a ghost's cell for good; None where nothing says so.

        A ghost has its last value where nothing that follows gives it another. A watched name is given places, and these
        rise: it is not given one that was passed, and none at all where the alignment says so. `passed` shows both.
        """
        name, renewal = self.alignment.ghosts[which], self.alignment.renewal(which)
        names = dict(self.run.place(loop).names)
        settled = name not in self.run.unsettled[loop, renewal]
        if name not in names or not (settled or self.watches(which)):
            return None
        ghost = variable(ghost_value(which))
        other, closed = negate(is_ghost(names[name], ghost)), dict(self.alignment.closed).get(loop, ())
        return other if settled else every([other, some([below(ghost, self.place(loop)), *closed])])

    def watches(self, which: int) -> bool:
        return self.alignment.ghosts[which] in self.watched and self.alignment.renewal(which) is None

    def place(self, loop: int) -> Sum:
        """The place that the next turn of a loop looks at, or its number."""
        known = {*known_to(self.run, loop), LENGTH}
        looks = {read.place: None for path in self.run.paths[loop] for read in path.reads if symbols_of(read.place) <= known}
        return next(iter(looks)) if len(looks) == 1 else variable(ghost_symbol(Turn(loop), self.run.which))

    def arriving(self, path: SegmentPath, settled: bool) -> Iterator[Formula]:
        """That a first run that comes to a loop head is not surely outside of a watched ghost's cell, or of one that is
        `settled` there."""
        assert isinstance(path.end, Goto)
        for which in range(len(self.alignment.ghosts)):
            if self.watches(which) or (settled and self.missed(path.end.loop, which) is not None):
                yield negate(self.missed_after(path, which))

    def missed_after(self, path: SegmentPath, which: int) -> Formula:
        assert isinstance(path.end, Goto)
        missed = self.missed(path.end.loop, which)
        if missed is None:
            raise Unsupported(f"`{self.alignment.ghosts[which]}` is not known in every turn")
        turns = [(symbol, path.ghosts[ghost]) for ghost, symbol in self.run.place(path.end.loop).ghosts]
        return put_in(missed, dict([*carried(self.run, path, {}), *turns]))

    def passed(self) -> Iterator[Clause]:
        """Whoever is outside of a watched ghost's cell stays there."""
        for which in filter(self.watches, range(len(self.alignment.ghosts))):
            for loop, paths in self.run.paths.items():
                missed = None if loop is None else self.missed(loop, which)
                if loop is None or missed is None or self.alignment.ghosts[which] not in self.run.unsettled[loop, None]:
                    continue
                for i, path in enumerate(paths):
                    name = f"from loop {loop + 1}, path {i + 1} past ghost {which + 1}"
                    after = self.not_shown(path, which) if isinstance(path.end, Returned) else self.missed_after(path, which)
                    yield Clause(name, None, (missed, *path.conditions), (after,), None, ())

    def not_shown(self, path: SegmentPath, which: int) -> Formula:
        value = path.names.get(self.alignment.ghosts[which])
        if value is None:
            raise Unsupported(f"`{self.alignment.ghosts[which]}` is not known at every answer")
        return negate(is_ghost(value, variable(ghost_value(which))))


def is_ghost(value: SymbolicValue, ghost: Sum) -> Formula:
    """Whether this run is one of those that the ghost's value stands for; None is counted to every ghost's value."""
    match value:
        case Numeric(term) if is_whole(term):
            return equal(term, ghost)
        case Maybe(none, Numeric(term)) if is_whole(term):
            return some([none, equal(term, ghost)])
        case _:
            raise Unsupported("the variable that the runs are sorted by is not a whole number")
