"""What proofs for every length reach: mechanisms of the literature in the words of their authors, and ways to write one."""

from __future__ import annotations

import pytest
from every_length import load
from tests.known.literature.literature_table import PRIVATE

from kolahal.checking import check
from kolahal.proof.find.lengths import prove_every_length
from kolahal.settings import ProofSettings
from kolahal.verdicts import Everywhere, Proved, Refuted

QUICKLY = ProofSettings().quick(fixed=True)
QUICK = {
    "dipaut": ("svt_first_input", "numeric_sparse", "range_monitor", "range_chain", "two_alarms", "resampled_threshold"),
    "freegap": ("top_two",),
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
    thin = text.replace("Lap(2/eps)", "Lap(1.9/eps)")
    assert not isinstance(prove_every_length(load(thin), settings=QUICKLY), Proved)


SMALL = {  # by what it is about: the relation, a program of a few lines, and one of its scales that may not be less
    "an answer that is a comparison": ("each_within(1)", "return q[0] - q[1] + Lap(2/eps) >= 0", "2/eps"),
    "an answer with a name": ("monotone(1)", "b = q[0] + Lap(1/eps) > q[-1]\nreturn b", "1/eps"),
    "the other side is read later": ("one_within(1/2)", "b = -q[0] + Lap(1/eps)\nreturn b < q[-1]", "1/eps"),
    "ends of a list of noise": ("each_within(1)", "a = [y + Lap(2/eps) for y in q]\nreturn a[-1], a[0]", "2/eps"),
    "which end is larger": ("each_within(1)", "a = [y + Lap(2/eps) for y in q]\nb = a[0] > a[-1]\nreturn b, a[0]", "2/eps"),
    "ends of a list in turns": ("each_within(1)", "s = 0\nfor k in range(2):\n    a = [y + Lap(4/eps) for y in q]\n    s += a[0] - a[-1]\nreturn s", "4/eps"),
    "a move that noise by the length hides": ("sum_within(1/2)", "k = 5\nif k // 2 == 2:\n    return q[0] - q[-1] + Lap(len(q)/(2*eps))\nreturn q[0]", "len(q)/(2*eps)"),
    "noise that may not be drawn": ("each_within(1)", "seen = len(q) > 3 and q[0] + Lap(1/eps) > 0\nn = 1 if seen else 0\nreturn n", "1/eps"),
    "a list that nobody reads": ("one_within(1)", "out = []\ns = 0\nfor x in q:\n    out.append(x)\n    out.append(2 * x)\n    s += x\nreturn s + Lap(1/eps)", "1/eps"),
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_small_programs_are_proved(name: str) -> None:
    relation, body, scale = SMALL[name]
    text = f"@sketch(adjacent={relation})\ndef f(q: Private, eps: Epsilon):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    assert isinstance(prove_every_length(load(text)), Proved)
    thin = text.replace(f"Lap({scale})", f"Lap(0.9*{scale})")
    assert thin != text and not isinstance(prove_every_length(load(thin), settings=QUICKLY), Proved)


@pytest.mark.parametrize("scale", ["4/eps", "3/eps"])
def test_many_answers_that_are_declared_are_no_other_length(scale: str) -> None:
    text = f"""@sketch(adjacent=each_within(1))
def f(q: Private[12], T: float, eps: Epsilon):
    t = T + Lap(2/eps)
    for i in range(12):
        if q[i] + Lap({scale}) > t:
            return i
    return -1
"""
    assert isinstance(prove_every_length(load(text), settings=QUICKLY), Proved) == (scale == "4/eps")


ITEMS = {  # answers whose items are products and quotients, and whether they are private
    "shares": ("s = sum(q) + Lap(2/eps)\nout = []\nfor x in q:\n    out.append((x + Lap(2/eps)) / s)\nreturn out", True),
    "one of two": ("out = []\nfor x in q:\n    y = x + Lap(1/eps)\n    if y > 0:\n        out.append(T / y)\n    else:\n        out.append(y * y)\nreturn out", True),
    "powers of a place": ("out = []\ni = 0\nfor x in q:\n    i += 1\n    out.append((x + Lap(1/eps)) // 10 * i)\nreturn out", True),
    "which of two tells": ("out = []\nfor x in q:\n    y = x + Lap(1/eps)\n    if x > 0:\n        out.append(y * y)\n    else:\n        out.append(-y * y)\nreturn out", False),
    "a factor tells": ("out = []\nfor x in q:\n    out.append((x + Lap(1/eps)) * x)\nreturn out", False),
    "how many tells": ("out = []\nfor x in q:\n    y = x + Lap(1/eps)\n    if x > 0:\n        out.append(y * y)\nreturn out", False),
}  # fmt: skip


@pytest.mark.parametrize("name", ITEMS)
def test_items_of_an_answer_need_not_be_linear(name: str) -> None:
    body, private = ITEMS[name]
    text = "@sketch(adjacent=one_within(1))\ndef f(q: Private, T: float, eps: Epsilon):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    assert isinstance(prove_every_length(load(text), settings=QUICKLY), Proved) == private


WEIGHTED = {  # by relation, the weight of an answer and the scale that is enough
    "one_within(1)": ("0.1 * x", "Lap(1/(10*eps))"),
    "each_within(1)": ("x / 2", "Lap(len(q)/(2*eps))"),
    "monotone(2)": ("-3 * x", "Lap(6*len(q)/eps)"),
    "sum_within(1)": ("x / 2", "Lap(1/(2*eps))"),
}


@pytest.mark.parametrize("relation", WEIGHTED)
def test_sums_may_weigh_their_answers(relation: str) -> None:
    item, noise = WEIGHTED[relation]
    text = f"@sketch(adjacent={relation})\ndef f(q: Private, eps: Epsilon):\n    s = 0\n    for x in q:\n        s += {item}\n    return s + {noise}\n"
    assert isinstance(prove_every_length(load(text)), Proved)
    thin = text.replace(item, f"1.1 * ({item})")
    assert not isinstance(prove_every_length(load(thin), settings=QUICKLY), Proved)


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
    assert thin != text and not isinstance(prove_every_length(load(THRESHOLD + thin.lstrip("\n")), settings=QUICKLY), Proved)


TOP_TWO = """@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    first, second, a, b = -1, -1, 0, 0
    for i in range(len(q)):
        v = q[i] + Lap(4/eps)
        if first == -1 or v > a:
            second, b = first, a
            first, a = i, v
        elif second == -1 or v > b:
            second, b = i, v
    return first, second
"""
PEELING = """@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    best = 0
    top = 0
    for i in range(len(q)):
        v = q[i] + Lap(4/eps)
        if i == 0 or v > top:
            best = i
            top = v
    other = 0
    high = 0
    seen = False
    for i in range(len(q)):
        v = q[i] + Lap(4/eps)
        if i != best and (not seen or v > high):
            other = i
            high = v
            seen = True
    return best, other
"""


@pytest.mark.parametrize("text", [TOP_TWO, PEELING], ids=["at once", "one after the other"])
def test_the_places_of_the_largest_two(text: str) -> None:
    assert isinstance(prove_every_length(load(text)), Proved)
    thin = text.replace("Lap(4/eps)", "Lap(3/eps)")
    assert not isinstance(prove_every_length(load(thin), settings=QUICKLY), Proved)


BRANCHES = """@sketch(adjacent=each_within(1))
def f(q: Private[1], eps: Epsilon):
    if q[0] > 10:
        return 10 + Lap(1/eps)
    if q[0] < 0:
        return 0 + Lap(1/eps)
    return q[0] + Lap(1/eps)
"""


def test_draws_go_together_by_their_law_and_not_by_their_place() -> None:
    assert isinstance(prove_every_length(load(BRANCHES)), Proved)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("return 10 + Lap(1/eps)", "return 11 + Lap(1/eps)"),  # a jump at 10
        ("return 10 + Lap(1/eps)", "return 10 + Lap(2/eps)"),  # another scale
        ("return 10 + Lap(1/eps)", "return 10 + Exp(1/eps)"),  # another family
        ("return 10 + Lap(1/eps)", "return 10 + Lap(1/eps) + Lap(1/eps)"),  # another number of draws
        ("return 10 + Lap(1/eps)", "return 10"),
        ("return 10 + Lap(1/eps)", "return None"),
    ],
)
def test_branches_that_differ_are_not_taken_for_one(was: str, now: str) -> None:
    sketch = load(BRANCHES.replace(was, now))
    assert not isinstance(prove_every_length(sketch), Proved)
    assert isinstance(check(sketch).verdict, Refuted)


def test_a_bit_that_is_told_with_noise_from_two_places_is_private() -> None:
    text = """@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    if q[0] > 0:
        return 1 + Lap(1/eps)
    return 0 + Lap(1/eps)
"""
    assert isinstance(prove_every_length(load(text)), Proved)
