"""Questions of agents about the text of a program, each answered by one JSON document; done in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from kolahal import later
from kolahal.checking import check, parse_claim, refutation_of
from kolahal.editor.findings import look
from kolahal.editor.judging import judge, mend
from kolahal.errors import KolahalError, UsageError
from kolahal.lang.claims import print_claim
from kolahal.lang.read.parse import parse, parse_named
from kolahal.lang.scale import parse_number
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import SketchError, Source, with_newlines
from kolahal.report.json import as_plain, check_document, synthesis_document, trial_document
from kolahal.roads.methods import synthesize
from kolahal.settings import TesterSettings
from kolahal.tester.trial import test_mechanism
from kolahal.verdicts import Refuted

later.load_all()  # once, and not in each fork

PATH = "program.py"  # what a text without a file is called
TOLD = ("sketch", "holes", "law", "alternatives", "candidates", "best", "remedy", "mechanism", "method", "neighbours")  # of a synthesis
JSON = dict[str, Any]


def answer_check(text: str, function: str, claim: str) -> JSON:
    """The verdict on a mechanism without holes, as `kolahal check --json` gives it, without its proof."""

    def answer() -> JSON:
        sketch = _load(text, function)
        if sketch.holes:
            raise UsageError(f"{sketch.name} has holes; use the tool synth to fill them")
        claimed = parse_claim(sketch, claim)
        found = check(sketch, claim)
        document = check_document(found, refutation_of(found))
        del document["certificate"]
        law = None if found.law is None else str(found.law)
        return {"sketch": sketch.name, "claim": print_claim(sketch, claimed), "law": law, **document}

    return _answered(answer)


def answer_synth(text: str, function: str) -> JSON:
    """Scales for the holes of a sketch, ranked, each with its verdict."""

    def answer() -> JSON:
        document = synthesis_document(synthesize(_load(text, function)), {}, "")
        return {name: document[name] for name in TOLD}

    return _answered(answer)


def answer_test(text: str, function: str, epsilon: str) -> JSON:
    """The statistical test alone, at one ε."""

    def answer() -> JSON:
        sketch = _load(text, function)
        if sketch.holes:
            raise UsageError(f"{sketch.name} has holes; use the tool synth to fill them")
        return trial_document(test_mechanism(sketch, _epsilon(epsilon), TesterSettings(), 0), 0.0)

    return _answered(answer)


def answer_explain(text: str, function: str) -> JSON:
    """The verdict and its reason in words, what each draw costs, and edits that would mend what is wrong."""

    def answer() -> JSON:
        sketch = _load(text, function)
        known = judge(text, PATH, sketch.name)
        if isinstance(known.verdict, Refuted) and not sketch.holes:
            known = mend(text, PATH, sketch.name, known)
        keys = look(text, PATH, {}).programs
        found = look(text, PATH, {keys[sketch.name]: known})
        lines = [lens.text for lens in found.lenses if not lens.text.startswith("Kolahal:")]
        return {
            "sketch": sketch.name,
            "verdict": lines[0] if lines else None,
            "explanation": next((tip.text for tip in found.tips), None),
            "costs": [{"line": hint.line + 1, "column": hint.column + 1, "words": hint.text} for hint in found.hints],
            "problems": [{"line": n.place.line + 1, "severity": n.severity, "code": n.code, "text": n.text} for n in found.notes],
            "fixes": [
                {"title": fix.title, "edits": [{**_place(edit.place), "text": edit.text} for edit in fix.edits]}
                for fix in found.fixes
            ],
        }

    return _answered(answer)


def _place(place: Any) -> JSON:
    """Lines and columns from 1; the end is the first character that stays."""
    return {
        "line": place.line + 1,
        "column": place.column + 1,
        "end_line": place.end_line + 1,
        "end_column": place.end_column + 1,
    }


def _load(text: str, function: str) -> Sketch:
    return parse_named(Source(PATH, with_newlines(text)), function) if function else parse(text, PATH)


def _epsilon(text: str) -> Fraction:
    try:
        epsilon = parse_number(text)
    except ValueError:
        epsilon = Fraction(0)
    if not 0 < epsilon <= 100:
        raise UsageError(f"epsilon must be a number above 0 and at most 100, such as 0.5, and not {text!r}")
    return epsilon


def _answered(answer: Callable[[], JSON]) -> JSON:
    """What comes of a question; mistakes in the program are an answer, too."""
    try:
        found: JSON = as_plain(answer())
        return found
    except SketchError as error:
        faults = [
            {"line": d.span.line, "column": d.span.column, "code": d.code, "what": d.what, "why": d.why, "fix": d.fix}
            for d in error.diagnostics
        ]
        return {"verdict": "mistake", "faults": faults}
    except KolahalError as error:
        return {"verdict": "mistake", "faults": [{"what": str(error)}]}
