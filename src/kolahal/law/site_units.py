"""In multiples of which public unit the noise at each site hides moves."""

from __future__ import annotations

from kolahal.inputs.arguments import whole_settings, with_flags
from kolahal.lang.noise_units import unit_of
from kolahal.lang.sketch import Sketch
from kolahal.law.cost import build_case
from kolahal.paths.unknowns import MoveAt, NoiseAt
from kolahal.proof.trusted.passages import find_rows, move_answers
from kolahal.settings import ProofSettings
from kolahal.verdicts import Unknown


def find_site_units(sketch: Sketch, settings: ProofSettings) -> dict[int, str] | Unknown:
    """The unit of each site whose noise stands in one sum with an aggregate that has one, or with such noise."""
    assert sketch.private.count is not None
    case = build_case(sketch, sketch.private.count, with_flags(sketch, whole_settings(sketch)[-1])[0], settings)
    if isinstance(case, Unknown):
        return case
    joined: list[tuple[set[int], set[str]]] = []  # sites that stand in one sum, and the units there
    for event in case.events:
        for row in find_rows(event, event, case.sites, move_answers(range(case.size))):
            sites = {s.site for s in row.noise.terms if isinstance(s, NoiseAt)}
            units = {sketch.moved_in[s.place] for s in row.change.terms if isinstance(s, MoveAt)}
            joined.append((sites, units | {unit for site in sites if (unit := unit_of(sketch, site)) is not None}))
    found: dict[int, str] = {}
    while joined:
        sites, units = joined.pop()
        near = [other for other in joined if other[0] & sites]
        if near:
            joined = [other for other in joined if other not in near]
            joined.append((sites.union(*(s for s, _ in near)), units.union(*(u for _, u in near))))
            continue
        if len(units) > 1:
            return Unknown("one sum has numbers in it that move by different public units")
        found |= {site: unit for site in sites for unit in units}
    return found
