"""What a list of records is declared to hold: numbers, or rows whose class stands in the same file."""

from __future__ import annotations

import ast

from kolahal.lang.read.scopes import Function
from kolahal.lang.read.snippets import number_of
from kolahal.lang.read.tree import Tree, clip, unquoted
from kolahal.lang.records.moves import RECORD_RELATIONS, RecordRelation
from kolahal.lang.records.table import Field, RowClass

MOST_LABELS = 64
MOST_COUNT = 1_000  # records of one person


def records_note(tree: Tree, note: ast.expr | None) -> bool:
    """Whether an annotation says that a parameter is a list of records."""
    note = unquoted(note)
    return tree.ours(note.value if isinstance(note, ast.Subscript) else note) == "Records"


def read_relation(tree: Tree, node: ast.Call, name: str) -> RecordRelation | None:
    """`add_remove(k)` or `replace(k)`."""
    match node:
        case ast.Call(_, [], []):
            count: object = 1
        case ast.Call(_, [ast.Constant(value)], []):
            count = value
        case _:
            count = None
    if type(count) is not int or not 1 <= count <= MOST_COUNT:
        tree.fault("K162", node, name=name, most=MOST_COUNT)
        return None
    return RECORD_RELATIONS[name].declared(count)


def read_row(tree: Tree, function: Function) -> RowClass | None:
    """What the records of a function are; None, with a fault, if that cannot be read."""
    arg = next(arg for arg in function.args.args if records_note(tree, arg.annotation))
    note = unquoted(arg.annotation)
    if not isinstance(note, ast.Subscript):
        return RowClass(None, (Field("", "float"),))
    match note.slice:
        case ast.Name(id=name) if name not in ("float", "int"):
            return _read_class(tree, function, arg, name)
        case declared:
            field = _read_field(tree, function, "", unquoted(declared) or declared)
            if field is None or field.kind not in ("float", "int"):
                tree.fault("K163", arg, what=clip(declared))
                return None
            return RowClass(None, (field,))


def _read_class(tree: Tree, function: Function, arg: ast.arg, name: str) -> RowClass | None:
    found = [node for node in ast.walk(tree.module) if isinstance(node, ast.ClassDef) and node.name == name]
    if len(found) != 1 or found[0] not in tree.module.body:
        tree.fault("K163", arg, what=f"{name}, which is not one class at the top of this file")
        return None
    (node,) = found
    bases = [clip(base).rpartition(".")[2] for base in node.bases]
    decorators = [clip(d.func if isinstance(d, ast.Call) else d).rpartition(".")[2] for d in node.decorator_list]
    if not ((bases == ["NamedTuple"] and not decorators) or (not bases and decorators == ["dataclass"])):
        tree.fault("K163", arg, what=f"{name}, which is neither a NamedTuple nor a dataclass")
        return None
    fields: list[Field] = []
    before = len(tree.faults)
    for part in node.body:
        match part:
            case ast.AnnAssign(target=ast.Name(id=field_name), annotation=note):
                field = _read_field(tree, function, field_name, unquoted(note) or note)
                if field is None:
                    tree.fault("K164", part, name=field_name, what=clip(note))
                else:
                    fields.append(field)
            case ast.Expr(ast.Constant(value=str())) | ast.Pass():
                pass
            case _:
                tree.fault("K164", part, name=clip(part), what="something other than a field with a type")
    names = [field.name for field in fields]
    if not fields or len(set(names)) != len(names):
        tree.fault("K163", arg, what=f"{name}, which has no fields, or one twice")
    return RowClass(name, tuple(fields)) if len(tree.faults) == before else None


def _read_field(tree: Tree, function: Function, name: str, note: ast.expr) -> Field | None:
    match note:
        case ast.Name(id="float" | "int" | "bool" as kind):
            return Field(name, kind)
        case ast.Subscript(ast.Name(id="Literal") | ast.Attribute(attr="Literal"), labels):
            given = labels.elts if isinstance(labels, ast.Tuple) else [labels]
            texts = [part.value for part in given if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            good = len(texts) == len(given) == len(set(texts)) <= MOST_LABELS
            return Field(name, "label", labels=tuple(texts)) if good else None
        case ast.Call(func, [low, high], keywords) if _is_between(tree, function, func):
            return _between(name, low, high, keywords)
        case _:
            return None


def _between(name: str, low: ast.expr, high: ast.expr, keywords: list[ast.keyword]) -> Field | None:
    whole = False
    match keywords:
        case []:
            pass
        case [ast.keyword("whole", ast.Constant(value=bool() as whole))]:
            pass
        case _:
            return None
    ends = [number_of(end) for end in (low, high)]
    if ends[0] is None or ends[1] is None or ends[0] > ends[1]:
        return None
    if whole and (ends[0].denominator != 1 or ends[1].denominator != 1):
        return None
    return Field(name, "int" if whole else "float", ends[0], ends[1])


def _is_between(tree: Tree, function: Function, node: ast.expr) -> bool:
    """Whether a name is our Between where the function stands; the class is outside it, and sees the same file."""
    if isinstance(node, ast.Name):
        return tree.scopes.meaning(function, node.id, header=True).name == "Between"
    return tree.ours(node) == "Between"
