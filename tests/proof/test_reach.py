"""What proofs for every length reach: mechanisms of the literature in the words of their authors, and ways to write one."""

from __future__ import annotations

import pytest
from every_length import load
from tests.known.literature.literature_table import PRIVATE

from kolahal.proof.find.lengths import prove_every_length
from kolahal.verdicts import Everywhere, Proved

QUICK = {
    "dipaut": ("svt_first_input", "numeric_sparse", "range_monitor", "range_chain", "two_alarms", "resampled_threshold"),
    "dpsniper": ("noisy_hist_1", "report_noisy_max_1", "svt_1_guard"),
    "textbooks": ("clipped_sum", "last_of_the_largest", "sparse", "total_of_released", "mean_of_known_size"),
    "wild": ("clipped_and_used", "mean_by_its_own_count_repaired"),
}

THRESHOLD = "@sketch(adjacent=each_within(1))\ndef f(q: Private, T: float, eps: Epsilon):\n"
ABOVE = {  # one mechanism, above threshold, in several ways
    "a flag": """
    t = T + Lap(2/eps)
    out = []
    done = False
    for x in q:
        if not done:
            above = x + Lap(4/eps) >= t
            out.append(above)
            if above:
                done = True
    return out
""",
    "a counter and named noise": """
    rho = Lap(2/eps)
    out = []
    count = 0
    i = 0
    while i < len(q) and count < 1:
        nu = Lap(4/eps)
        if not q[i] + nu < T + rho:
            out.append(1)
            count = count + 1
        else:
            out.append(0)
        i = i + 1
    return out
""",
    "a list first": """
    t = T + Lap(2/eps)
    noisy = [x + Lap(4/eps) for x in q]
    for i in range(len(q)):
        if noisy[i] - t >= 0:
            return i
    return -1
""",
    "noise in a list of its own": """
    t = T + Lap(2/eps)
    nu = [Lap(4/eps) for x in q]
    state = 0
    place = 0
    for i in range(len(q)):
        if state == 0:
            if q[i] + nu[i] >= t:
                state = 1
            else:
                place += 1
    return state, place
""",
}


BELOW = """
    rho = Lap(4/eps)
    for x in q:
        nu = Lap(8/eps)
        fresh = Lap(4/eps)
        if x + nu <= T + rho:
            return x + fresh
    return None
"""


def test_noise_that_only_one_branch_uses_may_be_named_first() -> None:
    assert isinstance(prove_every_length(load(THRESHOLD + BELOW.lstrip("\n"))), Proved)
    thin = BELOW.replace("fresh = Lap(4/eps)", "fresh = Lap(1/eps)")
    assert not isinstance(prove_every_length(load(THRESHOLD + thin.lstrip("\n"))), Proved)


def test_a_flag_may_say_that_the_first_answer_was_seen() -> None:
    text = """@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    best = 0
    least = 0.0
    begun = False
    for i in range(len(q)):
        v = q[i] + Lap(2/eps)
        if not begun or v < least:
            best = i
            least = v
            begun = True
    return best
"""
    assert isinstance(prove_every_length(load(text)), Proved)
    assert not isinstance(prove_every_length(load(text.replace("Lap(2/eps)", "Lap(1.9/eps)"))), Proved)


@pytest.mark.parametrize("entry", [e for e in PRIVATE if e.name in QUICK.get(e.path.stem, ())], ids=str)
def test_mechanisms_in_the_words_of_their_authors(entry) -> None:
    found = prove_every_length(entry.load())
    assert isinstance(found, Proved) and found.scope == Everywhere(), found


def test_all_of_them_are_asked() -> None:
    assert len([e for e in PRIVATE if e.name in QUICK.get(e.path.stem, ())]) == sum(map(len, QUICK.values()))


@pytest.mark.parametrize("text", ABOVE.values(), ids=ABOVE)
def test_the_way_to_write_it_does_not_matter(text: str) -> None:
    found = prove_every_length(load(THRESHOLD + text.lstrip("\n")))
    assert isinstance(found, Proved), found


@pytest.mark.parametrize("text", ABOVE.values(), ids=ABOVE)
def test_with_too_little_noise_it_is_not_proved(text: str) -> None:
    thin = text.replace("Lap(4/eps)", "Lap(3/eps)")
    assert thin != text and not isinstance(prove_every_length(load(THRESHOLD + thin.lstrip("\n"))), Proved)
