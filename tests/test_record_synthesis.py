"""From a sketch over records to a proved mechanism: public bounds, any number of bins, texts; tests/known has what is known of others."""

import pytest

from kolahal.lang.read.parse import parse
from kolahal.law.law import find_laws
from kolahal.roads.methods import synthesize
from kolahal.settings import ProofSettings
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


@pytest.mark.parametrize(
    ("field", "test"),
    [("int", "r.n > 0.5"), ("int", f"r.n > {10**30}"), (f"Between(0, {10**23}, whole=True)", "r.n > 10")],
    ids=["no whole number between", "beyond all machine words", "wider than these"],
)
def test_whole_fields_are_made_up_whatever_numbers_a_program_names(field, test):
    row = f"class Row(NamedTuple):\n    n: {field}\n\n@sketch(adjacent=replace(1))\ndef f(rows: Records[Row], eps: Epsilon):\n    "
    best = synthesize(parse(f"{row}return sum(0.25 for r in rows if {test}) + Lap(hole)")).judged[0]
    assert [str(s) for s in best.ranked.completion] == ["1/(4*eps)"] and isinstance(best.verdict, Proved)


def test_comparisons_of_what_never_moves_have_a_law():
    """How many records there are is public where they are exchanged."""
    assert find_laws(parse(HEADER.format("replace(1)", "") + "return abs(len(rows)) + Lap(hole)"), ProofSettings())
