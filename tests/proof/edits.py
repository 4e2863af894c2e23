"""A document with one thing changed, for every thing that stands in it."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any


def edits(document: Any, every: int = 1, concerns: Callable[[str], bool] = lambda where: True) -> Iterator[tuple[str, Any]]:
    """Where and how something was changed, and the whole document with that change: every so many of those that concern us."""
    for path, how, new in itertools.islice(_changes(document, concerns), 0, None, every):
        changed = copy.deepcopy(document)
        if how == "left out":
            del _at(changed, path[:-1])[path[-1]]
        else:
            _at(changed, path[:-1])[path[-1]] = new
        yield f"{'.'.join(map(str, path))}: {how}", changed


def _changes(document: Any, concerns: Callable[[str], bool]) -> Iterator[tuple[tuple[Any, ...], str, Any]]:
    for path in _paths(document, ()):
        if concerns(".".join(map(str, path))):
            yield from ((path, how, new) for how, new in _others(_at(document, path)))
            if isinstance(_at(document, path[:-1]), dict):
                yield path, "left out", None


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


def _paths(document: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in inner:
        yield from _paths(value, (*path, key))


def _others(old: Any) -> Iterator[tuple[str, Any]]:
    match old:
        case bool():
            yield "the other", not old
            yield "a number", int(old)
        case int():
            yield "one more", old + 1
            yield "one less", old - 1
            yield "a truth", bool(old)
            yield "a text", str(old)
        case None:
            yield "a name", "m"
            yield "a number", 0
        case list():
            yield "one less", old[:-1]
            yield "the last twice", old + old[-1:]
            yield "the other way round", old[::-1]
            yield "nothing", None
        case dict():
            yield "empty", {}
        case str():
            yield "longer", old + "x"
            yield "nothing", None
            try:
                number = Fraction(old)
            except ValueError:
                return
            for how, other in (("more", number + 1), ("half", number / 2), ("against", -number), ("zero", Fraction(0))):
                yield how, str(other)
