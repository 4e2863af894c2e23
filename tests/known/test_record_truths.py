"""What is known of releases from records, in as many words: each comes out of `synth`, proved for any number of records, within 3 s."""

from __future__ import annotations

import time

import pytest

from kolahal.lang.read.parse import parse
from kolahal.results import describe_completion
from kolahal.roads.methods import synthesize
from kolahal.verdicts import AnyRecords, Proved

VISIT = """
class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]

@sketch(adjacent={})
def f(visits: Records[Visit], {}eps: Epsilon):
    """
AGES = "@sketch(adjacent={})\ndef f(rows: Records[Between(0, 128)], {}eps: Epsilon):\n    "
MEAN = """total = sum(clip(v.age, 0, 100) for v in visits if v.kind == "new") + Lap(hole)
    count = sum(1 for v in visits if v.kind == "new") + Lap(hole)
    return total / max(count, 1)"""
LOOPED_MEAN = """total, count = 0, 0
    for v in visits:
        if v.kind == "new":
            total += clip(v.age, 0, 100)
            count += 1
    total = total + Lap(hole)
    count = count + Lap(hole)
    return total / max(count, 1)"""
DAYS = "return [sum(1 for v in visits if v.day == d) + Lap(hole) for d in range(7)]"
LOOPED_DAYS = """counts = [0] * 7
    for v in visits:
        counts[v.day] += 1
    return [c + Lap(hole) for c in counts]"""
LARGEST = """counts = [sum(1 for v in visits if v.day == d) for d in range(7)]
    best, most = 0, 0
    for d in range(7):
        noisy = counts[d] + Lap(hole)
        if d == 0 or noisy > most:
            best, most = d, noisy
    return best"""
MEDIAN = """lo, hi = 0, 128
    for k in range({}):
        mid = (lo + hi) / 2
        if sum(1 for r in rows if r <= mid) - len(rows) / 2 + Lap(hole) > 0:
            hi = mid
        else:
            lo = mid
    return lo"""
ONE, OTHER = "add_remove(1)", "replace(1)"
TRUTHS = {
    "clipped mean": (VISIT, ONE, "", MEAN, "100/eta1 + 1/eta2 <= eps"),
    "clipped mean by a loop": (VISIT, ONE, "", LOOPED_MEAN, "100/eta1 + 1/eta2 <= eps"),
    "histogram, added": (VISIT, ONE, "", DAYS, "1/eta1 <= eps"),
    "histogram, exchanged": (VISIT, OTHER, "", DAYS, "2/eta1 <= eps"),
    "histogram by a loop": (VISIT, OTHER, "", LOOPED_DAYS, "2/eta1 <= eps"),
    "the largest bin, added": (VISIT, ONE, "", LARGEST, "1/eta1 <= eps"),
    "the largest bin, exchanged": (VISIT, OTHER, "", LARGEST, "2/eta1 <= eps"),
    "median in 8 steps": (AGES, ONE, "", MEDIAN.format(8), "4/eta1 <= eps"),
    "median in K steps": (AGES, ONE, "K: int, ", MEDIAN.format("K"), "K/(2*eta1) <= eps"),
}
LONGEST = 3.0  # seconds of one core


@pytest.mark.parametrize("name", TRUTHS)
def test_a_known_truth(name: str) -> None:
    head, relation, public, body, law = TRUTHS[name]
    before = time.process_time()
    found = synthesize(parse(head.format(relation, public) + body))
    seconds = time.process_time() - before
    assert found.law is not None and found.law.text == law
    best = found.judged[0]
    assert isinstance(best.verdict, Proved), (describe_completion(best.ranked.completion), best.verdict)
    assert isinstance(best.verdict.scope, AnyRecords)
    assert seconds < LONGEST
