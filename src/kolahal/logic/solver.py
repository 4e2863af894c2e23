"""The one door to the solvers: Z3, and cvc5 where it is installed. What a solver leaves open counts as not proved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from typing import Any

import z3

from kolahal.logic.counting import take_steps
from kolahal.logic.linear import Inequality, Keyed, LinearForm, Number, key_of, unknowns_of
from kolahal.logic.simplex import find_point, pinned
from kolahal.logic.terms import (
    BOOL,
    INT,
    REAL,
    Equation,
    Every,
    Formula,
    IfThenElse,
    Neither,
    Some,
    Symbol,
    Truth,
    is_whole,
)

SORTS = {INT: z3.IntSort, REAL: z3.RealSort, BOOL: z3.BoolSort}
SAT, UNSAT, UNKNOWN = "sat", "unsat", "unknown"  # what solvers say


# ---------------------------------------------------------------- scripts


def check_script(script: str, steps: int, context: Any = None) -> str:
    """What Z3 says to an SMT-LIB script: sat, unsat or unknown; a text that it cannot read is unknown.

    Scripts that are asked one after another may share a context, of which each new one takes some milliseconds.
    """
    solver = z3.Solver(ctx=context or z3.Context())
    solver.set("rlimit", steps)
    try:
        solver.from_string(script)
    except z3.Z3Exception:
        return UNKNOWN
    return str(solver.check())


def new_context() -> Any:
    """A place where Z3 answers scripts, which knows nothing of what was asked elsewhere."""
    return z3.Context()


def has_second_opinion() -> bool:
    """Whether there is a second solver."""
    return find_spec("cvc5") is not None


def second_opinion(script: str, steps: int) -> str:
    """What cvc5 says to an SMT-LIB script: sat, unsat or unknown; a text that it cannot read is unknown."""
    import cvc5  # optional: `pip install 'kolahal[cvc5]'`

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit", str(steps))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "obligation")
    symbols = parser.getSymbolManager()
    said: list[str] = []
    try:
        while not (command := parser.nextCommand()).isNull():
            said += command.invoke(solver, symbols).split()
    except RuntimeError:
        return UNKNOWN
    return said[0] if len(said) == 1 and said[0] in (SAT, UNSAT) else UNKNOWN


# ---------------------------------------------------------------- forms and formulas


class Translator:
    """Our forms and formulas as Z3's, each formula translated once.

    What Z3 answers, or which of several proofs it finds, depends on all that its context has seen, so each search has
    one of its own: the same question then has the same answer in every process.

    Terms are made by Z3's own functions, which refuse parts of different sorts. Its Python operators would first ask
    each part for its sort, which takes longer than everything else.
    """

    def __init__(self, context: Any = None) -> None:
        self.context = context or z3.Context()
        self.known: dict[Any, Any] = {}
        self.sorts: dict[str, Any] = {}
        self.numbers: dict[tuple[Number, bool], Any] = {}

    def unknown(self, unknown: Keyed) -> Any:
        found = self.known.get(unknown)
        if found is None:
            name = unknown.sort if isinstance(unknown, Symbol) else REAL
            sort = self.sorts.get(name)
            if sort is None:
                sort = self.sorts[name] = SORTS[name](self.context)
            found = self.known[unknown] = z3.Const(key_of(unknown), sort)
        return found

    def form(self, form: LinearForm[Keyed], whole: bool) -> Any:
        pieces = []
        for unknown, factor in form.ordered():
            if isinstance(unknown, IfThenElse):
                parts = self.formula(unknown.test), self.form(unknown.then, whole), self.form(unknown.orelse, whole)
                made = z3.Z3_mk_ite(self.context.ref(), *(part.as_ast() for part in parts))
                piece = z3.ArithRef(made, self.context)
            else:
                piece = self.unknown(unknown)
                if not whole and isinstance(unknown, Symbol) and unknown.sort == INT:
                    piece = z3.ArithRef(z3.Z3_mk_int2real(self.context.ref(), piece.as_ast()), self.context)
            pieces.append(piece if factor == 1 else self.arithmetic(z3.Z3_mk_mul, [self.number(factor, whole), piece]))
        if form.constant or not pieces:
            pieces.append(self.number(form.constant, whole))
        return pieces[0] if len(pieces) == 1 else self.arithmetic(z3.Z3_mk_add, pieces)

    def formula(self, formula: Formula | Inequality[Keyed]) -> Any:
        found = self.known.get(formula)
        if found is None:
            found = self.known[formula] = self._formula(formula)
        return found

    def _formula(self, formula: Formula | Inequality[Keyed]) -> Any:
        match formula:
            case Inequality(form, strict):
                return self.against_zero(z3.Z3_mk_gt if strict else z3.Z3_mk_ge, form)
            case Equation(form):
                return self.against_zero(z3.Z3_mk_eq, form)
            case Truth(value):
                return z3.BoolVal(value, self.context)
            case Every(parts):
                return self.every([self.formula(part) for part in parts])
            case Some(parts):
                return self.some([self.formula(part) for part in parts])
            case Neither(part):
                return self.neither(self.formula(part))
            case Symbol():
                return self.unknown(formula)

    def against_zero(self, compare: Callable[[Any, Any, Any], Any], form: LinearForm[Keyed]) -> Any:
        """0 on the left of a comparison, and a form on the right."""
        whole = is_whole(form)
        right, zero = self.form(form, whole), self.number(0, whole)
        return z3.BoolRef(compare(self.context.ref(), zero.as_ast(), right.as_ast()), self.context)

    def number(self, value: Number, whole: bool) -> Any:
        if (value, whole) not in self.numbers:
            made = z3.IntVal(value.numerator, self.context) if whole else z3.RealVal(str(value), self.context)
            self.numbers[value, whole] = made
        return self.numbers[value, whole]

    def arithmetic(self, operate: Callable[[Any, int, Any], Any], parts: Sequence[Any]) -> Any:
        return z3.ArithRef(operate(self.context.ref(), len(parts), _addresses(parts)), self.context)

    def every(self, parts: Sequence[Any]) -> Any:
        return z3.BoolRef(z3.Z3_mk_and(self.context.ref(), len(parts), _addresses(parts)), self.context)

    def some(self, parts: Sequence[Any]) -> Any:
        return z3.BoolRef(z3.Z3_mk_or(self.context.ref(), len(parts), _addresses(parts)), self.context)

    def neither(self, part: Any) -> Any:
        return z3.BoolRef(z3.Z3_mk_not(self.context.ref(), part.as_ast()), self.context)

    def implies(self, first: Any, second: Any) -> Any:
        return z3.BoolRef(z3.Z3_mk_implies(self.context.ref(), first.as_ast(), second.as_ast()), self.context)

    def tell(self, solver: Any, formulas: Iterable[Any]) -> None:
        """Let a solver take formulas for true."""
        for formula in formulas:
            z3.Z3_solver_assert(self.context.ref(), solver.solver, formula.as_ast())


def _addresses(parts: Sequence[Any]) -> Any:
    return (z3.Ast * len(parts))(*[part.as_ast() for part in parts])


def _ask(solver: Any, assumed: Sequence[Any]) -> str:
    """As solver.check does, of the addresses of what is assumed, without asking each of hundreds for its sort."""
    given = (z3.Ast * len(assumed))(*assumed)
    return str(z3.CheckSatResult(z3.Z3_solver_check_assumptions(solver.ctx.ref(), solver.solver, len(assumed), given)))


def _is_true(model: Any, address: Any, completed: bool) -> bool:
    """Whether a model makes a formula true; with `completed`, what it leaves open is given a value."""
    found = (z3.Ast * 1)()
    context = model.ctx.ref()
    if not z3.Z3_model_eval(context, model.model, address, completed, found):
        raise z3.Z3Exception("a formula has no value in a model")
    return bool(z3.Z3_get_bool_value(context, found[0]) == z3.Z3_L_TRUE)


# ---------------------------------------------------------------- questions


def contradict(atoms: Iterable[Inequality[Keyed]]) -> bool:
    """Whether two of some comparisons plainly contradict each other: they bound the same sum from both sides."""
    highest: dict[frozenset[tuple[Keyed, Number]], tuple[Number, bool]] = {}  # of a sum: −constant, and whether that is out
    for atom in atoms:
        key = frozenset(atom.form.terms.items())
        highest[key] = max(highest.get(key, (atom.form.constant, atom.strict)), (atom.form.constant, atom.strict))
    for key, (constant, strict) in highest.items():
        other = highest.get(frozenset((unknown, -factor) for unknown, factor in key))
        if other is not None and (constant + other[0] > 0 or (constant + other[0] == 0 and (strict or other[1]))):
            return True
    return False


def _at_one_point(
    inside: Sequence[Inequality[Keyed]], none_of: Sequence[Sequence[Inequality[Keyed]]], bits: Sequence[Keyed]
) -> bool | None:
    """Whether there is no such point, where comparisons of single unknowns leave one for all of them; None where they do not."""
    point = pinned(inside)
    asked = unknowns_of([*inside, *(atom for atoms in none_of for atom in atoms)])
    if not point.keys() >= {*asked, *bits}:
        return None
    held = all(atom.holds(point) for atom in inside) and all(point[bit] in (0, 1) for bit in bits)
    return not held or any(all(atom.holds(point) for atom in atoms) for atoms in none_of)


QUESTION = 200  # steps


def is_empty(
    inside: Sequence[Inequality[Keyed]],
    steps: int,
    one_of: Sequence[Sequence[Inequality[Keyed]]] | None = None,
    none_of: Sequence[Sequence[Inequality[Keyed]]] = (),
    bits: Sequence[Keyed] = (),
) -> bool:
    """Whether it is proved that no point is in all of `inside`, in some polyhedron of `one_of`, in none of `none_of`.

    Of a point only `bits` are known beforehand: each is 0 or 1.
    """
    if contradict(inside):
        return True
    ways = [_at_one_point([*inside, *way], none_of, bits) for way in (((),) if one_of is None else one_of)]
    if None not in ways:
        return all(ways)
    if one_of is None and not none_of and not bits:
        point = find_point(inside)  # most often there is one, and it takes a tenth of the time to find it so
        if point is not None and all(atom.holds(point) for atom in inside):
            return False
    take_steps(QUESTION)
    words = Translator(z3.main_ctx())  # a context of its own would take longer than most of these questions
    solver = z3.SolverFor("QF_LRA")
    solver.set("rlimit", steps)
    words.tell(solver, [words.formula(atom) for atom in inside])
    solver.add([z3.Or(words.unknown(bit) == 0, words.unknown(bit) == 1) for bit in bits])
    if one_of is not None:
        words.tell(solver, [words.some([words.every([words.formula(atom) for atom in atoms]) for atoms in one_of])])
    words.tell(solver, [words.some([words.formula(atom.negated()) for atom in atoms]) for atoms in none_of])
    return bool(solver.check() == z3.unsat)


class Switchboard:
    """A solver with formulas that always hold, and switches: symbols that assert more while they are assumed."""

    def __init__(self, translator: Translator, always: Sequence[Formula], steps: int):
        self.translator = translator
        self.solver = z3.SolverFor("QF_LIRA", ctx=translator.context)
        self.solver.set("rlimit", steps)
        self.solver.set("core.minimize", True)
        translator.tell(self.solver, map(translator.formula, always))
        self.denied: dict[Symbol, Any] = {}
        self.addresses: dict[str, Any] = {}  # of switches, by their names
        self.names: dict[int, str] = {}

    def assertion(self, name: str, formula: Formula) -> Symbol:
        """A switch that asserts a formula."""
        return self._switch(name, self.translator.formula(formula))

    def denial(self, name: str, formula: Formula) -> Symbol:
        """A switch that asserts that a formula is false."""
        denied = self.translator.formula(formula)
        switch = self._switch(name, self.translator.neither(denied))
        self.denied[switch] = denied.as_ast()
        return switch

    def _switch(self, name: str, asserted: Any) -> Symbol:
        switch = Symbol(name, BOOL)
        unknown = self.translator.unknown(switch)
        self.translator.tell(self.solver, [self.translator.implies(unknown, asserted)])
        self.addresses[name] = unknown.as_ast()
        self.names[self.addresses[name].value] = name
        return switch

    def check(self, assumed: Sequence[Symbol]) -> str:
        """sat, unsat or unknown."""
        return _ask(self.solver, [self.addresses[switch.name] for switch in assumed])

    def core(self) -> set[str]:
        """The names of switches that suffice for the last `unsat`."""
        context = self.translator.context.ref()
        found = self.solver.unsat_core()
        return {self.names[z3.Z3_ast_vector_get(context, found.vector, i).value] for i in range(len(found))}

    def broken(self, assumed: Sequence[Symbol], denials: Sequence[Symbol]) -> list[bool]:
        """Which of the denied formulas are false in one example where `assumed` and one of the denials hold.

        None of them, if there is no example; all of them, if that is not known.
        """
        self.solver.push()
        self.translator.tell(self.solver, [self.translator.some([self.translator.unknown(switch) for switch in denials])])
        answer = self.check(assumed)
        broken = [answer == UNKNOWN] * len(denials)
        if answer == SAT:
            model = self.solver.model()
            broken = [not _is_true(model, self.denied[switch], True) for switch in denials]
        self.solver.pop()
        return broken


class Choices:
    """One option for each of several questions, and never a combination that was excluded."""

    def __init__(self, sizes: Sequence[int]):
        self.context = z3.Context()
        self.solver = z3.SolverFor("QF_FD", ctx=self.context)
        truth, context = z3.BoolSort(self.context), self.context.ref()
        self.options = [[z3.Const(f"{question}.{rank}", truth) for rank in range(size)] for question, size in enumerate(sizes)]
        self.addresses = [[option.as_ast() for option in own] for own in self.options]
        self.beyond: dict[int, list[Any]] = {}
        for own in self.options:  # every question has an option
            parts = len(own), _addresses(own)
            some = z3.BoolRef(z3.Z3_mk_or(context, *parts), self.context)  # what is made lives as long as its BoolRef
            self._assert(some, z3.BoolRef(z3.Z3_mk_atmost(context, *parts, 1), self.context))

    def exclude(self, combination: Sequence[tuple[int, int]]) -> None:
        """Some questions, each with its option by rank, that do not go together."""
        parts = [z3.BoolVal(False, self.context), *(self._without(self.options[q][rank]) for q, rank in combination)]
        self._assert(z3.BoolRef(z3.Z3_mk_or(self.context.ref(), len(parts), _addresses(parts)), self.context))

    def _assert(self, *formulas: Any) -> None:
        for formula in formulas:
            z3.Z3_solver_assert(self.context.ref(), self.solver.solver, formula.as_ast())

    def _without(self, option: Any) -> Any:
        return z3.BoolRef(z3.Z3_mk_not(self.context.ref(), option.as_ast()), self.context)

    def pick(self, most: int, kept: Sequence[tuple[int, int]] = ()) -> list[int] | None:
        """The ranks of a combination of the first `most` options; None if all are excluded.

        It has the options that are to be kept if any combination has.
        """
        if most not in self.beyond:
            self.beyond[most] = [self._without(option) for own in self.options for option in own[most:]]
        beyond = [formula.as_ast() for formula in self.beyond[most]]
        ways = [beyond + [self.addresses[q][rank] for q, rank in kept], beyond] if kept else [beyond]
        if not any(_ask(self.solver, way) == SAT for way in ways):
            return None
        model = self.solver.model()
        return [next(r for r, option in enumerate(own[:most]) if _is_true(model, option, False)) for own in self.addresses]
