"""Paths → events: runs that give the same answer, each event one polyhedron."""

from __future__ import annotations

from collections.abc import Sequence

from kolahal.logic.linear import Inequality, unknowns_of
from kolahal.logic.simplex import find_point
from kolahal.logic.solver import is_empty
from kolahal.nouns import dataclass
from kolahal.paths.state import ChosenPlace, Fault, Path, Paths, Value, affine_parts, discrete_part
from kolahal.paths.unknowns import Atom, Atoms


@dataclass(frozen=True, slots=True)
class OutputCell:
    """The union of some paths, where `facets` hold; all of its runs give `output`."""

    paths: tuple[int, ...]
    facets: Atoms
    output: Value | Fault
    picks: tuple[ChosenPlace, ...] = ()  # the same on all of its paths


def find_events(paths: Paths, steps: int) -> tuple[OutputCell, ...]:
    """All paths, those with the same answer as one event where their union is a polyhedron."""
    groups: dict[object, list[int]] = {}
    for place, path in enumerate(paths.paths):
        groups.setdefault((discrete_part(path.output), affine_parts(path.output), path.picks), []).append(place)
    found: list[OutputCell] = []
    for places in groups.values():
        members = [paths.paths[place] for place in places]
        facets = find_facets(paths, members, steps) if len(members) > 1 else None
        if facets is not None:
            found.append(OutputCell(tuple(places), facets, members[0].output, members[0].picks))
        else:
            # The same path on both databases is always a sound way, only perhaps not the cheapest.
            found += [
                OutputCell((place,), normal(path.atoms), path.output, path.picks)
                for place, path in zip(places, members, strict=True)
            ]
    return tuple(found)


def normal(atoms: Sequence[Atom]) -> Atoms:
    """The same comparisons, each once."""
    return tuple(dict.fromkeys(atom.normal() for atom in atoms))


def find_facets(paths: Paths, members: Sequence[Path], steps: int) -> Atoms | None:
    """The comparisons that hold on all members, if together they say no less than that a run is on one of them."""
    candidates = dict.fromkeys(atom for member in members for atom in normal(member.atoms))
    likely = [atom for atom in candidates if all(_may_imply(member, atom) for member in members)]
    facets = tuple(atom for atom in likely if _holds_on(paths, atom, members, steps))
    return facets if _is_covered(paths, facets, members, steps) else None


def _may_imply(member: Path, atom: Atom) -> bool:
    """Whether the point that we know inside a path has nothing against `atom`; quick, and never wrongly False."""
    return all(symbol in member.point for symbol in atom.form.terms) and atom.holds(member.point)


def is_union(paths: Paths, facets: Atoms, members: Sequence[Path], steps: int) -> bool:
    """Whether it is proved that the polyhedron of `facets` is the union of the members."""
    return all(_holds_on(paths, facet, members, steps) for facet in facets) and _is_covered(
        paths, facets, members, steps
    )


def _holds_on(paths: Paths, atom: Atom, members: Sequence[Path], steps: int) -> bool:
    inside = [member.atoms for member in members]
    asked = unknowns_of([atom, *(a for atoms in inside for a in atoms)])
    return is_empty([*paths.domain(asked), atom.negated()], steps, one_of=inside, bits=paths.bits(asked))


def _is_covered(paths: Paths, facets: Atoms, members: Sequence[Path], steps: int) -> bool:
    inside = [member.atoms for member in members]
    asked = unknowns_of([*facets, *(a for atoms in inside for a in atoms)])
    return is_empty([*paths.domain(asked), *facets], steps, none_of=inside, bits=paths.bits(asked))


def describe_tie(paths: Paths, event: OutputCell) -> str:
    """Where continuous noise must hit one value exactly for this event, in words; nothing, if it need not."""
    noisy = [f for f in event.facets if any(map(paths.is_continuous, f.form.terms))]
    inner = [Inequality(facet.form, strict=True) if facet in noisy else facet for facet in event.facets]
    if find_point([*paths.domain(unknowns_of(inner)), *inner]) is not None:
        return ""
    both = {facet.form for facet in noisy if not facet.strict and Inequality(-facet.form, strict=False) in noisy}
    shown = [
        f"{f.form} = 0" if f.form in both else str(f) for f in noisy if -f.form not in both or str(f.form)[0] != "-"
    ]
    return ", ".join(shown[:3]) + (", …" if len(shown) > 3 else "")
