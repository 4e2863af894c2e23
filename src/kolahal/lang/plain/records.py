"""A plain function of records → a sketch: noise on every aggregate, and the law says which of it is needed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kolahal.errors import UsageError
from kolahal.lang.patch import Text
from kolahal.lang.read.parse import parse_named
from kolahal.lang.read.record_trees import record_names_in
from kolahal.lang.read.tree import Tree, unquoted
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.source import Source

FOLDS = ("sum", "max", "min")


def sketch_of_records(source: Source, function: ast.FunctionDef, relation: str, private: str | None, noise: str) -> str:
    """The file with the function as a sketch; everything else of it is kept."""
    names = [arg.arg for arg in function.args.args]
    rows = private or (names[0] if names else "")
    arg = next((arg for arg in function.args.args if arg.arg == rows), None)
    plain = None if arg is None else _plain_list(arg)
    if arg is None or (plain is None and not _is_records(source, function, arg)):
        raise UsageError(
            f"{source.path}:{function.lineno}: say what the records are, as in `{rows or 'rows'}: Records[Row]` with a NamedTuple "
            "or dataclass Row of this file, or `Records[Between(0, 1)]` for numbers"
        )
    if "eps" in {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} | set(names):
        raise UsageError(f"{source.path}:{function.lineno}: the name eps is taken; call it something else")
    text = Text(source.text)
    margin = text.text[text.offset(function.lineno, 0) : text.offset(function.lineno, function.col_offset)]
    between = {"Between"} if "Between(" in source.text else set()
    _add_import(text, {"Epsilon", noise, relation.partition("(")[0], "hole", "sketch"} | between | ({"Records"} if plain else set()))
    if plain is not None:
        text.replace(*text.span(plain), "Records")
    start = text.span(function)[0]
    text.replace(start, start, f"@sketch(adjacent={relation})\n{margin}")
    end = text.span(arg)[1]
    text.replace(end, end, ", eps: Epsilon")
    lists = _find_lists(function, rows)
    for node in _aggregates(function, lists):
        text.wrap(node, "(", f" + {noise}(hole))")
    for loop in (n for n in ast.walk(function) if isinstance(n, ast.For) and _is_rows(n.iter, lists)):
        _add_after(text, function, loop, noise)
    written = text.result()
    sketch = parse_named(Source(source.path, written), function.name)
    adjacency = sketch.adjacency
    assert isinstance(adjacency, RecordRelation)
    if adjacency.unbounded:
        raise UsageError(
            f"{source.path}: one record can move {adjacency.show(adjacency.unbounded[0])} by any amount, and no noise hides that. "
            "Write clip(x, low, high) around what is added up, or say between which numbers a field is, as in --between age=0:100: "
            "bounds that you know without looking at the data"
        )
    return written


def holds_records(source: Source, function: ast.FunctionDef, private: str | None) -> bool:
    """Whether the private parameter is annotated as records, or as a list of rows whose class stands in the file."""
    arg = next((arg for arg in function.args.args if private is None or arg.arg == private), None)
    if arg is None or arg.annotation is None:
        return False
    classes = {node.name for node in ast.parse(source.text).body if isinstance(node, ast.ClassDef)}
    rows = _plain_list(arg) is not None and bool(classes & {node.id for node in ast.walk(arg.annotation) if isinstance(node, ast.Name)})
    return rows or _is_records(source, function, arg)


def _plain_list(arg: ast.arg) -> ast.expr | None:
    """What of an annotation says that a parameter is a list of something, as in `list[Visit]`."""
    match arg.annotation:
        case ast.Subscript(ast.Name(id="list" | "List" | "Sequence" | "Iterable") as word, ast.Name()):
            return word
        case _:
            return None


def _is_records(source: Source, function: ast.FunctionDef, arg: ast.arg) -> bool:
    """Whether a parameter is annotated as records, by the names of its file."""
    tree, note = Tree(source), unquoted(arg.annotation)
    here = next(n for n in ast.walk(tree.module) if isinstance(n, ast.FunctionDef) and n.lineno == function.lineno)
    of = note.value if isinstance(note, ast.Subscript) else note
    if isinstance(of, ast.Attribute):
        return of.attr == "Records"
    return isinstance(of, ast.Name) and tree.scopes.meaning(here, of.id, header=True).name == "Records"


def _find_lists(function: ast.FunctionDef, rows: str) -> frozenset[str]:
    """The records, and parts of them that have a name."""
    found = {rows}
    for node in function.body:
        match node:
            case ast.Assign([ast.Name(id=name)], ast.ListComp(ast.Name(id=item), [ast.comprehension(ast.Name(id=own), ast.Name(id=over))])):
                found |= {name} if item == own and over in found else set()
    return frozenset(found)


def _is_rows(node: ast.expr, rows: frozenset[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in rows


def _aggregates(node: ast.AST, rows: frozenset[str]) -> Iterator[ast.expr]:
    """The outermost aggregates that are numbers."""
    match node:
        case ast.Call(ast.Name(id="len" | "sum" | "max" | "min"), [over, *_]) if _is_rows(over, rows):
            yield node
        case ast.Call(ast.Name(id="len"), [ast.ListComp() as many]) if _is_rows(many.generators[0].iter, rows):
            yield node
        case ast.Call(ast.Name(id=name), [ast.GeneratorExp() | ast.ListComp() as many, *_]) if name in FOLDS and _is_rows(
            many.generators[0].iter, rows
        ):
            yield node
        case ast.Call(ast.Name(id="any" | "all"), [ast.GeneratorExp() | ast.ListComp() as many]) if _is_rows(
            many.generators[0].iter, rows
        ):
            raise UsageError(f"line {node.lineno}: there is no place for noise on any and all; count with sum, and compare")
        case ast.For(iter=over) if _is_rows(over, rows):
            return
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _aggregates(child, rows)


def _add_after(text: Text, function: ast.FunctionDef, loop: ast.For, noise: str) -> None:
    """Noise on what a loop over records added up, right after it."""
    made = [(n.targets[0].id, n.value) for n in ast.walk(function) if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
    dictionaries = {n for n, v in made if isinstance(v, ast.Dict | ast.DictComp) or (isinstance(v, ast.Call) and ast.unparse(v.func) == "dict.fromkeys")}
    margin = text.text[text.offset(loop.lineno, 0) : text.offset(loop.lineno, loop.col_offset)]
    local = {name for part in loop.body for name in record_names_in(part)}
    lines: dict[str, None] = {}
    for node in ast.walk(loop):
        match node:
            case ast.AugAssign(ast.Name(id=name), ast.Add() | ast.Sub()) if name not in local:
                lines[f"{margin}{name} = {name} + {noise}(hole)"] = None
            case ast.Assign([ast.Name(id=name)], ast.BinOp(ast.Name(id=again), ast.Add() | ast.Sub())) if name == again and name not in local:
                lines[f"{margin}{name} = {name} + {noise}(hole)"] = None
            case ast.AugAssign(ast.Subscript(ast.Name(id=name))) if name in dictionaries:
                lines[f"{margin}{name} = {{label: count + {noise}(hole) for label, count in {name}.items()}}"] = None
            case ast.AugAssign(ast.Subscript(ast.Name(id=name))):
                lines[f"{margin}{name} = [count + {noise}(hole) for count in {name}]"] = None
    end = text.span(loop)[1]
    text.replace(end, end, "".join(f"\n{line}" for line in lines))


def _add_import(text: Text, names: set[str]) -> None:
    """Import our names, where the file does not have them yet; after a docstring and imports from the future."""
    module = ast.parse(text.text)
    known = {a.name for n in module.body if isinstance(n, ast.ImportFrom) and n.module == "kolahal" for a in n.names}
    wanted = ", ".join(sorted(names - known))
    if not wanted:
        return
    place = 0
    for node in module.body:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not future and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            break
        place = text.span(node)[1]
    line = f"from kolahal import {wanted}\n"
    text.replace(place, place, f"\n{line}" if place else line)
