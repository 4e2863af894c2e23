"""Texts as answers. Engines and proofs know each by a whole number; who reads or calls a program sees the text."""

from __future__ import annotations

from fractions import Fraction
from typing import Any


class LabelCode(Fraction):
    """The number that stands for a text in one program. It is equal to that number, and prints as the text."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, code: int, text: str) -> LabelCode:
        found = super().__new__(cls, code)
        found.text = text
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return LabelCode, (int(self), self.text)

    def __copy__(self) -> LabelCode:
        return self

    def __deepcopy__(self, memo: object) -> LabelCode:
        return self
