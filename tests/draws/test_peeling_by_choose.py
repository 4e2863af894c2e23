"""Top-k by the exponential mechanism, again and again among those that are left, for every length and every k."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from kolahal.checking import check
from kolahal.engine import reference
from kolahal.errors import KolahalError
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.certificate import recheck
from kolahal.proof.trusted.restated.scored import with_scores
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Certificate, Proved, Refuted

SHORT = replace(Settings().proof, rehearsals=1_500)  # for what is not to be found
NOT_OUT = "left = [i for i in range(len(q)) if i not in out]\n"
OF_LEFT = NOT_OUT + "best = left[choose([q[i] for i in left], {0})]\nout.append(best)"
FILTERED = "best = left[choose([q[i] for i in left], {0})]\nout.append(best)\nleft = [i for i in left if i != best]"
TWO_LISTS = "left, scores = [], []\nfor i in range(len(q)):\n    if i not in out:\n        left.append(i)\n        scores.append(q[i])\n"
CHOSEN = "best = left[choose(scores, {0})]\nout.append(best)"
FLAGGED = "left = [i for i in range(len(q)) if not used[i]]\nbest = left[choose([q[i] for i in left], {0})]\nused[best] = True\nout.append(best)"


def turns(body: str, before: str = "out = []", loop: str = "for t in range(k):") -> str:
    """Peeling, turn by turn."""
    return "\n".join([before, loop, *(f"    {line}" for line in body.split("\n")), "return out"])


def program(body: str, scale: str = "2*k/eps", relation: str = "each_within(1)") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.replace("{0}", scale).split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: Private, k: int, eps: Epsilon):\n{lines}\n")


QUICK = {
    "those that are not out": turns(OF_LEFT),
    "flags": turns(FLAGGED, "used = [False for i in range(len(q))]\nout = []"),
    "a list that is filtered": turns(FILTERED, "out = []\nleft = list(range(len(q)))"),
    "two lists by a loop": turns(TWO_LISTS + CHOSEN),
}
THOROUGH = {
    "while": turns(OF_LEFT, loop="while len(out) < k:"),
    "all": turns(OF_LEFT.replace("i not in out", "all(i != j for j in out)")),
    "a list of winners that is made anew": turns(NOT_OUT + "out = out + [left[choose([q[i] for i in left], {0})]]"),
    "scores with a name": turns(NOT_OUT + "scores = [q[i] - 0 for i in left]\nj = choose(scores, {0})\nout.append(left[j])"),
    "twice the scores": turns(OF_LEFT.replace("q[i] for i in left", "2*q[i] for i in left").replace("{0}", "2*({0})")),
    "distances": turns(OF_LEFT.replace("q[i] for i in left", "-abs(q[i] - 100) for i in left")),
    "clamped": turns(OF_LEFT.replace("q[i] for i in left", "min(max(q[i], 0), 100) for i in left")),
    "flags anew": turns(FLAGGED.replace("used[best] = True", "used = [used[i] or i == best for i in range(len(q))]"), "used = [False] * len(q)\nout = []"),
    "slices": turns("j = choose([q[i] for i in left], {0})\nout.append(left[j])\nleft = left[:j] + left[j+1:]", "out = []\nleft = list(range(len(q)))"),
    "by their places": turns("j = choose([q[left[m]] for m in range(len(left))], {0})\nout.append(left[j])\nleft = [left[m] for m in range(len(left)) if m != j]", "out = []\nleft = list(range(len(q)))"),
    "a loop over those that are left": turns(NOT_OUT + "scores = []\nfor i in left:\n    s = q[i]\n    scores.append(s)\n" + CHOSEN),
    "the same filter twice": turns(NOT_OUT + "scores = [q[i] for i in range(len(q)) if i not in out]\n" + CHOSEN),
    "enumerate": turns(TWO_LISTS.replace("i in range(len(q))", "i, x in enumerate(q)").replace("q[i]", "x") + CHOSEN),
    "no more than there are": turns(TWO_LISTS + "if len(scores) == 0:\n    return out\n" + CHOSEN),
    "if there are any": turns(NOT_OUT + "scores = [q[i] for i in left]\nif len(scores) > 0:\n    best = left[choose(scores, {0})]\n    out.append(best)"),
    "as many as there are": turns(OF_LEFT, loop="for t in range(min(k, len(q))):"),
    "from the right": turns("left = []\nfor i in range(len(q) - 1, -1, -1):\n    if i not in out:\n        left.append(i)\n" + OF_LEFT.removeprefix(NOT_OUT)),
}


@pytest.mark.mutants
@pytest.mark.parametrize("how", [*QUICK, *(pytest.param(how, marks=pytest.mark.thorough) for how in THOROUGH)])
def test_peeling_is_proved_for_every_length_and_every_k(how: str) -> None:
    found = program({**QUICK, **THOROUGH}[how])
    assert isinstance(prove_every_length(found, plain_claim(found)), Proved)


@pytest.mark.parametrize("relation", ["monotone(1)", "one_within(1)"])
def test_half_of_it_where_scores_move_one_way(relation: str) -> None:
    enough, less = (program(QUICK["those that are not out"], scale, relation) for scale in ("k/eps", "0.99*k/eps"))
    assert isinstance(prove_every_length(enough, plain_claim(enough)), Proved)
    assert not isinstance(prove_every_length(less, plain_claim(less), SHORT), Proved)


UP_TO_K = "left = []\nfor i in range(k):\n    left.append(i)\n"
PRIVATE_STOP = "left = [i for i in range(len(q)) if q[i] > 0]\nj = choose([1 for i in left], 2/eps)\nreturn 0"
BROKEN = {
    "for one turn": turns(OF_LEFT.replace("{0}", "2/eps")),
    "half": turns(OF_LEFT.replace("{0}", "k/eps")),
    "a little less": turns(OF_LEFT.replace("{0}", "1.99*k/eps")),
    "one turn more": turns(OF_LEFT, loop="for t in range(k + 1):"),
    "one turn more, while": turns(OF_LEFT, loop="while len(out) <= k:"),
    "as many turns as an answer says": turns(OF_LEFT, loop="while len(out) < q[0]:"),
    "those above zero": turns(OF_LEFT.replace("if i not in out", "if q[i] > 0")),
    "those above zero too": turns(OF_LEFT.replace("if i not in out", "if i not in out and q[i] > 0")),
    "those above zero, by a loop": turns(TWO_LISTS.replace("if i not in out", "if i not in out and q[i] > 0") + CHOSEN),
    "the last time others": turns(OF_LEFT.replace("best =", "if q[0] > 0:\n    left = [0]\nbest =")),
    "winners by their scores": turns(OF_LEFT.replace("out.append(best)", "if q[best] > 0:\n    out.append(best)")),
    "three times the scores": turns(OF_LEFT.replace("q[i] for i in left", "3*q[i] for i in left")),
    "scores of two": turns(OF_LEFT.replace("q[i] for i in left", "q[i] + q[len(q) - 1 - i] for i in left")),
    "scores of others": turns(TWO_LISTS.replace("scores.append(q[i])", "scores.append(q[i] + q[0] * i)") + CHOSEN),
    "squares": turns(OF_LEFT.replace("q[i] for i in left", "q[i]*q[i] for i in left")),
    "scores that another list belongs to": turns(TWO_LISTS + "left = [i for i in range(len(q)) if q[i] > 0]\n" + CHOSEN),
    "whether there is anything to choose from": PRIVATE_STOP,
    "where the run stops": "left, right = [], []\nif q[0] > 0:\n    left.append(1)\nelse:\n    right.append(1)\nif q[0] > 0:\n    a = choose(right, 2/eps)\nelse:\n    b = choose(left, 2/eps)\nreturn 0",
    "whether it stops or answers": "left = []\nif q[0] <= 0:\n    return 0\nreturn choose(left, 2/eps)",
    "a stop that noise decides for less": "left = []\nif q[0] + Lap(1/(2*eps)) > 0:\n    left.append(1)\nreturn choose(left, 2/eps)",
    "a stop that only some runs come to": "left, out = [], []\nr = k / max(k, 1)\nout.append(q[0] > 0 and r > choose(left, 2/eps))\nreturn out",
    "another stop first": "left = []\nx = 1 / q[0]\na = choose(left, 2/eps)\nreturn x",
    "another stop first, in a list": "left, out = [], []\nfor x in q:\n    out.append(1 / x)\n    a = choose(left, 2/eps)\nreturn out",
    "another stop first, by a name": "left, out = [], []\nfor x in q:\n    r = 1 / x\n    a = choose(left, 2/eps)\n    out.append(r)\nreturn out",
    "a stop behind another": "left = []\nother = [i for i in range(len(q)) if q[i] > 0]\nreturn q[len(other)] * 0 + choose(left, 2/eps)",
}


@pytest.mark.mutants
@pytest.mark.parametrize("how", BROKEN)
def test_what_costs_more_is_not_proved(how: str) -> None:
    less = program(BROKEN[how])
    assert not isinstance(prove_every_length(less, plain_claim(less), SHORT), Proved)


def test_broken_ones_are_refuted() -> None:
    for how in ("for one turn", "those above zero", "whether it stops or answers"):
        assert isinstance(check(program(BROKEN[how])).verdict, Refuted)


@pytest.mark.mutants
@pytest.mark.parametrize(("body", "old", "new"), [
    ("left = []\nif q[0] + Lap(1/eps) > 0:\n    left.append(1)\nreturn choose(left, 2/eps)", "Lap(1/eps)", "Lap(1/(2*eps))"),  # noise pays for it
    *((UP_TO_K + behind, "2/eps", "1/eps") for behind in (
        "place = choose(left, 1)\nreturn choose(q, 2/eps)",
        "if -choose(left, 1) < 0:\n    return -1\nreturn choose(q, 2/eps)",
        "return max(choose(left, 1), 0), choose(q, 2/eps)",
        "left.append(left[choose(left, 1)])\nif not choose(q, 2/eps) > 0:\n    return left\nreturn -1",
    )),
])
def test_a_run_that_has_nothing_to_choose_from_stops_alike(body: str, old: str, new: str) -> None:
    """As an answer that says so: in both runs, at the same place, within the claim."""
    found = program(body)
    proof = prove_every_length(found, plain_claim(found))
    assert isinstance(proof, Proved) and not recheck(proof.certificate)
    assert old in proof.certificate.text and recheck(Certificate(proof.certificate.text.replace(old, new)))


def test_what_is_proved_is_bounded_at_small_sizes() -> None:
    from kolahal.proof.find.bounded import prove_bounded

    assert isinstance(prove_bounded(program(QUICK["those that are not out"]), size=2), Bounded | Proved)


# ---------------------------------------------------------------- lists of scores, restated

KEPT = {
    "a number that changes": TWO_LISTS.replace("scores.append(q[i])", "scores.append(q[i] + n)").replace("    if", "    n = n + 1\n    if") + CHOSEN,
    "not together": TWO_LISTS.replace("        scores", "    if i != 1:\n        scores") + CHOSEN,
    "a place that goes on": TWO_LISTS.replace("    if i", "    x = q[i]\n    i = i + 1\n    if i").replace("scores.append(q[i])", "scores.append(x)") + CHOSEN,
    "as many as there are yet": TWO_LISTS.replace("i not in out", "q[len(scores)] > 0") + CHOSEN,
    "twice": TWO_LISTS + "left.append(0)\nscores.append(q[0])\n" + CHOSEN,
    "noise of their own": TWO_LISTS.replace("scores.append(q[i])", "scores.append(q[i] + Lap(1/eps))") + CHOSEN,
    "looked at": TWO_LISTS + "n = scores[0]\n" + CHOSEN,
    "another filter": NOT_OUT + "scores = [q[i] for i in range(len(q)) if i != best]\n" + CHOSEN,
    "a filter that changes": NOT_OUT + "out.append(n)\nscores = [q[i] for i in range(len(q)) if i not in out]\n" + CHOSEN,
    "a filter with noise": "left = [i for i in range(len(q)) if q[i] + Lap(1/eps) > 0]\nscores = [q[i] for i in range(len(q)) if q[i] + Lap(1/eps) > 0]\n" + CHOSEN,
    "places and items": NOT_OUT + "scores = [q[left[m]] + m for m in range(len(left))]\n" + CHOSEN,
    "places of another list": NOT_OUT + "scores = [q[left[m]] for m in range(len(out))]\n" + CHOSEN,
    "a condition that is not of the length": NOT_OUT + "scores = [q[i] for i in left]\nif n > 2:\n    break\n" + CHOSEN,
}


@pytest.mark.mutants
@pytest.mark.parametrize("how", KEPT)
def test_other_scores_stay_as_they_are(how: str) -> None:
    found = program(turns(KEPT[how], "out = []\nbest, n = 0, 0"))
    assert with_scores(found) == found


FILTERS = ("i not in out", "i not in out", "q[i] > T", "i != best", "i not in out and i != k", "q[i] + Lap(1/eps) > 0")
ITEMS = ("q[i]", "q[i]", "2*q[i]", "x", "q[i] - n", "q[best]", "q[k]", "q[i] + Lap(1/eps)", "x + n", "len(left)", "q[i] / n")
FIRST = ("x = q[i]", "x = q[i]", "x = q[i]\nn = n + 1", "x = n\nn = i", "x = q[i]\ni = i + 1")
BETWEEN = ("", "", "n = n + 1", "left = [0, 1]", "if n > 1:\n    break", "n = len(scores)", "if len(scores) == 1:\n    break", "if len(left) < 1:\n    left = [0]")
CHECKS = ("", "if len(scores) == 0:\n    break", "if not len(left) > 0:\n    return n", "if len(scores) == 0:\n    n = 2")
AROUND = ("", "", "if len(scores) > 0:", "if not len(left) == 0:", "if n < 2:", "if len(scores) <= 0:")


def random_scores(seed: int) -> str:
    """A program that makes scores in one of these ways, or nearly."""
    rng = random.Random(seed)
    pick = rng.choice
    keep, item, first, over = pick(FILTERS), pick(ITEMS), pick(FIRST), pick(("range(len(q))", "range(len(q))", "range(k)", "out"))

    def loop(lines: list[str], keep: str = keep) -> list[str]:
        body = [*first.split("\n"), f"if {keep}:", *(f"    {line}" for line in lines)]
        return [f"for i in {over}:", *(f"    {line}" for line in body)]

    pair = ["left.append(i)", f"scores.append({item})"]
    rng.shuffle(pair)
    pair[1:1] = [pick(("n = n + 1", "best = i", "i = 0"))] * (rng.random() < 0.1)
    listed = f"left = [i for i in range(len(q)) if {keep}]"
    made = pick((
        ["left, scores = [], []", *loop(pair)],
        ["left = []", *loop(["left.append(i)"]), *[pick(("n = n + 1", "out.append(n)", "best = 0"))] * (rng.random() < 0.3), "scores = []", *loop([f"scores.append({item})"], keep=pick((keep, keep, keep, pick(FILTERS))))],
        [listed, "scores = []", "for i in left:", f"    scores.append({pick(('q[i]', 'q[i] + n', 'x + 1'))})"],
        [listed, f"scores = [{pick(('q[left[m]]', 'q[left[m]] + m', '2*q[left[m]]', 'q[m]'))} for m in range({pick(('len(left)', 'len(left)', 'len(q)'))})]"],
        [listed, f"scores = [{pick(('q[i]', 'q[i] + n', 'q[i + 1]', 'q[i] / n'))} for i in left]"],
    ))
    chosen, around = ["j = choose(scores, 1/eps)", "best = left[j]", "out.append(best)"], pick(AROUND)
    chosen = [around, *(f"    {line}" for line in chosen)] if around else chosen
    last = pick(("out", "n", "best", "x"))
    body = [*made, *pick((BETWEEN, CHECKS))[rng.randrange(4)].split("\n"), *chosen]
    lines = ["out = []", "best, n, x = 0, 0, 0", "for t in range(k):", *(f"    {line}" for line in body if line), f"return {last}"]
    return "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon, k: int = 1, T: float = 0):\n" + "\n".join(f"    {line}" for line in lines)


def outcome(sketch: Sketch, seed: int, noise: dict[object, list[Fraction]]) -> object:
    rng = random.Random(seed)
    size = rng.randint(0, 4)
    arguments = Arguments(Fraction(1), size, (("k", Fraction(rng.randint(1, 4))), ("T", Fraction(rng.randint(-2, 2), 2))))
    database = [Fraction(rng.randint(-3, 3)) for _ in range(size)]

    def units(kind: object, site: int, turns: object) -> list[Fraction]:
        return noise.setdefault((site, turns), [Fraction(rng.randint(-64, 64), 8)])

    try:
        return reference.run(sketch, database, arguments, (), units, Fraction)
    except KolahalError:
        return "stopped"


@pytest.mark.mutants
def test_the_restated_program_gives_the_same_answer_and_stops_alike() -> None:
    restated = stopped = 0
    for seed in range(250):
        try:
            before = parse(random_scores(seed))
        except KolahalError:
            continue
        after = with_scores(before)
        for run in range(2 if after != before else 0):
            noise: dict[object, list[Fraction]] = {}
            one, two = (outcome(sketch, 1000 * seed + run, noise) for sketch in (before, after))
            assert one == two, random_scores(seed)
            restated, stopped = restated + 1, stopped + (one == "stopped")
    assert restated > 100 and stopped > 20, (restated, stopped)
