"""The signature of a sketch of a plain function: which parameter is private, and what the others are, by their use."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from kolahal.errors import UsageError
from kolahal.lang.read.tree import unquoted


class Signature:
    """The parameters: which is private, and what the others are, by how they are used."""

    def __init__(self, function: ast.FunctionDef, private: str | None):
        args = function.args
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or not args.args:
            raise UsageError(f"{function.name}: a sketch has plain parameters by name, and at least one")
        self.function = function
        self.names = [arg.arg for arg in args.args]
        self.private = private or self.names[0]
        if self.private not in self.names:
            raise UsageError(f"{function.name} has no parameter {self.private}; it has {', '.join(self.names)}")
        self.defaults = dict(zip(self.names[::-1], args.defaults[::-1]))
        self.notes = {arg.arg: ast.unparse(arg.annotation) for arg in args.args if arg.annotation}
        self.declared = next(unquoted(arg.annotation) for arg in args.args if arg.arg == self.private)
        self.wholes = _whole_names(function)
        self.truths = set(_truth_names(function))
        self.budget = next((n for n in ("eps", "epsilon") if n in self.names and n != self.private), None)

    def lines(self) -> Iterator[str]:
        """Signatures with types for all parameters, the likeliest first."""
        choices = [self.types(name) for name in self.names]
        for types in itertools.product(*choices):
            yield self.line(dict(zip(self.names, types)))

    def line(self, types: dict[str, str]) -> str:
        defaults = {name: f" = {ast.unparse(default)}" for name, default in self.defaults.items()}
        defaults[self.private] = ""
        parameters = [f"{name}: {types[name]}{defaults.get(name, '')}" for name in self.names]
        if "Epsilon" not in types.values():
            taken = {node.id for node in ast.walk(self.function) if isinstance(node, ast.Name)} | set(self.names)
            budget = next(n for n in ("eps", "epsilon", "eps_", "epsilon_", "privacy_budget") if n not in taken)
            # A parameter without a default stands before those that have one.
            place = next((i for i, name in enumerate(self.names) if name in self.defaults), len(parameters))
            parameters.insert(place, f"{budget}: Epsilon")
        return f"def {self.function.name}({', '.join(parameters)}):"

    def types(self, name: str) -> tuple[str, ...]:
        """The types that a parameter may have, the likeliest first."""
        note, default = self.notes.get(name), self.defaults.get(name)
        if name == self.private:
            declares = isinstance(self.declared, ast.Subscript) and ast.unparse(self.declared.value) == "Private"
            return (ast.unparse(self.declared),) if declares and self.declared else ("Private",)
        if name == self.budget:
            return ("Epsilon",)
        if note in ("int", "float", "bool"):
            return (note,)
        if isinstance(default, ast.Constant) and isinstance(default.value, bool):
            return ("bool",)
        guess = "bool" if name in self.truths else "int" if name in self.wholes else "float"
        return (guess, *(kind for kind in ("float", "int", "bool") if kind != guess))


def _truth_names(function: ast.FunctionDef) -> Iterator[str]:
    """Names that stand where a truth value is wanted."""
    for node in ast.walk(function):
        match node:
            case ast.If(test=ast.Name(id=name)) | ast.While(test=ast.Name(id=name)):
                yield name
            case ast.UnaryOp(ast.Not(), ast.Name(id=name)):
                yield name
            case ast.BoolOp(values=values):
                yield from (value.id for value in values if isinstance(value, ast.Name))


def _whole_names(function: ast.FunctionDef) -> set[str]:
    """Names that have to be whole numbers: places in lists, bounds of ranges, moduli, what counters are compared with."""
    bindings = [pair for node in ast.walk(function) for pair in _bound(node)]
    counters = _counters(bindings)
    wanted: set[str] = set()
    for node in ast.walk(function):
        match node:
            case ast.Subscript(slice=place):
                wanted |= _names(place)
            case ast.Call(ast.Name(id="range"), arguments):
                wanted |= set().union(*map(_names, arguments))
            case ast.BinOp(_, ast.Mod() | ast.FloorDiv(), right):
                wanted |= _names(right)
            case ast.Compare(left, _, [right]):
                for one, other in ((left, right), (right, left)):
                    if _counts(other, counters) and not isinstance(other, ast.Constant):
                        wanted |= _names(one)
    while True:  # a name that is given to such a name is one too
        more = {name for target, value in bindings if target in wanted for name in _names(value)} - wanted
        if not more:
            return wanted
        wanted |= more


def _counters(bindings: list[tuple[str, ast.expr]]) -> set[str]:
    """Names that only ever hold whole numbers made of constants, lengths, turns of loops and each other."""
    names = {target for target, _ in bindings}
    while True:
        others = {target for target, value in bindings if target in names and not _counts(value, names)}
        if not others:
            return names
        names -= others


def _counts(value: ast.expr, names: set[str]) -> bool:
    match value:
        case ast.Constant(value=whole):
            return isinstance(whole, int) and not isinstance(whole, bool)
        case ast.Name(id=name):
            return name in names
        case ast.UnaryOp(ast.USub(), operand):
            return _counts(operand, names)
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod(), right):
            return _counts(left, names) and _counts(right, names)
        case ast.Call(ast.Name(id="len" | "range")):
            return True
        case _:
            return False


def _bound(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names that a node gives values."""
    match node:
        case ast.Assign([ast.Tuple(targets) | ast.List(targets)], ast.Tuple(values) | ast.List(values)):
            for target, value in zip(targets, values):
                if isinstance(target, ast.Name):
                    yield target.id, value
        case ast.Assign(targets, value):
            for target in targets:
                if isinstance(target, ast.Name):
                    yield target.id, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case ast.AugAssign(ast.Name(id=name) as target, op, value):
            yield name, ast.BinOp(target, op, value)
        case ast.For(ast.Name(id=name), over) | ast.comprehension(ast.Name(id=name), over):
            yield name, over
        case ast.Call(ast.Attribute(ast.Name(id=name), "append" | "insert"), [*_, value]):
            yield name, value


def _names(node: ast.AST) -> set[str]:
    """The names whose numbers, or items, a value is made of; a length is made of none."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return set().union(*map(_names, node.args)) if node.func.id != "len" else set()
    if isinstance(node, ast.Name):
        return {node.id}
    return set().union(*map(_names, ast.iter_child_nodes(node)))
