"""What is read from a certificate for the grid: a user's own names stand in it as keys, and are not taken for ours."""

from fractions import Fraction

import pytest

from kolahal.emission.resolution import read_shifts
from kolahal.lang.read.parse import parse
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.verdicts import proof_of

KEYS = ["steps", "units", "ends", "then", "cases", "shifts", "passages"]
ANSWERS = {prove_every_length: "q[0] + Lap({}/eps)", prove_bounded: "q[0] * {} + Lap({}/eps)"}


@pytest.mark.parametrize("prove", ANSWERS, ids=lambda prove: prove.__name__)
@pytest.mark.parametrize("name", KEYS)
def test_a_name_of_the_user_is_not_taken_for_a_key(name, prove):
    """Certificates name arguments, and shares of the budget by the arguments that scales use."""
    head = f"@sketch(adjacent=one_within(1))\ndef f(q: Private, {name}: int, eps: Epsilon):\n"
    proof = proof_of(prove(parse(f"{head}    return {ANSWERS[prove].format(name, name)}\n")))
    assert proof is not None
    assert f'"{name}": ' in proof.text
    assert read_shifts(proof, Fraction(1)).parts == 1
