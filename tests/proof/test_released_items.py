"""Lists of answers whose items are not linear hold what these are computed from, and no more than the items is left out."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from kolahal.checking import check
from kolahal.emission.program import emit, load_emitted
from kolahal.emission.promise import Promise
from kolahal.engine import reference
from kolahal.errors import UsageError
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.restated.released import released
from kolahal.verdicts import Bounded, Proved, Refuted, Unknown

HEAD = "@sketch(adjacent=one_within(1))\ndef f(q: {}, eps: Epsilon, k: int = 2, T: float = 1):\n"


def program(text: str, private: str = "Private") -> Sketch:
    return parse(HEAD.format(private) + "\n".join(f"    {line}" for line in text.split("\n")))


START = "out = []\nlast = 1\nfor i in range(len(q)):\n    y = q[i] + Lap(1/eps)\n"
# A program, and its answer from what is released: how many parts each place gives, by its number, and what it makes of them.
WRITTEN = {
    "one place": START + "    out.append(y/(i + 1))\n",
    "a name": START + "    m = y/(i + 1)\n    out.append(m)\n",
    "names of names": START + "    m = y/(i + 1)\n    n = m*m + 1\n    out.append(n - m)\n",
    "two places": START + "    if y > 0:\n        out.append(y*y)\n    else:\n        out.append(y*last)\n    last = y\n",
    "a part without noise": START + "    if y > 0:\n        out.append(k*T)\n    out.append(y/max(last, 1))\n",
    "only that it is there": START + "    if y > 0:\n        out.append(k*T)\n",
    "linear beside it": START + "    if y > T:\n        out.append(y)\n    else:\n        out.append(T*y)\n",
}
AS_IT_IS = {
    "the list is looked at": START + "    if len(out) < 2:\n        out.append(y/(i + 1))\n",
    "its items are": START + "    out.append(y/(i + 1))\n    if out[0] > T:\n        last = 2\n        break\n",
    "it grows at its front": START + "    out.insert(0, y/(i + 1))\n",
    "it does not begin empty": "out = [1]\n" + START[9:] + "    out.append(y/(i + 1))\n",
    "the run may stop for ever": "out = []\nlast = 1\nwhile True:\n    y = q[0] + Lap(1/eps)\n    last = last + 1\n    if last > 5:\n        break\n    out.append(1/y)\n",
    "all is linear": START + "    out.append(y/2)\n",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_released_tells_the_items(name: str) -> None:
    """On the same noise equal lists of parts go with equal lists of items, whatever the data."""
    one = program(WRITTEN[name] + "return out")
    two = released(one)
    assert two != one
    rng = random.Random(name)
    told: dict[object, object] = {}
    for _ in range(400):
        answers = [Fraction(rng.randint(-1, 1)) for _ in range(rng.randint(0, 3))]
        noise = [Fraction(rng.randint(-1, 1)) for _ in answers]
        items, parts = (run(sketch, answers, noise) for sketch in (one, two))
        assert told.setdefault((len(answers), parts), items) == items
    assert len(set(told.values())) > 3


def run(sketch: Sketch, answers: list[Fraction], noise: list[Fraction]) -> object:
    arguments = Arguments(Fraction(1), len(answers), (("k", Fraction(2)), ("T", Fraction(1))))
    return reference.run(sketch, answers, arguments, (), lambda kind, site, turns: [noise[turns[0]]], Fraction)


@pytest.mark.parametrize("name", AS_IT_IS)
def test_a_list_that_is_more_than_an_answer_stays(name: str) -> None:
    sketch = program(AS_IT_IS[name] + "return out")
    assert released(sketch) == sketch


SUMS = "s = 0\nout = []\nfor i in range(len(q)):\n    s += q[i]\n"
JUDGED = {
    "averages": SUMS + "    out.append((s + Lap(4/eps))/(i + 1))\nreturn out",
    "with a name": SUMS + "    m = (s + Lap(4/eps))/(i + 1)\n    out.append(m)\nreturn out",
    "averages of noisy ones": SUMS + "    y = s + Lap(4/eps)\n    m = y/(i + 1)\n    out.append(m*m)\nreturn out",
    "ratios": "out = []\nfor x in q:\n    y = x + Lap(2/eps)\n    out.append(y/max(x + Lap(2/eps), 1))\nreturn out",
}


def judged(text: str) -> Sketch:
    return parse("@sketch(adjacent=one_within(1))\ndef f(q: Private[4], eps: Epsilon):\n" + "\n".join(f"    {line}" for line in text.split("\n")))


@pytest.mark.parametrize("name", JUDGED)
def test_they_are_proved_and_emitted(name: str) -> None:
    sketch = judged(JUDGED[name])
    checked = check(sketch)
    assert isinstance(checked.verdict, Proved)
    private = load_emitted(emit(sketch, Promise("proved", certificate=checked.verdict.certificate), claim="eps"))
    assert private([1, 2, 3, 4], eps=10**9) == pytest.approx(EXPECTED[name], abs=1e-5)


EXPECTED = {
    "averages": [1, 3 / 2, 2, 5 / 2],
    "with a name": [1, 3 / 2, 2, 5 / 2],
    "averages of noisy ones": [1, 9 / 4, 4, 25 / 4],
    "ratios": [1, 1, 1, 1],
}


def test_too_little_noise_is_not_proved() -> None:
    for text in JUDGED.values():
        sketch = judged(text.replace("4/eps", "3/eps").replace("Lap(2/eps)", "Lap(1/eps)"))
        assert isinstance(prove_every_length(sketch, Scale(Fraction(1), (("eps", 1),))), Unknown)
    assert isinstance(check(judged(JUDGED["averages"].replace("4/eps", "3/eps"))).verdict, Refuted)


LEAVES = {
    "a quotient with noise behind it": "out = []\nfor i in range(4):\n    out.append(q[i]/(i + 1) + Lap(4/eps))\nreturn out",
    "a clipped square": "out = []\nfor x in q:\n    out.append(min(max(x*x, 0), 1) + Lap(1/eps))\nreturn out",
}


@pytest.mark.parametrize("name", LEAVES)
def test_noise_is_not_added_to_what_leaves_the_grid(name: str) -> None:
    """What such a program gives away beside its noise is on the grid, but the sum is not, and its last digits would tell."""
    sketch = judged(LEAVES[name])
    verdict = check(sketch).verdict
    if name == "a quotient with noise behind it":
        assert isinstance(verdict, Proved)
        with pytest.raises(UsageError, match="leave every grid"):
            emit(sketch, Promise("proved", certificate=verdict.certificate), claim="eps")
    else:
        assert isinstance(verdict, Unknown)


TWO_NOISES = "a = T + Lap(1/eps)\nb = T + Lap(1/eps)\nout = []\nother = []\n"
ANSWERS_ALIKE = {  # which of them a run gives tells whether q[0] > 0, and the parts of one are the items of another
    "a comprehension, and what it is computed from": ("return [a/max(1, b) for i in range(1)]", "return [a, b]"),
    "a list that is filled, and what it is computed from": ("out.append(a/max(1, b))\n    return out", "return [a, b]"),
    "two lists": ("out.append(a/max(1, b))\n    return out", "other.append(a)\nother.append(b)\nreturn other"),
    "a product, and its factors": ("return [a*b for i in range(1)]", "return [a, b]"),
    "a square, and its root twice": ("return [a*a for i in range(1)]", "other = [a + 0 for i in range(2)]\nreturn other"),
    "two quotients": ("return [a/max(1, b) for i in range(1)]", "return [a/max(2, b) for i in range(1)]"),
}


@pytest.mark.parametrize("way", ANSWERS_ALIKE)
def test_parts_of_one_answer_are_not_taken_for_another_answer(way: str) -> None:
    first, second = ANSWERS_ALIKE[way]
    sketch = program(f"{TWO_NOISES}if q[0] > 0:\n    {first}\n{second}", "Private[1]")
    assert released(sketch) == sketch
    assert not isinstance(check(sketch, "eps").verdict, Proved | Bounded)


@pytest.mark.parametrize("early", ["return 0", "return []", "return out"])
def test_an_answer_that_is_told_apart_does_no_harm(early: str) -> None:
    sketch = program(f"out = []\nif k > 3:\n    {early}\nfor x in q:\n    y = x + Lap(1/eps)\n    out.append(y/max(1, k*k))\nreturn out")
    assert released(sketch) != sketch


def test_a_comprehension_is_the_loop_that_fills_its_list() -> None:
    for body in ("return [(x + Lap(1/eps))/max(1, T*T) for x in q]", "i = 3\nout = [(x + Lap(1/eps))/max(1, i*T) for x in q]\nreturn out"):
        assert isinstance(check(program(body), "eps").verdict, Proved)
