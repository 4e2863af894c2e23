"""Python's syntax tree of a file, as all readers of it need it: places, faults, limits, and which names are ours."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from kolahal.lang.noise import BY_NAME
from kolahal.lang.read.module_names import find_assignments, find_still_lists
from kolahal.lang.read.scopes import ABOVE, OURS, USUAL, Function, NameBinding, Scopes
from kolahal.lang.source import (
    Diagnostic,
    SketchError,
    Source,
    Span,
    diagnose,
    parse_expression,
    parse_module,
    refuse_source,
)
from kolahal.lang.templates import BELLS

DEEPEST = 150  # levels of the tree below a function; a + b + c nests as deep as it has terms
DEEPEST_LOOP = 20  # Python itself does not compile more
LONGEST = 20_000  # nodes of the tree of a function

NOISES = BY_NAME
PICK = "Pick"  # a place of the list 1, 0, …, 0
RESERVED = frozenset(NOISES) | {PICK, "hole", "len", "range", "max", "min", "abs", "list", "kolahal"}

Aliases = dict[str, str]  # local name → what it means: a name of ours, "builtins.max", or "" for anything else


class Refused(Exception):
    """Unwinds to the nearest statement, so that one fault does not hide the others."""


class Tree:
    """The tree of one source, and the faults found in it so far."""

    def __init__(self, source: Source, seen: Aliases | None = None):
        """`seen` is what names are found to mean by a running program, for the names that the text does not explain."""
        self.source = source
        self.module = _parse(source)
        self.scopes = Scopes(self.module)
        self.seen = seen or {}
        self.aliases: Aliases = {}  # of the function that is being read
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
                meaning = self.aliases.get(name)
                return meaning if meaning in OURS or meaning == "kolahal" else None
            case ast.Attribute(ast.Name(id=module), name) if self.aliases.get(module) == "kolahal" and name in OURS:
                return name
            case _:
                return None

    def exact_scale(self, node: ast.expr) -> ast.expr:
        """A scale, which an emitted program may round up to a fraction: more noise costs no more."""
        match node:
            case ast.Call(ast.Name(id=name), [scale]) if name == ABOVE and BELLS in self.scopes.support.files:
                return scale
            case _:
                return node

    def is_reserved(self, name: str) -> bool:
        """Whether a name means something in a sketch, in Python or in this file's imports, and cannot be given away."""
        dunder = name.startswith("__") and name.endswith("__")
        return name in RESERVED or dunder or self.aliases.get(name) in RESERVED

    def _aliases(self, function: Function) -> Aliases:
        """What the names of a function mean: by the text, and where that says nothing by what was seen."""
        header, body = _names(function)
        aliases = dict(self.seen)
        for name in [*body, *header]:
            if meant := self.scopes.meaning(function, name, name in header).name:
                aliases[name] = meant
        return aliases

    def check_names(self, function: Function) -> None:
        """Refuse what gives a name that a sketch uses another meaning than the one that it is read with."""
        header, body = _names(function)
        own = own_names(function)
        free = {name: node for name, node in body.items() if name not in own}
        against: dict[NameBinding, str] = {}  # what is to be refused → the first name that it is refused for
        for used, is_header in ((header, True), (free, False)):
            for name in used:
                for binding in self.scopes.meaning(function, name, is_header).against:
                    against.setdefault(binding, name)
        for name, binding in self.scopes.changes_of_support():
            against.setdefault(binding, name)
        for binding, name in against.items():
            self._rebound(name, binding)
        for binding in self.scopes.rebindings(function):
            self.fault("K147", binding.node, name=function.name)
        for name, node in free.items():
            meant = self.scopes.meaning(function, name, header=False).name
            if meant and self.seen.get(name, meant) != meant:
                self.fault("K146", node, name=name, meant=say(meant), found=say(self.seen[name]))

    def check_escapes(self) -> None:
        """Refuse what may bind names where no reader sees it."""
        for place in self._escapes:
            self.fault("K145", place, thing=clip(place))

    @cached_property
    def given(self) -> dict[int, ast.expr]:
        """What the file gives to names at its top level, by the node of the name."""
        return {id(target): value for target, value in find_assignments(self.module)}

    @cached_property
    def still_lists(self) -> set[int]:
        return find_still_lists(self.module)

    @cached_property
    def _escapes(self) -> list[ast.AST]:
        return self.scopes.escapes()

    def _rebound(self, name: str, binding: NameBinding) -> None:
        whose = "Kolahal's" if USUAL.get(name, "kolahal") in (*OURS, "kolahal") else "Python's"
        fix = "Choose another name for it."
        if binding.kind == "import":
            fix = "Import it under another name, with `as`."
        elif binding.kind == "star":
            fix = f"Import what you need of it by name, or import `{name}` itself below."
        elif binding.kind == "del":
            fix = "Keep the name, or do it in a file of its own."
        self.fault("K144", binding.node, name=name, whose=whose, fix=fix)

    # ---- sketches

    def decorated(self) -> Iterator[tuple[Function, ast.expr]]:
        """The functions that @sketch decorates, with that decorator, in source order; `ours` is about the latest."""
        waiting: list[ast.AST] = [self.module]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Function):
                if node.decorator_list:
                    self.aliases = self._aliases(node)
                for decorator in node.decorator_list:
                    called = decorator.func if isinstance(decorator, ast.Call) else decorator
                    if self.ours(called) == "sketch":
                        yield node, decorator
                        break
            if isinstance(node, ast.stmt | ast.Module | ast.ExceptHandler | ast.match_case):
                waiting += reversed(list(ast.iter_child_nodes(node)))

    def check_size(self, part: ast.AST) -> None:
        """Refuse a function, or what it is read as, that would exhaust whoever walks its tree."""
        waiting: list[tuple[ast.AST, int]] = [(part, 0)]
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
            raise SketchError(self.source, (diagnose("K010", self.span(part), most=LONGEST),))


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


def _names(function: Function) -> tuple[dict[str, ast.Name], dict[str, ast.Name]]:
    """The names that stand in the decorators and annotations of a function, and those in its body; each where it is first."""
    notes = [unquoted(arg.annotation) for arg in ast.walk(function.args) if isinstance(arg, ast.arg)]
    header: dict[str, ast.Name] = {}
    body: dict[str, ast.Name] = {}
    for names, parts in ((header, [*function.decorator_list, *notes]), (body, function.body)):
        for part in parts:
            for node in ast.walk(part) if part is not None else ():
                if isinstance(node, ast.Name):
                    names.setdefault(node.id, node)
    return header, body


def unquoted(note: ast.expr | None) -> ast.expr | None:
    """An annotation; one in quotes means what is quoted."""
    if isinstance(note, ast.Constant) and isinstance(note.value, str):
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            return parse_expression(note.value)
    return note


def say(meaning: str) -> str:
    """A meaning as people say it."""
    if meaning in OURS:
        return f"Kolahal's {meaning}"
    if meaning == "kolahal":
        return "the module kolahal"
    return f"Python's {meaning.rpartition('.')[2]}" if meaning else "something else"


def own_names(function: Function) -> set[str]:
    """The names that a function itself gives away: its parameters, and what it assigns."""
    parameters = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
    return parameters.union(*map(stored_names, function.body))


def stored_names(node: ast.AST) -> set[str]:
    """The names that get a value somewhere in `node`."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def surely_stored(body: Sequence[ast.stmt]) -> set[str]:
    """The names that every run which comes to the end of some statements has given a value."""
    found: set[str] = set()
    for node in body:
        match node:
            case ast.Assign(targets):
                found = found.union(*map(stored_names, targets))
            case ast.AnnAssign(ast.Name(word), _, ast.expr()) | ast.AugAssign(ast.Name(word)):
                found.add(word)
            case ast.If(_, then, orelse):
                found |= surely_stored(then) & surely_stored(orelse)
    return found


def clip(node: ast.AST, most: int = 40) -> str:
    """What the user wrote, cut short."""
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):  # ValueError: a whole number with thousands of digits
        return "…"
    return text if len(text) <= most else text[: most - 1] + "…"
