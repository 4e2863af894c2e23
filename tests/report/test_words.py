"""Proofs in words: the lines, the amounts and the sum are those of the certificate and of the program."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import lru_cache

import pytest

from kolahal.lang.ir import If, While, walk
from kolahal.lang.read.parse import parse, parse_source
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Source
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted import steps
from kolahal.report.proofs import _conditions, explain, explain_shortly
from kolahal.report.words import find_sites, headline, show, word_of
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Bounded, Proved

COMPLETIONS = {
    "sum": ("1/eps",),
    "noisy_max_1": ("2/eps",),
    "svt": ("3/eps", "3*N/eps"),
    "above_threshold_1": ("2/eps", "4/eps"),
}
GREATEST = """@sketch(adjacent=each_within(1))
def greatest(q: Private, eps: Epsilon):
    best, i = 0, 0
    for j in range(len(q)):
        noisy = q[j] + Lap(2/eps)
        if j == 0 or noisy > best:
            best = noisy
            i = j
    return i
"""


@lru_cache
def certificate(sketch: Sketch) -> dict:
    verdict = prove_every_length(sketch)
    assert isinstance(verdict, Proved), verdict
    return json.loads(verdict.certificate.text)


@pytest.mark.parametrize("name", GALLERY)
def test_conditions_are_numbered_as_the_proof_numbers_them(name: str) -> None:
    sketch = load_one(name)
    numbered: dict[int, str] = {}
    for step in steps.compile_steps(sketch.body):
        if isinstance(step, steps.Test):
            numbered[step.branch] = str(step.test)
        elif isinstance(step, steps.Head) and step.branch is not None:
            numbered[step.branch] = str(step.node.test)
    nodes = [str(node.test) for node in walk_conditions(sketch)]
    assert [numbered[i] for i in range(len(nodes))] == nodes
    assert len(_conditions(sketch, {"released": []}, ())) == len(nodes)


def walk_conditions(sketch: Sketch) -> list:
    return [node for node in walk(sketch.body) if isinstance(node, If | While)]


@pytest.mark.parametrize("name", COMPLETIONS)
def test_a_proof_in_words_names_its_draws_and_adds_up_to_the_claim(name: str) -> None:
    sketch = load_one(name).complete(*COMPLETIONS[name]).filled()
    found = certificate(sketch)
    told = explain(found)
    lines = found["program"].split("\n")
    (story,) = told.stories
    assert len(story.moves) == len(sketch.draws)
    for move in story.moves:
        assert move.line is not None and move.draw in lines[move.line - 1]
        assert move.costs != "" and move.moves != ""
        for condition, line in re.findall(r"if `(.*?)` holds \(line (\d+)\)", move.moves):
            assert condition in lines[int(line) - 1]
    shares = sum(Fraction(share["bound"]) for share in found["cases"][0]["shares"])
    assert shares == 1 and "claim" in story.total and "ε" in story.total
    count = sum(len(case["obligations"]) for case in found["cases"])
    assert any(f"{count} formulas" in text for text in told.closing)


def test_what_a_move_costs_is_its_size_over_the_scale() -> None:
    told = explain(certificate(load_one("above_threshold_1").complete("2/eps", "4/eps").filled()))
    threshold, query = told.stories[0].moves
    assert (threshold.moves, threshold.costs) == ("up by 1", "ε/2")
    assert query.moves.startswith("up by 2 if ") and query.moves.endswith("else not at all")
    assert query.costs == "ε/2 if it holds"
    svt = explain(certificate(load_one("svt").complete("3/eps", "3*N/eps").filled())).stories[0]
    assert svt.moves[1].costs == "2·ε/(3·N) if it holds" and "ε/3" in svt.total and "2·ε/3" in svt.total


def test_a_relation_with_two_cases_has_two_stories() -> None:
    text = str(load_one("noisy_max_1").complete("1/eps"))
    told = explain(certificate(parse(text.replace("each_within(1)", "monotone(1)"))))
    assert [story.title for story in told.stories] == ["If the answers move up", "If the answers move down"]


def test_a_bounded_proof_shows_the_dearest_moves_first() -> None:
    verdict = prove_bounded(parse(GREATEST), size=3)
    assert isinstance(verdict, Bounded)
    document = json.loads(verdict.certificate.text)
    told = explain(document)
    (story,) = told.stories
    costs = [parse_scale(move.costs.replace("·", "*").replace("ε", "eps")).coefficient for move in story.moves]
    assert costs == sorted(costs, reverse=True) and costs[0] <= 1
    every = [Fraction(s["cost"]) for p in document["cases"][-1]["passages"] for s in p["shifts"]]
    assert costs[0] == max(every)
    assert explain_shortly(document, parse(document["program"])) == []


def test_the_short_form_names_the_lines_of_the_users_file() -> None:
    text = "# a comment\n\n\n" + str(load_one("noisy_max_1").complete("2/eps"))
    (sketch,) = parse_source(Source("file.py", text))
    told = explain_shortly(certificate(sketch), sketch)
    (line,) = [int(n) for n in re.findall(r"^  line (\d+)", "\n".join(told), re.MULTILINE)]
    assert "Lap(2/eps)" in text.split("\n")[line - 1]


def test_a_comparison_that_is_given_a_name_is_a_condition_too() -> None:
    text = """
@sketch(adjacent=each_within(1))
def until_above(q: Private, T: float, eps: Epsilon):
    t = T + Lap(2/eps)
    out = []
    found = False
    i = 0
    while i < len(q) and not found:
        found = q[i] + Lap(4/eps) > t
        out.append(found)
        i = i + 1
    return out
"""
    told = explain(certificate(parse(text)))
    assert "if `q[i] + Lap(4/eps) > t` holds (line 8)" in told.stories[0].moves[1].moves


def test_places_of_noise_are_where_they_stand() -> None:
    program = str(load_one("svt"))
    for site in find_sites(program):
        line = program.split("\n")[site.line - 1]
        assert line[site.column - 1 : site.column - 1 + site.width].startswith(site.draw[:4])
    assert find_sites("this is no program") == ()


def test_the_verdict_in_one_sentence() -> None:
    example = {"event": "the output is 3", "p1": [0.5, 0.5], "p2": [0.125, 0.125], "epsilon": 1.0}
    told = headline({"verdict": "refuted", "sketch": "f", "claim": "eps", "counterexample": example})
    assert told == (
        "f is not ε-differentially private: on two neighbouring inputs the event “the output is 3” is 4 times as likely "
        "on one as on the other, and ε = 1 allows a factor of 2.718."
    )
    impossible = {**example, "p2": [0.0, 0.0]}
    assert "impossible" in headline({"verdict": "refuted", "claim": "2*eps", "counterexample": impossible})
    assert "neither" in headline({"verdict": "unknown", "reason": "it is hard", "claim": "eps"})
    nothing = {"sketch": "f", "candidates": [], "best": None}
    assert "No private completion" in headline(nothing) and word_of(nothing) == "Nothing found"
    assert show([None, float("nan"), -1.0, float("inf"), "Infinity", True]) == "[–, –, −1, ∞, ∞, True]"
