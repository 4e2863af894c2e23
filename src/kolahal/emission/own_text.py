"""A completed mechanism in the user's own words: their lines and comments, and nothing that was not read."""

from __future__ import annotations

import ast
import tokenize

from kolahal.errors import KolahalError
from kolahal.lang.patch import Text, Token, fill_source, find_function, tokens_of, without_idle
from kolahal.lang.read.parse import parse
from kolahal.lang.read.scopes import Function
from kolahal.lang.read.tree import NOISES, Tree
from kolahal.lang.sketch import Mechanism, Sketch
from kolahal.lang.source import Source


def own_text(mechanism: Mechanism, name: str) -> str | None:
    """The function's text with its scales, called `name`; None where there is no source or it cannot be kept.

    The decorator, the signature and the docstring are printed afresh, and annotations are dropped: Python would evaluate
    some of them, and nobody has read them. What is left is kept only if it reads as the same program.
    """
    sketch, wanted = mechanism.sketch, mechanism.filled()
    if sketch.source is None:
        return None
    try:
        filled = fill_source(sketch.source, sketch, mechanism.completion)
        cleaned = _clean(Source(sketch.source.path, filled), sketch.name)
        text = _cut_out(Source(sketch.source.path, cleaned), wanted, name)
        again = parse(text) if text else None
    except (KolahalError, SyntaxError, tokenize.TokenError):
        return None
    if text is None or again is None or len(ast.parse(text).body) != 1:
        return None
    heads = [(program.parameters, program.adjacency, program.preconditions) for program in (again, wanted)]
    return text if heads[0] == heads[1] and without_idle(again.body) == without_idle(wanted.body) else None


def print_words(words: str, indent: str) -> str:
    """`words` as a docstring that cannot end early, whatever is in them."""
    plain = words.replace("\\", "\\\\")
    if '""' in plain or plain.endswith('"'):
        plain = plain.replace('"', '\\"')
    plain = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in plain)
    first, *rest = plain.split("\n")
    lines = [first, *(indent + line if line else "" for line in rest), *([indent] if rest else [])]
    return '"""' + "\n".join(lines) + '"""'


def _clean(source: Source, name: str) -> str:
    """The file with our names for noise, without annotations of variables, and with printable comments."""
    tree = Tree(source)
    function = find_function(tree, name)
    text = Text(source.text)
    for node in ast.walk(function):
        match node:
            case ast.Call(func=called) if (noise := tree.ours(called)) in NOISES:
                text.replace_node(called, NOISES[noise or ""].value)
            case ast.AnnAssign(value=None):
                text.replace_node(node, "pass")
            case ast.AnnAssign(target=target, annotation=annotation, value=ast.expr() as value):
                between = tokens_of(text, text.span(annotation)[1], text.span(value)[0])
                text.replace(text.span(target)[1], next(t.end for t in between if t.text == "="), " =")
    for token in tokens_of(text, *_reach(text, function)):
        if token.kind in (tokenize.COMMENT, tokenize.STRING) and not _is_harmless(token.text):
            text.replace(token.start, token.end, _show(token))
    return text.result()


def _is_harmless(text: str) -> bool:
    return all(c.isprintable() or c in "\t\n" for c in text)


def _show(token: Token) -> str:
    """A comment in which characters that could make a line look like another are shown as such."""
    if token.kind == tokenize.STRING:
        return '""'
    return "".join(c if _is_harmless(c) else "\N{REPLACEMENT CHARACTER}" for c in token.text)


def _reach(text: Text, function: Function) -> tuple[int, int]:
    """From the comments right above a function to the end of those that end it."""
    lines = text.text.split("\n")
    first, last = function.decorator_list[0].lineno, function.end_lineno or function.lineno
    while first > 1 and lines[first - 2].lstrip().startswith("#"):
        first -= 1
    inside = len(_indent(lines[function.lineno - 1]))
    while last < len(lines) and lines[last].lstrip().startswith("#") and len(_indent(lines[last])) > inside:
        last += 1
    return text.offset(first, 0), text.offset(last, 0) + len(lines[last - 1])


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _cut_out(source: Source, program: Sketch, name: str) -> str | None:
    """The function alone, at the left margin; None where its signature and body share a line."""
    function = find_function(Tree(source), program.name)
    text, lines = Text(source.text), source.text.split("\n")
    start, end = _reach(text, function)
    tokens = tokens_of(text, start, end)
    definition = text.offset(function.lineno, 0)
    header = next(i for i, t in enumerate(tokens) if t.start >= definition and t.kind == tokenize.NEWLINE)
    body = tokens[header].end
    statements = list(function.body)
    if program.doc is not None and text.span(statements[0])[0] >= body:
        body = source.text.find("\n", text.span(statements.pop(0))[1]) + 1
    if not statements or not body or text.span(statements[0])[0] < body:
        return None
    outer = _indent(lines[function.lineno - 1])
    inner = _indent(lines[statements[0].lineno - 1]).removeprefix(outer)
    return "\n".join(
        [
            *(t.text for t in tokens[:header] if t.kind == tokenize.COMMENT),
            f"@sketch(adjacent={program.adjacency})",
            f"def {name}({', '.join(map(str, program.parameters))}):",
            *([] if program.doc is None else [inner + print_words(program.doc, inner)]),
            *(line.removeprefix(outer) for line in source.text[body:end].split("\n")),
            "",
        ]
    )
