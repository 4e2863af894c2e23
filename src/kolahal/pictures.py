"""The data of the report's pictures: loss against scale, its landscape, error against ε, outputs on two neighbours.

All of it goes into the result document, so that a page can be drawn again without computing anything.
"""

from __future__ import annotations

import ast
import itertools
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolahal.engine.accuracy import RUNS as SIMULATED
from kolahal.engine.accuracy import errors_on, gives_discrete_outputs, representative_databases
from kolahal.engine.engines import choose_engine
from kolahal.engine.outputs import NUMBER, SCALAR, Outputs, hits
from kolahal.engine.tape import Tape, stream
from kolahal.errors import KolahalError
from kolahal.exact.intervals import exceeds, rigorous_probability
from kolahal.exact.probe import Integrator, ask, build_exact_probe
from kolahal.lang.ir import Draw, Hole, Node, rebuild
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.law.law import known_laws
from kolahal.model import (
    AllOf,
    Anything,
    Arguments,
    Check,
    Database,
    Equals,
    Event,
    Example,
    Output,
    Refuted,
    Split,
    Synthesis,
    Unknown,
    Within,
    contains,
    describe_event,
    show,
)
from kolahal.paths.cuts import CannotIntegrate
from kolahal.proof.refute.refute import LowerBound, best_lower_bound
from kolahal.settings import Settings

Array = NDArray[np.float64]

RUNS = 100_000  # a database, where probabilities are not integrated
STEPS = 49  # points of a loss curve
GRID = 41  # points of a landscape, each way
SPREAD = 4.0  # how far loss curves reach: from a quarter of the chosen scale to four times it
EPSILONS = tuple(Fraction(n, 100) for n in (10, 18, 32, 56, 100, 178, 316, 562, 1000))  # four steps to a factor of ten
FAR = 10**8  # an ε at which a cost that grows with ε, or with 1/ε, shows
COMPARED = 4  # completions whose errors are compared
MOST_PAIRS = 4  # refuted completions whose counterexamples are drawn
MOST_CURVES = 4  # scales that are varied
MOST_EXACT = 64  # answers whose probabilities are integrated
MOST_BARS = 14
BINS = 24  # of a histogram
CLOSE = 1e-6  # a loss that is so near to the claim, in units of it, is compared by intervals and not by doubles
ALMOST = 0.9  # of the largest loss, for a pair that is pictured
THRESHOLDS = 6  # events "at least x" that a histogram offers


Shown = tuple[Completion, Example, str, Refuted | None]  # a pair, of which completion, why it is shown, and its verdict


@dataclass(frozen=True, slots=True)
class Subject:
    """What pictures are drawn of: a sketch whose every scale that may vary is a hole, and a claim about it."""

    sketch: Sketch
    claim: Scale
    law: tuple[str, ...]  # each a way to be private, over the labels of the holes
    settings: Settings

    def allowed(self, arguments: Arguments) -> float:
        """The claimed privacy level as a number."""
        return float(self.claim.at(arguments.quantities(self.sketch)))

    def program(self, completion: Completion) -> Sketch:
        return Mechanism(self.sketch, completion).filled()


# ---------------------------------------------------------------- what a result document gets


def picture_synthesis(synthesis: Synthesis) -> dict[str, Any]:
    """Pictures of a synthesis: of its best completion, and of what speaks against the refuted ones."""
    sketch, settings = synthesis.sketch, synthesis.settings
    law = (synthesis.law.text, *synthesis.law.alternatives) if synthesis.law else ()
    subject = Subject(sketch, _epsilon(sketch), law, settings)
    chosen = synthesis.best or (synthesis.judged[0] if synthesis.judged else None)
    if chosen is None:
        return {"figures": {}, "pairs": []}
    completion = chosen.ranked.completion
    bound = best_lower_bound(subject.program(completion), subject.claim, settings)
    hard = hard_pairs(subject, completion, bound)
    first = synthesis.split.training[0]
    alive = [j.ranked.completion for j in synthesis.judged if not j.is_rejected(settings.ranking.alpha)]
    marks = [j.ranked.completion for j in synthesis.judged]
    shown: list[Shown] = [(completion, hard[0], "hard", None)] if synthesis.best is not None and hard else []
    refuted = [(j.ranked.completion, j.verdict) for j in synthesis.judged if isinstance(j.verdict, Refuted)]
    shown += [(other, verdict.example, "refuted", verdict) for other, verdict in refuted[:MOST_PAIRS]]
    kept = [e for e in synthesis.selection.examples if e.arguments == first]
    figures = {
        "loss": loss_curves(subject, completion, hard),
        "landscape": landscape(subject, completion, kept or hard, marks),
        "error": error_curves(subject, alive[:COMPARED] or [completion], first),
    }
    return {
        "figures": {name: figure for name, figure in figures.items() if figure is not None},
        "pairs": _picture_pairs(subject, shown),
        "hardest": _hardest(bound),
        "costs": [law_cost(subject, j.ranked.completion, synthesis.split) for j in synthesis.judged],
    }


def picture_check(sketch: Sketch, claim: Scale, check: Check, settings: Settings) -> dict[str, Any]:
    """Pictures of a program without holes: all of its scales may vary."""
    opened, completion = open_scales(sketch)
    laws = known_laws(sketch, settings.proof)  # over the places of noise, which are those of the opened program
    found = None if isinstance(laws, Unknown) else laws.law(opened)
    subject = Subject(opened, claim, (found.text, *found.alternatives) if found else (), settings)
    bound = best_lower_bound(sketch, claim, settings)
    hard = hard_pairs(subject, completion, bound)
    shown: list[Shown] = []
    if isinstance(check.verdict, Refuted):
        shown.append((completion, check.verdict.example, "refuted", check.verdict))
    elif check.trial is not None and isinstance(check.verdict, Unknown):
        shown.append((completion, check.trial.example, "tested", None))
    elif hard:
        shown.append((completion, hard[0], "hard", None))
    hard = hard or tuple(example for _, example, _, _ in shown)
    figures: dict[str, Any] = {}
    if hard and completion:
        figures = {
            "loss": loss_curves(subject, completion, hard),
            "landscape": landscape(subject, completion, hard, [completion]),
            "error": error_curves(subject, [completion], hard[0].arguments),
        }
    return {
        "figures": {name: figure for name, figure in figures.items() if figure is not None},
        "pairs": _picture_pairs(subject, shown),
        "hardest": _hardest(bound),
        "law": found.text if found else None,
        "alternatives": list(found.alternatives) if found else [],
    }


def _epsilon(sketch: Sketch) -> Scale:
    return Scale(Fraction(1), ((sketch.epsilon.name, 1),))


def _hardest(bound: LowerBound | None) -> dict[str, Any] | None:
    """The largest loss that was found for certain, in units of the claim, and where."""
    return None if bound is None else {**_about(bound.example), "loss": bound.loss}


def hard_pairs(subject: Subject, completion: Completion, bound: LowerBound | None) -> tuple[Example, ...]:
    """The example with the largest loss that was found, after one that is almost as hard and not so rare."""
    if bound is None:
        return ()
    return tuple(dict.fromkeys([tame(subject, completion, bound.example), bound.example]))


def tame(subject: Subject, completion: Completion, example: Example) -> Example:
    """A pair almost as hard with answers closer together, so that its event is not too rare to picture.

    The largest losses lie where answers are far apart, and there the event may have a chance of 1e-80.
    """
    if not isinstance(example.event, Equals):
        return example
    moves = [b - a for a, b in zip(example.d1, example.d2, strict=True)]
    found = []
    for factor in (Fraction(1, 2**k) for k in range(8, 0, -1)):
        d1 = tuple(Fraction(round(a * factor)) for a in example.d1)
        found.append(replace(example, d1=d1, d2=tuple(a + m for a, m in zip(d1, moves, strict=True))))
    examples = (*dict.fromkeys(found), example)
    row = np.array([example.arguments.concretise(subject.sketch, completion)])
    losses = build_exact_probe(subject.sketch, subject.settings, "report").losses(row, examples).value[0]
    return next(e for e, loss in zip(examples, losses, strict=True) if loss >= ALMOST * losses[-1])


def open_scales(sketch: Sketch) -> tuple[Sketch, Completion]:
    """A program without holes as a sketch whose every scale is a hole, and the completion that gives it back."""
    scales = {draw.site: draw.scale for draw in sketch.draws if isinstance(draw.scale, Scale)}

    def change(node: Node) -> Node | None:
        return replace(node, scale=Hole(node.site)) if isinstance(node, Draw) else None

    return replace(sketch, body=rebuild(sketch.body, change)), tuple(scales[site] for site in sorted(scales))


# ---------------------------------------------------------------- the law as numbers

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def law_values(laws: Iterable[str], epsilon: str, names: Mapping[str, Any]) -> Array | None:
    """What a law's left side comes to, in units of its right side: the cheapest of the ways to be private.

    `1/eta1 + 2/eta2 <= eps`; inequalities joined by `and` must all hold. None where there is no law to read.
    """
    costs = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for law in laws:
            try:
                sides = [part.split("<=") for part in law.split(" and ")]
                values = [_value(ast.parse(left.strip(), mode="eval").body, names) for left, _ in sides]
            except (SyntaxError, KeyError, ValueError):
                continue
            costs.append(np.max(np.broadcast_arrays(*values), axis=0) / names[epsilon])
        return np.min(np.broadcast_arrays(*costs), axis=0) if costs else None


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as value):
            return np.float64(value)
        case ast.Name(id=name):
            return names[name]
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return names[f"len({name})"]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, names)
        case _:
            raise ValueError(f"not part of a law: {ast.unparse(node)}")


def _law_at(subject: Subject, arguments: Arguments, scales: Array) -> Array | None:
    """The law's cost of each row of `scales`, in units of the claim; silence costs infinitely much where a law wants noise."""
    sketch = subject.sketch
    names: dict[str, Any] = {n: np.float64(v) for n, v in arguments.quantities(sketch).items()}
    names |= {hole.label: scales[:, hole.index] for hole in sketch.holes}
    found = law_values(subject.law, sketch.epsilon.name, names)
    if found is None:
        return None
    return np.broadcast_to(found, len(scales)) * float(arguments.epsilon) / subject.allowed(arguments)


def law_cost(subject: Subject, completion: Completion, split: Split) -> float | None:
    """The largest cost of a completion by the law, in units of the claim: over all settings, and very large and small ε."""
    worst = 0.0
    first = split.training[0]
    far = tuple(replace(first, epsilon=epsilon) for epsilon in (Fraction(1, FAR), Fraction(FAR)))
    for arguments in split.training + split.testing + far:
        row = np.array([arguments.concretise(subject.sketch, completion)])
        found = _law_at(subject, arguments, row)
        if found is None:
            return None
        worst = max(worst, float(found[0]))
    return math.inf if worst > math.sqrt(FAR) else float(_digits(worst))


# ---------------------------------------------------------------- loss against scale


def loss_curves(subject: Subject, completion: Completion, examples: Sequence[Example]) -> dict[str, Any] | None:
    """The loss when one scale of a completion is made smaller or larger: the worst on some pairs, and by the law."""
    if not examples:
        return None
    arguments = examples[-1].arguments
    base = np.array(arguments.concretise(subject.sketch, completion))
    factors = np.geomspace(1 / SPREAD, SPREAD, STEPS)
    probe = build_exact_probe(subject.sketch, subject.settings, "report")
    curves, exact = [], True
    for hole in np.flatnonzero(base > 0)[:MOST_CURVES]:
        scales = np.tile(base, (STEPS, 1))
        scales[:, hole] *= factors
        losses = probe.losses(scales, tuple(examples))
        exact = exact and bool((losses.low == losses.high).all())
        found = _worst(losses.value) / subject.allowed(arguments)
        law = _law_at(subject, arguments, scales)
        if np.isfinite(found).any():
            bounded = law is not None and np.isfinite(law).all()
            curve = {"found": _digits(found), "law": _digits(law) if bounded else None}
            curves.append({"hole": subject.sketch.holes[hole].label, "scale": str(completion[hole]), **curve})
    about = {**_about(examples[-1]), "examples": len(examples), "exact": exact}
    return {**about, "factors": _digits(factors), "curves": curves} if curves else None


def _worst(losses: Array) -> Array:
    """The worst loss of each row; not a number where all are 0, which says that probabilities were too small to compare."""
    worst: Array = losses.max(axis=1)
    return np.where(worst > 0, worst, np.nan)


# ---------------------------------------------------------------- the landscape over two scales


def landscape(
    subject: Subject, completion: Completion, examples: Sequence[Example], marks: Sequence[Completion]
) -> dict[str, Any] | None:
    """The worst loss on some examples over the scales of two holes, the others as in the completion."""
    holes = [i for i, scale in enumerate(completion) if scale][:2]
    if len(holes) < 2 or not examples:
        return None
    arguments, sketch = examples[0].arguments, subject.sketch
    base = np.array(arguments.concretise(sketch, completion))
    points = [(c, arguments.concretise(sketch, c)) for c in marks]
    others = [i for i in range(len(base)) if i not in holes]
    shown = [(c, p) for c, p in points if all(p[i] == base[i] for i in others) and all(p[i] for i in holes)]
    cost = _law_at(subject, arguments, base[None, :])
    room = 1.9 * (1.0 if cost is None else min(max(1.0, float(cost[0])), 3.0))  # what is private is to be seen too
    axes = [
        np.linspace(0.06, 1.0, GRID) * room * max([base[h], *(min(p[h], 2 * base[h]) for _, p in shown)]) for h in holes
    ]
    scales = np.tile(base, (GRID * GRID, 1))
    scales[:, holes[0]] = np.tile(axes[0], GRID)
    scales[:, holes[1]] = np.repeat(axes[1], GRID)
    probe = build_exact_probe(sketch, subject.settings, "report")
    losses = probe.losses(scales, tuple(examples))
    found = _worst(losses.value) / subject.allowed(arguments)
    law = _law_at(subject, arguments, scales)
    return {
        "exact": bool((losses.low == losses.high).all()),
        "holes": [sketch.holes[h].label for h in holes],
        "fixed": [[sketch.holes[i].label, str(completion[i]) if completion[i] else None] for i in others],
        "epsilon": float(arguments.epsilon),
        "size": arguments.size,
        "arguments": _plain(arguments),
        "examples": len(examples),
        "xs": _digits(axes[0]),
        "ys": _digits(axes[1]),
        "found": _digits(found.reshape(GRID, GRID), 3),
        "law": None if law is None else _digits(law.reshape(GRID, GRID), 3),
        "marks": [
            {"rank": marks.index(c) + 1, "x": _digits(p[holes[0]]), "y": _digits(p[holes[1]])}
            for c, p in shown
            if p[holes[0]] <= axes[0][-1] and p[holes[1]] <= axes[1][-1]
        ],
    }


# ---------------------------------------------------------------- error against ε


def error_curves(subject: Subject, completions: Sequence[Completion], arguments: Arguments) -> dict[str, Any] | None:
    """The expected error of some completions for several ε, on the same databases for all of them."""
    sketch, settings = subject.sketch, subject.settings
    databases = representative_databases(sketch, replace(arguments, epsilon=Fraction(1)), settings.seed)
    try:
        discrete = gives_discrete_outputs(sketch, arguments, settings)
        several = [replace(arguments, epsilon=epsilon) for epsilon in EPSILONS]
        rows = [errors_on(databases, discrete, sketch, completions, at, settings) for at in several]
    except KolahalError:  # the program may ask more of its arguments than was known here
        return None
    return {
        "epsilons": [float(e) for e in EPSILONS],
        "size": arguments.size,
        "arguments": _plain(arguments),
        "kind": "probability" if discrete else "distance",
        "inputs": len(databases),
        "runs": SIMULATED,
        "most": math.ceil(max(answer for database in databases for answer in database)),
        "curves": [
            {"scales": [str(s) if s else None for s in c], "errors": _digits([row[i] for row in rows])}
            for i, c in enumerate(completions)
        ],
    }


# ---------------------------------------------------------------- the answers on two neighbours


def _picture_pairs(subject: Subject, shown: Sequence[Shown]) -> list[dict[str, Any]]:
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
        "scales": [str(s) if s else None for s in completion],
        **_about(example),
        "allowed": subject.allowed(example.arguments),
        **view,
    }


def _compared(event: dict[str, Any], subject: Subject, program: Sketch, example: Example) -> dict[str, Any]:
    """An event, with whether its loss is above the claim where its probabilities are known, for a document."""
    asked, found = event["asked"], {key: value for key, value in event.items() if key != "asked"}
    p1, p2 = event["p1"], event["p2"]
    if event["exact"] and max(p1, p2) > 0:
        allowed = subject.allowed(example.arguments)
        part = math.inf if min(p1, p2) == 0 else abs(math.log(p1) - math.log(p2)) / allowed
        found["over"] = part > 1
        if abs(part - 1) < CLOSE:  # far enough from the claim doubles will do
            found["over"] = asked is not None and _is_over_for_certain(asked, subject.claim, program, example)
    return {**found, "p1": _digits(p1, 6), "p2": _digits(p2, 6)}


def _is_over_for_certain(event: Event, claim: Scale, program: Sketch, example: Example) -> bool:
    """Whether intervals show a loss above the claim; what they leave open is within what doubles are wrong by."""
    arguments, level = example.arguments, claim.at(example.arguments.quantities(program))
    p1, p2 = (rigorous_probability(program, d, arguments, (), event) for d in (example.d1, example.d2))
    if isinstance(p1, CannotIntegrate) or isinstance(p2, CannotIntegrate):
        return False
    return exceeds(p1, p2, level) or exceeds(p2, p1, level)


def _about(example: Example) -> dict[str, Any]:
    return {
        "d1": [float(a) for a in example.d1],
        "d2": [float(a) for a in example.d2],
        "event": describe_event(example.event),
        "epsilon": float(example.arguments.epsilon),
        "arguments": _plain(example.arguments),
    }


def _plain(arguments: Arguments) -> dict[str, Any]:
    return {name: v if isinstance(v, bool) else float(v) for name, v in arguments.values}


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
    bins = [{"label": labels[i], "p1": _digits(found[i, 0]), "p2": _digits(found[i, 1])} for i in chosen]
    if len(chosen) < len(labels):
        rest = np.maximum(0.0, found.sum(axis=0) - found[chosen].sum(axis=0))
        bins.append({"label": "others", "p1": _digits(rest[0]), "p2": _digits(rest[1])})
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
    weight, ratio = found.max(axis=1).tolist(), _losses(found).tolist()
    return sorted(sorted(range(len(found)), key=lambda i: (i not in own, -weight[i], -ratio[i]))[:MOST_BARS])


def _event(asked: Event | None, label: str, bins: Sequence[int], odds: Any, exact: bool) -> dict[str, Any]:
    """An event of a picture, with all digits; `asked` does not go into the document."""
    p1, p2 = float(odds[0]), float(odds[1])
    return {"asked": asked, "label": label, "bins": list(bins), "p1": p1, "p2": p2, "exact": exact}


def _losses(found: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        losses: Array = np.abs(np.log(found[:, 0]) - np.log(found[:, 1]))
    return np.nan_to_num(losses, nan=0.0, posinf=1e9)


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
    if not all(_is_whole(o) for o in outputs):
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


def _is_whole(outputs: Outputs) -> bool:
    numbers = outputs.values[outputs.kinds == NUMBER]
    return bool((numbers == np.round(numbers)).all())


def _tally(outputs: Outputs) -> Counter[Output]:
    """How often each answer was given."""
    columns = np.vstack([outputs.lengths, outputs.kinds, outputs.values])
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
        {"label": _range(a, b), "low": _end(a), "high": _end(b), "p1": _digits(p1), "p2": _digits(p2)}
        for a, b, p1, p2 in zip(edges[:-1], edges[1:], *counts, strict=True)
    ]
    listed = int(outputs[0].lengths[0])
    chosen = inner[1:-1][:: max(1, len(inner) // THRESHOLDS)]
    events: list[Event] = [example.event]
    events += [_at(place, listed, Within(Fraction(str(round(float(x), 9))), None)) for x in chosen]
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
    other = [_digits(1 - len(v) / RUNS) for v in values]
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
    return None if math.isinf(value) else float(_digits(value))


def _digits(values: Any, digits: int = 4) -> Any:
    """Numbers with as many digits as a picture shows, or as a reader wants; tiny ones keep their size."""
    if isinstance(values, np.ndarray | list | tuple):
        return [_digits(value, digits) for value in values]
    number = float(values)
    return number if number == 0 or not math.isfinite(number) else float(f"{number:.{digits}g}")
