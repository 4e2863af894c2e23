"""From a sketch over records to a proved mechanism: public bounds, any number of bins, texts; tests/known has what is known of others."""

import pytest

from kolahal.lang.read.parse import parse
from kolahal.law.law import find_laws
from kolahal.report.text import render_synthesis
from kolahal.roads.methods import synthesize
from kolahal.settings import ProofSettings
from kolahal.verdicts import Proved, Refuted

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


def test_what_moves_by_any_amount_is_refuted_with_a_record():
    """No noise hides it: there is a record behind the verdict, and the remedy, instead of scales that nobody can use."""
    row = "class Row(NamedTuple):\n    pay: float\n\n@sketch(adjacent=add_remove(1))\ndef f(rows: Records[Row], eps: Epsilon):\n    "
    found = synthesize(parse(f"{row}n = len(rows) + Lap(hole)\n    return sum(r.pay for r in rows) + Lap(hole), n"))
    assert found.best is None and all(isinstance(judged.verdict, Refuted) for judged in found.judged)
    text = render_synthesis(found, {})
    assert "What to do: one record can move sum(record.pay for record in rows) by any amount: clip" in text and "Row(pay=" in text


@pytest.mark.thorough
def test_what_is_clipped_behind_the_sum_is_not_given_up():
    row = "class Row(NamedTuple):\n    pay: float\n\n@sketch(adjacent=add_remove(1))\ndef f(rows: Records[Row], eps: Epsilon):\n    "
    found = synthesize(parse(f"{row}return clip(sum(r.pay for r in rows), 0, 10) + Lap(hole)"))
    assert not any(isinstance(judged.verdict, Refuted) for judged in found.judged[:1])
