"""Results with everything that a report can show, made once a session."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from kolahal.checking import check
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.law.law import find_laws
from kolahal.model import Ranked, Score
from kolahal.pictures.result import picture_check, picture_synthesis
from kolahal.proof.judge import judge_completion
from kolahal.proof.refute.counterexample_data import snippet
from kolahal.report.json import check_document, dump, synthesis_document, with_pictures
from kolahal.results import Judged, Synthesis
from kolahal.roads.methods import synthesize
from kolahal.settings import Settings, with_changes
from kolahal.sketches.gallery import load_one
from kolahal.verdicts import Refuted

PROGRAM = """@sketch(adjacent=each_within(1))
def above_threshold(q: Private, T: float, eps: Epsilon):
    t = T + Lap(2/eps)
    for i in range(len(q)):
        if q[i] + Lap({scale}/eps) > t:
            return i + 1
    return 0
"""


@pytest.fixture(scope="session")
def synthesis() -> Synthesis:
    """Above threshold with its completions, and a greedy one that is refuted for certain."""
    found = synthesize(load_one("above_threshold_1"), with_changes(Settings(), "ranking", second_opinion=True))
    greedy = (parse_scale("2/eps"), parse_scale("2/eps"))
    verdict = judge_completion(found.sketch, greedy, find_laws(found.sketch, found.settings.proof), found.settings).verdict
    assert isinstance(verdict, Refuted)
    worse = Judged(Ranked(greedy, Score(1, 0.5, 4.0, 0.2), 1.5 * float(found.split.training[0].epsilon)), None, verdict)
    return replace(found, judged=(*found.judged, worse))


@pytest.fixture(scope="session")
def found(synthesis: Synthesis) -> dict[str, Any]:
    """The document of a synthesis, as it is written to a file."""
    document = synthesis_document(synthesis, {"init": 0.1, "total": 1.0}, "1.2.3")
    files = ["certificate.json", "above_threshold_1_private.py"]
    document = with_pictures({**document, "command": "kolahal synth"}, picture_synthesis(synthesis), files)
    return json.loads(dump(document))


def checked(scale: str) -> dict[str, Any]:
    sketch = parse(PROGRAM.format(scale=scale))
    result, claim = check(sketch), parse_scale("eps")
    text = snippet(result.verdict, sketch, claim) if isinstance(result.verdict, Refuted) else None
    names = {"sketch": sketch.name, "claim": "eps", "program": str(sketch), "snippet": text, "version": "1.2.3"}
    pictures = picture_check(sketch, claim, result, Settings())
    return json.loads(dump(with_pictures({**check_document(result), **names, "seed": 0}, pictures, [])))


@pytest.fixture(scope="session")
def proved() -> dict[str, Any]:
    return checked("4")


@pytest.fixture(scope="session")
def refuted() -> dict[str, Any]:
    return checked("2")
