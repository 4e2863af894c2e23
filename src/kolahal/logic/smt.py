"""Questions about polyhedra → Z3 → answers. A question that Z3 leaves open counts as not proved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from kolahal.logic.affine import Affine, Atom, Atoms, Number, Symbol


def is_empty(
    inside: Sequence[Atom], steps: int, one_of: Sequence[Atoms] | None = None, none_of: Sequence[Atoms] = ()
) -> bool:
    """Whether it is proved that no point is in all of `inside`, in some polyhedron of `one_of`, in none of `none_of`."""
    known = set(inside)
    if any(atom.negated() in known for atom in known):
        return True
    words = _Words()
    solver = z3.SolverFor("QF_LRA")
    solver.set("rlimit", steps)
    solver.add([words.atom(atom) for atom in inside])
    if one_of is not None:
        solver.add(z3.Or([words.polyhedron(atoms) for atoms in one_of]))
    for atoms in none_of:
        solver.add(z3.Or([words.atom(atom.negated()) for atom in atoms]))
    return bool(solver.check() == z3.unsat)


class _Words:
    """Our forms and atoms in the solver's words, each translated once."""

    def __init__(self) -> None:
        self.names: dict[Symbol, Any] = {}
        self.atoms: dict[Atom, Any] = {}

    def symbol(self, symbol: Symbol) -> Any:
        if symbol not in self.names:
            self.names[symbol] = z3.Real(f"{symbol.kind} {symbol}")
        return self.names[symbol]

    def form(self, form: Affine) -> Any:
        parts = [self.symbol(s) if c == 1 else _number(c) * self.symbol(s) for s, c in form.terms.items()]
        return z3.Sum([*parts, _number(form.constant)]) if form.constant or not parts else z3.Sum(parts)

    def atom(self, atom: Atom) -> Any:
        if atom not in self.atoms:
            form = self.form(atom.form)
            self.atoms[atom] = form < 0 if atom.strict else form <= 0
        return self.atoms[atom]

    def polyhedron(self, atoms: Atoms) -> Any:
        return z3.And([self.atom(atom) for atom in atoms])


def _number(value: Number) -> Any:
    return z3.RealVal(str(value))
