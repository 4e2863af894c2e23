"""The unit that noise is measured by, where aggregates of records move by multiples of public bounds."""

from __future__ import annotations

from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.lang.unit_names import in_unit


def unit_of(sketch: Sketch, site: int) -> str | None:
    """The unit that the noise at a site is measured by; None while its scale is open."""
    scale = sketch.draws[site].scale
    if not isinstance(scale, Scale):
        return None
    known = in_unit(scale, sketch.moved_in, sketch.factors)
    return "another" if known is None else known[0]
