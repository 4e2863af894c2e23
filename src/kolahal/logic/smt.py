"""Questions about polyhedra → Z3 → answers. A question that Z3 leaves open counts as not proved."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import z3

from kolahal.logic import affine
from kolahal.logic.affine import Affine, Atom, Atoms, Number
from kolahal.logic.terms import INT, Compare, Every, Formula, IfThenElse, Neither, Some, Sum, Symbol, Term, Truth


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
        self.names: dict[affine.Indeterminate, Any] = {}
        self.atoms: dict[Atom, Any] = {}

    def symbol(self, symbol: affine.Indeterminate) -> Any:
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


SORTS = {"Int": z3.IntSort, "Real": z3.RealSort, "Bool": z3.BoolSort}


def check_script(script: str, steps: int) -> str:
    """What Z3 says to an SMT-LIB script: sat, unsat or unknown; a text that it cannot read is unknown."""
    solver = z3.Solver(ctx=z3.Context())
    solver.set("rlimit", steps)
    try:
        solver.from_string(script)
    except z3.Z3Exception:
        return "unknown"
    return str(solver.check())


class Translator:
    """Our formulas as Z3's, each translated once.

    What Z3 answers, or which of several proofs it finds, depends on all that its context has seen, so each search has
    one of its own: the same question then has the same answer in every process.
    """

    def __init__(self) -> None:
        self.context = z3.Context()
        self.known: dict[Any, Any] = {}

    def symbol(self, symbol: Symbol) -> Any:
        if symbol not in self.known:
            self.known[symbol] = z3.Const(symbol.name, SORTS[symbol.sort](self.context))
        return self.known[symbol]

    def term(self, term: Term) -> Any:
        return self.sum(term) if isinstance(term, Sum) else self.formula(term)

    def sum(self, term: Sum, whole: bool | None = None) -> Any:
        whole = term.whole if whole is None else whole
        pieces = []
        for atom, factor in term.parts:
            if isinstance(atom, IfThenElse):
                piece = z3.If(self.formula(atom.test), self.sum(atom.then, whole), self.sum(atom.orelse, whole))
            else:
                piece = self.symbol(atom)
                if atom.sort == INT and not whole:
                    piece = z3.ToReal(piece)
            pieces.append(piece if factor == 1 else self.number(factor, whole) * piece)
        if term.constant or not pieces:
            pieces.append(self.number(term.constant, whole))
        return pieces[0] if len(pieces) == 1 else z3.Sum(pieces)

    def formula(self, formula: Formula) -> Any:
        if isinstance(formula, Symbol):
            return self.symbol(formula)
        if formula not in self.known:
            self.known[formula] = self._formula(formula)
        return self.known[formula]

    def _formula(self, formula: Formula) -> Any:
        match formula:
            case Truth(value):
                return z3.BoolVal(value, self.context)
            case Compare(op, term):
                left, zero = self.sum(term), self.number(Fraction(0), term.whole)
                return left <= zero if op == "<=" else left < zero if op == "<" else left == zero
            case Every(parts):
                return z3.And([self.formula(part) for part in parts])
            case Some(parts):
                return z3.Or([self.formula(part) for part in parts])
            case Neither(part):
                return z3.Not(self.formula(part))
            case _:
                return self.symbol(formula)

    def number(self, value: Fraction, whole: bool) -> Any:
        return z3.IntVal(value.numerator, self.context) if whole else z3.RealVal(str(value), self.context)
