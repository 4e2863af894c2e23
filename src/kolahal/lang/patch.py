"""A sketch's own file with its holes filled: nothing else in it changes, and the change can be had as a patch."""

from __future__ import annotations

import ast
import difflib
import io
import os
import textwrap
import tokenize
from collections.abc import Iterator, Set
from dataclasses import field
from fractions import Fraction
from itertools import accumulate

from kolahal.errors import UsageError
from kolahal.lang.ir import Assign, Block, Var, rebuild, with_blocks
from kolahal.lang.read.scopes import Function
from kolahal.lang.read.tree import NOISES, PICK, Tree
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Completion, Sketch
from kolahal.lang.source import Source, with_newlines
from kolahal.nouns import dataclass

# ---------------------------------------------------------------- text that is edited in places


@dataclass(slots=True)
class Text:
    """A text whose pieces are replaced by what Python's syntax tree says of their places."""

    text: str
    _starts: list[int] = field(init=False)
    _lines: list[str] = field(init=False)
    _edits: list[tuple[int, int, int, str]] = field(default_factory=list)  # start, end, order, new text

    def __post_init__(self) -> None:
        self._lines = self.text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]

    def offset(self, line: int, column: int) -> int:
        """Where a place of the syntax tree is: 1-based line, column in bytes."""
        text = self._lines[line - 1]
        return self._starts[line - 1] + (column if text.isascii() else len(text.encode()[:column].decode()))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends."""
        start = self.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return start, self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def of(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def replace(self, start: int, end: int, new: str) -> None:
        self._edits.append((start, end, 0, new))

    def replace_node(self, node: ast.AST, new: str) -> None:
        self.replace(*self.span(node), new)

    def wrap(self, node: ast.AST, before: str, after: str) -> None:
        """Put texts around a node; of two nodes that begin or end together, wrap the outer one first."""
        start, end = self.span(node)
        self._edits.append((start, start, len(self._edits), before))
        self._edits.append((end, end, -len(self._edits), after))

    def edits(self) -> list[tuple[int, int, str]]:
        """The edits in the order of the text; of those inside a larger one only the larger."""
        found: list[tuple[int, int, str]] = []
        for start, end, _, new in sorted(self._edits, key=lambda e: (e[0], e[1] > e[0], -e[1], e[2])):
            if not found or start >= found[-1][1]:
                found.append((start, end, new))
        return found

    def result(self) -> str:
        return apply_edits(self.text, self.edits())


def apply_edits(text: str, edits: list[tuple[int, int, str]]) -> str:
    """`text` with pieces replaced; the pieces are in order and apart from each other."""
    parts, at = [], 0
    for start, end, new in edits:
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


@dataclass(frozen=True, slots=True)
class Token:
    kind: int
    text: str
    start: int
    end: int


def tokens_of(text: Text, start: int = 0, end: int | None = None) -> tuple[Token, ...]:
    """The tokens of a text that is valid Python, between two places."""
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text.text).readline):
        places = [
            text._starts[line - 1] + column if line <= len(text._lines) else len(text.text)
            for line, column in (token.start, token.end)
        ]
        if places[0] >= start and (end is None or places[1] <= end):
            found.append(Token(token.type, token.string, *places))
    return tuple(found)


def from_outside(node: ast.AST) -> Iterator[ast.AST]:
    """Every node below `node`, itself included, in the order of the text and outer ones before inner ones."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from from_outside(child)


# ---------------------------------------------------------------- filling the holes


def fill_source(source: Source, sketch: Sketch, completion: Completion) -> str:
    """The text of `source` in which the holes of `sketch` have their scales; a hole without noise is gone."""
    return _filled(source, sketch, completion).result()


def fill_edits(source: Source, sketch: Sketch, completion: Completion) -> list[tuple[int, int, str]]:
    """The same as edits of the text, in order: where each begins and ends, and what is to stand there."""
    return _filled(source, sketch, completion).edits()


def _filled(source: Source, sketch: Sketch, completion: Completion) -> Text:
    if len(completion) != len(sketch.holes):
        raise UsageError(f"scales given: {len(completion)}; {sketch.name} needs one for each hole: {len(sketch.holes)}")
    tree = Tree(source)
    function = find_function(tree, sketch.name)
    text = Text(source.text)
    places = {(hole.span.line, hole.span.column): hole.index for hole in sketch.holes}
    scales: dict[ast.Call, Scale] = {}
    holes: dict[ast.Call, ast.expr] = {}
    nothing: dict[ast.AST, str] = {}
    families: dict[ast.expr, str] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and tree.ours(node.func) in (*NOISES, PICK) and node.args:
            place = node.args[0 if tree.ours(node.func) == PICK else -1]
            span = tree.span(place)
            if (span.line, span.column) in places:
                scale = completion[places[span.line, span.column]]
                scales[node] = _in_own_words(sketch, function, scale.plain)
                if scale.family is not None:
                    families[node.func] = scale.family.value
                holes[node] = place
                name = tree.ours(node.func)
                nothing[node] = "False" if name != PICK and NOISES[str(name)].finite else "0"
    if len(scales) != len(sketch.holes):
        raise UsageError(f"{source.path} has changed since {sketch.name} was read from it; read it again")
    _name_families(tree, text, function, families, {node.func for node in scales})
    _Filler(text, tokens_of(text, *text.span(function)), scales, holes, nothing).fill(function)
    return text


def _name_families(
    tree: Tree, text: Text, function: Function, families: dict[ast.expr, str], filled: Set[ast.expr]
) -> None:
    """Put families where `Noise` stands; those that the file does not import yet are imported beside it."""
    missing: dict[str, dict[str, None]] = {}  # name of ours → families to import beside it
    for called, family in families.items():
        prefix = f"{ast.unparse(called.value)}." if isinstance(called, ast.Attribute) else ""
        text.replace_node(called, prefix + family)
        if isinstance(called, ast.Name):
            if not tree.scopes.is_bound(function, family):
                missing.setdefault(called.id, {})[family] = None
            elif tree.scopes.meaning(function, family, header=False).name != family:
                raise UsageError(f"{family} means something else in {tree.source.path}: write the family into the file yourself")
    nodes = list(ast.walk(tree.module))
    for alias in (alias for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names):
        name = alias.asname or alias.name
        if name in missing:
            left = any(isinstance(n, ast.Name) and n.id == name and n not in filled for n in nodes)
            text.replace_node(alias, ", ".join([*([text.of(alias)] if left else []), *sorted(missing[name])]))


def _in_own_words(sketch: Sketch, function: Function, scale: Scale) -> Scale:
    """A scale without the length of a list of aggregates that has no name in the user's text."""
    private = sketch.private
    named = any(isinstance(node, ast.Name) and node.id == private.name for node in ast.walk(function))
    if private.table is None or private.count is None or named:
        return scale
    return scale.renamed(sketch.length_name, Fraction(private.count))


def without_idle(body: Block) -> Block:
    """`body` without statements such as `x = x`, which `x += Lap(hole)` becomes without noise."""

    def drop(block: Block) -> Block:
        return tuple(s for s in block if not (isinstance(s, Assign) and s.values == tuple(map(Var, s.targets))))

    return drop(rebuild(body, lambda node: with_blocks(node, drop)))


def find_function(tree: Tree, name: str) -> Function:
    """The sketch called `name`."""
    for function, _ in tree.decorated():
        if function.name == name:
            return function
    raise UsageError(f"{tree.source.path} has no sketch called {name}")


@dataclass(slots=True)
class _Filler:
    text: Text
    tokens: tuple[Token, ...]
    scales: dict[ast.Call, Scale]
    holes: dict[ast.Call, ast.expr]  # where the scales stand
    nothing: dict[ast.AST, str]  # what noise is that is not there

    def is_nothing(self, node: ast.AST) -> bool:
        """Whether nothing is left of an expression; the same reading as that of `Mechanism.filled`."""
        match node:
            case ast.Call() if node in self.scales:
                return not self.scales[node]
            case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
                return self.is_nothing(operand)
            case ast.BinOp(left, ast.Add() | ast.Sub(), right):
                return self.is_nothing(left) and self.is_nothing(right)
            case _:
                return False

    def fill(self, node: ast.AST) -> None:
        match node:
            case ast.Call() if node in self.scales:
                self.text.replace_node(self.holes[node], str(self.scales[node]))
            case ast.BinOp(left, ast.Add() | ast.Sub(), right) if self.is_nothing(right):
                self.remove(*self.sign_and(left, right))
                self.fill(left)
            case ast.BinOp(left, ast.Add(), right) if self.is_nothing(left):
                self.remove(*self.and_sign(left, right))
                self.fill(right)
            case _:
                self.fill_parts(node)

    def fill_parts(self, node: ast.AST) -> None:
        for name, part in ast.iter_fields(node):
            if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
                self.fill_block(part)
            for child in part if isinstance(part, list) else [part]:
                if isinstance(child, ast.expr) and self.is_nothing(child):
                    self.text.replace_node(child, self.nothing.get(child, "0"))
                elif isinstance(child, ast.AST) and not isinstance(child, ast.stmt) and name != "decorator_list":
                    self.fill(child)

    def fill_block(self, block: list[ast.stmt]) -> None:
        """Statements; `x += Lap(hole)` and `x = x + Lap(hole)` without noise do nothing, and go."""
        idle = [node for node in block if self.does_nothing(node)]
        for node in block:
            if node not in idle:
                self.fill(node)
            elif idle == block or not self.alone(node):
                self.text.replace_node(node, "pass")
            else:
                start, end = self.text.span(node)
                line = self.text.text.rfind("\n", 0, start) + 1
                after = self.text.text.find("\n", end)
                self.text.replace(line, len(self.text.text) if after < 0 else after + 1, "")

    def does_nothing(self, node: ast.stmt) -> bool:
        match node:
            case ast.AugAssign(op=ast.Add() | ast.Sub(), value=value):
                return self.is_nothing(value)
            case ast.Assign([ast.Name(id=name)], ast.BinOp(ast.Name(id=other), ast.Add() | ast.Sub(), value)):
                return name == other and self.is_nothing(value)
            case _:
                return False

    def alone(self, node: ast.stmt) -> bool:
        """Whether a statement has its lines for itself, without a comment."""
        start, end = self.text.span(node)
        whole = self.text.text
        before = whole[whole.rfind("\n", 0, start) + 1 : start]
        after = whole[end : whole.find("\n", end) if "\n" in whole[end:] else len(whole)]
        return not before.strip() and not after.strip()

    # ---- the pieces of `a + Lap(hole)` to remove, brackets and comments minded

    def between(self, left: ast.expr, right: ast.expr) -> tuple[list[Token], Token, list[Token]]:
        """Brackets that close `left`, the sign, brackets that open `right`."""
        start, end = self.text.span(left)[1], self.text.span(right)[0]
        kept = [t for t in self.tokens if start <= t.start and t.end <= end and t.text in ("+", "-", "(", ")")]
        place = next(i for i, t in enumerate(kept) if t.text in "+-")
        return kept[:place], kept[place], kept[place + 1 :]

    def sign_and(self, left: ast.expr, right: ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
        """Where `+` is, and where what is right of it ends, its brackets included."""
        _, sign, opening = self.between(left, right)
        start, end = self.text.span(right)
        closing = [t for t in self.tokens if t.start >= end and t.text == ")"][: len(opening)]
        last = closing[-1].end if closing else end
        return (sign.start, sign.end), (opening[0].start if opening else start, last)

    def and_sign(self, left: ast.expr, right: ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
        closing, sign, _ = self.between(left, right)
        start, end = self.text.span(left)
        opening = [t for t in self.tokens if t.end <= start and t.text == "("][::-1][: len(closing)]
        first = opening[-1].start if opening else start
        return (first, closing[-1].end if closing else end), (sign.start, sign.end)

    def remove(self, first: tuple[int, int], second: tuple[int, int]) -> None:
        """Remove two pieces and the blanks that set them off; a comment or a line's end between them stays."""
        text = self.text.text
        pieces = [first, second] if text[first[1] : second[0]].strip(" \t") else [(first[0], second[1])]
        for start, end in pieces:
            line, after = text.rfind("\n", 0, start) + 1, end
            while text[after : after + 1] in (" ", "\t"):
                after += 1
            starts_line = not text[line:start].strip()
            if starts_line and text[after : after + 1] == "\n":
                start, end = line, after + 1
            elif starts_line or text[start] not in "+-":
                end = after
            else:
                while text[start - 1] in " \t":
                    start -= 1
            self.text.replace(start, end, "")


# ---------------------------------------------------------------- the change as a patch


def make_patch(source_text: str, sketch: Sketch, completion: Completion, path: str = "", note: str = "") -> str:
    """A unified diff for `patch -p1` or `git apply` that fills the holes of `sketch` in its own file.

    `source_text` is the file as it is on disk, line ends included; `path` is what the patch calls it. A `note` becomes a
    comment above the function.
    """
    name = path or (sketch.source.path if sketch.source else f"{sketch.name}.py")
    source = Source(name, with_newlines(source_text))
    text = _filled(source, sketch, completion)
    if note:
        function = find_function(Tree(source), sketch.name)
        line = min(part.lineno for part in (function, *function.decorator_list))
        written = text.text.split("\n")[line - 1]
        margin = written[: len(written) - len(written.lstrip(" \t"))]
        start, end = text.offset(line, 0), "\r\n" if "\r\n" in source_text else "\n"
        text.replace(start, start, "".join(f"{margin}{words}{end}" for words in comment_lines(note)))
    return diff_edits(source_text, text.edits(), name)


def comment_lines(note: str) -> list[str]:
    """A text as comments of Python."""
    return textwrap.wrap(" ".join(note.split()), width=100, initial_indent="# ", subsequent_indent="# ")


def diff_edits(source_text: str, edits: list[tuple[int, int, str]], path: str) -> str:
    """A unified diff of a file as it is on disk, from edits of the same text with newline characters."""
    places = list(_places(source_text))
    new = apply_edits(source_text, [(places[start], places[end], text) for start, end, text in edits])
    return diff(source_text, new, path)


def _places(text: str) -> Iterator[int]:
    """For each character of `with_newlines(text)`, and for its end, where it is in `text`."""
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        yield at
        at += 2 if text[at : at + 2] == "\r\n" else 1
    yield at


def diff(old: str, new: str, path: str) -> str:
    """A unified diff, also for files whose last line has no end; empty where nothing changes."""
    lines = []
    name = _relative(path)
    for line in difflib.unified_diff(
        _split(old), _split(new), _quoted(f"a/{name}"), _quoted(f"b/{name}"), lineterm="\n"
    ):
        lines.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(lines)


def _split(text: str) -> list[str]:
    """Lines with their ends, split at newline characters alone."""
    return io.StringIO(text, newline="\n").readlines()


def _relative(path: str) -> str:
    """`path` below the folder where the patch is applied; a file elsewhere goes by its name alone."""
    relative = os.path.relpath(path) if os.path.isabs(path) else os.path.normpath(path)
    if relative.startswith(os.pardir):
        relative = os.path.basename(path)
    return relative.replace(os.sep, "/")


def _quoted(name: str) -> str:
    """A file's name as git writes it: in quotes if it has odd characters, ended by a tab if it has blanks."""
    if any(c in '"\\' or not c.isprintable() for c in name):
        return f'"{"".join(map(_quote, name))}"'
    return name + "\t" if " " in name else name


def _quote(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))
