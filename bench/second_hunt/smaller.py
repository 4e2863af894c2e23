"""A program made small while something stays true of it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator


def make_small(text: str, still: Callable[[str], bool], most: int = 200) -> str:
    """A program with fewer and simpler parts, of which `still` holds as it does of `text`; `most` limits how often it is asked."""
    tree, asked = ast.parse(text), 0
    found = True
    while found and asked < most:
        found = False
        for smaller in _simpler(tree):
            asked += 1
            if still(_print(smaller)):
                tree, found = smaller, True
                break
            if asked >= most:
                break
    return _print(tree)


def _print(tree: ast.Module) -> str:
    head, *rest = [ast.unparse(node) for node in tree.body if isinstance(node, ast.ImportFrom)] or [""]
    functions = [ast.unparse(node) for node in tree.body if isinstance(node, ast.FunctionDef)]
    return "\n".join([head, *rest]) + "\n\n\n" + "\n\n\n".join(functions) + "\n"


def _simpler(tree: ast.Module) -> Iterator[ast.Module]:
    """Programs that are one step simpler, the larger steps first."""
    yield from _each(tree, _blocks, _cut)
    yield from _each(tree, _parameters, _without)
    yield from _each(tree, _expressions, _replace)


Edit = Callable[[ast.AST, int], bool]


def _each(tree: ast.Module, places: Callable[[ast.Module], list[ast.AST]], edit: Edit) -> Iterator[ast.Module]:
    """Every edit number at every place, each on a copy of its own."""
    for place in range(len(places(tree))):
        number = 0
        while True:
            other = copy.deepcopy(tree)
            if not edit(places(other)[place], number):
                break
            number += 1
            yield ast.fix_missing_locations(other)


def _blocks(tree: ast.Module) -> list[ast.AST]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.If | ast.For | ast.While)]


def _cut(node: ast.AST, number: int) -> bool:
    """Drop a statement, or put the inside of one in its place."""
    for block in (node.body, getattr(node, "orelse", [])):  # type: ignore[attr-defined]
        for place, statement in enumerate(block):
            choices: list[list[ast.stmt]] = [[]]
            if isinstance(statement, ast.If | ast.For | ast.While):
                choices += [statement.body] + ([statement.orelse] if statement.orelse else [])
            if isinstance(statement, ast.If) and statement.orelse:
                choices.append([ast.If(statement.test, statement.body, [])])
            if number < len(choices):
                block[place : place + 1] = choices[number]
                if not node.body:  # type: ignore[attr-defined]
                    node.body = [ast.Pass()]  # type: ignore[attr-defined]
                return True
            number -= len(choices)
    return False


def _parameters(tree: ast.Module) -> list[ast.AST]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.arguments)]


def _without(node: ast.AST, number: int) -> bool:
    assert isinstance(node, ast.arguments)
    if number < len(node.args):
        del node.args[number]
        return True
    return False


def _expressions(tree: ast.Module) -> list[ast.AST]:
    """Whatever holds an expression of a body; not the signature."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [part for f in functions for statement in f.body for part in ast.walk(statement)]


def _replace(node: ast.AST, number: int) -> bool:
    """Put a part of an expression, or a small number, in its place."""
    for name, value in ast.iter_fields(node):
        for place, item in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(item, ast.expr) or isinstance(getattr(item, "ctx", None), ast.Store):
                continue
            choices = _parts(item)
            if number < len(choices):
                if isinstance(value, list):
                    value[place] = choices[number]
                else:
                    setattr(node, name, choices[number])
                return True
            number -= len(choices)
    return False


def _parts(item: ast.expr) -> list[ast.expr]:
    match item:
        case ast.BinOp(left, _, right):
            return [left, right]
        case ast.BoolOp(_, values):
            return list(values)
        case ast.UnaryOp(_, operand):
            return [operand]
        case ast.Compare(left, _, [right]) if ast.unparse(right) not in ("0", "None"):
            return [ast.Compare(left, item.ops, [ast.Constant(0)])]
        case ast.List(elts) | ast.Tuple(elts) if len(elts) > 1:
            return [type(item)(elts[:1], ast.Load()), type(item)(elts[1:], ast.Load())]
        case ast.Call(ast.Name("max" | "min" | "abs"), arguments):
            return list(arguments)
        case ast.Constant(value) if (
            isinstance(value, int | float) and not isinstance(value, bool) and value not in (0, 1)
        ):
            return [ast.Constant(1), ast.Constant(0)]
        case _:
            return []
