"""Results for people at a prompt or in a notebook: what `kolahal.synthesize` and `kolahal.check` give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from fractions import Fraction
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from kolahal import __version__, checking
from kolahal.lang.claims import print_claim
from kolahal.lang.sketch import Mechanism
from kolahal.report.advice import advise
from kolahal.report.budgets import worth_of
from kolahal.report.json import check_document, dump, synthesis_document
from kolahal.report.tuning import draw_tuning, render_tuning, tuning_document
from kolahal.results import Check, Judged, Synthesis, Tuning
from kolahal.roads import methods
from kolahal.roads import tune as tuning
from kolahal.verdicts import Verdict, describe_verdict

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


class ShownSynthesis(Synthesis):
    """What `synthesize` gives: all that was found on the way, and ways to show it, write it down and hand it out."""

    __slots__ = ()

    def to_json(self) -> str:
        """The document that `kolahal synth --json` prints; `kolahal report` makes a page of it."""
        return dump(as_document(self))

    def to_python(self, command: str | None = None, backend: str = "python", force: bool = False) -> str:
        """The best completion as a Python file that stands alone, with its verdict in words; see `kolahal.emit`."""
        from kolahal.emission.release import emit

        return emit(self.mechanism, self._verdict, command=command, backend=backend, force=force)

    def to_opendp(
        self, epsilon: float | str | Fraction, arguments: Mapping[str, object] | None = None, T: str | None = None
    ) -> Any:
        """The best completion at `epsilon` as an OpenDP measurement, if it is proved, or bounded; see `kolahal.opendp`."""
        from kolahal.opendp import to_opendp

        return to_opendp(self.mechanism, epsilon, arguments, T, self._verdict)

    @property
    def _verdict(self) -> Verdict | None:
        return self.best.verdict if self.best else None

    def __repr__(self) -> str:
        return f"<{self.sketch.name}: {self.best or 'no completion'}>"

    def _repr_html_(self) -> str:
        return as_html(self)

    def __rich__(self) -> Any:
        return as_rich(self)


class ShownCheck(Check):
    """What `check` gives; both bounds are in units of the claimed ε."""

    __slots__ = ()

    def to_json(self) -> str:
        """The document that `kolahal check --json` prints, without the program that shows a counterexample."""
        return dump(as_document(self))

    def __repr__(self) -> str:
        name = "" if self.sketch is None else f"{self.sketch.name}, claimed {_said(self)}: "
        return f"<{name}{describe_verdict(self.verdict)}>"

    def _repr_html_(self) -> str:
        return as_html(self)

    def __rich__(self) -> Any:
        return as_rich(self)


class ShownTuning(Tuning):
    """What `tune` gives: the textbook's scales and the tuned ones, with their errors and verdicts."""

    __slots__ = ()

    @property
    def mechanism(self) -> Mechanism:
        """The tuned scales as a mechanism that can be called and printed."""
        return Mechanism(self.tuned.sketch, self.tuned.completion)

    def to_json(self) -> str:
        """The document that `kolahal tune --json` prints."""
        return dump(tuning_document(self, 0, 0.0, __version__))

    def to_svg(self) -> str:
        """A picture of the error over the curve of the law; empty where not exactly two places share the budget."""
        return draw_tuning(self)

    def __str__(self) -> str:
        return render_tuning(self, 0.0)


P = ParamSpec("P")
S = TypeVar("S", ShownSynthesis, ShownCheck, ShownTuning)


def _showing(kind: type[S], door: Callable[P, Synthesis | Check | Tuning]) -> Callable[P, S]:
    """The same function, whose result can be shown."""

    @wraps(door, assigned=("__name__", "__qualname__", "__doc__", "__annotations__"))  # it stands in this module
    def call(*args: P.args, **kwargs: P.kwargs) -> S:
        found = door(*args, **kwargs)
        return kind(*(getattr(found, field.name) for field in fields(found)))

    return call


synthesize = _showing(ShownSynthesis, methods.synthesize)
synthesize_plain = _showing(ShownSynthesis, methods.synthesize_plain)
check = _showing(ShownCheck, checking.check)
tune = _showing(ShownTuning, tuning.tune)


def as_document(result: Synthesis | Check) -> dict[str, Any]:
    """The JSON document of a result, as the command line prints it."""
    if isinstance(result, Synthesis):
        return synthesis_document(result, {}, __version__)
    sketch = result.sketch
    names = {"sketch": sketch.name, "claim": _said(result), "program": str(sketch), "worth": worth_of(result)} if sketch else {}
    return {**check_document(result, checking.refutation_of(result)), **names, "version": __version__}


def _said(result: Check) -> str | None:
    return print_claim(result.sketch, result.claim) if result.sketch and result.claim else None


def as_html(result: Synthesis | Check) -> str:
    """A piece of HTML for a notebook."""
    from kolahal.report.html import fragment

    return fragment(as_document(result))


def as_rich(result: Synthesis | Check) -> Table | Text:
    """A table for a terminal, or a line where there is nothing to put into one."""
    from rich.table import Table
    from rich.text import Text

    rows = result.table()
    if not rows:
        return Text(_caption(result))
    sketch = result.sketch
    title = f"{sketch.name}: {sketch.adjacency.describe()}" if sketch else None
    found = Table(title=title, caption=_caption(result), title_justify="left", caption_justify="left")
    for heading in rows[0]:
        found.add_column(heading.replace("eta", "η"))
    best = result.judged.index(result.best) if isinstance(result, Synthesis) and result.best else None
    for place, row in enumerate(rows):
        found.add_row(*map(_cell, row.values()), style="bold" if place == best else None)
    return found


def _caption(result: Synthesis | Check) -> str:
    judged: Judged | Check | None = result.best if isinstance(result, Synthesis) else result
    if judged is None:
        return "No private completion was found."
    lines = [f"{describe_verdict(judged.verdict, result.sketch.private.name if result.sketch else 'the input')}."]
    if result.sketch and (remedy := advise(judged.verdict, result.sketch)):
        lines.append(f"What to do: {remedy}.")
    if isinstance(result, Synthesis):
        from kolahal.report.html import error_words

        lines += [f"Law: {result.law}."] if result.law else []
        lines.append(f"Error: {error_words(as_document(result))}.")
    return "\n".join(lines)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
