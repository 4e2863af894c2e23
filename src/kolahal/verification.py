"""Certificates and counterexamples checked again, and the documents that they came in: whatever says more than they do."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kolahal.errors import KolahalError, UsageError
from kolahal.lang.claims import parse_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.logic import solver
from kolahal.model import Example, describe_event
from kolahal.nouns import dataclass
from kolahal.proof.refute import budget_counterexample_data, counterexample_data
from kolahal.proof.trusted import affine, bounded, concentrated, counted, union
from kolahal.proof.trusted import certificate as every_length
from kolahal.proof.trusted.documents import shorten
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Certificate, Proved, assumed_by, name_verdict

MOST_TEXT = 50_000_000  # characters of a document that is checked again
ROUNDING = 1e-9  # relative; bounds on ε are doubles


@dataclass(frozen=True, slots=True)
class Verified:
    """What a document says that was checked again, of what, and what is wrong with it."""

    faults: tuple[str, ...]  # nothing, if it is valid
    verdict: str = ""  # proved, bounded or refuted: what it is about, valid or not; nothing where it cannot be read
    program: Sketch | None = None
    claim: str = ""
    scope: str | None = None  # of a proof
    assumed: tuple[str, ...] = ()
    example: Example | None = None  # of a refutation


def verify(text: str, settings: Settings | None = None) -> list[str]:
    """What is wrong with a certificate or a counterexample; nothing, if it is valid. See `inspect_document`."""
    return list(inspect_document(text, settings).faults)


def inspect_document(text: str, settings: Settings | None = None, certificate: str | None = None) -> Verified:
    """A certificate or a counterexample checked again, alone or in what `check --json` printed: then both must agree.

    A result of `synth` has its certificate in a file of its own, which is given as `certificate`. Where cvc5 is
    installed, it must agree with Z3 on every query.
    """
    outer = _read(text)
    inner = _certificate_in(outer, certificate)
    try:
        return _inspect(outer, inner, settings or Settings())
    except (RecursionError, MemoryError) as error:  # a stranger's document may be deeper or larger than can be followed
        return Verified((f"the check stopped: {type(error).__name__} {error}",))


def _read(text: str) -> dict[str, Any]:
    if len(text) > MOST_TEXT:
        raise UsageError(f"this document has more than {MOST_TEXT:,} characters")
    try:
        document = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise UsageError("this is not JSON; give a certificate, or what `kolahal check --json` printed") from None
    if not isinstance(document, dict):
        raise UsageError("there is no certificate in this document; give what `kolahal check --json` printed")
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key that comes twice would mean one thing here and another to the next reader."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise UsageError("a key comes twice in this document; give it as `kolahal check --json` printed it")
    return found


def _certificate_in(outer: dict[str, Any], beside: str | None) -> dict[str, Any]:
    """The certificate or the counterexample of a document, which may be the document itself."""
    if "candidates" in outer:
        if beside is None:
            raise UsageError(
                "a result of `kolahal synth` has its proof in certificate.json; give that, or both in one folder"
            )
        return _certificate_in(_read(beside), None)
    inner = outer.get("certificate") or outer.get("refutation") or outer
    kinds = (counterexample_data.KIND, budget_counterexample_data.KIND, concentrated.KIND, affine.KIND, union.KIND, counted.KIND)
    alone = isinstance(inner, dict) and ("cases" in inner or inner.get("kind") in kinds)
    if not alone or "program" not in inner or "claim" not in inner:
        said = f"its verdict is {outer['verdict']}, and " if isinstance(outer.get("verdict"), str) else ""
        raise UsageError(f"{said}there is no certificate in this document; give what `kolahal check --json` printed")
    found: dict[str, Any] = inner
    return found


def _inspect(outer: dict[str, Any], inner: dict[str, Any], settings: Settings) -> Verified:
    text, told = inner["program"], inner["claim"]
    if not isinstance(text, str) or not isinstance(told, str):
        return Verified(("the program and the claim are not texts",))
    try:
        program = parse(text)
        claim = parse_claim(program, told or "nothing")
    except KolahalError as error:
        return Verified((f"the document cannot be read: {error}",))
    if program.holes:
        return Verified(("the program has holes",), "", program, str(claim))
    certificate = Certificate(json.dumps(inner))
    verdict: Proved | Bounded | None = None
    example = None
    match inner.get("kind"):
        case "bounded" | union.KIND as kind:
            recheck = bounded.recheck_bounded if kind == "bounded" else union.recheck_union
            faults = list(recheck(certificate, settings.proof))
            if faults:  # then it is not even known how far it was to reach
                return Verified(tuple(faults), "bounded", program, str(claim))
            verdict = bounded.read_verdict(program, inner["size"], certificate)
        case counterexample_data.KIND:
            faults = counterexample_data.find_faults(inner)
            example = None if faults else counterexample_data.read_document(inner)[2]
        case budget_counterexample_data.KIND:
            faults = budget_counterexample_data.find_faults(inner)
            example = None if faults else budget_counterexample_data.read_document(inner)[2]
        case concentrated.KIND:
            faults = concentrated.recheck_budget(certificate, settings.proof.solver_steps, solver.has_second_opinion())
            verdict = concentrated.read_verdict(program, claim, certificate)
        case affine.KIND:
            faults = affine.recheck_affine(certificate)
            if faults:
                return Verified(tuple(faults), "bounded", program, str(claim))
            verdict = affine.read_verdict(program, certificate, inner["sizes"][-1]["size"])
        case counted.KIND:
            faults = list(counted.recheck_counted(certificate))
            if faults:
                return Verified(tuple(faults), "proved", program, str(claim))
            verdict = counted.read_verdict(program, certificate)
        case None:
            faults = every_length.recheck(certificate, settings.proof.solver_steps, second=solver.has_second_opinion())
            verdict = every_length.read_verdict(program, claim, certificate)
        case other:
            return Verified((f"there is no such kind of document: {shorten(other)}",), "", program, str(claim))
    name = "refuted" if verdict is None else name_verdict(verdict)
    scope, assumed = (None, []) if verdict is None else (str(verdict.scope), assumed_by(verdict))
    said = Verified((), name, program, str(claim), scope, tuple(assumed), example)
    return replace(said, faults=(*faults, *_misfits(outer, inner, said, claim)))


# ---------------------------------------------------------------- what stands around a certificate


def _misfits(outer: Mapping[str, Any], inner: Mapping[str, Any], said: Verified, claim: Scale) -> Iterator[str]:
    """What a document says that its certificate or counterexample does not."""
    assert said.program is not None
    if outer.get("certificate") and outer.get("refutation"):
        yield "the document holds a proof and a refutation"
    if "candidates" in outer:
        yield from _synthesis_misfits(outer, inner, said, claim)
        return
    expected: dict[str, Any] = {"verdict": said.verdict, "kind": inner.get("kind")}
    if outer is not inner:
        expected |= {"scope": said.scope, "assumed": list(said.assumed), "sketch": said.program.name}
        yield from _claim_misfits(outer.get("claim", said.claim), said, claim)
        yield from _program_misfits(outer.get("program", inner["program"]), said.program)
        yield from _bound_misfits(outer, said)
        yield from _example_misfits(outer.get("counterexample"), said.example)
    yield from _differences(outer, {**expected, **_relation(said.program)})


def _relation(program: Sketch) -> dict[str, str]:
    told = {"adjacency": str(program.adjacency), "neighbours": program.adjacency.describe()}
    return {**told, "guarantee": program.variant.words}


def _differences(outer: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[str]:
    for name, value in expected.items():
        if name in outer and outer[name] != value:
            yield f"the document says {name} {shorten(outer[name])}, and it is {shorten(value)}"


def _program_misfits(text: Any, program: Sketch) -> Iterator[str]:
    try:
        same = isinstance(text, str) and parse(text) == program
    except KolahalError:
        same = False
    if not same:
        yield "the document's program is not the one that was checked"


def _claim_misfits(text: Any, said: Verified, proved: Scale) -> Iterator[str]:
    """A proof of less than what is claimed is one of the claim; a refutation is of the claim itself."""
    assert said.program is not None
    try:
        claimed = parse_claim(said.program, text if isinstance(text, str) and text else "nothing")
    except KolahalError as error:
        yield str(error)
        return
    less = said.verdict != "refuted" and proved.powers == claimed.powers and proved.coefficient <= claimed.coefficient
    if not less and proved != claimed:
        yield f"the document claims {claimed}, and it is about {proved}"


def _bound_misfits(outer: Mapping[str, Any], said: Verified) -> Iterator[str]:
    """Bounds on the true ε, in units of the claim; infinity is a text in results."""
    found = {}
    for name, missing in (("epsilon_lower", 0.0), ("epsilon_upper", math.inf)):
        value = outer.get(name)
        value = missing if value is None else math.inf if value == "Infinity" else value
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            yield f"{name} is not a number: {shorten(value)}"
            return
        found[name] = value
    lower, upper = found["epsilon_lower"], found["epsilon_upper"]
    if said.verdict == "proved" and lower > 1 + ROUNDING:
        yield f"epsilon_lower is {shorten(lower)} of the claim, and the claim is proved"
    if said.verdict == "refuted" and upper <= 1:
        yield f"epsilon_upper is {shorten(upper)} of the claim, and the claim is refuted"
    if lower > upper and lower - upper > ROUNDING * upper:
        yield f"epsilon_lower is {shorten(lower)}, above epsilon_upper, {shorten(upper)}"


def _example_misfits(shown: Any, example: Example | None) -> Iterator[str]:
    """The counterexample that people read, against the exact one."""
    if example is None:
        if shown is not None:
            yield "the document has a counterexample, and a proof"
        return
    exact = {
        "d1": [float(a) for a in example.d1],
        "d2": [float(a) for a in example.d2],
        "epsilon": float(example.arguments.epsilon),
        "event": describe_event(example.event),
        "arguments": {n: v if isinstance(v, bool) else float(v) for n, v in example.arguments.values},
    }
    if not isinstance(shown, dict) or {name: shown.get(name) for name in exact} != exact:
        yield "the document's counterexample is not the one that was checked"


def _synthesis_misfits(
    outer: Mapping[str, Any], inner: Mapping[str, Any], said: Verified, claim: Scale
) -> Iterator[str]:
    """A result of `synth`: its best candidate, filled into its sketch, must be what was proved."""
    assert said.program is not None
    if said.verdict == "refuted":
        yield "the document is the result of a synthesis, and what was checked is a counterexample"
    best = next((c for c in _listed(outer["candidates"]) if _get(c, "rank") == outer.get("best")), None)
    if not isinstance(best, dict) or isinstance(outer.get("best"), bool):
        yield "the document has no best candidate that could have been proved"
        return
    if _filled(outer.get("program"), best.get("scales")) != said.program:
        yield "the best candidate's scales do not make the program that was checked of the document's sketch"
    yield from _program_misfits(outer.get("mechanism"), said.program)
    yield from _claim_misfits(said.program.budget.name, said, claim)
    yield from _differences(best, {"verdict": said.verdict, "scope": said.scope, "assumed": list(said.assumed)})
    yield from _differences(outer, {"sketch": said.program.name, **_relation(said.program)})
    shown = outer.get("proof")
    if not isinstance(shown, dict) or any(shown[name] != inner.get(name) for name in shown if "cases" not in name):
        yield "the document tells of another proof than the one that was checked"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _filled(text: Any, scales: Any) -> Sketch | None:
    """The mechanism that scales make of a sketch, as its text is read again; None where that is not possible."""
    if not isinstance(text, str) or not all(s is None or isinstance(s, str) for s in _listed(scales)):
        return None
    try:
        return parse(str(parse(text).complete(*_listed(scales))))
    except KolahalError:
        return None
