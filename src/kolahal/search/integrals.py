"""Harder examples by integration, and by sampling where that is out of reach."""

from __future__ import annotations

from zlib import crc32

from kolahal.exact.hardest import Climb, Reach, climb_exact, find_hardest
from kolahal.exact.probe import Integrator
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Equals, Example, OneOf, Scales, StartsWith
from kolahal.search import climbs
from kolahal.settings import Settings
from kolahal.tester.trial import test


def hardest(
    sketch: Sketch,
    arguments: Arguments,
    known: tuple[Example, ...],
    scales: Scales,
    settings: Settings,
    name: str,
    enough: float,
) -> tuple[Example, float | None]:
    """The hardest example at `scales`: from the corners of the relation, or from one that is known. Its log-loss, if one was computed."""
    if known and not isinstance(known[0].event, Equals | OneOf | StartsWith):
        # Answers that are numbers with noise move with the database: the tester's event is what makes them hard.
        seed = crc32(name.encode()) + settings.seed
        return test(sketch, scales, arguments, settings.quick_tester, seed).example, None
    integrator, reach = Integrator(sketch), Reach(turns=settings.examples.climbs, enough=enough)
    tried = [find_hardest(integrator, arguments, scales, reach, starts=1)]
    tried += [climb_exact(integrator, e, scales, reach, integrator.answers(arguments, scales)) for e in known[:1]]
    found = [climb for climb in tried if isinstance(climb, Climb)]
    if not found:
        return climbs.hardest(sketch, arguments, known, scales, settings, name, enough)
    best = max(found, key=lambda climb: climb.log_loss)
    return best.example, best.log_loss
