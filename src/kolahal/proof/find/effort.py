"""How much a search has done."""

from __future__ import annotations

from kolahal.nouns import dataclass


@dataclass(slots=True)
class Effort:
    """How much of the search for one proof is done, counted in rehearsals."""

    most: int
    spent: int = 0

    @property
    def is_over(self) -> bool:
        return self.spent >= self.most
