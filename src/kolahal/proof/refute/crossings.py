"""Neighbours that take different paths whatever the noise: on different sides of a comparison that has none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, permutations

from kolahal.inputs.pairs import Pair
from kolahal.lang.adjacency import Move
from kolahal.logic.linear import Inequality, Number, number, variable
from kolahal.logic.simplex import find_point
from kolahal.paths.state import Paths
from kolahal.paths.unknowns import Affine, AnswerAt, Argument, Atom, Atoms, Indeterminate

SHARES = (Fraction(0), Fraction(-15, 16), Fraction(15, 16), Fraction(-7, 16), Fraction(7, 16))  # of a move


def find_crossings(paths: Paths, given: Mapping[str, Fraction | bool], moves: Sequence[Move], most: int) -> list[Pair]:
    """At most `most` pairs, each with what two paths ask of the answers alone on its two sides."""
    asked = list(dict.fromkeys(_noiseless(path.atoms, given) for path in paths.paths))
    return list(islice(_crossings(asked, moves, paths.size), most))


def _crossings(asked: Sequence[Atoms], moves: Sequence[Move], size: int) -> Iterator[Pair]:
    for one, two in permutations(asked, 2):
        for move in moves:
            moved: dict[Indeterminate, Affine] = {AnswerAt(i): variable(AnswerAt(i)) + number(s) for i, s in enumerate(move)}
            both = [*one, *(Inequality(atom.form.replace(moved), atom.strict) for atom in two)]
            point = find_point(both)
            if point is None:
                continue
            # Most is lost where one of the two is next to the boundary, and it may be either.
            for share in SHARES:
                database = tuple(Fraction(point.get(AnswerAt(i), 0)) + share * move[i] for i in range(size))
                place: dict[Indeterminate, Number] = {AnswerAt(i): answer for i, answer in enumerate(database)}
                if all(atom.holds(place) for atom in both):
                    yield Pair(database, move)


def _noiseless(atoms: Atoms, given: Mapping[str, Fraction | bool]) -> Atoms:
    """What a path asks of the answers alone, where the arguments have these values."""
    values: dict[Indeterminate, Affine] = {Argument(name): number(value) for name, value in given.items()}
    found: list[Atom] = []
    for atom in atoms:
        form = atom.form.replace(values)
        if form.terms and all(isinstance(unknown, AnswerAt) for unknown in form.terms):
            found.append(Inequality(form, atom.strict))
    return tuple(found)
