"""Mechanism → a Python file that stands alone: the user's program, exact noise, and what is known of it in words."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from importlib import metadata
from types import FrameType
from typing import Any

from kolahal.emission.answer_type import answer_type
from kolahal.emission.budgets import bell_files, budget_checks, check_emittable, with_fractions
from kolahal.emission.exact_text import write_exactly
from kolahal.emission.online import class_name, describe_online, print_class, print_turns
from kolahal.emission.own_text import own_text, print_words
from kolahal.emission.promise import AcceptedRange, Promise, check_proof, describe, find_limits
from kolahal.emission.questions import ask_in_place, asks_for_numbers, print_asking_front, print_questions
from kolahal.emission.resolution import NO_SHIFTS, GridPlan, Shifts, plan_grid, read_shifts
from kolahal.emission.rows import (
    SUPPORT,
    over_answers,
    print_aggregates,
    print_fields,
    print_front,
    print_record_measurement,
    real_names,
    record_names,
)
from kolahal.emission.scaled import TIMES
from kolahal.errors import KolahalError, UsageError
from kolahal.lang.claims import parse_claim, print_claim
from kolahal.lang.ir import Comprehension, Return, TupleOf, assigned_names, lengthened, walk
from kolahal.lang.parameters import BUDGETS
from kolahal.lang.preconditions import bounds_of
from kolahal.lang.pretty import print_expression
from kolahal.lang.read.parse import parse
from kolahal.lang.records.moves import positive_units
from kolahal.lang.sketch import Mechanism, Parameter, Role, Sketch, Type, Variant
from kolahal.lang.templates import (
    BELLS,
    FINITE,
    MEASUREMENT,
    NORMAL_LAW,
    NORMALS,
    ONLINE,
    ROWS,
    RUNTIME,
    names_in,
    read_template,
)
from kolahal.proof.linear_shifts import linear_parts
from kolahal.proof.of_parts import read_as_parts
from kolahal.proof.online import AnswerTurns
from kolahal.proof.trusted.restated.released import released

PYTHON, OPENDP = "python", "opendp"  # backends
EMITTED = "<emitted>"  # what tracebacks call the file
Known = tuple[dict[str, Any], Any]  # inputs, and the answer that the fixed noise of the self-test gives for them


class OffGrid(UsageError):
    """What is proved of a program with real noise would not hold for one with noise on a grid."""


def emit(
    mechanism: Mechanism | Sketch,
    promise: Promise = Promise(),  # noqa: B008, it is frozen
    command: str | None = None,
    claim: str = "",
    backend: str = PYTHON,
    turns: AnswerTurns | None = None,
) -> str:
    """A Python file, for the standard library alone, that runs `mechanism` with exact noise.

    `promise` is what is known of its being `claim`-private (ε, if nothing is claimed) and `command` how to find out again;
    all of it goes into the docstring. Without a promise the file says that nothing is claimed. With one, it refuses what the
    promise does not cover, and its grid contains the shifts of the proof; a program whose values leave every grid is refused.
    With the backend "opendp" it also has a function `make_measurement`, which needs OpenDP when it is called. With `turns`,
    which the proof must allow, it also has a class that is asked one answer at a time.
    """
    if backend not in (PYTHON, OPENDP):
        raise UsageError(f"there is no backend {backend!r}: choose {PYTHON} or {OPENDP}")
    if isinstance(mechanism, Sketch):
        mechanism = mechanism.complete()
    program = _check_readable(mechanism.filled())
    claim = print_claim(program, parse_claim(program, claim)) if program.variant is not Variant.PURE else claim or program.epsilon.name
    check_emittable(program, backend)
    shifts = NO_SHIFTS
    if promise.claims:
        shifts = read_shifts(check_proof(program, promise, claim), program.adjacency.distance)
    name = lengthened(program.name, _taken_names(), "_mechanism")
    if program.private.table is not None:
        return _emit_over_records(program, promise, claim, command, backend, shifts, name)
    plan = plan_grid(program, shifts)
    if plan.reasons and promise.certificate and (given_away := read_as_parts(promise.certificate, program)) is not None:
        plan = plan_grid(given_away, shifts)
    if plan.reasons and promise.claims:
        raise _off_grid(
            program,
            plan,
            "Multiply and divide by public numbers that are fixed before the run, and not again in every turn of a loop.",
        )
    limits = find_limits(program, promise)
    fraction = lengthened("Fraction", _own_names(program))
    wholes = frozenset(p.name for p in program.parameters if p.type is Type.INT)
    parts = [
        *([f"{fraction} = Fraction"] if fraction != "Fraction" else []),
        write_exactly(_print_plan(program, plan, limits, promise.most), wholes, fraction),
        write_exactly(_own_or_print(mechanism, program, name), wholes, fraction),
    ]
    if backend == OPENDP:
        parts += _print_measurement(program, name, claim, promise)
    words = describe(program, promise, plan.reasons, limits, claim, command or _command(program), _version())
    online = None
    if turns is not None:
        online = lengthened(class_name(name), _taken_names() | _own_names(program) | {name}, "Online")
        stepped = print_turns(program, turns, lengthened("turn", _own_names(program)))
        parts += [write_exactly(stepped, wholes, fraction), *print_class(program, turns, name, online, claim)]
        words += f"\n\n{describe_online(program, online, claim)}"
    text = partial(_assemble, words, name, parts, backend=backend, online=online, bells=bell_files(program))
    return text(_find_known(program, promise.most, text(())))


def _own_or_print(mechanism: Mechanism, program: Sketch, name: str) -> str:
    """The user's own text where it can stand; roots are exact in our own print alone."""
    own = own_text(mechanism, name) if program.variant is Variant.PURE else None
    return own or with_fractions(_print(program, name), program)


def _off_grid(program: Sketch, plan: GridPlan, fix: str) -> OffGrid:
    return OffGrid(
        f"{program.name} cannot be emitted: its values leave every grid, so that exact noise cannot stand for real noise.\n"
        + "".join(f"  {reason}\n" for reason in plan.reasons)
        + fix
    )


def _emit_over_records(
    program: Sketch, promise: Promise, claim: str, command: str | None, backend: str, shifts: Shifts, name: str
) -> str:
    """The file of a program over records: they are aggregated exactly, and the rest sees the aggregates alone."""
    table = program.private.table
    assert table is not None
    if asks_for_numbers(program, table):
        raise UsageError(f"{name} cannot be emitted: it asks for sums of numbers that depend on the run or on an argument, which are on no grid; count records instead")
    given = {p.called for p in program.parameters}.union(*(a.run_names() for a in table.every))
    if hidden := sorted(SUPPORT & given) or sorted(n for n in given if TIMES in n):
        raise UsageError(f"{name} cannot be emitted: the emitted file uses the name {hidden[0]}; call the argument something else")
    inner = lengthened(f"{name}_of_answers", _taken_names() | _own_names(program), "_mechanism")
    finer = linear_parts(program, promise.certificate) if promise.claims and promise.certificate is not None else None
    core = over_answers(program, inner, finer)
    real = real_names(program)
    asking = table.depends_on_run
    known = plan_grid(core.program, shifts)
    if known.reasons and promise.certificate and read_as_parts(promise.certificate, program) is not None:
        known = plan_grid(released(core.program), shifts)
    plan = replace(
        known,
        numbers=(*known.numbers, *core.numbers),
        factors=(*known.factors, str(core.refined)) if core.refined > 1 else known.factors,
        reasons=(*known.reasons, *core.reasons),
    )
    if plan.reasons and promise.claims:
        raise _off_grid(program, plan, "Count, add up numbers of single fields, as in clip(r.age, 0, 100), or give every aggregate noise of its own.")
    limits = find_limits(program, promise)
    above = [f"{unit} > 0" for unit in positive_units(program.adjacency, program.units)]
    wholes = frozenset(p.name for p in program.parameters if p.type is Type.INT)
    public = tuple(sorted(table.public_names() | (set() if table.bins is None or table.bins.size.isdigit() else {table.bins.size})))
    parts = [
        write_exactly(_print_plan(core.program, plan, limits, promise.most, above), wholes),
        write_exactly(with_fractions(_print(ask_in_place(core.program), inner), core.program), wholes),
        print_fields(table),
        *([] if asking and table.bins is not None else [write_exactly(print_aggregates(table, public, real), wholes | record_names(table))]),
        *([write_exactly(print_questions(table, public, real), wholes | record_names(table))] if asking else []),
        (print_asking_front if asking else print_front)(program, name, inner, public),
    ]
    if backend == OPENDP:
        parts += _print_measurement(program, name, claim, promise)
    words = describe(program, promise, plan.reasons, limits, claim, command or _command(program), _version())
    text = partial(_assemble, words, name, parts, backend=backend, inner=inner, bells=bell_files(program))
    return text(_find_known(core.program, promise.most, text(())))


def load_emitted(text: str) -> Callable[..., Any]:
    """The mechanism of an emitted program. Executes `text`, so it must come from `emit`."""
    space: dict[str, Any] = {"__name__": "kolahal_emitted"}
    exec(compile(text, EMITTED, "exec"), space)
    function: Callable[..., Any] = space[space["__all__"][0]]
    return function


def _check_readable(program: Sketch) -> Sketch:
    """The program, if its print reads as itself; names and texts of one that was made by hand may be anything."""
    try:
        same = parse(str(replace(program, doc=None))) == program
    except (KolahalError, AssertionError):
        same = False
    if not same:
        raise UsageError(f"{program.name!r} is not a program without holes that can be printed and read back")
    return program


def _print(program: Sketch, name: str) -> str:
    """The function as it prints, where there is no text of the user's."""
    head, definition, *body = str(replace(program, name=name, doc=None)).split("\n")
    doc = [] if program.doc is None else [f"    {print_words(program.doc, '    ')}"]
    return "\n".join([head, definition, *doc, *body])


# ---------------------------------------------------------------- names


@cache
def _support(file: str = RUNTIME) -> tuple[str, str]:
    """The imports of a file of support code, and the rest of it."""
    text = read_template(file)
    imports = [node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom)]
    lines = text.split("\n")
    last = imports[-1].end_lineno
    theirs = [node for node in imports if not (isinstance(node, ast.ImportFrom) and str(node.module).startswith("kolahal."))]
    return "\n".join(map(ast.unparse, theirs)), "\n".join(lines[last:]).strip("\n")


@cache
def _taken_names() -> frozenset[str]:
    """Every name of the support code; a mechanism of such a name would stand in its way."""
    own = {"_plan", "_FIELDS", "_aggregate", "_KNOWN", "make_measurement", "_turns", "_claim"}
    return frozenset(own).union(*map(names_in, (RUNTIME, FINITE, MEASUREMENT, ROWS, ONLINE, BELLS, NORMAL_LAW, NORMALS)))


def _own_names(program: Sketch) -> frozenset[str]:
    """Every name that the program itself gives away."""
    inner = {node.name for node in walk(program.body) if isinstance(node, Comprehension)}
    return assigned_names(program.body) | inner | {program.name} | {p.name for p in program.parameters}


# ---------------------------------------------------------------- the parts of the file


def _assemble(
    words: str,
    name: str,
    parts: list[str],
    known: tuple[Known, ...],
    backend: str,
    inner: str | None = None,
    online: str | None = None,
    bells: tuple[str, ...] = (),
) -> str:
    """The file; `inner` is the program over answers of one over records, `online` the class that is asked turn by turn, and
    `bells` are files of support code for budgets other than ε."""
    imports, support = _support()
    main = f'_main({inner or name}, _KNOWN, __doc__ or "")'
    if inner is not None:
        main = f"_main_over_records({name}, _FIELDS, lambda: {main}, sys.argv[1:])"
    finite = (FINITE,) if _uses_finite(parts) else ()
    rows = (ROWS,) if inner is not None else ()
    last = {MEASUREMENT: "make_measurement" if backend == OPENDP else None, ONLINE: online}
    for file in (*finite, *rows, *bells, *(file for file, named in last.items() if named)):
        more, rest = _support(file)
        imports += "".join(f"\n{line}" for line in more.split("\n") if line and line not in imports)
        support += f"\n\n\n{rest}"
    public = [name, *filter(None, last.values())]
    return "\n\n".join(
        [
            print_words(words, indent=""),
            f"{imports}\n\n__all__ = {public!r}",
            "# Support code first, the same in every file that kolahal writes; the mechanism stands at the end.",
            support + "\n",
            "# ---------------------------------------------------------------- the mechanism\n",
            "\n\n\n".join(part.strip("\n") for part in parts) + "\n",
            "# Inputs, and the answers that the fixed noise of the self-test gives for them.\n"
            "_KNOWN: Any = [" + "".join(f"\n    {pair!r}," for pair in known) + ("\n]" if known else "]"),
            f'if __name__ == "__main__":\n    sys.exit({main})\n',
        ]
    )


def _uses_finite(parts: list[str]) -> bool:
    """Whether a program calls something of the support code for finite draws."""
    ours = {node.name for node in ast.parse(read_template(FINITE)).body if isinstance(node, ast.FunctionDef)}
    calls = [node for part in parts for node in ast.walk(ast.parse(part)) if isinstance(node, ast.Call)]
    return any(isinstance(call.func, ast.Name) and call.func.id in ours for call in calls)


def _print_measurement(program: Sketch, name: str, claim: str, promise: Promise) -> list[str]:
    """The function that builds an OpenDP measurement."""
    if not promise.claims:
        raise UsageError(
            f"there is no OpenDP measurement of {program.name}: it would claim a loss, and {promise.text[:1].lower()}{promise.text[1:]}"
        )
    if program.length_name in claim:
        raise UsageError(
            f"the claim {claim} depends on the length of the input, and an OpenDP measurement has one loss for all"
        )
    public = ", ".join(p.name for p in program.parameters if p.role is not Role.PRIVATE)
    claim = claim.partition(",")[0]  # δ is an argument
    relation, distance = program.adjacency.name, program.adjacency.distance
    if program.private.table is not None:
        return [print_record_measurement(program, name, claim, public)]
    return [
        f'''\
def make_measurement(epsilon, arguments=None, T=None):
    """An OpenDP measurement of {name}: at `epsilon`, with these public `arguments`, for answers of type T, f64 or i64."""
    def claim({public}):
        return {claim}

    relation, distance, whole = "{relation}", Fraction("{distance}"), {program.private.whole}
    return _build_measurement({name}, relation, distance, whole, "{answer_type(program)}", claim, epsilon, arguments, T)
'''
    ]


def _print_plan(
    program: Sketch, plan: GridPlan, limits: tuple[AcceptedRange, ...], most: int | None, above: Sequence[str] = ()
) -> str:
    """The function that tells the support code the scales, what the grid depends on, and which inputs to refuse."""
    shown = "{0}" if program.variant is Variant.PURE else "_below({0})"
    scales = "".join(f'\n            "{text}": {shown.format(text)},' for text in plan.scales)
    accepted = ", ".join(f'"{limit.name}": ({limit.name}, {limit.least}, {limit.most})' for limit in limits)
    asserted = [*map(print_expression, program.asserted), *above, *budget_checks(program)]
    required = ", ".join(f'"{text}": {text}' for text in asserted)
    return f'''\
def _plan({", ".join(p.name for p in program.parameters)}):
    """What is fixed before anything runs, from public values; of {program.private.name} only the length is known here."""
    return {{
        "distance": {program.adjacency.distance},
        "scales": {{{scales}{chr(10) + 8 * " " if scales else ""}}},
        "limits": {{{accepted}}},
        "numbers": [{", ".join(plan.numbers)}],
        "factors": [{", ".join(plan.factors)}],
        "whole": {program.private.whole},
        "answers": {program.private.count},
        "most": {most},
        "requires": {{{required}}},
        "as_tuple": {any(isinstance(node.value, TupleOf) for node in walk(program.body) if isinstance(node, Return))},
    }}
'''


def _command(program: Sketch) -> str:
    return f"kolahal check {program.source.path}:{program.name}" if program.source else "kolahal check FILE"


def _version() -> str:
    try:
        return metadata.version("kolahal")
    except metadata.PackageNotFoundError:
        return "from its source"


# ---------------------------------------------------------------- known answers

MOST_STEPS = 20_000  # lines of a known run
MOST_BITS = 20_000  # of a number in it


def _find_known(program: Sketch, most: int | None, text: str) -> tuple[Known, ...]:
    """A few inputs with the answers of runs with fixed noise; runs that fail or take long are left out."""
    space = load_emitted(text).__globals__
    function, answer_known = space[lengthened(program.name, _taken_names(), "_mechanism")], space["_answer_known"]
    found: list[Known] = []
    for answers in ([3, -1.5, 7.25, 2], [0.5, 0.5]):
        whole: list[Any] = [math.floor(answer) for answer in answers] if program.private.whole else [*answers]
        if program.private.bits:
            whole = [answer > 1 for answer in answers]
        count = program.private.count
        database = whole[:most] if count is None else [whole[place % len(whole)] for place in range(count)]
        inputs = {p.name: database if p.role is Role.PRIVATE else _representative(p, program) for p in program.parameters}
        try:
            with _bounded():
                answer = answer_known(function, inputs)
        except (_TooLong, RuntimeError, ValueError):
            continue
        found.append((inputs, answer))
    return tuple(found)


def _representative(parameter: Parameter, program: Sketch) -> Any:
    if isinstance(parameter.default, bool) or parameter.type is Type.BOOL:
        return parameter.default is not False
    known = parameter.default if parameter.default is not None else parameter.usual
    if known is not None:
        return int(known) if known.denominator == 1 else float(known)
    low, high = bounds_of(program.asserted, parameter.name)
    if parameter.role in (*BUDGETS, Role.DELTA):
        least, most = low or Fraction(0), high or max(Fraction(1), 2 * (low or Fraction(0)))
        return float((least + most) / 2)
    return 2


class _TooLong(Exception):
    pass


@contextmanager
def _bounded() -> Iterator[None]:
    """Stop what runs inside after many steps, or when its numbers grow very large: a program need not end."""
    steps = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal steps
        if frame.f_code.co_filename != EMITTED:
            return None
        steps += 1
        numbers = [v for v in frame.f_locals.values() if isinstance(v, int | Fraction)]
        bits = max([0, *(max(v.numerator.bit_length(), v.denominator.bit_length()) for v in numbers)])
        if steps > MOST_STEPS or bits > MOST_BITS:
            raise _TooLong
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
