"""Python text whose arithmetic is exact: fractions where Python would make a double."""

from __future__ import annotations

import ast
from dataclasses import field
from fractions import Fraction

from kolahal.lang.patch import Text, from_outside
from kolahal.nouns import dataclass


def write_exactly(text: str, wholes: frozenset[str], fraction: str = "Fraction") -> str:
    """A function's text, in which `wholes` are the parameters that are whole numbers, without inexact arithmetic.

    Python turns `0.1` and `1 / 3` into doubles. Literals that are not whole become fractions, and so does one side of a
    division, or the base of a negative power, that may consist of whole numbers alone. The rest is exact as it is.
    """
    module = ast.parse(text)
    function = module.body[-1]
    assert isinstance(function, ast.FunctionDef)
    edited = Text(text)
    kinds = _Wholes(set(wholes))
    kinds.learn(function)
    for statement in function.body:
        for node in from_outside(statement):
            match node:
                case ast.Constant(value=float() as value):
                    exact = Fraction(repr(value))
                    whole = exact.denominator == 1
                    edited.replace_node(node, str(exact) if whole else f'{fraction}("{value!r}")')
                case ast.BinOp(left, ast.Div(), right) if kinds.may(left) and kinds.may(right):
                    edited.wrap(left, f"{fraction}(", ")")
                case ast.AugAssign(target, ast.Div(), value) if kinds.may(target) and kinds.may(value):
                    edited.wrap(value, f"{fraction}(", ")")
                case ast.BinOp(left, ast.Pow(), ast.UnaryOp(ast.USub(), _)) if kinds.may(left):
                    edited.wrap(left, f"{fraction}(", ")")
    return edited.result()


@dataclass(slots=True)
class _Wholes:
    """The names that may hold one of Python's whole numbers, or a list with such items."""

    names: set[str] = field(default_factory=set)

    def may(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=int() | float() as value):
                return value == int(value)
            case ast.Name(id=name):
                return name in self.names
            case ast.Subscript(value=of):
                return self.may(of)
            case ast.UnaryOp(operand=operand):
                return self.may(operand)
            case ast.BinOp(op=ast.FloorDiv()):
                return True
            case ast.BinOp(op=ast.Div()):
                return False
            case ast.BinOp(left, ast.Pow(), _):
                return self.may(left)
            case ast.BinOp(left, _, right):
                return self.may(left) and self.may(right)
            case ast.Call(ast.Name(id="len" | "range" | "sum" | "enumerate" | "zip")):  # the sum of nothing is whole
                return True
            case ast.Call(ast.Name(id="max" | "min" | "clip"), arguments, keywords):
                return any(map(self.may, [*arguments, *(keyword.value for keyword in keywords)]))
            case ast.Call(ast.Name(id="abs" | "sorted" | "list" | "reversed"), arguments):
                return any(map(self.may, arguments))
            case ast.IfExp(_, first, second):
                return self.may(first) or self.may(second)
            case ast.List(items) | ast.Tuple(items):
                return any(map(self.may, items))
            case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item):
                return self.may(item)
            case _:
                return False

    def learn(self, function: ast.FunctionDef) -> None:
        """Find the names, whatever the order in which statements run."""
        before = -1
        while before != len(self.names):
            before = len(self.names)
            for node in ast.walk(function):
                match node:
                    case ast.Assign(targets, value):
                        for target in targets:
                            self.bind(target, value)
                    case ast.AnnAssign(target=target, value=ast.expr() as value):
                        self.bind(target, value)
                    case ast.AugAssign(target, op, value):
                        self.bind(target, ast.BinOp(target, op, value))
                    case ast.For(target, over) | ast.comprehension(target, over):
                        self.bind(target, over)
                    case ast.Call(ast.Attribute(ast.Name() as target, "append" | "insert" | "extend"), [*_, value]):
                        self.bind(target, value)

    def bind(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ((ast.Tuple(targets) | ast.List(targets)), (ast.Tuple(values) | ast.List(values))):
                for one, its in zip(targets, values):
                    self.bind(one, its)
            case (ast.Tuple(targets) | ast.List(targets)), _:  # of pairs it is not known here which part is which
                for one in targets:
                    self.bind(one, value)
            case ast.Subscript(of, _), _:
                self.bind(of, value)
            case ast.Name(id=name), _ if self.may(value):
                self.names.add(name)
