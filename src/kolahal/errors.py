"""What can be someone's mistake. Outcomes such as "nothing found" are values, not errors."""

import unicodedata


def harmless(text: str) -> str:
    """`text` without control characters: a stranger's file may hold escape sequences for the terminal."""
    if text.isprintable():
        return text
    kept = (c.isprintable() or c in "\n\t" or unicodedata.category(c) == "Zs" for c in text)
    return "".join(c if keep else "\N{REPLACEMENT CHARACTER}" for c, keep in zip(text, kept, strict=True))


class KolahalError(Exception):
    """A mistake that the user can mend; the text says where, what, why, and what to type."""

    def __str__(self) -> str:
        return harmless(super().__str__())


class UsageError(KolahalError):
    """A command or a call that asks for something that does not exist."""


class SettingsError(KolahalError):
    """A setting outside its range."""
