"""From a sketch over records to a proved mechanism: public bounds, any number of bins, texts; tests/known has what is known of others."""

import pytest

from kolahal.lang.read.parse import parse
from kolahal.roads.methods import synthesize
from kolahal.verdicts import Proved

HEADER = "@sketch(adjacent={})\ndef f(rows: Records[Between(0, 100, whole=True)], {}eps: Epsilon):\n    "
KNOWN = [
    ("replace(1)", "lo: float, hi: float, ", "return sum(clip(r, lo, hi) for r in rows) + Lap(hole)", "(hi - lo)/eps"),
    ("replace(1)", "days: int, ", "return [sum(1 for r in rows if r == d) + Lap(hole) for d in range(days)]", "2/eps"),
    ("add_remove(1)", "", "return 'many' if sum(1 for r in rows if r > 5) + Lap(hole) > 10 else 'few'", "1/eps"),
]


@pytest.mark.parametrize(("relation", "parameters", "body", "scale"), KNOWN)
def test_the_least_noise_is_found_and_proved(relation, parameters, body, scale):
    found = synthesize(parse(HEADER.format(relation, parameters) + body))
    best = found.judged[0]
    assert isinstance(best.verdict, Proved), best.verdict
    assert [str(s) for s in best.ranked.completion] == [scale]
