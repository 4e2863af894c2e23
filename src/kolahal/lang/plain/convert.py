"""From a plain program to a sketch: the same function, with a place for noise wherever private data goes.

The paper lets the places be "every assignment instruction". Here they are the assignments of numbers that depend on
private data, or that private data is compared with; what reaches a comparison or the answer without passing one of
these gets a place there, and so does an answer that gathers noise in the turns of a loop. Where all that is told are places
that private numbers were compared with each other for, such as that of the largest, each private number gets one noise first.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from itertools import chain, count, islice

from kolahal.errors import UsageError
from kolahal.lang.adjacency import RELATIONS, Adjacency
from kolahal.lang.patch import Text, comment_lines, diff_edits, fill_source, from_outside, tokens_of
from kolahal.lang.plain.bounds import with_bounds
from kolahal.lang.plain.noise_places import NoisePlaces, NoisyPlaces
from kolahal.lang.plain.records import holds_records, sketch_of_records
from kolahal.lang.plain.signature import Signature
from kolahal.lang.read.front import meanings, split_target
from kolahal.lang.read.parse import parse, parse_source
from kolahal.lang.read.tree import Aliases, Tree
from kolahal.lang.records.moves import RECORD_RELATIONS
from kolahal.lang.scale import NotAScale, scale_of
from kolahal.lang.sketch import Completion, Sketch
from kolahal.lang.source import SketchError, Source, Span, parse_expression, read_source, with_newlines
from kolahal.nouns import dataclass

NOISES = ("Lap", "Exp", "Noise")
MOST_SIGNATURES = 81  # all of them, for four parameters


def sketch_of(
    source_text: str,
    function_name: str | None = None,
    adjacency_text: str = "each_within(1)",
    private: str | None = None,
    copies: bool = True,
    path: str = "<text>",
    noise: str = "Lap",
    between: Sequence[str] = (),
) -> str:
    """A file with a sketch of one function of `source_text`, whose comments and lines are kept.

    Without `copies`, an assignment that only copies a value that has noise already gets none of its own. `noise` is
    what goes to all places: Lap, the one-sided Exp, or Noise of a family that is to be found. `between` has bounds of fields of records, such as "age=0:100".
    """
    if noise not in NOISES:
        raise UsageError(f"there is no noise {noise!r} for a plain program: choose {' or '.join(NOISES)}")
    source = Source(path, with_newlines(source_text))
    if _names_records(adjacency_text):
        source = with_bounds(source, _find(source, function_name)[0], between)
        return sketch_of_records(source, _find(source, function_name)[0], adjacency_text, private, noise)
    if between:
        raise UsageError("--between is about fields of records; say that they are neighbours by records: --adjacent 'add_remove(1)'")
    plain = _read(source, function_name)
    if holds_records(source, _find(source, function_name)[0], private):
        raise UsageError(f"{path}: the private input is a list of records; say that they are neighbours: --adjacent 'add_remove(1)', or replace(1)")
    adjacency = _adjacency(adjacency_text)
    sketch, bare = _parse(plain, Signature(plain.function, private), adjacency, path)
    noisy = NoisePlaces(sketch, copies).find()
    body = _write(bare, noisy, f" + {noise}(hole)")
    names = sorted({"Epsilon", noise, "Private", adjacency.name, "hole", "sketch"})
    text = f"from kolahal import {', '.join(names)}\n\n\n{body}"
    try:
        parse_source(Source(path, text))
    except SketchError as error:
        if any(fault.code == "K110" for fault in error.diagnostics):  # noise on a list as a whole
            raise UsageError(
                f"{sketch.name}: noise would go to a list that has no items written out; write [x + {noise}(hole) for x in …] "
                "in place of it, in a sketch of your own"
            ) from None
        raise
    return text


Program = Callable[..., object] | str


def read_plain(
    program: Program,
    function_name: str | None = None,
    adjacent: Adjacency | str = "each_within(1)",
    private: str | None = None,
    copies: bool = True,
    path: str = "<text>",
    noise: str = "Lap",
    between: Sequence[str] = (),
) -> Sketch:
    """The sketch of a plain program: a function, which is read and not called, or a text with one."""
    if not isinstance(program, str):
        try:
            path, text = inspect.getsourcefile(program) or path, textwrap.dedent(inspect.getsource(program))
        except (OSError, TypeError):
            raise UsageError(f"{program!r} has no text that could be read; give its text instead") from None
        seen = meanings(program)
        program, function_name = text, function_name or getattr(program, "__name__", None)
        _find(Source(path, with_newlines(program)), function_name, seen)
    return parse(sketch_of(program, function_name, str(adjacent), private, copies, path, noise, between), path)


def patch_plain(
    source_text: str, function_name: str | None, sketch: Sketch, completion: Completion, path: str, note: str = ""
) -> str:
    """A unified diff that turns the plain function of a file into the mechanism that `sketch` becomes with these scales.

    `source_text` is the file as it is on disk, line ends included, and `sketch` what `read_plain` made of it. A `note`
    becomes a comment above the function.
    """
    assert sketch.source is not None, "it was read from a text"
    if sketch.private.table is not None:
        raise UsageError("there is no --patch for a plain program over records; write its sketch with `kolahal sketch`, and patch that")
    plain = with_newlines(source_text)
    function, margin = _find(Source(path, plain), function_name)
    filled = fill_source(sketch.source, sketch, completion)
    head, _, body = filled.partition("\n\n\n")
    unused = {"hole", *(NOISES if not any(completion) else ())}
    names = [name for name in head.removeprefix("from kolahal import ").split(", ") if name not in unused]
    end = "\r\n" if "\r\n" in source_text else "\n"
    text = Text(plain)
    place, before, after = _place_of_import(text)
    text.replace(place, place, f"{before}from kolahal import {', '.join(names)}{after}".replace("\n", end))
    lines = [margin + line if line else "" for line in [*comment_lines(note), *body.rstrip("\n").split("\n")]]
    start, stop = text.offset(function.lineno, 0), text.span(function)[1]
    text.replace(start, stop, end.join(lines))
    parse_source(Source(path, with_newlines(text.result())))  # the names that are imported may be others' in this file
    return diff_edits(source_text, text.edits(), path)


def _place_of_import(text: Text) -> tuple[int, str, str]:
    """Where an import goes: after those that are there, or after the words of the module; and what sets it off."""
    place, kind = 0, ""
    for node in ast.parse(text.text).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            place, kind = text.span(node)[1], "import"
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and not place:
            place, kind = text.span(node)[1], "words"
        else:
            break
    return place, {"": "", "words": "\n\n", "import": "\n"}[kind], "" if kind else "\n\n\n"


def _parse(plain: _Plain, signature: Signature, adjacency: Adjacency, path: str) -> tuple[Sketch, Source]:
    """The program as a sketch without noise, under the first signature that fits it."""
    faults: SketchError | None = None
    for line in islice(signature.lines(), MOST_SIGNATURES):
        bare = plain.under(f"@sketch(adjacent={adjacency})\n{line}", path)
        try:
            return parse_source(bare)[0], bare
        except SketchError as error:
            faults = faults or error  # of the likeliest signature, at the lines of the plain program
    assert faults is not None
    raise faults


def load_plain(target: str) -> tuple[Source, str | None]:
    """The file and, if it says one, the function that `path.py` or `path.py:function` names."""
    path, name = split_target(target)
    return read_source(path), name or None


def _names_records(text: str) -> bool:
    """Whether a relation is one of records."""
    try:
        match parse_expression(text):
            case ast.Call(ast.Name(id=name), [] | [ast.Constant()], []):
                return name in RECORD_RELATIONS
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return False


def _adjacency(text: str) -> Adjacency:
    try:
        match parse_expression(text):
            case ast.Call(ast.Name(id=name), [distance], []) if name in RELATIONS:
                return RELATIONS[name](scale_of(distance, {}).coefficient)
    except (SyntaxError, ValueError, RecursionError, MemoryError, NotAScale):
        pass
    raise UsageError(f"{text!r} is no relation; write for example {', '.join(f'{name}(1)' for name in {**RELATIONS, **RECORD_RELATIONS})}")


# ---------------------------------------------------------------- the function


@dataclass(frozen=True, slots=True)
class _Plain:
    """A function alone, at the left margin, and the line of its file that it begins at."""

    function: ast.FunctionDef
    text: str
    line: int

    def under(self, header: str, path: str) -> Source:
        """The function with another header; its statements keep their lines in the file."""
        text = Text(self.text)
        first = self.function.body[0]
        tokens = tokens_of(text, 0, text.span(first)[0])
        colon = max((t for t in tokens if t.text == ":"), key=lambda t: t.start)
        rest = self.text[colon.end :]
        if first.lineno == self.text.count("\n", 0, colon.end) + 1:  # on the line of the signature
            rest = "\n    " + rest.lstrip(" \t")
        blanks = self.text.count("\n", 0, colon.end)
        return Source(path, header + "\n" * blanks + rest, first_line=self.line - 1)


def _find(source: Source, name: str | None, seen: Aliases | None = None) -> tuple[ast.FunctionDef, str]:
    """A plain function of a file, whose names mean what a sketch takes them for, and how far it is indented."""
    tree = Tree(source, seen)
    functions = {node.name: node for node in ast.walk(tree.module) if isinstance(node, ast.FunctionDef)}
    if name is None and len(functions) == 1:
        name = next(iter(functions))
    if name not in functions:
        have = ", ".join(functions) or "none"
        raise UsageError(f"{source.path}: say which function, as in {source.path}:name; it has {have}")
    function = functions[name]
    if function.decorator_list:
        raise UsageError(f"{source.path}: {name} has a decorator; a plain function has none")
    tree.check_names(function)
    if tree.faults:
        raise SketchError(source, tuple(tree.faults))
    line = source.text.split("\n")[function.lineno - 1]
    return function, line[: len(line) - len(line.lstrip(" \t"))]


def _read(source: Source, name: str | None) -> _Plain:
    function, margin = _find(source, name)
    lines = source.text.split("\n")[function.lineno - 1 : function.end_lineno]
    text = "\n".join(line.removeprefix(margin) for line in lines) + "\n"
    alone = Tree(Source(source.path, text, function.lineno)).module.body[0]
    assert isinstance(alone, ast.FunctionDef)
    return _Plain(alone, text, function.lineno)


# ---------------------------------------------------------------- writing


def _write(source: Source, noisy: NoisyPlaces, noise: str) -> str:
    """The function with noise at its places."""
    tree = Tree(source)
    function = tree.module.body[0]
    assert isinstance(function, ast.FunctionDef)
    text = Text(source.text)
    seen: set[Span] = set()
    renamed = _fresh(function, "noisy", "noisy_answers")
    for node in from_outside(function):
        if not isinstance(node, ast.expr | ast.stmt):
            continue
        if isinstance(node, ast.Name) and node.id == noisy.answers:
            text.replace_node(node, renamed)
        span = tree.span(node)
        if isinstance(node, ast.Compare) and any(tree.span(part) in noisy.values for part in node.comparators[:-1]):
            raise UsageError(
                f"{source.path}:{span.line}: there is no place for noise inside a chain of comparisons; "
                "give what stands in the middle a name first"
            )
        if isinstance(node, ast.AugAssign) and span in noisy.steps:
            _add_to_step(text, node, noise)
        elif isinstance(node, ast.expr) and span in noisy.values - seen:
            seen.add(span)
            text.wrap(node, *(("(", noise + ")") if span in noisy.divided else ("", noise)))
        elif isinstance(node, ast.expr) and span in noisy.lists:
            text.replace_node(node, f"[{_fresh(function)}{noise} for {_fresh(function)} in {text.of(node)}]")
    if noisy.parameters or noisy.answers:
        doc = ast.get_docstring(function) is not None
        first = function.body[1 if doc and len(function.body) > 1 else 0]
        start = text.offset(first.lineno, 0)
        margin = text.text[start : text.span(first)[0]]
        lines = [f"{name} = {name}{noise}" for name in noisy.parameters]
        lines += [f"{renamed} = [{(item := _fresh(function))}{noise} for {item} in {noisy.answers}]"] if noisy.answers else []
        text.replace(start, start, "".join(f"{margin}{line}\n" for line in lines))
    written = text.result()
    # The header stood on one line, and blanks kept the lines of the rest in their places.
    decorator, definition, *rest = written.rstrip("\n").split("\n")
    while rest and not rest[0].strip():
        rest.pop(0)
    return "\n".join([decorator, definition, *rest]) + "\n"


def _add_to_step(text: Text, node: ast.AugAssign, noise: str) -> None:
    if isinstance(node.op, ast.Add | ast.Sub):
        text.wrap(node.value, "", noise)
    else:
        sign = text.text[text.span(node.target)[1] : text.span(node.value)[0]].strip().rstrip("(").strip()
        name, value = text.of(node.target), text.of(node.value)
        text.replace_node(node, f"{name} = {name} {sign.removesuffix('=')} ({value}){noise}")


def _fresh(function: ast.FunctionDef, *likely: str) -> str:
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    names |= {arg.arg for arg in function.args.args}
    return next(name for name in chain(likely or ("x", "item"), (f"x{i}" for i in count(1))) if name not in names)
