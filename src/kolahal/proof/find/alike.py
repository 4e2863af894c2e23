"""What the proof of one program says of another that differs from it in its scales alone. Nothing here is trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from kolahal.lang.ir import Draw, Node, rebuild
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.logic.compiled import compile_formula
from kolahal.logic.terms import Formula, Some, Symbol, negate, some, symbols_of
from kolahal.proof.find.candidates import counters_at
from kolahal.proof.find.compiled_paths import ObservedStates
from kolahal.proof.find.cost_candidates import spending
from kolahal.proof.trusted.certificate import CaseProof, LengthProof, read_certificate
from kolahal.proof.trusted.neighbours import Neighbours
from kolahal.proof.trusted.obligations import Invariant
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.symbols import spent_on
from kolahal.verdicts import Certificate, Proved, Verdict

ANY = Scale(Fraction(1))  # in place of scales that do not matter


def guess_from(verdict: Verdict) -> LengthProof | None:
    """The proof for every length that a verdict carries, if it does; under another budget, that of its pure program."""
    if not isinstance(verdict, Proved):
        return None
    document = verdict.certificate.document()
    inner = document.get("proof", document)
    return None if "kind" in inner else read_certificate(Certificate(json.dumps(inner)))[0]


def known_cases(sketch: Sketch, guess: LengthProof | None, reach: Mapping[int, Scale]) -> dict[Neighbours, CaseProof]:
    """What a guess proves for each set of moves, where its program differs in its scales alone, with shifts as long as in `reach`."""
    if guess is None or _without_scales(guess.sketch) != _without_scales(sketch):
        return {}
    lengths = tuple(reach.get(site) for site in range(len(sketch.draws))) if reach else ()
    return {case.neighbours: case for case in guess.cases if case.alignment.reach == lengths}


def _without_scales(sketch: Sketch) -> Sketch:
    def change(node: Node) -> Node | None:
        return replace(node, scale=ANY) if isinstance(node, Draw) else None

    return replace(sketch, body=rebuild(sketch.body, change))


def respent(product: Product, neighbours: Neighbours, known: CaseProof, sample: ObservedStates) -> Invariant:
    """The invariant of a known proof, its bounds on what was spent replaced by those that were seen under the same conditions."""
    spent = frozenset(map(spent_on, range(len(known.shares))))
    result = {}
    for place in product.first.places:
        if place.loop is None:
            continue
        counters, here = counters_at(product, known.alignment, place, sample)
        found: dict[Formula, None] = {}
        seen: set[tuple[Formula, ...]] = set()  # conditions
        for formula in known.invariant.get(place.loop, ()):
            if not symbols_of(formula) & spent:
                found[formula] = None
            elif (conditions := _conditions(formula, spent)) not in seen:
                seen.add(conditions)
                tests = [compile_formula(negate(part)) for part in conditions]
                own = [state for state in here if all(test(state) for test in tests)]
                found |= {some([*conditions, bound]): None for bound in spending(product, counters, neighbours, sample, own)}
        result[place.loop] = tuple(found)
    return result


def _conditions(formula: Formula, spent: frozenset[Symbol]) -> tuple[Formula, ...]:
    """The parts of a bound on what was spent of which none holds where it says something."""
    return tuple(part for part in (formula.parts if isinstance(formula, Some) else ()) if not symbols_of(part) & spent)
