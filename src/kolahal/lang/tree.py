"""Python's syntax tree of a file, as all readers of it need it: places, faults, limits, and which names are ours."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kolahal.lang.adjacency import RELATIONS
from kolahal.lang.noise import Noise
from kolahal.lang.source import Diagnostic, SketchError, Source, Span, diagnose, parse_module, refuse_source

DEEPEST = 150  # levels of the tree below a function; a + b + c nests as deep as it has terms
DEEPEST_LOOP = 20  # Python itself does not compile more
LONGEST = 20_000  # nodes of the tree of a function

NOISES = {noise.value: noise for noise in Noise}
OURS = frozenset(NOISES) | frozenset(RELATIONS) | {"hole", "sketch", "Private", "Epsilon"}
RESERVED = frozenset(NOISES) | {"hole", "len", "range", "max", "min", "abs", "list", "kolahal"}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Aliases = dict[str, str]  # local name → our name


class Refused(Exception):
    """Unwinds to the nearest statement, so that one fault does not hide the others."""


class Tree:
    """The tree of one source, and the faults found in it so far."""

    def __init__(self, source: Source, seen: Aliases | None = None):
        """`seen` is what names are found to mean by a running program; otherwise the imports tell."""
        self.source = source
        self.module = _parse(source)
        self.aliases = _aliases(self.module) | (seen or {})
        self.faults: list[Diagnostic] = []
        self._lines = source.lines()
        self._columns: dict[int, list[int]] = {}

    # ---- places and faults

    def span(self, node: ast.AST) -> Span:
        line = getattr(node, "lineno", 1)
        start = self._column(line, getattr(node, "col_offset", 0))
        if getattr(node, "end_lineno", line) == line:
            end = self._column(line, getattr(node, "end_col_offset", start + 1))
        else:
            end = len(self._lines[line - 1])
        return Span(line + self.source.first_line - 1, start + 1, max(1, end - start))

    def _column(self, line: int, offset: int) -> int:
        """Python counts bytes, people count characters."""
        text = self._lines[line - 1]
        if text.isascii():
            return offset
        if line not in self._columns:
            self._columns[line] = [i for i, c in enumerate(text) for _ in c.encode()] + [len(text)]
        return self._columns[line][offset]

    def fault(self, code: str, node: ast.AST, **words: object) -> None:
        self.faults.append(diagnose(code, self.span(node), **words))

    def refuse(self, code: str, node: ast.AST, **words: object) -> Refused:
        self.fault(code, node, **words)
        return Refused()

    # ---- names

    def ours(self, node: ast.AST | None) -> str | None:
        """Which of our names an expression is: `Lap`, an alias of it, or `kolahal.Lap`."""
        match node:
            case ast.Name(id=name):
                return self.aliases.get(name)
            case ast.Attribute(ast.Name(id=module), name) if self.aliases.get(module) == "kolahal" and name in OURS:
                return name
            case _:
                return None

    def is_reserved(self, name: str) -> bool:
        """Whether a name means something in a sketch, in Python or in this file's imports, and cannot be given away."""
        dunder = name.startswith("__") and name.endswith("__")
        return name in RESERVED or dunder or self.aliases.get(name) in RESERVED

    # ---- sketches

    def decorated(self) -> Iterator[tuple[Function, ast.expr]]:
        """The functions that @sketch decorates, with that decorator, in source order."""
        waiting: list[ast.AST] = [self.module]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Function):
                for decorator in node.decorator_list:
                    called = decorator.func if isinstance(decorator, ast.Call) else decorator
                    if self.ours(called) == "sketch":
                        yield node, decorator
                        break
            if isinstance(node, ast.stmt | ast.Module | ast.ExceptHandler | ast.match_case):
                waiting += reversed(list(ast.iter_child_nodes(node)))

    def check_size(self, function: Function) -> None:
        """Refuse a function that would exhaust whoever walks its tree."""
        waiting: list[tuple[ast.AST, int]] = [(function, 0)]
        count = 0
        while waiting:
            node, depth = waiting.pop()
            count += 1
            if isinstance(node, ast.BoolOp):  # flat here, but `a and b and c` nests once it is read
                depth += len(node.values)
            elif isinstance(node, ast.Compare):
                depth += len(node.ops)
            if depth > DEEPEST:
                raise SketchError(self.source, (diagnose("K006", self.span(node), most=DEEPEST),))
            waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
        if count > LONGEST:
            raise SketchError(self.source, (diagnose("K010", self.span(function), most=LONGEST),))


def _parse(source: Source) -> ast.Module:
    try:
        return parse_module(source.text)
    except SyntaxError as error:
        lines = source.lines()
        line = min(error.lineno or 1, len(lines))
        while line > 1 and not lines[line - 1].strip():  # a fault at the end of the file is behind its last line
            line -= 1
        column = error.offset if error.offset and line == error.lineno else len(lines[line - 1])
        width = error.end_offset - column if error.end_offset and error.end_lineno == line else 1
        span = Span(line + source.first_line - 1, max(1, column), max(1, width))
        # Brackets and blocks beyond Python's own limits are reported as faults of syntax.
        if error.msg.startswith("too many"):
            raise refuse_source(source, "K006", span, most=100) from None
        reason = "a number has too many digits" if error.msg.startswith("Exceeds the limit") else error.msg
        raise refuse_source(source, "K005", span, reason=reason) from None
    except (RecursionError, MemoryError):
        raise refuse_source(source, "K006", most=DEEPEST) from None
    except ValueError as error:  # a character that cannot stand in a file
        raise refuse_source(source, "K005", reason=error) from None


def _aliases(module: ast.Module) -> Aliases:
    """Local name → our name, from the imports; a name of ours that nobody imports stands for itself."""
    aliases = {name: name for name in OURS | {"kolahal"}}
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            ours = node.level == 0 and (node.module or "").split(".")[0] == "kolahal"
            for item in node.names:
                aliases.pop(item.asname or item.name, None)
                if ours and item.name in OURS:
                    aliases[item.asname or item.name] = item.name
        elif isinstance(node, ast.Import):
            for item in node.names:
                local = item.asname or item.name.split(".")[0]
                aliases.pop(local, None)
                if item.name == "kolahal" or local == "kolahal":
                    aliases[local] = "kolahal"
    return aliases


def stored_names(node: ast.AST) -> set[str]:
    """The names that get a value somewhere in `node`."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def clip(node: ast.AST, most: int = 40) -> str:
    """What the user wrote, cut short."""
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):  # ValueError: a whole number with thousands of digits
        return "…"
    return text if len(text) <= most else text[: most - 1] + "…"
