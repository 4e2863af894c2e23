"""The search for a proof by counting: how much each part loses, as tightly as it can be said."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction

from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.logic.counting import OutOfSteps, limited
from kolahal.logic.exponentials import Exponentials, log_at
from kolahal.nouns import dataclass
from kolahal.paths.kernels import Likelihoods
from kolahal.paths.outcomes import NotFinite
from kolahal.proof.find import own_recheck
from kolahal.proof.trusted import counted as trusted
from kolahal.settings import ProofSettings
from kolahal.verdicts import Certificate, Proved, Unknown

FINE = 1 << 20  # parts of a step between two bounds on a loss
TIMES = tuple(map(Fraction, ("1/100", "1/10", "3/10", "1", "3", "10", "30")))  # at which losses for every ε are looked at


@dataclass(frozen=True, slots=True)
class CountedProof:
    """A proof of `upper` times the claim, or why there is none."""

    proof: Proved | Unknown
    upper: Fraction | None = None  # of the claim


def prove_counted(sketch: Sketch, claim: Scale, settings: ProofSettings) -> CountedProof:
    """The proof with the smallest loss that is found, whether or not it is within the claim."""
    try:
        with limited(settings.steps):
            return _prove(sketch, claim)
    except NotFinite as reason:
        return CountedProof(Unknown(f"not all that can happen is counted: {reason}"))
    except OutOfSteps:
        return CountedProof(Unknown(f"to count all that can happen takes more than {settings.steps} steps", cut_short=True))


def _prove(sketch: Sketch, claim: Scale) -> CountedProof:
    if any(not (draw.noise.finite or draw.noise.selects) for draw in sketch.draws):
        raise NotFinite("it draws noise with more values than can be listed")
    apart = trusted.apart_of(sketch, sketch.private.count or 0)
    cases, share = [], Fraction(0)
    for arguments in trusted.settings_of_counted(sketch):
        case = trusted.count(sketch, claim, arguments)
        known: list[tuple[Likelihoods, list[Fraction]]] = []
        losses = []
        for kernel in case.kernels:
            row = next((row for other, row in known if other == kernel), None)
            if row is None:
                row = [_least(case, kernel, k, apart) for k in range(apart.ends(kernel) + 1)]
                known.append((kernel, row))
            losses.append(row)
        cases.append({"arguments": arguments, "losses": [list(map(str, row)) for row in losses]})
        share = max(share, trusted.add_up(losses, apart.most) / case.limit)
    proved = Scale(claim.coefficient * max(share, Fraction(1)), claim.powers)
    certificate = Certificate(json.dumps({"kind": trusted.KIND, "program": str(sketch), "claim": str(proved), "cases": cases}, indent=1))
    if faults := trusted.recheck_counted(certificate, sketch):
        return CountedProof(own_recheck.failed_recheck("a proof by counting", faults))
    if share > 1:
        return CountedProof(Unknown(f"all that can happen may lose {float(share):.6g} of the claim"), share)
    return CountedProof(trusted.read_verdict(sketch, certificate), share)


def _least(case: trusted.CountedCase, kernel: Likelihoods, changes: int, apart: trusted.Apart) -> Fraction:
    """A loss that is not exceeded where changes count so many, almost the least one; raises NotFinite."""
    pairs = [(dict(a), dict(b)) for a, b in trusted.compared(kernel, changes, apart) if a != b]
    if any(not second for _, second in pairs):
        raise NotFinite("something is seen on one input that is never seen on a neighbour")
    pairs = [(first, second) for first, second in pairs if first]
    found = Fraction(0)
    for first, second in pairs:
        if not trusted.is_within(first, second, found, case):
            found = _least_of(first, second, case)
    return found


def _least_of(first: Exponentials, second: Exponentials, case: trusted.CountedCase) -> Fraction:
    """A loss of one pair: what it must be, in the limit of large and of small ε, if that is enough, and else a little more."""
    exact = [Fraction(max(first) - max(second), case.unit), _slope(first, case) - _slope(second, case)]
    times = TIMES if case.every_epsilon else (Fraction(1),)
    near = max(float((log_at(first, time / case.unit) - log_at(second, time / case.unit)) / time) for time in times)
    for loss in sorted([*(loss for loss in exact if loss >= near - 1e-12), *_above(near)]):
        if trusted.is_within(first, second, loss, case):
            return loss
    raise NotFinite("no bound on a loss was found")


def _slope(sum_: Exponentials, case: trusted.CountedCase) -> Fraction:
    """How fast the logarithm of a sum grows at t = 0."""
    return Fraction(sum(c * rate for rate, c in sum_.items()), case.unit * sum(sum_.values()))


def _above(near: float) -> Iterator[Fraction]:
    step = Fraction(1, FINE)
    for _ in range(2 * FINE.bit_length()):
        yield Fraction(math.ceil(near * FINE), FINE) + step
        step *= 2

