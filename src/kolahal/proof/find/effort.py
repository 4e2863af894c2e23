"""How much a search has done."""

from __future__ import annotations

from kolahal.nouns import dataclass

FOR_A_QUESTION = 6_000  # rehearsals that a search must be allowed for each question to Spacer


@dataclass(slots=True)
class Effort:
    """How much of the search for one proof is done, counted in rehearsals."""

    most: int
    spent: int = 0
    asked: int = 0  # of Spacer

    @property
    def is_over(self) -> bool:
        return self.spent >= self.most

    @property
    def may_ask_spacer(self) -> bool:
        """Whether one more question to Spacer is within the limit, which grows with that of rehearsals."""
        return self.asked < self.most // FOR_A_QUESTION
