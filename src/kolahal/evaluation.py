"""The paper's table from our own runs."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

from kolahal.lang.claims import plain_claim
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Mechanism, Sketch
from kolahal.nouns import dataclass
from kolahal.proof.decide import decide
from kolahal.results import Judged, Synthesis
from kolahal.roads.methods import travel
from kolahal.roads.watch import Watch
from kolahal.settings import Settings
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Tested, name_verdict


@dataclass(frozen=True, slots=True)
class TableRow:
    """One benchmark by one method: seconds a phase, ranks (None: not there), the first answer, and the prover's word on it."""

    name: str
    holes: int
    seconds: tuple[tuple[str, float], ...]
    rank: int | None  # of the classic answer alone
    variant: int | None  # of the first other answer that the literature names; the paper calls those new
    best: str
    prover: str  # what it says of the first answer, whoever found that

    @property
    def total(self) -> float:
        return dict(self.seconds)["total"]


def evaluate(name: str, method: str, settings: Settings, executor: Executor | None = None) -> TableRow:
    """Run one benchmark and see where the answers of the literature stand."""
    return evaluate_sketch(load_one(name), GALLERY[name].textbook, method, settings, executor)


def evaluate_sketch(
    sketch: Sketch,
    answers: Sequence[tuple[str | None, ...]],
    method: str,
    settings: Settings,
    executor: Executor | None = None,
) -> TableRow:
    """Run one sketch and see where some answers stand, the classic one first."""
    watch = Watch(executor)
    found = travel(sketch, settings, method, watch)
    seconds, best = tuple(watch.total().items()), found.best
    classic, *variants = answers
    return TableRow(
        sketch.name,
        len(sketch.holes),
        seconds,
        rank_of((classic,), found.judged),
        rank_of(variants, found.judged),
        ", ".join(str(scale) for scale in best.ranked.completion) if best else "–",
        "–" if best is None else _proved(found, best),
    )


def _proved(found: Synthesis, best: Judged) -> str:
    """The verdict on an answer, from the prover itself where the method has not asked it."""
    verdict = best.verdict
    if isinstance(verdict, Tested):
        filled = Mechanism(found.sketch, best.ranked.completion).filled()
        verdict = decide(filled, plain_claim(found.sketch), found.settings).verdict
    return name_verdict(verdict)


def rank_of(answers: Sequence[tuple[str | None, ...]], judged: tuple[Judged, ...]) -> int | None:
    """The place of the first of some answers."""
    known = [tuple(parse_scale(text) for text in scales) for scales in answers]
    places = [place for place, j in enumerate(judged, 1) if j.ranked.completion in known]
    return places[0] if places else None
