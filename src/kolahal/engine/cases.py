"""Several inputs in one go: the batch engine with lanes for each of them. On arrays, few lanes take as long as many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np

from kolahal.engine.batch import BatchRun
from kolahal.engine.lanes import Lanes, PrivateLanes, is_single
from kolahal.engine.noise import Array
from kolahal.engine.outputs import BOOLEAN, NUMBER, Outputs
from kolahal.engine.tape import Tape
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.nouns import dataclass

Case = tuple[Arguments, Sequence[Fraction]]

MOST_LANES = 1 << 13  # beyond which arrays leave the fast memory, and wide runs gain nothing
MOST_DRAWN = 1 << 21  # doubles of a tape with one draw for each answer


def run_cases(sketch: Sketch, cases: Sequence[Case], scales: Sequence[Any], tape: Tape) -> list[Outputs]:
    """The answers of all runs of `tape` on each input. A scale is one for all lanes, or an array of one for each lane of each input."""
    found: list[Outputs] = []
    for several in _together(cases, tape.runs):
        first, lanes = len(found) * tape.runs, len(several) * tape.runs
        own = [scale if is_single(scale) else scale[first : first + lanes] for scale in scales]
        outputs = _Cases(sketch, several[0][1], several[0][0], own, tape.repeat(len(several)), cases=several).outputs()
        found += [_part(outputs, slice(start, start + tape.runs)) for start in range(0, lanes, tape.runs)]
    return found


def _together(cases: Sequence[Case], runs: int) -> Iterator[list[Case]]:
    """Inputs in their order, those together that have as many answers and are not too many."""
    for size, same in groupby(cases, key=lambda case: len(case[1])):
        several = list(same)
        most = max(1, min(MOST_LANES, MOST_DRAWN // max(1, size)) // runs)
        yield from (several[start : start + most] for start in range(0, len(several), most))


def _part(outputs: Outputs, lanes: slice) -> Outputs:
    return Outputs(outputs.lengths[lanes], outputs.kinds[:, lanes], outputs.values[:, lanes])


@dataclass(slots=True)
class _PrivateCases(PrivateLanes):
    """The private answers: a list for each input, the same in all of its lanes."""

    repeats: int = 1  # lanes of an input; `values` has the shape (answers, inputs)

    def at(self, place: Any) -> Lanes:
        if not len(self.values):
            return Lanes(self.kind, 0.0)
        if is_single(place):
            return Lanes(self.kind, repeated(self.values[min(max(int(place), 0), len(self.values) - 1)], self.repeats))
        rows = np.clip(np.asarray(place, dtype=np.int64), 0, len(self.values) - 1)
        return Lanes(self.kind, self.values[rows, np.arange(len(rows)) // self.repeats])


@dataclass(slots=True)
class _Cases(BatchRun):
    """A batch whose lanes belong to several inputs, in their order."""

    cases: Sequence[Case] = field(default_factory=tuple)

    def bind_inputs(self) -> None:
        environments = [arguments.environment(self.sketch) for arguments, _ in self.cases]
        for name, value in environments[0].items():
            kind = BOOLEAN if isinstance(value, bool) else NUMBER
            self.names[name] = Lanes(kind, self.across([environment[name] for environment in environments]))
        private = self.sketch.private
        answers = np.array([[float(answer) for answer in answers] for _, answers in self.cases]).T
        self.names[private.name] = _PrivateCases(answers, BOOLEAN if private.bits else NUMBER, self.tape.runs // len(self.cases))

    def written_scale(self, scale: Scale) -> Any:
        return self.across([scale.near(arguments.quantities(self.sketch)) for arguments, _ in self.cases])

    def across(self, values: Sequence[Any]) -> Any:
        """A value for each input, as one for each lane; a single one where all are the same."""
        plain = [value if isinstance(value, bool) else float(value) for value in values]
        return plain[0] if len(set(plain)) == 1 else repeated(np.array(plain), self.tape.runs // len(self.cases))


def repeated(values: Array, times: int) -> Array:
    """Each value so often; as `np.repeat`, which takes twice as long."""
    made = np.empty((len(values), times), dtype=values.dtype)
    made[:] = values[:, None]
    return made.reshape(-1)
