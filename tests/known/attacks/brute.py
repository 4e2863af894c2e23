"""An independent judge of the truth: a program's own Python text, run with all values of its noise.

Nothing of Kolahal is used. The text of a function is executed with draw functions of our own: noise is a multiple of a
step (1 for noise on the whole numbers), distributed as the discrete Laplace or geometric law of that step, and every
value of every draw is enumerated until what is left has a probability below `cut`. What is left is counted against
whatever would be concluded. All other arithmetic is exact: numbers are fractions, `0.1` is one tenth.

A run that stops with an error, or goes on for ever, answers with that: its caller sees it.
"""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

NOISES = {"Lap": (2, False), "Exp": (1, False), "DiscreteLap": (2, True), "DiscreteExp": (1, True)}  # sides, whole
MOST_TURNS = 5_000  # of all loops of a run; longer ones have no end
MOST_RUNS = 400_000  # of one distribution

Database = tuple[Fraction, ...]
Distribution = dict[object, float]


class TooMany(Exception):
    """There are too many values of the noise to enumerate."""


# ---------------------------------------------------------------- the program


@dataclass(frozen=True)
class Program:
    """One function of a file: what it does, its neighbours, and the names and kinds of its arguments."""

    name: str
    run: Callable[..., Any]  # (draw, database, arguments by name)
    relation: str
    distance: Fraction
    private: str
    epsilon: str
    arguments: Mapping[str, str]  # int, float or bool
    whole: bool  # the private answers are whole numbers
    size: int | None  # the declared number of private answers
    positive: frozenset[str]  # whole arguments that scales or `%` use: the mechanism refuses those below 1
    only_whole_noise: bool


class _Exact(ast.NodeTransformer):
    """Numbers as they are written, quotients as fractions, and a count of the turns of loops."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _call("_number", ast.Constant(repr(node.value))) if isinstance(node.value, float) else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        return _call("_divide", left, right) if isinstance(node.op, ast.Div) else ast.BinOp(left, node.op, right)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        assert isinstance(node.target, ast.Name)
        value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        return ast.Assign([ast.Name(node.target.id, ast.Store())], self.visit(value))

    def visit_While(self, node: ast.While) -> ast.stmt:
        self.generic_visit(node)
        node.body = [ast.Expr(_call("_turn")), *node.body]
        return node


def _call(function: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(function, ast.Load()), list(arguments), [])


def read_programs(text: str) -> dict[str, Program]:
    """The functions of a file that are marked `@sketch(...)`, by name."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            found[node.name] = _read_function(node)
    return found


def _read_function(node: ast.FunctionDef) -> Program:
    (mark,) = node.decorator_list
    assert isinstance(mark, ast.Call) and isinstance(mark.keywords[0].value, ast.Call)
    relation = mark.keywords[0].value
    assert isinstance(relation.func, ast.Name)
    private = epsilon = ""
    whole, size, arguments = False, None, {}
    for parameter in node.args.args:
        kind = ast.unparse(parameter.annotation) if parameter.annotation else ""
        if kind.startswith("Private"):
            private = parameter.arg
            declared = kind.removeprefix("Private").strip("[]()").split(", ")
            whole = "int" in declared
            size = next((int(part) for part in declared if part.isdigit()), None)
        elif kind == "Epsilon":
            epsilon = parameter.arg
        else:
            arguments[parameter.arg] = kind
        parameter.annotation = None
    draws = [n for n in ast.walk(node) if isinstance(n, ast.Call) and _name(n.func) in NOISES]
    counted = [n for draw in draws for n in ast.walk(draw.args[0])]
    counted += [
        m for n in ast.walk(node) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod) for m in ast.walk(n.right)
    ]
    positive = frozenset(_name(n) for n in counted if arguments.get(_name(n)) == "int")
    node.decorator_list, node.args.defaults, node.returns = [], [], None
    code = compile(ast.fix_missing_locations(ast.Module([_Exact().visit(node)], [])), node.name, "exec")

    def run(draw: Callable[[str, Fraction], Fraction], database: Database, given: Mapping[str, Any]) -> object:
        turns = itertools.count()

        def turn() -> None:
            if next(turns) > MOST_TURNS:
                raise TimeoutError

        space: dict[str, Any] = {"_number": Fraction, "_divide": lambda a, b: Fraction(a) / b, "_turn": turn}
        space |= {name: lambda scale, name=name: draw(name, Fraction(scale)) for name in NOISES}
        exec(code, space)
        return space[node.name](**{private: list(database)}, **given)

    distance = Fraction(eval(ast.unparse(_Exact().visit(relation.args[0])), {"_divide": Fraction, "_number": Fraction}))
    only_whole = all(NOISES[_name(draw.func)][1] for draw in draws)
    return Program(
        node.name, run, relation.func.id, distance, private, epsilon, arguments, whole, size, positive, only_whole
    )


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


# ---------------------------------------------------------------- all runs


class _More(Exception):
    """The run asks for noise that has not been chosen yet."""

    def __init__(self, noise: str, scale: Fraction):
        super().__init__(noise)
        self.noise, self.scale = noise, scale


def support(noise: str, scale: Fraction, step: Fraction, cut: float) -> tuple[list[tuple[Fraction, float]], float]:
    """The values of noise with their probabilities, and the probability of all that are left out."""
    sides, whole = NOISES[noise]
    step = Fraction(1) if whole else step
    ratio = math.exp(-float(step / scale))
    last = max(1, math.ceil(math.log(cut) / math.log(ratio)))
    head = (1 - ratio) / (1 + ratio if sides == 2 else 1)
    values = [(k * step, head * ratio ** abs(k)) for k in range(-last if sides == 2 else 0, last + 1)]
    return values, sides * head * ratio ** (last + 1) / (1 - ratio)


def find_distribution(
    program: Program, database: Database, given: Mapping[str, Any], step: Fraction, cut: float
) -> tuple[Distribution, float]:
    """The probability of each answer, and of all runs that were left out."""
    answers: Distribution = {}
    lost = 0.0
    todo: list[tuple[tuple[Fraction, ...], float]] = [((), 1.0)]
    for count in itertools.count():
        if not todo:
            return answers, lost
        if count > MOST_RUNS:
            raise TooMany
        chosen, chance = todo.pop()
        left = iter(chosen)

        def draw(noise: str, scale: Fraction, left: Iterator[Fraction] = left) -> Fraction:
            value = next(left, None)
            if value is None:
                raise _More(noise, scale)
            return value

        try:
            answer = canonical(program.run(draw, database, given))
        except _More as more:
            values, rest = support(more.noise, more.scale, step, cut)
            lost += chance * rest
            todo += [((*chosen, value), chance * part) for value, part in values]
            continue
        except (ArithmeticError, LookupError, TypeError, NameError, TimeoutError) as error:
            answer = ("stopped", type(error).__name__)
        answers[answer] = answers.get(answer, 0.0) + chance
    raise AssertionError


def canonical(answer: object) -> object:
    """An answer such that two are equal only if Python's are of one kind and one value."""
    if isinstance(answer, list | tuple):
        return (type(answer).__name__, *map(canonical, answer))
    if answer is None or isinstance(answer, bool):
        return str(answer)
    assert isinstance(answer, int | Fraction), answer
    return Fraction(answer)


def find_excess(one: tuple[Distribution, float], two: tuple[Distribution, float], factor: float) -> float:
    """By how much some event is surely more likely in `one` than `factor` times its probability in `two`."""
    (first, _), (second, lost) = one, two
    event = [answer for answer, chance in first.items() if chance > factor * second.get(answer, 0.0)]
    here = math.fsum(first[answer] for answer in event)
    there = math.fsum(second.get(answer, 0.0) for answer in event) + lost
    return here - factor * there


# ---------------------------------------------------------------- where to look


@dataclass(frozen=True)
class Setting:
    """Two neighbouring databases, in one direction, with arguments and ε."""

    one: Database
    two: Database
    given: Mapping[str, Any]

    def __str__(self) -> str:
        shown = [f"{name}={value}" for name, value in self.given.items()]
        lists = ["[" + ", ".join(map(str, d)) + "]" for d in (self.one, self.two)]
        return " ".join([*lists, *shown])


def is_neighbour(program: Program, one: Database, two: Database) -> bool:
    moves = [b - a for a, b in zip(one, two, strict=True)]
    if program.whole and any(x.denominator != 1 for x in (*one, *two)):
        return False
    if (program.size or len(one)) != len(one):
        return False
    sizes = [abs(move) for move in moves]
    match program.relation:
        case "each_within":
            return max(sizes) <= program.distance
        case "one_within":
            return max(sizes) <= program.distance and sum(size > 0 for size in sizes) <= 1
        case "sum_within":
            return sum(sizes) <= program.distance
        case "monotone":
            return max(sizes) <= program.distance and (min(moves) >= 0 or max(moves) <= 0)
    raise AssertionError(program.relation)


def is_violated(program: Program, setting: Setting, step: Fraction, cut: float) -> bool:
    """Whether some event is surely more than e^ε times as likely on one database as on the other."""
    one, two = (find_distribution(program, d, setting.given, step, cut) for d in (setting.one, setting.two))
    factor = math.exp(float(setting.given[program.epsilon]))
    return max(find_excess(one, two, factor), find_excess(two, one, factor)) > 1e-12


def find_settings(
    program: Program, sizes: Sequence[int], values: Sequence[Fraction], given: Mapping[str, Sequence[Any]]
) -> Iterator[Setting]:
    """Neighbouring databases of some sizes over some values, with all combinations of arguments."""
    steps = {program.distance, -program.distance, Fraction(0)}
    if program.only_whole_noise and not program.whole:
        steps |= {step / 2 for step in steps}
    for size in [program.size] if program.size else sizes:
        for one in itertools.product(values, repeat=size):
            for move in itertools.product(sorted(steps), repeat=size):
                two = tuple(a + m for a, m in zip(one, move, strict=True))
                if any(move) and is_neighbour(program, one, two):
                    for chosen in itertools.product(*given.values()):
                        yield Setting(one, two, dict(zip(given, chosen, strict=True)))


def usual_arguments(program: Program, epsilons: Sequence[Fraction]) -> dict[str, Sequence[Any]]:
    """A few values for each argument; whole ones below 1 too, unless the mechanism refuses them."""
    found: dict[str, Sequence[Any]] = {}
    for name, kind in program.arguments.items():
        whole = (1, 2) if name in program.positive else (-3, 0, 1, 2)
        found[name] = {"int": whole, "bool": (False, True)}.get(kind, (Fraction(0), Fraction(1)))
    return {**found, program.epsilon: epsilons}
