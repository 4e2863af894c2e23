"""Lists of noise that are read from the last item to the first, or from the second on: proved, and no item is drawn twice."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.programs import read

from kolahal.engine import reference
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.settings import ProofSettings
from kolahal.verdicts import Everywhere, Proved

QUICK = ProofSettings().quick(fixed=True)
PRIVATE = {
    "a noisy max by falling places": """
    noisy = [x + Lap(2/eps) for x in q]
    i = len(q) - 1
    best = i
    while i >= 0:
        if noisy[i] > noisy[best]:
            best = i
        i -= 1
    return best
""",
    "a range with a step of -1": """
    noisy = [x + Lap(2/eps) for x in q]
    best, top = None, 0
    for i in range(len(q) - 1, -1, -1):
        if best is None or noisy[i] > top:
            best, top = i, noisy[i]
    return best
""",
    "reversed": """
    t = Lap(2/eps)
    noisy = [x + Lap(4/eps) for x in q]
    for v in reversed(noisy):
        if v > t:
            return True
    return False
""",
    "noise alone": """
    t = Lap(2/eps)
    nu = [Lap(4/eps) for x in q]
    i = len(q)
    while i > 0:
        i -= 1
        if q[i] + nu[i] >= t:
            return i
    return -1
""",
    "a loop that begins behind the first place": """
    noisy = [x + Lap(2/eps) for x in q]
    best = 0
    for i in range(1, len(q)):
        if noisy[i] > noisy[best]:
            best = i
    return best
""",
    "a while that begins behind the first place": """
    noisy = [x + Lap(2/eps) for x in q]
    best = 0
    i = 1
    while i < len(q):
        if not noisy[best] >= noisy[i]:
            best = i
        i += 1
    return best
""",
    "a list of a list": """
    noise = [Lap(2/eps) for x in q]
    noisy = [q[i] + noise[i] for i in range(len(q))]
    best, top = None, 0
    for i in range(len(q)):
        j = len(q) - 1 - i
        if best is None or noisy[j] > top:
            best, top = j, noisy[j]
    return best
""",
}
FORWARDS = {  # where no place is remembered yet, or the remembered one stands first
    "a difference that looks back first": """
    noisy = [x + Lap(2/eps) for x in q]
    best = len(q) - 1
    for i in range(len(q) - 1, -1, -1):
        if noisy[best] - noisy[i] < 0:
            best = i
    return best
""",
    "a counter and no place yet": """
    noisy = [x + Lap(2/eps) for x in q]
    best = None
    i = 0
    while i < len(q):
        if best is None or not noisy[best] >= noisy[i]:
            best = i
        i += 1
    return best
""",
}
TWICE = {  # each tells the noise a second time: with noise that is drawn anew these would be private
    "back and back again": """
    nu = [Lap(1/eps) for x in q]
    out = []
    for i in range(len(q) - 1, -1, -1):
        out.append(q[i] + nu[i])
    for i in range(len(q) - 1, -1, -1):
        out.append(nu[i])
    return out
""",
    "one place with two names": """
    nu = [Lap(1/eps) for x in q]
    return q[0] + nu[0], nu[-1]
""",
    "one place with two names, from the end": """
    nu = [Lap(1/eps) for x in q]
    a = q[-1] + nu[-1]
    k = len(q) - 1
    return a, nu[0], nu[k] * 0
""",
    "back and forth": """
    nu = [Lap(1/eps) for x in q]
    out = []
    for i in range(len(q) - 1, -1, -1):
        out.append(q[i] + nu[i])
    for i in range(len(q)):
        out.append(nu[i])
    return out
""",
    "from both ends": """
    nu = [Lap(1/eps) for x in q]
    out = []
    for i in range(len(q)):
        out.append(q[i] + nu[i])
        out.append(nu[len(q) - 1 - i])
    return out
""",
    "two turns at a place": """
    nu = [Lap(1/eps) for x in q]
    out = []
    i = len(q) - 1
    again = False
    while i >= 0:
        if again:
            out.append(nu[i])
            i -= 1
        else:
            out.append(q[i] + nu[i])
        again = not again
    return out
""",
    "the first place again": """
    nu = [Lap(1/eps) for x in q]
    out = []
    k = 0
    out.append(q[0] + nu[k])
    k = 0
    out.append(nu[k])
    for i in range(1, len(q)):
        out.append(q[i] + nu[i])
    return out
""",
    "one step back": """
    nu = [Lap(1/eps) for x in q]
    out = []
    i = len(q) - 1
    while i > 0:
        out.append(q[i] + nu[i])
        out.append(nu[i - 1])
        i -= 1
    return out
""",
}


def text(body: str, relation: str) -> str:
    return f"@sketch(adjacent={relation})\ndef f(q: Private, eps: Epsilon):{body}"


@pytest.mark.parametrize("name", PRIVATE)
def test_a_list_of_noise_may_be_read_backwards(name: str) -> None:
    found = prove_every_length(read(text(PRIVATE[name], "each_within(1)")))
    assert isinstance(found, Proved) and isinstance(found.scope, Everywhere)


@pytest.mark.parametrize("name", PRIVATE)
def test_too_little_noise_is_not_proved(name: str) -> None:
    thin = PRIVATE[name].replace("Lap(2/eps)", "Lap(1/eps)")
    assert not isinstance(prove_every_length(read(text(thin, "each_within(1)")), settings=QUICK), Proved)


@pytest.mark.parametrize("name", FORWARDS)
def test_a_list_of_noise_may_be_compared_in_any_order(name: str) -> None:
    for scale in ("2/eps", "1.9/eps"):
        sketch = read(text(FORWARDS[name].replace("2/eps", scale), "each_within(1)"))
        assert isinstance(prove_every_length(sketch, settings=QUICK), Proved) == (scale == "2/eps")


@pytest.mark.parametrize("name", TWICE)
def test_no_item_is_drawn_twice(name: str) -> None:
    sketch = read(text(TWICE[name], "one_within(1)"))
    assert not isinstance(prove_every_length(sketch, settings=QUICK), Proved)
    # What stands in the output is the noise itself: the answers follow from it for certain.
    answers = (Fraction(5), Fraction(-3), Fraction(2))
    output = reference.run(sketch, answers, Arguments(Fraction(1), 3), (), lambda *_: (Fraction(1, 2),), Fraction)
    assert isinstance(output, tuple) and len(set(output)) > 1
