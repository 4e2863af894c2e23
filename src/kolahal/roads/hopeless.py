"""Sketches that no noise at their holes makes private: a short look, before a long search finds nothing."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from kolahal.lang.claims import plain_claim
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import NO_NOISE, Scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch, Variant
from kolahal.model import Ranked, Score, with_labels
from kolahal.results import Judged
from kolahal.settings import Settings, with_changes
from kolahal.verdicts import Refuted, Verdict

GREAT = Fraction(10**5)  # noise that nobody can use; examples hold records that are ten times as large
SHARE = 5  # of the steps of a search that such a look may take
MOST_HOLES = 3  # of which every choice is looked at

WHY = "an output that is possible on one database is not on its neighbour, whatever the noise at the holes"


def refute_all(sketch: Sketch, settings: Settings, at_once: bool = False) -> tuple[Judged, ...]:
    """A completion with a great deal of noise, if it shows that there is no private one; `at_once` only where that is counted.

    What cannot happen with noise at some holes cannot happen with any other noise there, as where its density is not 0 does not
    depend on its scale. So an event that is possible on one of two neighbours alone is one for each choice of holes. Where one
    record can move an aggregate by any amount, any counterexample will do.
    """
    if sketch.variant is not Variant.PURE or len(sketch.holes) > MOST_HOLES:
        return ()
    counted = sketch.private.count is not None and sketch.private.whole
    if at_once and not counted:
        return ()
    noisy = (Scale(GREAT, ((sketch.epsilon.name, -1),)),) * len(sketch.holes)
    verdict = _refuted(sketch, noisy, settings, at_once)
    if verdict is None:
        return ()
    if not _is_beyond_reach(sketch):
        others = itertools.product(*((noisy[0],) if hole.index in sketch.selecting else (noisy[0], NO_NOISE) for hole in sketch.holes))
        found = (verdict if other == noisy else _refuted(sketch, other, settings, at_once) for other in others)
        if not all(one is not None and is_impossible(one) for one in found):
            return ()
    return (Judged(Ranked(noisy, Score(1, 0.0, float(GREAT), math.inf), None), None, verdict),)


def is_impossible(refuted: Verdict) -> bool:
    """Whether the event of a counterexample can happen on one of its databases alone, for certain."""
    if not isinstance(refuted, Refuted):
        return False
    low, high = sorted((refuted.odds.p1, refuted.odds.p2), key=lambda estimate: estimate.high)
    return low.high == 0 < high.low


def _is_beyond_reach(sketch: Sketch) -> bool:
    return isinstance(sketch.adjacency, RecordRelation) and bool(sketch.adjacency.unbounded)


def _refuted(sketch: Sketch, completion: Completion, settings: Settings, at_once: bool) -> Refuted | None:
    program = Mechanism(sketch, completion).filled()
    from kolahal.proof.refute.counted import refute_counted
    from kolahal.proof.refute.refute import refute

    claim, steps = plain_claim(program), settings.proof.steps // SHARE
    if at_once:
        found = refute_counted(program, claim, steps)
    else:
        found = refute(program, claim, with_changes(settings, "proof", steps=steps))
    return None if found is None else Refuted(with_labels(program, found.example), found.odds, found.order)
