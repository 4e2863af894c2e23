"""What stands above a sketch's body: the decorator and the parameters."""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from fractions import Fraction

from kolahal.lang.adjacency import RELATIONS, Adjacency, EachWithin
from kolahal.lang.parameters import BUDGETS, Parameter, Role, Type
from kolahal.lang.read.rows import read_relation, records_note
from kolahal.lang.read.scopes import Function
from kolahal.lang.read.tree import Tree, clip, unquoted
from kolahal.lang.records.moves import RECORD_RELATIONS, RecordRelation
from kolahal.lang.records.table import RECORD
from kolahal.lang.scale import NO_NOISE, NotAScale, exact, scale_of
from kolahal.nouns import dataclass

NEEDED = {
    Role.PRIVATE: ("q: Private", Parameter("", Role.PRIVATE, Type.VECTOR)),
    Role.EPSILON: ("eps: Epsilon", Parameter("", Role.EPSILON, Type.FLOAT)),
}

MOST_ANSWERS = 1_000_000  # that Private[…] may declare
LABEL = re.compile(r"eta[0-9]+")  # the scale of a hole, in laws, which speak of parameters too


@dataclass(frozen=True, slots=True)
class Header:
    adjacency: Adjacency
    parameters: tuple[Parameter, ...]  # always with a private one and a budget; a stand-in has no name
    lost: frozenset[str]  # parameters that were refused: nothing is known of them


def read_header(tree: Tree, node: Function, decorator: ast.expr) -> Header:
    """The relation and the parameters; where they are at fault, stand-ins, so that the body can still be read."""
    before = len(tree.faults)
    if isinstance(node, ast.AsyncFunctionDef):
        tree.fault("K134", node)
    for other in node.decorator_list:
        if other is not decorator:
            tree.fault("K133", other)
    if tree.is_reserved(node.name):
        tree.fault("K141", node, name=node.name)
    adjacency = _adjacency(tree, decorator) or EachWithin(Fraction(1))
    parameters = _parameters(tree, node)
    private = next(p for p in parameters if p.role is Role.PRIVATE)
    if private.whole and adjacency.distance.denominator != 1:
        tree.fault("K143", decorator, distance=adjacency.distance)
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    names = {arg.arg for arg in every if arg is not None}
    over_records = any(records_note(tree, arg.annotation) for arg in args.args)
    if over_records != isinstance(adjacency, RecordRelation) and len(tree.faults) == before:
        tree.fault("K160" if over_records else "K161", decorator, relation=adjacency)
    return Header(adjacency, parameters, frozenset(names - {p.name for p in parameters}))


def _adjacency(tree: Tree, decorator: ast.expr) -> Adjacency | None:
    match decorator:
        case ast.Call(_, [relation], []) | ast.Call(_, [], [ast.keyword("adjacent", relation)]):
            return _relation(tree, relation)
        case _:
            tree.fault("K130", decorator)
            return None


def _relation(tree: Tree, node: ast.expr) -> Adjacency | None:
    name = tree.ours(node.func) if isinstance(node, ast.Call) else None
    if name in RECORD_RELATIONS and isinstance(node, ast.Call):
        return read_relation(tree, node, name)
    if name not in RELATIONS:
        tree.fault("K131", node, thing=clip(node), relations=", ".join({**RELATIONS, **RECORD_RELATIONS}))
        return None
    distance = NO_NOISE
    match node:
        case ast.Call(_, [value], []) | ast.Call(_, [], [ast.keyword("distance", value)]):
            with suppress(NotAScale):
                distance = scale_of(value, {})
    if not distance:
        tree.fault("K132", node, name=name)
        return None
    return RELATIONS[name](distance.coefficient)


def _parameters(tree: Tree, node: Function) -> tuple[Parameter, ...]:
    args = node.args
    for odd in [*args.posonlyargs, args.vararg, *args.kwonlyargs, args.kwarg]:
        if odd is not None:
            tree.fault("K135", odd, name=odd.arg)
    # Defaults belong to the last parameters, positional-only ones included.
    defaults = dict(zip([a.arg for a in reversed(args.posonlyargs + args.args)], reversed(args.defaults)))
    found: dict[str, Parameter] = {}
    over_records = any(records_note(tree, arg.annotation) for arg in args.args)
    refused = len(args.args) != len(args.args + args.posonlyargs + args.kwonlyargs)
    for arg in args.args:
        if tree.is_reserved(arg.arg) or (arg.arg == RECORD and over_records) or LABEL.fullmatch(arg.arg):
            tree.fault("K141", arg, name=arg.arg)
        parameter = _parameter(tree, arg, defaults.get(arg.arg))
        if parameter is None:
            refused = True
        elif arg.arg in found:
            tree.fault("K139", arg, name=arg.arg)
        else:
            if parameter.role in {p.role for p in found.values()} - {Role.ARGUMENT}:
                tree.fault("K138", arg, role=parameter.role.value)
            found[arg.arg] = parameter
    parameters = _one_budget(tree, node, tuple(found.values()))
    for role, (example, stand_in) in NEEDED.items():
        if not any(p.role is role or {role, p.role} <= set(BUDGETS) for p in parameters):
            if not refused:  # otherwise the refused parameter may be the missing one
                tree.fault("K137", node, role=role.value, example=example)
            parameters += (stand_in,)
    return parameters


def _one_budget(tree: Tree, node: Function, parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """The parameters with one budget: of two kinds the first, and δ beside ε alone."""
    first = next((p.role for p in parameters if p.role in BUDGETS), None)
    kept = []
    for p in parameters:
        second = p.role in BUDGETS and p.role is not first
        if second or (p.role is Role.DELTA and first is not Role.EPSILON):
            other = "no `Epsilon`" if first is None else f"`{first.value}`"
            fix = "Keep one of them." if second else "Write eps: Epsilon beside it, or remove it."
            tree.fault("K149", node, name=p.name, role=p.role.value, other=other, fix=fix)
            p = Parameter(p.name, Role.ARGUMENT, p.type)
        kept.append(p)
    return tuple(kept)


def _parameter(tree: Tree, arg: ast.arg, default: ast.expr | None) -> Parameter | None:
    note = unquoted(arg.annotation)
    kind, count = "", None
    match tree.ours(note), note:
        case "Private", _:
            role, type_ = Role.PRIVATE, Type.VECTOR
        case _, ast.Subscript(of, declared) if tree.ours(of) == "Private":
            role, type_ = Role.PRIVATE, Type.VECTOR
            found = _declared(declared)
            if found is None:
                tree.fault("K142", arg, name=arg.arg, what=clip(declared))
            kind, count = found or ("", None)
        case _ if records_note(tree, note):
            role, type_ = Role.PRIVATE, Type.VECTOR
        case "Epsilon" | "Rho" | "Mu" | "Delta" as word, _:
            role, type_ = Role(word), Type.FLOAT
        case _, ast.Name(id="int" | "float" | "bool" as name):
            role, type_ = Role.ARGUMENT, Type(name)
        case _:
            what = "no type" if note is None else f"a type that a sketch does not know: `{clip(note)}`"
            tree.fault("K136", arg, name=arg.arg, what=what)
            return None
    value = None if default is None else _default(tree, default, role, type_)
    return Parameter(arg.arg, role, type_, value, kind != "", count, bits=kind == "bool")


def _declared(node: ast.expr) -> tuple[str, int | None] | None:
    """What `Private[…]` says: whole answers or bits, a number of them, or both in this order; None if it is something else."""
    parts = list(node.elts) if isinstance(node, ast.Tuple) else [node]
    kind, count = "", None
    if parts and isinstance(parts[0], ast.Name) and parts[0].id in ("int", "bool"):
        kind = parts[0].id
        parts.pop(0)
    if (
        parts
        and isinstance(parts[0], ast.Constant)
        and type(parts[0].value) is int
        and 0 < parts[0].value <= MOST_ANSWERS
    ):
        count = parts[0].value
        parts.pop(0)
    return (kind, count) if not parts and (kind or count) else None


def _default(tree: Tree, node: ast.expr, role: Role, type_: Type) -> Fraction | bool | None:
    value = _literal(node)
    if type_ is Type.BOOL:
        good = isinstance(value, bool)
    else:
        good = isinstance(value, Fraction) and (type_ is not Type.INT or value.denominator == 1)
    if role in BUDGETS or role is Role.DELTA:
        good = good and value is not None and value > 0 and (role is not Role.DELTA or value < 1)
    if good and role is not Role.PRIVATE:
        return value
    words = {Type.VECTOR: "Remove it.", Type.BOOL: "Write True or False.", Type.INT: "Write a whole number."}
    fix = "Write a number above 0." if role in BUDGETS else words.get(type_, "Write a number.")
    tree.fault("K140", node, value=clip(node), fix=fix)
    return None


def _literal(node: ast.expr) -> Fraction | bool | None:
    match node:
        case ast.Constant(value=bool() as value):
            return value
        case ast.Constant(value=int() | float() as value):
            return exact(value)
        case ast.UnaryOp(ast.USub(), ast.Constant(value=int() | float() as value)) if not isinstance(value, bool):
            number = exact(value)
            return None if number is None else -number
        case _:
            return None
