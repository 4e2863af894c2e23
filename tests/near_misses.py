"""Programs that differ from one in a single spot: what is restated of them, and whether that gives the same output."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from fractions import Fraction

from kolahal.engine import reference
from kolahal.engine.faults import RunError
from kolahal.errors import KolahalError
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
COMPUTED: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {ast.Add: (ast.Sub, ast.Mult), ast.Sub: (ast.Add, ast.Mult), ast.Mult: (ast.Add, ast.Div)}


def near_misses(body: str) -> list[str]:
    """The body of a function with one spot changed, in every way that is known here; each once."""
    tree = ast.parse(body)
    names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in CALLED})
    found = {body: None}
    for spot in range(sum(1 for _ in ast.walk(tree))):
        for change in CHANGES:
            for way in range(len(names) + 2):
                copy = deepcopy(tree)
                node = next(node for at, node in enumerate(ast.walk(copy)) if at == spot)
                if not change(node, way, names):
                    break
                found[ast.unparse(ast.fix_missing_locations(copy))] = None
    return list(found)[1:]


# Names that are not changed.
CALLED = {"range", "len", "max", "min", "sum", "list", "Lap", "Exp", "choose", "enumerate", "zip", "eps", "sorted", "reversed", "sketch", "each_within", "one_within", "Private", "Epsilon", "float", "int", "bool"}


def _constant(node: ast.AST, way: int, names: Sequence[str]) -> bool:
    if not isinstance(node, ast.Constant) or way > 1:
        return False
    if isinstance(node.value, bool):
        node.value = not node.value
        return way == 0
    if not isinstance(node.value, int):
        return False
    node.value += (1, -1)[way]
    return True


def _operator(node: ast.AST, way: int, names: Sequence[str]) -> bool:
    match node:
        case ast.Compare(ops=[op]) if way < len(others := COMPARED.get(type(op), ())):
            node.ops = [others[way]()]
            return True
        case ast.BinOp(op=op) if way < len(kinds := COMPUTED.get(type(op), ())):
            node.op = kinds[way]()
            return True
        case ast.BoolOp(op=op) if way == 0:
            node.op = ast.And() if isinstance(op, ast.Or) else ast.Or()
            return True
    return False


def _name(node: ast.AST, way: int, names: Sequence[str]) -> bool:
    if not isinstance(node, ast.Name) or node.id in CALLED or way >= len(names):
        return False
    node.id = names[way]
    return True


def _without(node: ast.AST, way: int, names: Sequence[str]) -> bool:
    body = getattr(node, "body", None)
    if not isinstance(body, list) or way >= len(body):
        return False
    body[way : way + 1] = [] if len(body) > 1 else [ast.Pass()]
    return True


def _twice(node: ast.AST, way: int, names: Sequence[str]) -> bool:
    body = getattr(node, "body", None)
    if not isinstance(body, list) or way >= len(body):
        return False
    body.insert(way, deepcopy(body[way]))
    return True


def _swapped(node: ast.AST, way: int, names: Sequence[str]) -> bool:
    body = getattr(node, "body", None)
    if not isinstance(body, list) or way + 1 >= len(body):
        return False
    body[way], body[way + 1] = body[way + 1], body[way]
    return True


def _jump(node: ast.AST, way: int, names: Sequence[str]) -> bool:
    body = getattr(node, "body", None)
    if not isinstance(body, list) or way > 0 or not any(isinstance(part, ast.Break | ast.Continue) for part in body):
        return False
    body[:] = [ast.Continue() if isinstance(part, ast.Break) else ast.Break() if isinstance(part, ast.Continue) else part for part in body]
    return True


def _told(node: ast.AST, way: int, names: Sequence[str]) -> bool:
    """An answer that has a name more in it."""
    if not isinstance(node, ast.Return) or way >= len(names) or node.value is None:
        return False
    node.value = ast.Tuple([node.value, ast.Name(names[way], ast.Load())], ast.Load())
    return True


CHANGES: tuple[Callable[[ast.AST, int, Sequence[str]], bool], ...] = (_constant, _operator, _name, _without, _twice, _swapped, _jump, _told)


def same_output(one: Sketch, two: Sketch, runs: int, seed: int, by_turn: bool = True, **public: Fraction | bool) -> bool:
    """Whether two programs give the same output, or stop alike, in some runs with the same noise at the same draws; `by_turn`, each
    turn of a loop draws other noise, and the two have the same turns."""
    rng = random.Random(seed)
    for _ in range(runs):
        size = rng.randint(1, 4)
        answers = [Fraction(rng.randint(-3, 3)) for _ in range(size)]
        arguments = Arguments(Fraction(1), size, tuple(public.items()) + (("k", Fraction(rng.randint(1, 3))),))
        noise: dict[object, list[Fraction]] = {}
        if _outcome(one, answers, arguments, noise, seed, by_turn) != _outcome(two, answers, arguments, noise, seed, by_turn):
            return False
    return True


def _outcome(sketch: Sketch, answers: list[Fraction], arguments: Arguments, noise: dict[object, list[Fraction]], seed: int, by_turn: bool) -> object:
    rng = random.Random(seed)

    def units(kind: object, site: int, turns: object) -> list[Fraction]:
        return noise.setdefault((site, turns if by_turn else ()), [Fraction(rng.randint(-64, 64), 8)])

    try:
        return reference.run(sketch, answers, arguments, (), units, Fraction)
    except RunError as fault:
        return sorted(diagnostic.code for diagnostic in fault.diagnostics)


def taken(texts: Sequence[str], read: Callable[[str], Sketch]) -> Iterator[Sketch]:
    """Those that are programs."""
    for text in texts:
        try:
            yield read(text)
        except (KolahalError, RecursionError):
            continue


def shown(restate: Callable[[Sketch], object], program: Sketch) -> str:
    """What a program is restated as, with all that two programs can differ in."""
    found = restate(program)
    return "as it was" if found == program else repr((found.adjacency, found.parameters, found.body)) if isinstance(found, Sketch) else repr(found)
