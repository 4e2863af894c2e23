"""Harder examples by integration, and by sampling where that is out of reach."""

from __future__ import annotations

from kolahal.exact.hardest import Climb, Reach, climb_exact, find_hardest
from kolahal.exact.probe import Integrator
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Equals, Example, OneOf, Scales, StartsWith
from kolahal.search import climbs
from kolahal.settings import Settings


def hardest(
    sketch: Sketch, arguments: Arguments, known: tuple[Example, ...], scales: Scales, settings: Settings, name: str
) -> tuple[Example, float]:
    """The hardest example at `scales`: from one that is known, or from the corners of the relation."""
    integrator, reach = Integrator(sketch), Reach(turns=settings.examples.climbs)
    found: object = None
    if known and isinstance(known[0].event, Equals | OneOf | StartsWith):
        found = climb_exact(integrator, known[0], scales, reach, integrator.answers(arguments, scales))
    elif not known:
        found = find_hardest(integrator, arguments, scales, reach, starts=1)
    if isinstance(found, Climb):
        return found.example, found.log_loss
    return climbs.hardest(sketch, arguments, known, scales, settings, name)
