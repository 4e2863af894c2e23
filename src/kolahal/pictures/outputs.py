"""How likely the outputs are on two neighbours."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from kolahal.engine.accuracy import is_discrete
from kolahal.engine.engines import choose_engine
from kolahal.engine.noise import Array
from kolahal.engine.outputs import NUMBER, SCALAR, UNSET, Outputs, hits
from kolahal.engine.probe import plain_losses
from kolahal.engine.tape import Tape, stream
from kolahal.errors import KolahalError
from kolahal.exact.balls import exceeds
from kolahal.exact.cut_short import certain_probability
from kolahal.exact.probe import Integrator, ask
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Completion, Sketch
from kolahal.losses import log_ratio
from kolahal.model import (
    AllOf,
    Anything,
    Arguments,
    Database,
    Equals,
    Event,
    Example,
    Output,
    Within,
    contains,
    describe_event,
    show,
)
from kolahal.paths.cuts import CannotIntegrate
from kolahal.pictures.subject import Shown, Subject, to_digits
from kolahal.report.json import example_document, scales_document
from kolahal.verdicts import Refuted

BINS = 24  # of a histogram
CLOSE = 1e-6  # a loss that is so near to the claim, in units of it, is compared by intervals and not by doubles
MOST_BARS = 14
MOST_EXACT = 64  # answers whose probabilities are integrated
RUNS = 100_000  # a database, where probabilities are not integrated
THRESHOLDS = 6  # events "at least x" that a histogram offers


def picture_pairs(subject: Subject, shown: Sequence[Shown]) -> list[dict[str, Any]]:
    """The pairs that can be drawn; a program that fails on some noise has no picture."""
    found = []
    for pair in shown:
        with suppress(KolahalError):
            found.append(picture_pair(subject, *pair))
    return found


def picture_pair(
    subject: Subject, completion: Completion, example: Example, role: str, refuted: Refuted | None = None
) -> dict[str, Any]:
    """How likely the outputs are on both databases of an example, and events to choose from, the example's own first."""
    program = subject.program(completion)
    view = _exact_answers(program, example) or _sampled_answers(program, example, subject.settings.seed)
    if refuted is not None:  # intervals that hold for certain are better than anything drawn here
        own = view["events"][0]
        own["p1"], own["p2"] = refuted.odds.p1.value, refuted.odds.p2.value
        own["exact"] = True
    view["events"] = [_compared(event, subject, program, example) for event in view["events"]]
    if refuted is not None:
        view["events"][0]["over"] = True
    return {
        "role": role,
        "scales": scales_document(completion),
        **example_document(example),
        "allowed": subject.allowed(example.arguments),
        **view,
    }


def _compared(event: dict[str, Any], subject: Subject, program: Sketch, example: Example) -> dict[str, Any]:
    """An event, with whether its loss is above the claim where its probabilities are known, for a document."""
    asked, found = event["asked"], {key: value for key, value in event.items() if key != "asked"}
    p1, p2 = event["p1"], event["p2"]
    if event["exact"] and max(p1, p2) > 0:
        allowed = subject.allowed(example.arguments)
        part = abs(log_ratio(p1, p2)) / allowed
        found["over"] = part > 1
        if abs(part - 1) < CLOSE:  # far enough from the claim doubles will do
            found["over"] = asked is not None and _is_over_for_certain(asked, subject.claim, program, example)
    return {**found, "p1": to_digits(p1, 6), "p2": to_digits(p2, 6)}


def _is_over_for_certain(event: Event, claim: Scale, program: Sketch, example: Example) -> bool:
    """Whether intervals show a loss above the claim; what they leave open is within what doubles are wrong by."""
    arguments, level = example.arguments, claim.at(example.arguments.quantities(program))
    p1, p2 = (certain_probability(program, d, arguments, event) for d in (example.d1, example.d2))
    if isinstance(p1, CannotIntegrate) or isinstance(p2, CannotIntegrate):
        return False
    return exceeds(p1, p2, level) or exceeds(p2, p1, level)


def _integrate(
    program: Sketch, arguments: Arguments, events: Sequence[Event], pair: Sequence[Database]
) -> Array | None:
    """P(event) for each event (rows) on each database (columns), without sampling; None where that is out of reach."""
    found = ask(Integrator(program), arguments, np.zeros((1, 0)), [(e, d) for e in events for d in pair])
    return None if isinstance(found, CannotIntegrate) else found.reshape(len(events), len(pair))


def _exact_answers(program: Sketch, example: Example) -> dict[str, Any] | None:
    """Bars for a program with a few possible outputs, each without noise of its own."""
    answers = Integrator(program).answers(example.arguments, ())
    values = [event.value for event in answers if isinstance(event, Equals)]
    if not 0 < len(values) <= MOST_EXACT:
        return None
    values = sorted(values, key=_order)
    found = _integrate(program, example.arguments, [Equals(v) for v in values], (example.d1, example.d2))
    if found is None:
        return None
    own = [i for i, value in enumerate(values) if contains(example.event, value)]
    return _bars([Equals(v) for v in values], found, own, example.event, None)


def _order(value: Output) -> tuple[int, Any]:
    if isinstance(value, tuple):
        return 3, [_order(item) for item in value]
    return (0, 0) if value is None else (1, value) if isinstance(value, bool) else (2, value)


def _bars(
    outputs: Sequence[Equals | str], found: Array, own: Sequence[int], event: Event, runs: int | None
) -> dict[str, Any]:
    """A bar for each of the likeliest outputs and for the event's `own`, and one for all others.

    Outputs are values, or forms of values in words.
    """
    chosen = _likeliest(found, own)
    labels = [show(output.value) if isinstance(output, Equals) else output for output in outputs]
    asked = [output if isinstance(output, Equals) else None for output in outputs]
    bins = [{"label": labels[i], "p1": to_digits(found[i, 0]), "p2": to_digits(found[i, 1])} for i in chosen]
    if len(chosen) < len(labels):
        rest = np.maximum(0.0, found.sum(axis=0) - found[chosen].sum(axis=0))
        bins.append({"label": "others", "p1": to_digits(rest[0]), "p2": to_digits(rest[1])})
    inside = [place for place, i in enumerate(chosen) if i in own]
    first = _event(event, describe_event(event), inside, found[list(own)].sum(axis=0), runs is None)
    single = [
        _event(asked[i], f"the output is {labels[i]}", [place], found[i], runs is None)
        for place, i in enumerate(chosen)
        if [place] != inside
    ]
    return {"kind": "answers", "subject": "the output", "runs": runs, "bins": bins, "events": [first, *single]}


def _likeliest(found: Array, own: Sequence[int]) -> list[int]:
    """The outputs that get a bar, by their places: the event's own first, then those that happen most."""
    weight, ratio = found.max(axis=1).tolist(), plain_losses(found[:, 0], found[:, 1]).tolist()
    return sorted(sorted(range(len(found)), key=lambda i: (i not in own, -weight[i], -ratio[i]))[:MOST_BARS])


def _event(asked: Event | None, label: str, bins: Sequence[int], odds: Any, exact: bool) -> dict[str, Any]:
    """An event of a picture, with all digits; `asked` does not go into the document."""
    p1, p2 = float(odds[0]), float(odds[1])
    return {"asked": asked, "label": label, "bins": list(bins), "p1": p1, "p2": p2, "exact": exact}


def _sampled_answers(program: Sketch, example: Example, seed: int) -> dict[str, Any]:
    """Bars or a histogram from many runs on both databases."""
    engine = choose_engine(program, 2 * RUNS)
    tapes = [
        Tape((int(stream(seed, "report", side).integers(2**31)),), RUNS) for side in (0, 1)
    ]  # noise of its own each
    outputs = [
        engine.run(program, d, example.arguments, (), tape)
        for d, tape in zip((example.d1, example.d2), tapes, strict=True)
    ]
    if not all(is_discrete(o) for o in outputs):
        place = _telling_place(outputs)
        return _shapes(example, outputs) if place is None else _histogram(program, example, outputs, place)
    counts = [_tally(o) for o in outputs]
    values = sorted({*counts[0], *counts[1]}, key=_order)
    found = np.array([[c[v] / RUNS for c in counts] for v in values])
    own = [i for i, value in enumerate(values) if contains(example.event, value)]
    view = _bars([Equals(v) for v in values], found, own, example.event, RUNS)
    likely = [Equals(values[i]) for i in _likeliest(found, own)]
    exact = _integrate(program, example.arguments, [example.event, *likely], (example.d1, example.d2))
    if exact is not None:  # there are too many answers to integrate them all, but those that are listed can be
        known = {describe_event(e): odds for e, odds in zip([example.event, *likely], exact, strict=True)}
        view["events"] = [_event(e["asked"], e["label"], e["bins"], known[e["label"]], True) for e in view["events"]]
    return view


def _tally(outputs: Outputs) -> Counter[Output]:
    """How often each answer was given."""
    told = np.where(outputs.kinds == UNSET, 0.0, outputs.values)
    columns = np.vstack([outputs.lengths, outputs.kinds, told])
    kinds, counts = np.unique(columns, axis=1, return_counts=True)
    width = outputs.kinds.shape[0]
    rows = Outputs(kinds[0].astype(np.int64), kinds[1 : 1 + width].astype(np.uint8), kinds[1 + width :])
    tally: Counter[Output] = Counter()
    for run, count in enumerate(counts):
        tally[_exact(rows.row(run))] += int(count)
    return tally


def _exact(value: Any) -> Output:
    if isinstance(value, tuple):
        return tuple(_exact(item) for item in value)  # type: ignore[misc]
    return Fraction(value) if isinstance(value, float) else value


def _shapes(example: Example, outputs: Sequence[Outputs]) -> dict[str, Any]:
    """Bars for lists of several forms: what is told apart is their length and where they have numbers."""
    plain = [Outputs(o.lengths, o.kinds, np.where(o.kinds == NUMBER, 0.0, o.values)) for o in outputs]
    counts = [_tally(o) for o in plain]
    values = sorted({*counts[0], *counts[1]}, key=_order)
    labels = [show(v).replace("0", "a number") for v in values]  # every number is 0 here
    found = np.array([[c[v] / RUNS for c in counts] for v in values])
    view = _bars(labels, found, (), example.event, RUNS)
    odds = [float(hits(example.event, o).mean()) for o in outputs]
    own = _event(example.event, describe_event(example.event), (), odds, False)
    return {**view, "events": [own, *view["events"][1:]]}


def _telling_place(outputs: Sequence[Outputs]) -> int | None:
    """Which number of the outputs differs most between the databases; None where they are not all of one length."""
    length = int(outputs[0].lengths[0])
    if any((o.lengths != length).any() for o in outputs):
        return None
    numbers = [
        p for p in range(1 if length == SCALAR else length) if all((o.kinds[p] == NUMBER).any() for o in outputs)
    ]
    middles = {p: [np.median(o.values[p][o.kinds[p] == NUMBER]) for o in outputs] for p in numbers}
    return max(numbers, key=lambda p: (round(abs(float(middles[p][0] - middles[p][1])), 2), -p), default=None)


def _histogram(program: Sketch, example: Example, outputs: Sequence[Outputs], place: int) -> dict[str, Any]:
    """A histogram of one number of the outputs, and events that ask whether it is at least some value."""
    values = [o.values[place][o.kinds[place] == NUMBER] for o in outputs]
    low, high = np.quantile(np.concatenate(values), [0.005, 0.995])
    width = _round_step((high - low) / BINS)
    inner = np.arange(math.floor(low / width), math.ceil(high / width) + 1) * width
    edges = np.concatenate([[-np.inf], inner, [np.inf]])
    counts = [np.histogram(v, edges)[0] / RUNS for v in values]
    bins = [
        {"label": _range(a, b), "low": _end(a), "high": _end(b), "p1": to_digits(p1), "p2": to_digits(p2)}
        for a, b, p1, p2 in zip(edges[:-1], edges[1:], *counts, strict=True)
    ]
    listed = int(outputs[0].lengths[0])
    chosen = inner[1:-1][:: max(1, len(inner) // THRESHOLDS)]
    events: list[Event] = [example.event]
    events += [_at(place, listed, Within(Fraction(str(round(float(x), 9))), None)) for x in chosen]
    events = list(dict.fromkeys(events))  # one of them may be the example's
    exact = _integrate(program, example.arguments, events, (example.d1, example.d2))
    sampled = np.array([[float(hits(e, o).mean()) for o in outputs] for e in events])
    shown = []
    for i, event in enumerate(events):
        part = _part(event, place, listed)
        inside = (
            [] if part is None else [b for b, (a, c) in enumerate(itertools.pairwise(edges)) if _covers(part, a, c)]
        )
        odds = sampled[i] if exact is None else exact[i]
        shown.append(_event(event, describe_event(event), inside, odds, exact is not None))
    subject = "the output" if listed == SCALAR else f"item {place + 1} of the output"
    other = [to_digits(1 - len(v) / RUNS) for v in values]
    return {"kind": "histogram", "subject": subject, "runs": RUNS, "other": other, "bins": bins, "events": shown}


def _round_step(step: float) -> float:
    """The next larger of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(max(step, 1e-12)))
    return next(power * f for f in (1, 2, 5, 10) if power * f >= step * (1 - 1e-9))


def _at(place: int, length: int, event: Within) -> Event:
    if length == SCALAR:
        return event
    return AllOf(tuple(event if i == place else Anything() for i in range(length)))


def _part(event: Event, place: int, length: int) -> Within | None:
    """What an event asks of one number, where that is a range and nothing else is asked."""
    if isinstance(event, Within) and length == SCALAR:
        return event
    if isinstance(event, AllOf) and len(event.events) == length:
        own = event.events[place]
        if isinstance(own, Within) and all(isinstance(e, Anything) for i, e in enumerate(event.events) if i != place):
            return own
    return None


def _covers(part: Within, low: float, high: float) -> bool:
    """Whether more than half of a bar lies in a range; the bars at the ends reach to infinity."""
    middle = high - 1e-9 if low == -math.inf else low + 1e-9 if high == math.inf else (low + high) / 2
    return (part.low is None or float(part.low) <= middle) and (part.high is None or middle <= float(part.high))


def _range(low: float, high: float) -> str:
    if low == -math.inf:
        return f"below {high:.4g}"
    return f"{low:.4g} and more" if high == math.inf else f"{low:.4g} to {high:.4g}"


def _end(value: float) -> float | None:
    return None if math.isinf(value) else float(to_digits(value))
