"""What a file gives to names at its top level."""

from __future__ import annotations

import ast

READING = frozenset({"len", "zip", "enumerate", "sum", "max", "min", "sorted", "reversed"})


def find_still_lists(module: ast.Module) -> set[int]:
    """The lists that nothing in the file can change: their names are gone over, looked into and counted, and nothing else."""
    plain: set[int] = set()
    reading = READING - _bound(module)
    for node in ast.walk(module):
        match node:
            case ast.Subscript(of, _, ast.Load()):
                plain.add(id(of))
            case ast.For(_, over) | ast.comprehension(_, over) | ast.Compare(_, _, [over]):
                plain.add(id(over))
            case ast.Call(ast.Name(word), args) if word in reading:
                plain |= set(map(id, args))
    names = {n.id for n in ast.walk(module) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in plain}
    return {id(v) for target, v in find_assignments(module) if isinstance(v, ast.List) and isinstance(target, ast.Name) and target.id not in names}


def _bound(module: ast.Module) -> set[str]:
    """The names that the file gives another meaning, in any place."""
    found: set[str] = set()
    for node in ast.walk(module):
        match node:
            case ast.Name(word, ast.Store() | ast.Del()) | ast.arg(word) | ast.FunctionDef(word) | ast.AsyncFunctionDef(word) | ast.ClassDef(word):
                found.add(word)
            case ast.Import(aliases) | ast.ImportFrom(_, aliases):
                found |= {alias.asname or alias.name for alias in aliases}
    return found | (READING if "*" in found else set())


def find_assignments(module: ast.Module) -> list[tuple[ast.expr, ast.expr]]:
    found: list[tuple[ast.expr, ast.expr]] = []
    for node in module.body:
        match node:
            case ast.Assign([ast.Name() as target], value) | ast.AnnAssign(ast.Name() as target, _, ast.expr() as value):
                found.append((target, value))
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                found += [(target, value) for target, value in zip(targets, values) if isinstance(target, ast.Name)]
    return found
