"""Values that a caller hands to a mechanism, checked."""

from __future__ import annotations

import math
from typing import SupportsFloat

from kolahal.errors import UsageError


def given_bit(name: str, value: object) -> bool:
    """A truth value."""
    if type(value).__name__ in ("bool", "bool_"):  # arrays have their own
        return bool(value)
    raise UsageError(f"{name} must be True or False, not {value!r}")


def given_number(name: str, value: object) -> int | float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, SupportsFloat):
        raise UsageError(f"{name} must be a number, not {value!r}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{name} must be a number, not {value!r}") from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UsageError(f"{name} must be a finite number, not {number}")
    return value if isinstance(value, int) else number


def plain_answer(answer: object) -> object:
    """An answer whose types depend on its value alone: 2 and 2.0, or 0.0 and -0.0, would tell how it was computed."""
    if isinstance(answer, list | tuple):
        return type(answer)(map(plain_answer, answer))
    return int(answer) if isinstance(answer, float) and answer.is_integer() else answer
