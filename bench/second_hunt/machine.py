"""The exact distribution of a program's answers on one database, straight from its text.

Python itself executes every statement and expression; only the control flow is stepped here, so that runs that have
come to the same place with the same values can go on as one. A draw forks a run over the values of the noise. Whatever
is cut off (tails, runs that are too many or too unlikely) is counted as `unknown`, so bounds made from a distribution hold.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

BUILTINS = {"len": len, "range": range, "max": max, "min": min, "abs": abs, "list": list}
ONE_SIDED = {"Lap": False, "Exp": True, "DiscreteLap": False, "DiscreteExp": True}
WHOLE = ("DiscreteLap", "DiscreteExp")
STOPS = (ArithmeticError, LookupError, TypeError, NameError)  # what a run may stop with, as the language says

Values = dict[str, Any]
Draws = Callable[[str, Any], "Support"]  # name of the noise, scale → its values


class Support(NamedTuple):
    """The values that noise can have, with their probabilities, and the probability of all others."""

    values: tuple[tuple[Any, float], ...]
    rest: float


@lru_cache(maxsize=1024)
def whole_noise(one_sided: bool, scale: float, tail: float) -> Support:
    """Noise k in steps, with probability proportional to exp(-|k|/scale), without tails of about probability `tail`."""
    if scale <= 0:
        raise ZeroDivisionError("a scale must be above 0")
    ratio = math.exp(-1 / scale)
    furthest = max(1, math.ceil(-math.log(tail) * scale))
    first = -math.expm1(-1 / scale) / (1 if one_sided else 1 + ratio)
    places = range(0 if one_sided else -furthest, furthest + 1)
    rest = ratio ** (furthest + 1) * (1 if one_sided else 2 / (1 + ratio))
    return Support(tuple((k, first * ratio ** abs(k)) for k in places), rest)


@dataclass(slots=True)
class Distribution:
    """Probabilities of answers; a run that stops with an error has no answer."""

    answers: dict[Any, float] = field(default_factory=dict)
    stopped: float = 0.0
    unknown: float = 0.0
    executions: int = 0
    stray: set[str] = field(default_factory=set)  # names that Python did not know and that the program never binds

    def at_least(self, event: Callable[[Any], bool]) -> float:
        return sum(p for answer, p in self.answers.items() if event(answer))


# ---------------------------------------------------------------- the program as a list of steps


@dataclass(slots=True)
class Step:
    """One step: what Python executes, and where the run goes on."""

    kind: str  # do, test, seq, next, return
    code: CodeType | None = None
    to: int = -1
    otherwise: int = -1
    name: str = ""  # what is bound by `next`, or grown by `do`
    loop: str = ""  # hidden name of the loop's list
    reads: frozenset[str] = frozenset()
    binds: frozenset[str] = frozenset()
    live: frozenset[str] = frozenset()  # before the step
    order: tuple[str, ...] = ()  # the same, sorted


@dataclass(frozen=True, slots=True)
class Machine:
    steps: tuple[Step, ...]
    parameters: tuple[str, ...]
    names: frozenset[str]  # that the program binds somewhere


def build(text: str) -> Machine:
    """The steps of the last function in `text` that is decorated with `sketch`."""
    found = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.decorator_list]
    return build_function(found[-1])


def build_function(function: ast.FunctionDef) -> Machine:
    builder = _Builder()
    builder.block(function.body, _Ends())
    builder.add(Step("fall"))
    steps = tuple(builder.steps)
    _find_live(steps)
    parameters = tuple(a.arg for a in function.args.args)
    bound = frozenset().union(*(s.binds for s in steps))
    inner = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    names = bound | inner | frozenset(parameters)
    for step in steps:
        step.order = tuple(sorted(step.live & names))  # `len`, `Lap` and their like are the same in every run
    return Machine(steps, parameters, names)


@dataclass(slots=True)
class _Ends:
    """Steps that still have to learn where a `break` or `continue` leads."""

    breaks: list[Step] = field(default_factory=list)
    continues: list[Step] = field(default_factory=list)


class _Builder:
    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.loops = 0

    def add(self, step: Step) -> Step:
        self.steps.append(step)
        if step.to < 0:
            step.to = len(self.steps)
        return step

    def evaluating(self, kind: str, node: ast.expr, **more: Any) -> Step:
        code = compile(ast.Expression(node), "<program>", "eval")
        return Step(kind, code, reads=_reads(node), **more)

    def block(self, body: list[ast.stmt], ends: _Ends) -> None:
        for node in body:
            self.statement(node, ends)

    def statement(self, node: ast.stmt, ends: _Ends) -> None:
        match node:
            case ast.Expr(ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)))):
                self.do(node, name)
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                self.do(node, "")
            case ast.If(test, then, orelse):
                fork = self.add(self.evaluating("test", test))
                self.block(then, ends)
                over = self.add(Step("jump"))
                fork.otherwise = len(self.steps)
                self.block(orelse, ends)
                over.to = len(self.steps)
            case ast.While(test, inner):
                head = len(self.steps)
                fork = self.add(self.evaluating("test", test))
                fork.otherwise = self.turn(inner, head)
            case ast.For(ast.Name(name), over_what, inner):
                self.loops += 1
                hidden = f".{self.loops}"
                self.add(self.evaluating("seq", over_what, loop=hidden, binds=frozenset({hidden, hidden + "@"})))
                head = len(self.steps)
                both = frozenset({hidden, hidden + "@"})
                step = Step("next", name=name, loop=hidden, reads=both, binds=frozenset({name, hidden + "@"}))
                self.add(step)
                step.otherwise = self.turn(inner, head)
            case ast.Break():
                ends.breaks.append(self.add(Step("jump")))
            case ast.Continue():
                ends.continues.append(self.add(Step("jump")))
            case ast.Return(value) if value is not None:
                self.add(self.evaluating("return", value))
            case _:
                raise ValueError(f"no step for {ast.unparse(node)}")

    def turn(self, body: list[ast.stmt], head: int) -> int:
        """The body of a loop; gives where the loop ends."""
        ends = _Ends()
        self.block(body, ends)
        self.add(Step("jump", to=head))
        for step in ends.breaks:
            step.to = len(self.steps)
        for step in ends.continues:
            step.to = head
        return len(self.steps)

    def do(self, node: ast.stmt, grown: str) -> None:
        code = compile(ast.Module([node], []), "<program>", "exec")
        inside = {n for part in ast.walk(node) if isinstance(part, ast.comprehension) for n in _names(part.target)}
        stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        binds = frozenset(stored - inside)
        reads = _reads(node) | (binds if isinstance(node, ast.AugAssign) else frozenset())
        self.add(Step("do", code, name=grown, reads=reads, binds=binds))


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _reads(node: ast.AST) -> frozenset[str]:
    loads = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return frozenset(loads)


def _find_live(steps: tuple[Step, ...]) -> None:
    """Which names a run may still read, so that runs that differ in others only are one."""
    changed = True
    while changed:
        changed = False
        for place in reversed(range(len(steps))):
            step = steps[place]
            targets = [] if step.kind in ("return", "fall") else [step.to]
            targets += [step.otherwise] if step.otherwise >= 0 else []
            after = frozenset().union(*(steps[t].live for t in targets)) if targets else frozenset()
            # A name that is bound and read afterwards may be missing on a faulty run only, so binding ends its life.
            live = step.reads | (after - step.binds)
            if live != step.live:
                step.live, changed = live, True


# ---------------------------------------------------------------- running it


class _Fork(Exception):
    """A draw whose value is not chosen yet."""

    def __init__(self, support: Support):
        self.support = support


class Tape:
    """Values for the next draws of a step; the draw behind the last one forks."""

    def __init__(self) -> None:
        self.values: tuple[Any, ...] = ()
        self.place = 0

    def draw(self, support: Callable[[], Support]) -> Any:
        if self.place < len(self.values):
            self.place += 1
            return self.values[self.place - 1]
        raise _Fork(support())


def names_for(draws: Draws) -> Callable[[Tape], Values]:
    """What a program of the sketch language may use without binding it."""

    def drawer(tape: Tape, name: str) -> Callable[[Any], Any]:
        return lambda scale: tape.draw(lambda: draws(name, scale))

    return lambda tape: {"__builtins__": BUILTINS} | {name: drawer(tape, name) for name in ONE_SIDED}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is computed for one distribution."""

    executions: int = 20_000
    least: float = 1e-8  # runs that are less likely are cut off
    tail: float = 1e-6  # of one draw


def run(machine: Machine, values: Values, limits: Limits, names: Callable[[Tape], Mapping[str, Any]]) -> Distribution:
    """The distribution of the answers; `names` gives what the program may use without binding it."""
    return _Runner(machine, limits, names).run(values)


_MISSING = object()


class _Runner:
    def __init__(self, machine: Machine, limits: Limits, names: Callable[[Tape], Mapping[str, Any]]):
        self.machine, self.limits = machine, limits
        self.tape = Tape()
        self.fixed = dict(names(self.tape))
        self.found = Distribution()
        self.left = limits.executions
        self.pending: dict[int, dict[Any, tuple[float, Values]]] = {}

    def run(self, values: Values) -> Distribution:
        self.arrive(0, 1.0, dict(values))
        while self.pending:
            # The earliest step first: a loop is run to its end before anything behind it, so equal runs meet.
            place = min(self.pending)
            for weight, state in self.pending.pop(place).values():
                self.step(self.machine.steps[place], weight, state)
        self.found.executions = self.limits.executions - self.left
        return self.found

    def arrive(self, place: int, weight: float, values: Values) -> None:
        steps = self.machine.steps
        while steps[place].kind == "jump":
            place = steps[place].to
        kept, key = _state(steps[place].order, values)
        here = self.pending.setdefault(place, {})
        before = here.get(key)
        here[key] = (weight, kept) if before is None else (before[0] + weight, before[1])

    def step(self, step: Step, weight: float, values: Values) -> None:
        if step.kind == "next":
            return self.turn(step, weight, values)
        if step.kind == "fall":
            self.found.stopped += weight
            return None
        waiting: list[tuple[tuple[Any, ...], float]] = [((), weight)]
        while waiting:
            drawn, chance = waiting.pop()
            if self.left <= 0:
                self.found.unknown += chance + sum(other for _, other in waiting)
                return None
            self.left -= 1
            self.tape.values, self.tape.place = drawn, 0
            names = self.fixed | values
            if step.name:
                _own(names, step.name)
            try:
                result = None
                if step.kind == "do":
                    exec(step.code, names)  # type: ignore[arg-type]
                else:
                    result = eval(step.code, names)  # type: ignore[arg-type]
            except _Fork as fork:
                self.fork(waiting, drawn, chance, fork.support)
            except STOPS as error:
                self.found.stopped += chance
                self.notice(error)
            else:
                self.go_on(step, chance, names, result)
        return None

    def fork(
        self, waiting: list[tuple[tuple[Any, ...], float]], drawn: tuple[Any, ...], chance: float, to: Support
    ) -> None:
        least = self.limits.least / chance
        kept = [((*drawn, value), chance * share) for value, share in to.values if share >= least]
        if len(kept) < len(to.values):
            self.found.unknown += chance * sum(share for _, share in to.values if share < least)
        self.found.unknown += chance * to.rest
        waiting += kept

    def notice(self, error: Exception) -> None:
        if isinstance(error, NameError) and error.name not in self.machine.names:
            self.found.stray.add(str(error.name))

    def go_on(self, step: Step, chance: float, names: Values, result: Any) -> None:
        match step.kind:
            case "return":
                answer = plain(result)
                self.found.answers[answer] = self.found.answers.get(answer, 0.0) + chance
            case "test":
                if not isinstance(result, bool):
                    raise TypeError(f"a condition is {result!r}")
                self.arrive(step.to if result else step.otherwise, chance, names)
            case "seq":
                self.arrive(step.to, chance, names | {step.loop: result, step.loop + "@": 0})
            case _:
                self.arrive(step.to, chance, names)

    def turn(self, step: Step, weight: float, values: Values) -> None:
        sequence, place = values[step.loop], values[step.loop + "@"]
        self.left -= 1
        if self.left <= 0 or weight < self.limits.least:
            self.found.unknown += weight
        elif place < len(sequence):
            self.arrive(step.to, weight, values | {step.name: sequence[place], step.loop + "@": place + 1})
        else:
            self.arrive(step.otherwise, weight, values)


def _own(names: Values, grown: str) -> None:
    """Before a list grows, a copy for this run, under all its names."""
    old = names.get(grown)
    if isinstance(old, list):
        new = list(old)
        for name, value in names.items():
            if value is old:
                names[name] = new


def _state(order: tuple[str, ...], values: Values) -> tuple[Values, Any]:
    """The values that matter, and what makes two states one: equal values, and the same names for the same lists."""
    lists: dict[int, int] = {}
    kept: Values = {}
    parts: list[Any] = []
    for name in order:
        value = values.get(name, _MISSING)
        kind = type(value)
        if value is _MISSING:
            parts.append(_MISSING)
            continue
        kept[name] = value
        if kind is int or kind is float:
            parts.append(value)
        elif kind is Fraction:
            parts.append(value.as_integer_ratio())  # hashing a fraction is slow
        elif kind is list:
            parts.append((lists.setdefault(id(value), len(lists)), plain(value)))
        else:
            parts.append((kind, value))
    return kept, tuple(parts)


def plain(value: Any) -> Any:
    """A value that is equal to another exactly if a reader of answers could not tell them apart."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, list | tuple):
        return (type(value).__name__, *map(plain, value))
    return value


def each_path(text: str, values: Values, supports: Draws) -> Iterator[tuple[Any, float]]:
    """Answers with probabilities by whole runs of Python, one for each combination of draws: slow, and plainly right.

    A run that stops with an error has the answer None here, which no program can give: `plain` writes it as a text.
    """
    given: list[Any] = []

    def drawer(name: str) -> Callable[[Any], Any]:
        def draw(scale: Any) -> Any:
            if given:
                return given.pop()
            raise _Fork(supports(name, scale))

        return draw

    function = python_function(text, {name: drawer(name) for name in ONE_SIDED})
    waiting: list[tuple[tuple[Any, ...], float]] = [((), 1.0)]
    while waiting:
        drawn, chance = waiting.pop()
        given[:] = reversed(drawn)
        try:
            yield plain(function(**values)), chance
        except _Fork as fork:
            waiting += [((*drawn, value), chance * share) for value, share in fork.support.values]
        except STOPS:
            yield None, chance


def python_function(text: str, draws: Mapping[str, Any]) -> Callable[..., Any]:
    """The program as Python has it, its noise from `draws`: what the steps above are held to."""
    function = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.decorator_list][-1]
    function.decorator_list, function.returns = [], None
    for argument in function.args.args:
        argument.annotation = None
    names: Values = {"__builtins__": dict(BUILTINS), **draws}
    exec(compile(ast.Module([function], []), "<program>", "exec"), names)
    found: Callable[..., Any] = names[function.name]
    return found
