"""Runs a program through its symbolic segments on concrete numbers, to be compared with the reference engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from kolahal.lang.ir import Comprehension, Draw, For, If, While, walk
from kolahal.lang.sketch import Role, Sketch, Type
from kolahal.logic.compiled import compile_formula, compile_sum
from kolahal.logic.linear import LinearForm
from kolahal.logic.terms import BOOL, INT, REAL, Symbol
from kolahal.proof.trusted.segments import Machine
from kolahal.proof.trusted.states import updates_of
from kolahal.proof.trusted.steps import spread_comprehensions
from kolahal.proof.trusted.symbols import LENGTH
from kolahal.proof.trusted.values import Built, Logical, Maybe, Numeric, Returned, Run, Several

Noise = Callable[[int, tuple[int, ...]], Any]  # site and turns → value


class Stuck(Exception):
    """No path fits, or more than one does."""


class Faulty(Exception):
    """The path that fits says that the run faults."""


def enclosing_loops(sketch: Sketch) -> dict[int, tuple[int, ...]]:
    """For each draw, the loops around it, numbered in source order; a comprehension that is left has no number."""
    result: dict[int, tuple[int, ...]] = {}
    counter = 0

    def visit(block: Any, loops: tuple[int, ...]) -> None:
        nonlocal counter
        for node in block:
            if isinstance(node, For | While):
                here = (*loops, counter)
                counter += 1
                tests = node.test if isinstance(node, While) else ()
                for draw in walk(tests):
                    if isinstance(draw, Draw):
                        result[draw.site] = here
                visit(node.body, here)
            elif isinstance(node, If):
                for draw in walk(node.test):
                    if isinstance(draw, Draw):
                        result[draw.site] = loops
                visit(node.then, loops)
                visit(node.orelse, loops)
            else:
                for draw in walk(node):
                    if isinstance(draw, Draw):
                        result[draw.site] = loops

    visit(sketch.body, ())
    return result


def in_comprehension(sketch: Sketch) -> set[int]:
    return {d.site for c in walk(sketch.body) if isinstance(c, Comprehension) for d in walk(c) if isinstance(d, Draw)}


def drive(
    sketch: Sketch,
    released: frozenset[int],
    database: Sequence[Any],
    values: dict[str, Any],
    noise: Noise,
    delayed: bool = False,
) -> Any:
    """The answer of one run through its segments; a delayed draw is made in the segment that names it."""
    spread = spread_comprehensions(sketch, released)
    grown: frozenset[str] = frozenset()
    machine = Machine(spread, 1, False, grown, delayed)
    run = machine.run()
    state: dict[Symbol, Any] = {LENGTH: len(database)}
    for parameter in sketch.parameters:
        if parameter.role is not Role.PRIVATE:
            sort = {Type.BOOL: BOOL, Type.INT: INT}.get(parameter.type, REAL)
            state[Symbol(parameter.name, sort)] = values[parameter.name]
    loops = enclosing_loops(spread)
    lazy = in_comprehension(spread)
    lists: dict[str, tuple[Any, ...]] = {}
    loop: int | None = None
    for _ in range(500):
        path, local = _path(run, loop, state, database, lists, noise, loops, lazy)
        if isinstance(path.end, Returned):
            value = path.end.value
            return _items(value, lists, local) if isinstance(value, Built) else _value(value, local)
        place = run.place(path.end.loop)
        built = {name: path.names[name] for name, value in place.names if isinstance(value, Built)}
        lists = {name: _items(value, lists, local) for name, value in built.items()}
        new = dict(state)
        for name, symbols in place.names:
            for symbol, term in updates_of(symbols, path.names[name], {}):
                new[symbol] = (compile_sum(term) if isinstance(term, LinearForm) else compile_formula(term))(local)
        for ghost, symbol in place.ghosts:
            new[symbol] = compile_sum(path.ghosts[ghost])(local)
        state, loop = new, path.end.loop
    raise Stuck("too many segments")


def _path(
    run: Run, loop: int | None, state: Any, database: Any, lists: Any, noise: Noise, loops: Any, lazy: Any
) -> Any:
    fitting = []
    for path in run.paths[loop]:
        local = dict(state)
        for read in path.reads:
            at = compile_sum(read.place)(local)
            items = database if read.private else lists.get(read.spot.of, ())
            inside = 0 <= at < len(items)
            local[read.symbol] = items[int(at)] if inside else (False if read.symbol.sort == BOOL else 0)
        for drawn in path.draws:
            turns = tuple(state[Symbol(f"turn.{number}", INT)] for number in loops[drawn.site])
            if drawn.site in lazy:
                turns = (*turns, compile_sum(drawn.place)(local))
            local[drawn.symbol] = noise(drawn.site, tuple(int(t) for t in turns))
        if all(compile_formula(c)(local) for c in path.conditions):
            fitting.append((path, local))
    faulty = [path for path, local in fitting if any(compile_formula(f)(local) for f in path.faults)]
    if faulty:
        raise Faulty
    if len(fitting) != 1:
        raise Stuck(f"{len(fitting)} paths fit")
    return fitting[0]


def _items(built: Built, lists: dict[str, tuple[Any, ...]], state: Any) -> tuple[Any, ...]:
    front, back = ([_value(item, state) for item in items] for items in (built.front, built.back))
    items = (*front, *(lists[built.base] if built.base is not None else ()), *back)
    assert len(items) == compile_sum(built.length)(state)
    return items


def _value(value: Any, state: Any) -> Any:
    match value:
        case Numeric(term):
            return Fraction(compile_sum(term)(state))
        case Logical(formula):
            return compile_formula(formula)(state)
        case Maybe(none, inner):
            return None if compile_formula(none)(state) else _value(inner, state)
        case Several(items):
            return tuple(_value(item, state) for item in items)
    raise AssertionError(value)
