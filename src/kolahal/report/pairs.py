"""Two neighbours side by side: how likely the outputs are on either, and what is to be said of an event."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from kolahal.lang.scale import parse_scale
from kolahal.losses import log_ratio, loss_range
from kolahal.report.rounding import at_least, compare, finite
from kolahal.report.svg_maps import histogram, paired_bars
from kolahal.report.words import brief, given_words, pretty, show, verdict_of

ROLES = {
    "refuted": "a pair of neighbours that refutes it",
    "hard": "a pair of neighbours that is hard to hide",
    "tested": "the hardest pair of neighbours that the test found",
}


def bare_pairs(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Counterexamples of a document without pictures: the event and its two probabilities, as intervals."""
    if document.get("guarantee"):  # of another budget: factors of probabilities are not what it allows
        return []
    found = [(document, document.get("counterexample") or document.get("hardest_by_test"))]
    found += [(c, c.get("counterexample")) for c in document.get("candidates", [])]
    pairs = []
    for owner, example in found:
        if example:
            middle = [sum(example[key]) / 2 for key in ("p1", "p2")]
            event = {"label": example["event"], "bins": [], "p1": middle[0], "p2": middle[1], "exact": True}
            role = "refuted" if owner.get("verdict") == "refuted" else "tested"
            scales = owner.get("scales", [])
            allowed = _allowed(owner, example)
            least, most = loss_range(example["p1"], example["p2"])
            sure = role == "refuted" or least > allowed
            open_to_doubt = not sure and most > allowed
            events = [{**event, "over": None if open_to_doubt else sure}]
            pairs.append({**example, "role": role, "scales": scales, "allowed": allowed, "bins": [], "events": events})
    return pairs


def _allowed(owner: Mapping[str, Any], example: Mapping[str, Any]) -> float:
    """The claimed level at an example, where the claim is a multiple of ε; otherwise the ε itself."""
    epsilon = float(example.get("epsilon", 0.0))
    claim = parse_scale(owner["claim"].partition(",")[0]) if owner.get("claim") else None
    return epsilon * float(claim.coefficient) if claim is not None and len(claim.powers) == 1 else epsilon


LONGEST = 12  # label of a bar


def _letters(label: str) -> str:
    """A list of truth values as letters."""
    for word, letter in (("True", "T"), ("False", "F"), ("None", "·"), ("a number", "#"), (", ", " ")):
        label = label.replace(word, letter)
    return label


def draw_pair(document: Mapping[str, Any], data: Mapping[str, Any], number: int) -> dict[str, Any]:
    """One pair of neighbours with its chart and its events."""
    allowed = float(data["allowed"])
    listed = list(data["events"])
    if data["role"] == "refuted":  # certain, also where a document has too few digits to show it
        listed[0] = {"over": True, **listed[0]}
    proved = data["role"] == "hard" and verdict_of(document) == "proved"
    events = [tell_event(event, allowed, data.get("runs") or 0, proved) for event in listed]
    hardest = _hardest(document, data, events[0]) if number == 0 else None
    svg, long = "", False
    if data["bins"]:
        up = "probability"
        description = f"{data['event']}: {events[0]['say']}"
        chosen = data["events"][0]["bins"]
        if data["kind"] == "histogram":
            svg = histogram("The outputs on both inputs", data["subject"], up, data["bins"], chosen, description)
        else:
            long = any(len(b["label"]) > LONGEST for b in data["bins"])
            bins = [{**b, "label": _letters(b["label"])} for b in data["bins"]] if long else data["bins"]
            svg = paired_bars("The outputs on both inputs", up, bins, chosen, description)
    name = "(" + ", ".join(pretty(s) for s in data["scales"]) + ")" if document.get("candidates") else ""
    role = ROLES[data["role"]]
    changed = [a != b for a, b in zip(data["d1"], data["d2"], strict=True)]
    return {
        "number": number,
        "title": f"{name}: {role}" if name else role[0].upper() + role[1:],
        "role": data["role"],
        "at": given_words(data),
        "sides": [("d1", data["d1"]), ("d2", data["d2"])],
        "changed": changed,
        "svg": Markup(svg),
        "runs": data.get("runs"),
        "subject": data.get("subject", "the output"),
        "letters": long,
        "events": events,
        "other": data.get("other", [0, 0]),
        "hardest": hardest,
        "allowed": allowed,
        "factor": math.exp(min(700.0, allowed)),
    }


def _hardest(document: Mapping[str, Any], data: Mapping[str, Any], event: Mapping[str, Any]) -> dict[str, Any] | None:
    """The example with the largest loss that was found, where that is another one than the pair that is shown."""
    hardest = document.get("hardest")
    if not hardest or (hardest["d1"], hardest["d2"], hardest["event"]) == (data["d1"], data["d2"], data["event"]):
        return None
    loss = finite(hardest["loss"])
    if event["part"] is not None and loss <= event["part"]:
        return None
    return {**hardest, "loss": at_least(min(1.0, loss) if verdict_of(document) == "proved" else loss)}


ENOUGH = 50  # hits on either side, below which sampled frequencies say nothing of their ratio
SURE = 4.0  # standard errors
ROUNDED = 1e-3  # what a loss may be wrong by where a document has four digits of two probabilities, and no more


def tell_event(event: Mapping[str, Any], allowed: float, runs: int, proved: bool = False) -> dict[str, Any]:
    """An event with its loss in units of the claim, where it is known, and what is to be said of it.

    `over` says whether the loss is above the claim: None where that cannot be told, neither from runs nor by a proof.
    """
    p1, p2, exact = float(event["p1"]), float(event["p2"]), bool(event["exact"])
    high, low = max(p1, p2), min(p1, p2)
    likelier, about = "d1" if p1 >= p2 else "d2", "" if exact else "about "
    say = f"It has a probability of {about}{show(p1)} on d1 and {about}{show(p2)} on d2."
    if high == 0 or (not exact and low * runs < ENOUGH):
        return {**event, "part": None, "loss": "–", "over": False, "say": f"{say} That is too rare to compare."}
    loss = log_ratio(high, low)
    over = event["over"] if "over" in event else _is_over(loss, allowed, high, low, 0 if exact else runs)
    over = False if over is None and proved else over
    part, limit = (loss / allowed if allowed else None), math.exp(min(700.0, allowed))
    if over is None:
        ratio, bound = f"{math.exp(loss):.4g}", f"{limit:.4g}"
    else:
        ratio, bound = compare(math.exp(min(700.0, loss)), limit, over)
    times = "infinitely more likely on" if low == 0 else f"{about}{ratio} times as likely on"
    allows = f"the {bound} that the claim allows"
    verdict = {True: f"more than {allows}", False: f"within {allows}", None: f"too close to {allows} to tell"}[over]
    return {
        **event,
        "part": part,
        "loss": _loss_words(part, over, exact),
        "over": bool(over),
        "say": f"{say} It is {times} {likelier}, {verdict}.",
    }


def _is_over(loss: float, allowed: float, high: float, low: float, runs: int) -> bool | None:
    """Whether a loss is above what is allowed, by frequencies of so many `runs`, or by probabilities without runs."""
    if not runs:
        return loss > allowed + ROUNDED
    doubt = SURE * math.sqrt(1 / (high * runs) + 1 / (low * runs)) if low else 0.0
    return True if loss - doubt > allowed else False if loss <= allowed else None


def _loss_words(part: float | None, over: bool | None, exact: bool) -> str:
    """A loss in units of the claim, in a cell of a table."""
    if part is None or over is None or math.isinf(part):
        return brief(part) if exact else f"≈ {brief(part)}"
    (shown, _) = compare(part, 1.0, over)
    return shown if exact else f"≈ {brief(float(shown))}"
