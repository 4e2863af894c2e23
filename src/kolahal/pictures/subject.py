"""What pictures are drawn of, and how numbers are written in them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.model import Arguments, Example
from kolahal.nouns import dataclass
from kolahal.results import Rule
from kolahal.settings import Settings
from kolahal.verdicts import Refuted

Shown = tuple[Completion, Example, str, Refuted | None]  # a pair, of which completion, why it is shown, and its verdict


@dataclass(frozen=True, slots=True)
class Subject:
    """What pictures are drawn of: a sketch whose every scale that may vary is a hole, and a claim about it."""

    sketch: Sketch
    claim: Scale
    rules: tuple[Rule, ...]  # of its law, each a way to be private
    settings: Settings

    def allowed(self, arguments: Arguments) -> float:
        """The claimed privacy level as a number."""
        return float(self.claim.at(arguments.quantities(self.sketch)))

    def program(self, completion: Completion) -> Sketch:
        return Mechanism(self.sketch, completion).filled()


def to_digits(values: Any, digits: int = 4) -> Any:
    """Numbers with as many digits as a picture shows, or as a reader wants; tiny ones keep their size."""
    if isinstance(values, np.ndarray | list | tuple):
        return [to_digits(value, digits) for value in values]
    number = float(values)
    return number if number == 0 or not math.isfinite(number) else float(f"{number:.{digits}g}")
