"""Numbers in documents that a stranger may have written: exact, of bounded size, and never a surprise."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any, TypeVar

Kind = TypeVar("Kind")

MOST_DIGITS = 400  # of a number; exponents are not read, since a few characters of them fill the memory
_NUMBER = re.compile(r"[+-]?[0-9]+(/[0-9]+|\.[0-9]+)?", re.ASCII)


class Malformed(ValueError):
    """A document is not of the right form; the text says where."""


def read_json(text: str) -> Any:
    """A text as JSON data."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # no JSON, a number of too many digits, or too many levels
        raise Malformed(f"this is not JSON: {error}") from None


def take(document: object, name: str, kind: type[Kind]) -> Kind:
    """A part of a document that must be there, and be of a kind: what is not is the document's fault, and no accident."""
    value = document.get(name) if isinstance(document, dict) else None
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise Malformed(f"{name} is {shorten(value)}, and not of the right form")
    return value


def take_all(document: object, name: str, kind: type[Kind]) -> list[Kind]:
    """A list in a document, whose items must all be of a kind."""
    items: list[Any] = take(document, name, list)
    if any(not isinstance(item, kind) or (isinstance(item, bool) and kind is not bool) for item in items):
        raise Malformed(f"{name} is {shorten(items)}, and not of the right form")
    return items


def read_number(value: object) -> Fraction:
    """An exact number, written as JSON's whole number or as a text such as -3/4 or 2.5."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**MOST_DIGITS:
        return Fraction(value)
    if isinstance(value, str) and len(value) <= MOST_DIGITS and _NUMBER.fullmatch(value):
        try:
            return Fraction(value)
        except ZeroDivisionError:
            pass
    raise Malformed(f"{shorten(value)} is not an exact number")


def read_whole(value: object, most: int) -> int:
    """A whole number from 0 to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise Malformed(f"{shorten(value)} is not a whole number from 0 to {most}")
    return value


def shorten(value: object) -> str:
    """A value as text for a message."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a whole number of too many digits, a list of too many levels
        return f"this {type(value).__name__}"
    return text if len(text) <= 60 else text[:59] + "…"
