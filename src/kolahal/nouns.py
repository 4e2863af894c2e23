"""Data classes, as Python has them, without the words that it would look for.

Of a class without a docstring `dataclasses.dataclass` prints the signature, which takes half of the time that a data class
takes to be defined; a command loads three hundred.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, field
from dataclasses import dataclass as declare
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(field_specifiers=(field, Field))
def dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True, kw_only: bool = False
) -> Callable[[type[T]], type[T]]:
    """As `dataclasses.dataclass` does."""

    def finish(cls: type[T]) -> type[T]:
        if cls.__doc__ is None:
            cls.__doc__ = f"{cls.__name__}: a value of named parts."
        return declare(frozen=frozen, slots=slots, eq=eq, kw_only=kw_only)(cls)

    return finish
