"""Programs that look private and are not: brute force shows the loss, and nobody proves them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from adversaries import BROKEN, load
from bench.hunt.grid import TOLERANCE, largest_loss

from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.verdicts import Unknown

EPSILONS = (Fraction(4), Fraction(1, 2))  # scales other than 1/ε show at one of them


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_shown_to_be_and_is_not_proved(name: str) -> None:
    program = load(name)
    found = (largest_loss(program, 1, bases=12, moves=4, epsilon=e, stop=1 + TOLERANCE) for e in EPSILONS)
    assert any(loss is not None and loss.value > 1 + TOLERANCE for loss in found)
    assert isinstance(prove_every_length(program), Unknown)
    assert isinstance(prove_bounded(program, size=2), Unknown)
