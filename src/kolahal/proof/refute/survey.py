"""The largest losses that were found, by number of answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from kolahal.model import Example


class FoundLoss(NamedTuple):
    example: Example
    loss: float  # in units of the claim


Survey: TypeAlias = Mapping[int, FoundLoss]  # number of answers → the hardest example
