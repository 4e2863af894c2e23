"""What an alignment says of the draws on concrete paths, looked up once for all rehearsals. Nothing here is trusted."""

from __future__ import annotations

from typing import Any

from kolahal.logic.linear import Number, plain
from kolahal.proof.find.compiled_paths import CompiledPath
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.shifts import Alignment, ShiftRule


class FollowedRules:
    """The rules of one alignment by draw and path, and how far its shifts may go."""

    def __init__(self, alignment: Alignment, product: Product) -> None:
        self.alignment = alignment
        self.rules: dict[tuple[int, int], ShiftRule] = {}  # by site and path; paths stay as long as these
        self.agreed: dict[tuple[int, int], bool] = {}  # by two paths
        limits = ((site, alignment.limit(site)) for site in range(len(product.sketch.draws)))
        self.reach = {site: most * product.units[site] for site, most in limits if most}
        self.longest: dict[tuple[int, int, Any], Number] = {}

    def of(self, site: int, path: CompiledPath) -> ShiftRule:
        """What is said of a draw on a path."""
        key = (site, id(path))
        found = self.rules.get(key)
        if found is None:
            found = self.rules[key] = self.alignment.chosen(site, path.path.decisions)
        return found

    def agree(self, one: CompiledPath, two: CompiledPath) -> bool:
        """Whether the draws of two paths have the same rules in turn."""
        key = (id(one), id(two))
        found = self.agreed.get(key)
        if found is None:
            pairs = zip(one.path.draws, two.path.draws, strict=True)
            found = self.agreed[key] = all(self.of(a.site, one) == self.of(b.site, two) for a, b in pairs)
        return found

    def beyond(self, site: int, shift: Any, answers: int, unit: Any) -> bool:
        """Whether a shift is longer than was promised, with so many answers and such a unit of the move."""
        reach = self.reach.get(site)
        if reach is None:
            return False
        key = (site, answers if reach.powers else 1, unit)
        longest = self.longest.get(key)
        if longest is None:
            longest = self.longest[key] = plain(reach.coefficient * key[1] * unit)
        return bool(abs(shift) > longest)
