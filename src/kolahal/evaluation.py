"""The paper's evaluation from our own runs: its table, and the data of its figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from kolahal.engine.noise import Array
from kolahal.engine.probe import build_probe
from kolahal.lang.claims import plain_claim
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Mechanism, Sketch
from kolahal.model import Arguments, Equals, Example
from kolahal.proof.decide import decide
from kolahal.report.svg import Series, Shade, line_chart
from kolahal.report.svg_maps import heat_map
from kolahal.results import Judged, Synthesis
from kolahal.roads.methods import travel
from kolahal.roads.watch import Watch
from kolahal.search.region import objectives, worst_on
from kolahal.settings import Settings, TesterSettings, with_changes
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.tester.trial import test
from kolahal.verdicts import Tested, name_verdict


@dataclass(frozen=True, slots=True)
class TableRow:
    """One benchmark by one method: seconds a phase, ranks (None: not there), the first answer, and the prover's word on it."""

    name: str
    holes: int
    seconds: tuple[tuple[str, float], ...]
    rank: int | None  # of the classic answer alone
    variant: int | None  # of the first other answer that the literature names; the paper calls those new
    best: str
    prover: str  # what it says of the first answer, whoever found that

    @property
    def total(self) -> float:
        return dict(self.seconds)["total"]


def evaluate(name: str, method: str, settings: Settings, executor: Executor | None = None) -> TableRow:
    """Run one benchmark and see where the answers of the literature stand."""
    return evaluate_sketch(load_one(name), GALLERY[name].textbook, method, settings, executor)


def evaluate_sketch(
    sketch: Sketch,
    answers: Sequence[tuple[str | None, ...]],
    method: str,
    settings: Settings,
    executor: Executor | None = None,
) -> TableRow:
    """Run one sketch and see where some answers stand, the classic one first."""
    watch = Watch(executor)
    found = travel(sketch, settings, method, watch)
    seconds, best = tuple(watch.total().items()), found.best
    classic, *variants = answers
    return TableRow(
        sketch.name,
        len(sketch.holes),
        seconds,
        rank_of((classic,), found.judged),
        rank_of(variants, found.judged),
        ", ".join(str(scale) for scale in best.ranked.completion) if best else "–",
        "–" if best is None else _proved(found, best),
    )


def _proved(found: Synthesis, best: Judged) -> str:
    """The verdict on an answer, from the prover itself where the method has not asked it."""
    verdict = best.verdict
    if isinstance(verdict, Tested):
        filled = Mechanism(found.sketch, best.ranked.completion).filled()
        verdict = decide(filled, plain_claim(found.sketch), found.settings).verdict
    return name_verdict(verdict)


def rank_of(answers: Sequence[tuple[str | None, ...]], judged: tuple[Judged, ...]) -> int | None:
    """The place of the first of some answers."""
    known = [tuple(parse_scale(text) for text in scales) for scales in answers]
    places = [place for place, j in enumerate(judged, 1) if j.ranked.completion in known]
    return places[0] if places else None


# ---------------------------------------------------------------- figures


def draw_figures(settings: Settings) -> Iterator[tuple[str, str]]:
    """The paper's plots as (file name, SVG text)."""
    yield "p-values.svg", p_values(settings)
    yield "objective-above-threshold.svg", landscape(settings)
    yield "loss-noisy-max.svg", losses_of_two_examples(settings)
    yield "objective-noisy-max.svg", objectives_of_two_examples(settings)


def p_values(settings: Settings) -> str:
    """The tester on a 0.5-private mechanism at 0.2, 0.5 and 0.9 (the paper's figure on StatDP)."""
    sketch = load_one("noisy_max_1")
    profile = replace(TesterSettings.final(), test_factors=tuple(round(0.4 + 0.1 * i, 1) for i in range(13)))
    lines = []
    for epsilon in (Fraction(1, 5), Fraction(1, 2), Fraction(9, 10)):
        trial = test(sketch, (4.0,), Arguments(epsilon, 5), profile, settings.seed)
        lines.append(Series(f"target ε = {float(epsilon)}", trial.curve))
    return line_chart("p-value against test ε: noisy max, private at ε = 0.5", "test ε", "p-value", lines, top=1.0)


def landscape(settings: Settings) -> str:
    """The objective of above threshold over both scales, without regularisation, at the paper's γ."""
    sketch = load_one("above_threshold_1")
    arguments = Arguments(Fraction(1, 2), 5, (("T", Fraction(2)),))
    pairs = (((0, 0, 0, 0, 0), (1, 1, 1, 1, 1)), ((2, 2, 0, 0, 0), (1, 1, 1, 1, 1)), ((2, 2, 4, 2, 2), (3, 3, 3, 3, 3)))
    examples = tuple(Example(_database(*a), _database(*b), Equals(Fraction(3)), arguments) for a, b in pairs)
    plain = with_changes(settings, "region", sparsity=0.0)
    probe = build_probe(sketch, plain, "figure")
    axis = np.linspace(0.5, 12, 36)
    grid = np.array([(x, y) for y in axis for x in axis])
    values = objectives(grid, worst_on(examples, probe), 0.5, plain).reshape(len(axis), len(axis))
    marks = ((4.0, 8.0, "(2/ε, 4/ε)"), (6.0, 6.0, "(3/ε, 3/ε)"))
    return heat_map(
        "objective of above threshold at ε = 0.5, dark is low",
        "η1",
        "η2",
        list(axis),
        list(axis),
        np.minimum(values, 1.5).tolist(),
        marks,
    )


def _database(*answers: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(a) for a in answers)


def two_examples() -> tuple[Sketch, tuple[Example, Example]]:
    """⟨111, 022, 1⟩ and ⟨111, 022, 2⟩ of noisy max (Sec. IV-D)."""
    arguments = Arguments(Fraction(1, 2), 3)
    d1, d2 = _database(1, 1, 1), _database(0, 2, 2)
    return load_one("noisy_max_1"), (
        Example(d1, d2, Equals(Fraction(1)), arguments),
        Example(d1, d2, Equals(Fraction(2)), arguments),
    )


def _loss_curves(settings: Settings) -> tuple[Array, Array]:
    sketch, examples = two_examples()
    probe = build_probe(sketch, with_changes(settings, "region", runs=100_000), "figure")
    scales = np.linspace(0.5, 10, 96)
    return scales, probe.losses(scales[:, None], examples).value


def losses_of_two_examples(settings: Settings) -> str:
    """Privacy loss against scale: the first example is the more challenging one at every scale."""
    scales, log_losses = _loss_curves(settings)
    names = ("⟨111, 022, 1⟩", "⟨111, 022, 2⟩")
    lines = [
        Series(name, tuple(zip(scales.tolist(), np.exp(log_losses[:, i]).tolist(), strict=True)))
        for i, name in enumerate(names)
    ]
    return line_chart("privacy loss of noisy max on two examples", "scale η", "loss L", lines, top=6.0)


def objectives_of_two_examples(settings: Settings) -> str:
    """|log L − ε| at ε = 0.5; the shade is where noisy max is private."""
    scales, log_losses = _loss_curves(settings)
    names = ("⟨111, 022, 1⟩", "⟨111, 022, 2⟩")
    lines = [
        Series(name, tuple(zip(scales.tolist(), np.abs(log_losses[:, i] - 0.5).tolist(), strict=True)))
        for i, name in enumerate(names)
    ]
    return line_chart(
        "objective |log L − ε| of noisy max at ε = 0.5",
        "scale η",
        "objective",
        lines,
        [Shade("private at ε = 0.5", 4.0, 10.0)],
        top=1.5,
    )
