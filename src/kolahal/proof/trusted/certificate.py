"""A proof for every length as a JSON document, and the check that believes it or not.

The check reads the program's text, the alignment, the shares of the budget and the invariant from the document. It
derives what must be valid from these alone and asks a solver one plain query for each; the obligations that stand
in the document are compared with its own, never trusted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kolahal.errors import KolahalError
from kolahal.lang.pretty import print_expression
from kolahal.lang.read.parse import parse_source
from kolahal.lang.scale import Scale, base_of, parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Source
from kolahal.logic import solver
from kolahal.logic.terms import Formula, NotATerm, parse_formula, print_term, symbols_of
from kolahal.nouns import dataclass
from kolahal.proof.trusted.budget import Share, within_claim
from kolahal.proof.trusted.documents import Malformed, read_json, read_number, take, take_all
from kolahal.proof.trusted.neighbours import MOST_GHOSTS, Neighbours, assumed_names, neighbours_of, public_symbols
from kolahal.proof.trusted.obligations import Invariant, Obligation, obligations
from kolahal.proof.trusted.product import Product, build_product, build_system
from kolahal.proof.trusted.restated.watched import Followed
from kolahal.proof.trusted.shifts import (
    Alignment,
    Always,
    AtGhost,
    AtValue,
    ByBranch,
    FollowedSums,
    Form,
    Shift,
    ShiftRule,
    describe_shift,
)
from kolahal.proof.trusted.states import known_to
from kolahal.proof.trusted.values import Unsupported
from kolahal.verdicts import AnyRecords, AtLeast, Certificate, Everywhere, Exactly, NoTies, Proved

VERSION = 1
SCOPE = "every length"
STEPS = 5_000_000  # resource units of one query
UNTIED = "noise is real: runs in which noise ties have probability 0 and are left out"
MOST_LEVELS = 100  # of a rule for a shift; formulas of many more are too deep to be written


class Rejected(Exception):
    """The document is not a proof; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class CaseProof:
    """The proof for one set of moves: alignment, shares of the budget, and what holds at each loop head."""

    neighbours: Neighbours
    alignment: Alignment
    shares: tuple[Share, ...]
    invariant: Invariant


@dataclass(frozen=True, slots=True)
class LengthProof:
    """A proof that a program keeps its claim for inputs of every length."""

    sketch: Sketch
    claim: Scale
    assumed: tuple[str, ...]  # whole arguments that are taken to be at least 1
    released: frozenset[int]
    delayed: bool  # whether noise that is only named is drawn where it is first looked at
    cases: tuple[CaseProof, ...]
    at_once: bool = False  # whether all items of a list of noise are drawn before anything else
    parts: bool = False  # whether it is about the program that gives away what its last statements are computed from
    watches: tuple[Followed, ...] = ()  # names whose values are followed to their places

    def product(self) -> Product:
        return build_product(self.sketch, self.released, self.delayed, self.at_once, self.parts, self.watches)


# ---------------------------------------------------------------- writing


def write_certificate(proof: LengthProof, product: Product | None = None) -> Certificate:
    """The proof as text; its product, where it is known already, is not built again."""
    product = product or proof.product()
    document = {
        "version": VERSION,
        "scope": SCOPE,
        "program": str(proof.sketch),
        "claim": str(proof.claim),
        "adjacency": str(proof.sketch.adjacency),
        "assumed": list(proof.assumed),
        "assumptions": describe_assumptions(proof.sketch, proof.assumed, any(case.alignment.lead for case in proof.cases)),
        "released": sorted(proof.released),
        **({"delayed": True} if proof.delayed else {}),
        **({"at once": True} if proof.at_once else {}),
        **({"parts": True} if proof.parts else {}),
        **({"watched": [{"name": w.name, "last": w.last} for w in proof.watches]} if proof.watches else {}),
        "cases": [_write_case(product, proof, case) for case in proof.cases],
    }
    return Certificate(json.dumps(document, indent=1, ensure_ascii=False))


def describe_assumptions(sketch: Sketch, assumed: tuple[str, ...], untied: bool = False) -> list[str]:
    """In words, what the proof takes for granted of the inputs."""
    words = [f"{sketch.epsilon.name} > 0", f"neighbours: {sketch.adjacency.describe()}"]
    words += [f"{name} >= 1" for name in assumed]
    if sketch.private.count is not None:
        words.append(f"there are {sketch.private.count} private answers")
    kind = "truth values" if sketch.private.bits else "whole numbers" if sketch.private.whole else "real numbers"
    words.append(f"the private answers are {kind}")
    return [*words, UNTIED] if untied else words


def _write_case(product: Product, proof: LengthProof, case: CaseProof) -> dict[str, Any]:
    return {
        "moves": {
            "kind": case.neighbours.kind,
            "distance": str(case.neighbours.distance),
            "whole": case.neighbours.whole,
        },
        "ghost": _write_ghosts(case.alignment.ghosts),
        **({"renewed": list(case.alignment.renewed)} if any(l is not None for l in case.alignment.renewed) else {}),
        **_write_lead(case.alignment.lead),
        **({"closed": {str(loop): list(map(print_term, parts)) for loop, parts in case.alignment.closed}} if case.alignment.closed else {}),
        **({"reach": [r if r is None else str(r) for r in case.alignment.reach]} if case.alignment.reach else {}),
        "alignment": [
            {
                "draw": print_expression(proof.sketch.draws[site]),
                **_write_shift(shift),
                "words": _words(proof.sketch, product, site, shift, case.neighbours),
            }
            for site, shift in enumerate(case.alignment.shifts)
        ],
        "shares": [
            {"powers": dict(share.powers), "bound": str(share.bound), "per": share.per} for share in case.shares
        ],
        "invariant": {str(loop): [print_term(part) for part in parts] for loop, parts in case.invariant.items()},
        "obligations": [obligation.script() for obligation in case_obligations(product, proof.assumed, case)],
    }


def _words(sketch: Sketch, product: Product, site: int, shift: Shift, neighbours: Neighbours) -> str:
    """A shift in words; the product may count a value in a smaller or larger unit than the program does."""
    words, unit = describe_shift(shift, neighbours.single, sketch.draws[site].noise), product.units[site]
    return f"{words}, where 1 counts as {unit**-1}" if unit.powers else words


def _write_ghosts(ghosts: tuple[str, ...]) -> str | list[str] | None:
    return None if not ghosts else ghosts[0] if len(ghosts) == 1 else list(ghosts)


def _write_lead(lead: FollowedSums | None) -> dict[str, Any]:
    return {} if lead is None else {"lead": {"sites": list(lead.sites), "least": lead.least}}


def _write_shift(shift: Shift) -> dict[str, Any]:
    return {"rule": "always", "then": _write_rule(shift.form)} if isinstance(shift, Always) else _write_rule(shift)


def _write_rule(rule: ShiftRule) -> dict[str, Any]:
    match rule:
        case ByBranch(branch, then, orelse):
            number, part = (branch, {}) if isinstance(branch, int) else (branch[0], {"part": branch[1]})
            return {"rule": "branch", "branch": number, **part, "then": _write_rule(then), "else": _write_rule(orelse)}
        case AtGhost(offset, then, orelse, which):
            ghost = {"which": which} if which else {}
            return {"rule": "ghost", **ghost, "offset": offset, "then": _write_rule(then), "else": _write_rule(orelse)}
        case AtValue(name, of, plus, then, orelse):
            ways = {"then": _write_rule(then), "else": _write_rule(orelse)}
            return {"rule": "value", "name": name, "of": of, "plus": plus, **ways}
        case Form(units, cancel, follow, lead):
            return {"units": str(units), "cancel": cancel, "follow": follow, **({"lead": True} if lead else {})}


# ---------------------------------------------------------------- reading


def read_certificate(certificate: Certificate) -> tuple[LengthProof, list[list[str]], Product]:
    """The proof that a document holds, the obligations it claims, one list a case, and the product of the proof."""
    try:
        return _read(read_json(certificate.text))
    except Rejected:
        raise
    except (KolahalError, Unsupported, NotATerm) as error:
        raise Rejected(str(error)) from None
    except (Malformed, RecursionError) as error:
        raise Rejected(f"the document is not of the right form: {type(error).__name__} {error}") from None


def _read(document: Mapping[str, Any]) -> tuple[LengthProof, list[list[str]], Product]:
    if take(document, "version", int) != VERSION or take(document, "scope", str) != SCOPE:
        raise Rejected("this is not a certificate for every length of a version that is known here")
    sketches = parse_source(Source("certificate", take(document, "program", str)))
    if len(sketches) != 1:
        raise Rejected("the document must hold one program")
    sketch = sketches[0]
    if take(document, "adjacency", str) != str(sketch.adjacency):
        raise Rejected(f"the program's neighbours are {sketch.adjacency}, not {document['adjacency']}")
    assumed = tuple(take_all(document, "assumed", str))
    parts = take_all(document, "cases", dict)
    if take_all(document, "assumptions", str) != describe_assumptions(sketch, assumed, any("lead" in part for part in parts)):
        raise Rejected("the assumptions in words are not those of the proof")
    released = frozenset(take_all(document, "released", int))
    delayed = "delayed" in document and take(document, "delayed", bool)
    at_once = "at once" in document and take(document, "at once", bool)
    given_away = "parts" in document and take(document, "parts", bool)
    told = take_all(document, "watched", dict) if "watched" in document else []
    watches = tuple(Followed(take(item, "name", str), take(item, "last", bool)) for item in told)
    product = build_product(sketch, released, delayed, at_once, given_away, watches)
    cases = tuple(_read_case(sketch, product, assumed, part) for part in parts)
    stored = [take_all(part, "obligations", str) for part in parts]
    claim = parse_scale(take(document, "claim", str))
    return LengthProof(sketch, claim, assumed, released, delayed, cases, at_once, given_away, watches), stored, product


def _read_case(sketch: Sketch, product: Product, assumed: tuple[str, ...], part: Mapping[str, Any]) -> CaseProof:
    moves = take(part, "moves", dict)
    neighbours = Neighbours(take(moves, "kind", str), read_number(moves.get("distance")), take(moves, "whole", bool))
    items = take_all(part, "alignment", dict)
    if len(items) != len(product.sketch.draws):
        raise Rejected("the alignment does not have one shift for each draw")
    shifts = tuple(_read_shift(item) for item in items)
    for site, (shift, item) in enumerate(zip(shifts, items, strict=True)):
        words = (print_expression(sketch.draws[site]), _words(sketch, product, site, shift, neighbours))
        if (item.get("draw"), item.get("words")) != words:
            raise Rejected(f"the alignment in words is not that of draw {site + 1}")
    shares = tuple(
        Share(
            tuple(sorted((name, take(item["powers"], name, int)) for name in take(item, "powers", dict))),
            read_number(item.get("bound")),
            _name(item, "per"),
        )
        for item in take_all(part, "shares", dict)
    )
    if any(share.per is not None and base_of(share.per) not in product.sketch.quantities() for share in shares):
        raise Rejected("a share of the budget is in proportion to something that is not a public quantity")
    ghosts = _read_ghosts(part)
    renewed, reach = _read_renewed(part, len(ghosts)), _read_reach(part, len(shifts))
    alignment = Alignment(shifts, ghosts, renewed, reach, _read_lead(part), _read_closed(part, product))
    system = build_system(product, neighbours, alignment, shares, assumed)
    fixed = frozenset().union(*map(symbols_of, system.fixed))
    invariant, told = {}, take(part, "invariant", dict)
    for loop, state in system.states.items():
        symbols = {symbol.name: symbol for symbol in (*fixed, *state, *public_symbols(product.sketch))}
        invariant[loop] = tuple(parse_formula(text, symbols) for text in take_all(told, str(loop), str))
    if len(told) != len(invariant):
        raise Rejected("the invariant speaks of a loop that does not exist")
    return CaseProof(neighbours, alignment, shares, invariant)


def _name(item: Mapping[str, Any], name: str) -> str | None:
    """A part of a document that is a name, or null."""
    return None if name in item and item[name] is None else take(item, name, str)


def _read_ghosts(item: Mapping[str, Any]) -> tuple[str, ...]:
    if isinstance(item.get("ghost"), list):
        ghosts = tuple(take_all(item, "ghost", str))
        if not 2 <= len(ghosts) <= MOST_GHOSTS:
            raise Rejected(f"runs are sorted by at most {MOST_GHOSTS} variables")
        return ghosts
    ghost = _name(item, "ghost")
    return () if ghost is None else (ghost,)


def _read_renewed(item: Mapping[str, Any], ghosts: int) -> tuple[int | None, ...]:
    if "renewed" not in item:
        return ()
    told = take(item, "renewed", list)
    if len(told) != ghosts or any(type(loop) is not int and loop is not None for loop in told):
        raise Rejected("where ghosts are renewed is not one loop, or null, for each ghost")
    return tuple(told)


def _read_lead(item: Mapping[str, Any]) -> FollowedSums | None:
    if "lead" not in item:
        return None
    lead = take(item, "lead", dict)
    return FollowedSums(tuple(take_all(lead, "sites", int)), take(lead, "least", bool))


def _read_closed(item: Mapping[str, Any], product: Product) -> tuple[tuple[int, tuple[Formula, ...]], ...]:
    """What a first run knows when no place is noted any more; the second run has no part in it."""
    if "closed" not in item:
        return ()
    told, found = take(item, "closed", dict), []
    for loop in (place.loop for place in product.first.places if place.loop is not None and str(place.loop) in told):
        symbols = {symbol.name: symbol for symbol in (*known_to(product.first, loop), *public_symbols(product.sketch))}
        found.append((loop, tuple(parse_formula(text, symbols) for text in take_all(told, str(loop), str))))
    if len(found) != len(told):
        raise Rejected("it is told of a loop that does not exist when no place is noted any more")
    return tuple(found)


def _read_reach(item: Mapping[str, Any], sites: int) -> tuple[Scale | None, ...]:
    if "reach" not in item:
        return ()
    told = take(item, "reach", list)
    if len(told) != sites:
        raise Rejected("the reach of the shifts is not one number for each draw")
    return tuple(None if most is None else parse_scale(str(most)) for most in told)


def _read_shift(item: Mapping[str, Any]) -> Shift:
    if take(item, "rule", str) == "always":
        form = _read_rule(take(item, "then", dict))
        if not isinstance(form, Form):
            raise Rejected("what is always so is not one form")
        return Always(form)
    rule = _read_rule(item)
    assert not isinstance(rule, Form), "it has a rule"
    return rule


def _read_rule(item: Mapping[str, Any], levels: int = MOST_LEVELS) -> ShiftRule:
    if "rule" not in item:
        lead = "lead" in item and take(item, "lead", bool)
        return Form(read_number(item.get("units")), take(item, "cancel", bool), _name(item, "follow"), lead)
    kind = take(item, "rule", str)
    if kind not in ("branch", "ghost", "value"):
        raise Rejected(f"there is no rule {kind!r} for a shift")
    if not levels:
        raise Rejected(f"a rule for a shift has more than {MOST_LEVELS} levels")
    then, orelse = (_read_rule(take(item, way, dict), levels - 1) for way in ("then", "else"))
    match kind:
        case "branch":
            branch = take(item, "branch", int)
            return ByBranch((branch, take(item, "part", int)) if "part" in item else branch, then, orelse)
        case "ghost":
            return AtGhost(take(item, "offset", int), then, orelse, take(item, "which", int) if "which" in item else 0)
        case _:
            return AtValue(take(item, "name", str), _name(item, "of"), take(item, "plus", int), then, orelse)


# ---------------------------------------------------------------- checking


def case_obligations(product: Product, assumed: tuple[str, ...], case: CaseProof) -> tuple[Obligation, ...]:
    """What must be valid for one set of moves."""
    system = build_system(product, case.neighbours, case.alignment, case.shares, assumed)
    return obligations(system, case.invariant)


def recheck(certificate: Certificate, steps: int = STEPS, second: bool = False, program: Sketch | None = None) -> list[str]:
    """What is wrong with a certificate; nothing, if it is a proof (of `program`). With `second`, a second solver is asked too."""
    try:
        proof, stored, product = read_certificate(certificate)
        if program is not None and proof.sketch != program:
            return ["the program does not read back from its text"]
        return check_proof(proof, stored, product, steps, second)
    except (Rejected, Unsupported) as error:
        return [str(error)]


def check_proof(proof: LengthProof, stored: list[list[str]], product: Product, steps: int, second: bool = False) -> list[str]:
    sketch = proof.sketch
    failures = []
    if tuple(case.neighbours for case in proof.cases) not in (neighbours_of(sketch), neighbours_of(sketch, one_way=True)):
        failures.append("the cases are not the sets of moves that make up the adjacency")
    if proof.assumed != assumed_names(sketch, proof.claim):
        failures.append("the arguments that are assumed to be at least 1 are not those that the program requires to be")
    context = solver.new_context()
    for case, scripts in zip(proof.cases, stored, strict=True):
        if not within_claim(case.shares, proof.claim, sketch):
            failures.append(f"the shares of the budget are not at most {proof.claim}")
        derived = case_obligations(product, proof.assumed, case)
        asked = [obligation.script() for obligation in derived]
        if asked != scripts:
            failures.append("the obligations in the document are not those of the program")
        for obligation, script in zip(derived, asked, strict=True):
            answer = solver.check_script(script, steps, context)
            if answer != solver.UNSAT:
                failures.append(f"not shown: {obligation.name} ({answer})")
            elif second and (other := solver.second_opinion(script, steps)) != answer:
                failures.append(f"the solvers disagree: {obligation.name} (Z3 {answer}, cvc5 {other})")
    return failures


def read_verdict(sketch: Sketch, claim: Scale, certificate: Certificate) -> Proved:
    """What a valid certificate for every length says."""
    count = sketch.private.count
    document = certificate.document()
    untied = any("lead" in case for case in document.get("proof", document)["cases"])
    assumed: tuple[AtLeast | NoTies, ...] = tuple(AtLeast(name) for name in assumed_names(sketch, claim))
    assumed = (*assumed, NoTies()) if untied else assumed
    if sketch.private.table is not None:
        return Proved(certificate, AnyRecords(), assumed)
    return Proved(certificate, Everywhere() if count is None else Exactly(count), assumed)
