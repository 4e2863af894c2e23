"""Texts of a stranger, made safe to show: nothing hidden, nothing turned around, no markup."""

from __future__ import annotations

import html
import unicodedata

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}  # control, format and private characters, separators of lines


def visible(text: str) -> str:
    """A text in which characters that would hide or turn others around are shown as escapes."""
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in _HIDDEN else _code(c) for c in text)


def escape(text: str) -> str:
    """A visible text as HTML or XML."""
    return html.escape(visible(text))


def _code(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
