"""Results as JSON documents; design, section 9, names the part that stays."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from kolahal.lang.claims import plain_claim, print_claim
from kolahal.lang.sketch import Completion, Sketch, Variant
from kolahal.model import Accuracy, Arguments, Estimate, Example, Ranked, Region, Selection, Trial, describe_event
from kolahal.report.advice import advise
from kolahal.report.costs import cost_document
from kolahal.report.names import name_completion
from kolahal.report.records import records_of
from kolahal.results import Check, Judged, Synthesis
from kolahal.settings import as_data
from kolahal.verdicts import Refuted, Unknown, Verdict, assumed_by, name_verdict, proof_of, scope_of


def dump(document: dict[str, Any]) -> str:
    """One document, readable, with no NaN or infinity in it, since JSON has neither, and nothing that a terminal obeys."""
    text = json.dumps(as_plain(document), indent=2, ensure_ascii=False, allow_nan=False)
    return "\n".join(line if line.isprintable() else _escape(line) for line in text.split("\n"))


def _escape(line: str) -> str:
    """Only texts hold odd characters, and there JSON has a way to write each."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)


def as_plain(value: Any) -> Any:
    """What is left of a value when it has been written as JSON and read again."""
    if isinstance(value, dict):
        return {key: as_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def synthesis_document(synthesis: Synthesis, seconds: dict[str, float], version: str) -> dict[str, Any]:
    """A synthesis with every intermediate, so that it can be replayed and questioned."""
    return {
        "sketch": synthesis.sketch.name,
        "holes": [hole.label for hole in synthesis.sketch.holes],
        "claim": print_claim(synthesis.sketch, plain_claim(synthesis.sketch)),
        **guarantee_of(synthesis.sketch),
        "law": synthesis.law.text if synthesis.law else None,
        "alternatives": list(synthesis.law.alternatives) if synthesis.law else [],
        "candidates": [*(_candidate(rank + 1, judged, synthesis) for rank, judged in enumerate(synthesis.judged)), *_rivals(synthesis)],
        "best": synthesis.judged.index(synthesis.best) + 1 if synthesis.best else None,
        "proof": _proof(synthesis.best.verdict) if synthesis.best else None,
        "remedy": (advise(synthesis.best.verdict, synthesis.sketch) or None) if synthesis.best else None,
        "cost": cost_document(synthesis),
        "seconds": {step: round(value, 3) for step, value in seconds.items()},
        "seed": synthesis.settings.seed,
        "version": version,
        "method": synthesis.method,
        "losses": dict(synthesis.losses),
        "adjacency": str(synthesis.sketch.adjacency),
        "neighbours": synthesis.sketch.adjacency.describe(),
        "program": str(synthesis.sketch),
        "mechanism": str(synthesis.mechanism) if synthesis.best else None,
        "arguments": {
            "training": [arguments(a) for a in synthesis.split.training],
            "testing": [arguments(a) for a in synthesis.split.testing],
        },
        "examples": _selection(synthesis.selection),
        "tests": _selection(synthesis.tests),
        "regions": [_region(region) for region in synthesis.regions],
        "near_region": synthesis.candidates,
        "ranked": [_ranked(r) for r in synthesis.ranked],
        "settings": as_data(synthesis.settings),
    }


def guarantee_of(sketch: Sketch) -> dict[str, str]:
    """The name of a guarantee other than ε-DP, for people."""
    return {} if sketch.variant is Variant.PURE else {"guarantee": sketch.variant.words}


def with_pictures(document: dict[str, Any], pictures: dict[str, Any], files: Iterable[str]) -> dict[str, Any]:
    """A document with the data of its report's pictures, and the names of the files that are written beside it."""
    costs = pictures.get("costs", [])
    candidates = [{**c, "law_cost": cost} for c, cost in zip(document.get("candidates", []), costs)]
    shown = {key: value for key, value in pictures.items() if key != "costs"}
    return {**document, **({"candidates": candidates} if candidates else {}), **shown, "files": sorted(files)}


def _proof(verdict: Verdict) -> dict[str, Any] | None:
    """A certificate without its bulk: what the report tells of it, not enough to check it again."""
    certificate = proof_of(verdict)
    if certificate is None:
        return None
    found: dict[str, Any] = certificate.document()
    if found.get("kind") in ("budget", "affine"):
        return {name: value for name, value in found.items() if name not in ("proof", "sizes")}
    if found.get("kind") == "counted":
        return found
    if found.get("kind") in ("bounded", "union"):
        return {**found, "all_cases": len(found["cases"]), "cases": found["cases"][-1:]}
    return {**found, "cases": [{**case, "obligations": len(case["obligations"])} for case in found["cases"]]}


def scales_document(completion: Completion) -> list[str | None]:
    return [str(scale) if scale else None for scale in completion]


def arguments(value: Arguments) -> dict[str, Any]:
    return {"epsilon": float(value.epsilon), **_other_budget(value), "size": value.size, "values": given_values(value)}


def _other_budget(value: Arguments) -> dict[str, Any]:
    """What arguments of a budget other than ε have beside its number."""
    delta = {} if value.delta is None else {"delta": float(value.delta)}
    return {**delta, **({"symbol": value.symbol} if value.symbol != "ε" else {})}


def given_values(value: Arguments) -> dict[str, Any]:
    return {name: item if isinstance(item, bool) else float(item) for name, item in value.values}


def example_document(value: Example, sketch: Sketch | None = None) -> dict[str, Any]:
    records = None if sketch is None else records_of(sketch, value)
    shown = {} if records is None else {"records": {"d1": records[0], "d2": records[1]}}
    return {
        **shown,
        "d1": [float(a) for a in value.d1],
        "d2": [float(a) for a in value.d2],
        "event": describe_event(value.event),
        "epsilon": float(value.arguments.epsilon),
        "arguments": given_values(value.arguments),
        **_other_budget(value.arguments),
    }


def interval(value: Estimate) -> list[float]:
    return [value.low, value.high]


def counterexample(trial: Trial) -> dict[str, Any]:
    return {**example_document(trial.example), "p1": interval(trial.odds.p1), "p2": interval(trial.odds.p2)}


def curve(trial: Trial) -> list[dict[str, float]]:
    return [{"test_epsilon": e, "p_value": p} for e, p in trial.curve]


def _candidate(rank: int, judged: Judged, synthesis: Synthesis) -> dict[str, Any]:
    ranked, verdict = judged.ranked, judged.verdict
    return {
        "rank": rank,
        "scales": scales_document(ranked.completion),
        "name": name_completion(ranked.completion, synthesis.law, synthesis.sketch),
        "verdict": name_verdict(verdict),
        "scope": scope_of(verdict),
        "assumed": assumed_by(verdict),
        "log_loss": ranked.log_loss,
        "epsilon": float(synthesis.split.training[0].epsilon),
        "p_value": judged.trial.p_value if judged.trial else None,
        "error": ranked.score.error if math.isfinite(ranked.score.error) else None,  # not measured
        "error_by_length": [{"length": length, "error": error} for length, error in ranked.errors],
        **_accuracy(synthesis.accuracy),
        "epsilon_lower": judged.trial.epsilon_lower if judged.trial else None,
        "curve": curve(judged.trial) if judged.trial else [],
        "example": counterexample(judged.trial) if judged.trial else None,
        "violations": ranked.score.violations,
        "reason": verdict.reason if isinstance(verdict, Unknown) else None,
        "defect": isinstance(verdict, Unknown) and verdict.defect,
        "counterexample": _refutation(verdict, synthesis.sketch) if isinstance(verdict, Refuted) else None,
    }


def _rivals(synthesis: Synthesis) -> list[dict[str, Any]]:
    """Completions with the other family of noise, which name it: they are of another sketch."""
    rival = synthesis.rival
    if rival is None:
        return []
    family = rival.sketch.draws[0].noise.value
    found = []
    for place, judged in enumerate(rival.judged, len(synthesis.judged) + 1):
        own = _candidate(place, judged, rival)
        found.append({**own, "scales": [None if scale is None else f"{family}({scale})" for scale in own["scales"]]})
    return found


def _accuracy(value: Accuracy | None) -> dict[str, Any]:
    """What an `error` is: its unit, and what it was computed on; `size` lists numbers of private answers."""
    if value is None:
        return {"error_unit": None, "error_at": None}
    at = arguments(value.arguments)
    inputs = {"size": list(value.sizes), "inputs": value.inputs, "runs": value.runs}
    return {"error_unit": value.unit, "error_at": {**at, **inputs}}


def _refutation(verdict: Refuted, sketch: Sketch | None) -> dict[str, Any]:
    order = {} if verdict.order is None else {"order": float(verdict.order)}
    return {**example_document(verdict.example, sketch), **order, "p1": interval(verdict.odds.p1), "p2": interval(verdict.odds.p2)}


def _ranked(ranked: Ranked) -> dict[str, Any]:
    score = ranked.score
    return {
        "scales": scales_document(ranked.completion),
        "violations": score.violations,
        "slack": score.slack,
        "noise": score.noise,
        "error": score.error,
        "log_loss": ranked.log_loss,
    }


def _selection(selection: Selection) -> dict[str, Any]:
    return {
        word: [
            {
                **example_document(s.example),
                "size": s.example.arguments.size,
                "epsilon": float(s.example.arguments.epsilon),
                "scales": list(s.scales),
                "p_value": s.p_value,
                "why": s.why,
            }
            for s in group
        ]
        for word, group in (("kept", selection.kept), ("dropped", selection.dropped))
    }


def _region(region: Region) -> dict[str, Any]:
    return {
        "arguments": arguments(region.arguments),
        "members": [list(m) for m in region.members],
        "objectives": list(region.objectives),
        "steps": region.steps,
    }


def trial_document(trial: Trial, seconds: float) -> dict[str, Any]:
    """What `test --json` prints."""
    return {
        "epsilon": float(trial.example.arguments.epsilon),
        "p_value": trial.p_value,
        "epsilon_lower": trial.epsilon_lower,
        "confidence": trial.confidence,
        "curve": curve(trial),
        "violates": trial.violates,
        "counterexample": counterexample(
            trial
        ),  # the hardest example that was found, whether it violates the claim or not
        "runs": trial.runs,
        "seconds": round(seconds, 3),
    }


def check_document(check: Check, refutation: dict[str, Any] | None = None) -> dict[str, Any]:
    """What `check --json` prints; both epsilons are in units of the claimed ε.

    `refutation` is the counterexample with exact numbers, for `kolahal verify`.
    """
    verdict, trial = check.verdict, check.trial
    certificate = proof_of(verdict)
    found = None
    if isinstance(verdict, Refuted):
        found = _refutation(verdict, check.sketch)
    elif (
        trial is not None
        and isinstance(verdict, Unknown)
        and check.example is trial.example
        and check.epsilon_lower > 1
    ):
        found = counterexample(trial)
    return {
        "verdict": name_verdict(verdict),
        **({} if check.sketch is None else guarantee_of(check.sketch)),
        "epsilon_lower": check.epsilon_lower,
        "epsilon_upper": check.epsilon_upper,
        "epsilon_lower_from": example_document(check.example, check.sketch) if check.example else None,
        "scope": scope_of(verdict),
        "assumed": assumed_by(verdict),
        "remedy": (advise(verdict, check.sketch) or None) if check.sketch else None,
        "counterexample": found,
        "hardest_by_test": counterexample(trial) if trial is not None else None,
        "certificate": None if certificate is None else certificate.document(),
        "refutation": refutation,
        "reason": verdict.reason if isinstance(verdict, Unknown) else None,
        "tried": list(check.tried),
        "defect": isinstance(verdict, Unknown) and verdict.defect,
        "p_value": trial.p_value if trial else None,
    }
