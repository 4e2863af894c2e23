"""Products and quotients that are not linear: equal operands give equal results, and nothing else is known of them."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.certificate import Certificate, recheck
from kolahal.proof.trusted.product import build_product
from kolahal.proof.trusted.restated.released import before_last
from kolahal.proof.trusted.symbols import Computed
from kolahal.settings import ProofSettings
from kolahal.verdicts import Proved, Verdict

HEAD = "@sketch(adjacent={})\ndef f(q: Private, eps: Epsilon, k: int = 1, T: float = 0, a: float = 0):\n"


def program(text: str, adjacent: str = "one_within(1)") -> Sketch:
    return parse(HEAD.format(adjacent) + "\n".join(f"    {line}" for line in text.split("\n")))


EFFORT = replace(ProofSettings(), rehearsals=4_000)


def judge(text: str, adjacent: str = "one_within(1)") -> Verdict:
    sketch = program(text, adjacent)
    return prove_every_length(sketch, Scale(Fraction(1), ((sketch.epsilon.name, 1),)), EFFORT)


SUMS = "s = 0\nout = []\nfor i in range(len(q)):\n    s += q[i]\n"
EACH = "out = []\nfor x in q:\n    y = x + Lap(1/eps)\n"
PRIVATE = {
    "an average in each turn": SUMS + "    out.append((s + Lap(len(q)/eps)) / (i + 1))\nreturn out",
    "the same with a name": SUMS + "    m = s + Lap(len(q)/eps)\n    out.append(m / (i + 1))\nreturn out",
    "a counter of its own": "s = 0\nn = 0\nout = []\nfor x in q:\n    s = x + s\n    n += 1\n    out.append((Lap(len(q)/eps) + s)/n)\nreturn out",
    "by while": "s = 0\ni = 0\nout = []\nwhile i < len(q):\n    s += q[i]\n    i += 1\n    e = Lap(len(q)/eps)\n    out.append((s + e)/i)\nreturn out",
    "a stop at an average": SUMS + "    m = (s + Lap(len(q)/eps)) / (i + 1)\n    if m > T:\n        return i\nreturn -1",
    "a product of all": "p = 1\nfor x in q:\n    p = p * (x + Lap(1/eps))\nreturn p",
    "an average that forgets": EACH + "    T = a*T + (1 - a)*y\n    out.append(T)\nreturn out",
    "mean and variance": "m = 0\nv = 0\nn = 0\nfor x in q:\n    y = x + Lap(1/eps)\n    n += 1\n    d = y - m\n    m += d/n\n    v += d*(y - m)\nreturn m, v",
    "ratios of neighbours": "last = 1\n" + EACH + "    out.append(y/max(last, 1))\n    last = y\nreturn out",
    "squares": EACH + "    out.append(y*y - y)\nreturn out",
    "noise that has a name": "e = Lap(1/eps)\ns = sum(q)\ny = s + e\nreturn y*y",
    "noise that has a name, and a loop": "e = Lap(1/eps)\ns = sum(q)\nif T > 1:\n    return 0\nc = 0\ny = s + e\nwhile c < y*y:\n    c += 1\nreturn c",
    "a product of turns": "w = 1\nt = T + Lap(2/eps)\nfor x in q:\n    w = w*k\n    if x + Lap(4/eps) > t:\n        return w\nreturn 0",
}
CHOSEN = "s = [min(max(x*x, 0), 1) for x in q]\n"
PRIVATE |= {
    "scores that are clipped turns": CHOSEN + "return choose(s, 2/eps)",
    "whole results beside others, in turns": CHOSEN + "p = 1\nfor i in range(2):\n    p = p*(choose(s, 4/eps) + 1)\nreturn p",
}
BROKEN = {
    "the noise squared tells the rest": "out = []\nfor x in q:\n    e = Lap(1/eps)\n    out.append(x + e)\n    out.append(e*e)\nreturn out",
    "the noise and its square in one": "out = []\nfor x in q:\n    e = Lap(1/eps)\n    out.append(e*e + e + x)\nreturn out",
    "a private factor": EACH + "    out.append(x*y)\nreturn out",
    "a private divisor": EACH + "    out.append(y/max(x, 1))\nreturn out",
    "a product instead of noise": "s = 0\nfor x in q:\n    s = s + x*x\nreturn s + Lap(1/eps)",
    "too little noise": SUMS + "    out.append((s + Lap(1/eps)) / (i + 1))\nreturn out",
    "noise behind the quotient": SUMS + "    out.append(s/(i + 1) + Lap(1/eps))\nreturn out",
    "a quotient that may stop the run": "y = 0\nfor x in q:\n    y = 1/x\nreturn 0",
    "a quotient by noise may stop the run": "out = []\nfor x in q:\n    y = x + DiscreteLap(1/eps)\n    z = x/y\n    out.append(y)\nreturn out",
    "a quotient that is reached by one run": EACH + "    out.append(y)\nif sum(q) > 3 and 1/(k - 1) > 0:\n    return out\nreturn out",
    "noise that has a name, beside its sum": "e = Lap(1/eps)\ns = sum(q)\ny = s + e\nreturn y*e",
    "scores that are not": "s = [x*x for x in q]\nreturn choose(s, 2/eps)",
    "half the noise for scores": CHOSEN + "return choose(s, 1/(2*eps))",
    "items that are computed where they are read": "ys = [x*x for x in q]\nt = Lap(1/eps)\nout = []\nfor i in range(len(q)):\n    y = ys[i]\n    out.append(t*t)\n    out.append(y)\nreturn out",
    "compared with the noise itself": "e = Lap(1/eps)\nout = []\nfor x in q:\n    out.append((x + e) * (x + e) > e*e)\nreturn out",
}


@pytest.mark.parametrize("name", PRIVATE)
def test_what_is_computed_from_equal_values_is_equal(name: str) -> None:
    verdict = judge(PRIVATE[name], "each_within(1)" if "turns" in name else "one_within(1)")
    assert isinstance(verdict, Proved)
    assert recheck(verdict.certificate) == []


@pytest.mark.parametrize("name", BROKEN)
def test_nothing_else_is_known_of_it(name: str) -> None:
    assert not isinstance(judge(BROKEN[name]), Proved)


def test_a_result_depends_on_the_draws_before_it() -> None:
    """`cancel` takes results that were computed after a draw for 0, so that its shift does not depend on the draw itself."""
    proof = judge("m = 0\nout = []\nfor x in q:\n    e = Lap(1/eps)\n    m = e*e + x + m*m\n    out.append(m)\nreturn out")
    assert not isinstance(proof, Proved)
    sketch = program("s = 0\nfor x in q:\n    y = T*x\n    s = y + Lap(1/eps) + x*x\nreturn s")
    (path,) = (p for p in build_product(sketch, frozenset()).first.paths[0] if p.draws)
    before = {c.symbol: c.symbol.before for c in path.computed}
    inside = [s for s in path.draws[0].rest.terms if isinstance(s, Computed)]
    assert set(before.values()) == {0, 1}
    assert [before[symbol] for symbol in inside] == [0]


SORTED = {
    "sorted": "return sorted([x + Lap(len(q)/eps) for x in q])[-2]",
    "a generator": "best = sorted((x + Lap(len(q)/eps) for x in q), reverse=True)\nreturn best",
    "sorted in place": "noisy = [x + Lap(len(q)/eps) for x in q]\nnoisy.sort()\nreturn noisy",
    "few answers apart": "noisy = [x + Lap(len(q)/eps) for x in q]\nif len(q) < 2:\n    return 0\nnoisy = sorted(noisy, reverse=True)\nreturn noisy[1]",
}


@pytest.mark.parametrize("name", SORTED)
def test_loops_behind_the_last_noise_need_no_proof(name: str) -> None:
    verdict = judge(SORTED[name], "each_within(1)")
    assert isinstance(verdict, Proved)
    assert json.loads(verdict.certificate.text)["parts"] is True
    document = json.loads(verdict.certificate.text)
    del document["parts"]
    assert recheck(Certificate(json.dumps(document))) != []


def test_an_early_answer_that_depends_on_the_run_is_not_left_out() -> None:
    text = "noisy = [x + Lap(1/eps) for x in q]\n{}if {}:\n    return 0\nnoisy.sort()\nreturn noisy"
    assert before_last(program(text.format("", "len(q) < 2 or k > 3"))) is not None
    assert before_last(program(text.format("", "sum(q) > 3"))) is None
    assert before_last(program(text.format("", "q[0] > 3"))) is None
    assert before_last(program(text.format("", "T + Lap(1/eps) > 3"))) is None
    assert before_last(program(text.format("q = [x for x in q if x > 0]\n", "len(q) < 2"))) is None
    assert before_last(program(text.format("if q[0] > 0:\n    k = 4\n", "k > 3"))) is None
