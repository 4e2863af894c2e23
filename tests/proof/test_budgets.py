"""Claims other than ε: what is proved, what is refuted, and what no document may pass for."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from kolahal.checking import check
from kolahal.errors import UsageError
from kolahal.exact.divergences import renyi
from kolahal.exact.gaussian import budget_probability
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.model import Arguments, Equals
from kolahal.proof.budgets import decide_budget
from kolahal.proof.decide import decide
from kolahal.proof.find.budgets import prove_budget
from kolahal.proof.refute import counterexample_data
from kolahal.proof.refute.budgets import refute_budget
from kolahal.proof.trusted.affine import recheck_affine
from kolahal.proof.trusted.certificate import Rejected
from kolahal.proof.trusted.concentrated import _check_laws, check_alignment, recheck_budget
from kolahal.proof.trusted.shifts import Alignment, Always, AtGhost, AtValue, ByBranch, Form
from kolahal.proof.trusted.union import recheck_union
from kolahal.settings import Settings
from kolahal.verdicts import Certificate, Proved, Refuted, Unknown
from kolahal.verification import verify

pytestmark = pytest.mark.mutants
RELEASE = "return [x + {} for x in q]"
PREFIX = """s = 0
    out = []
    for x in q:
        s = s + x + {}
        out.append(s)
    return out"""
TOTAL = """s = 0
    for x in q:
        s = s + x
    return s + {}"""
MAX = """best = None
    at = 0
    for i in range(len(q)):
        v = q[i] + {}
        if best is None or v > best:
            best = v
            at = i
    return at"""
ABOVE = """t = T + {}
    for i in range(len(q)):
        if q[i] + {} > t:
            return i
    return None"""
STEERED = """a = q[0] + {}
    if a > 0:
        return a + q[0] + {}
    return q[0] + {}"""
EACH, ONE, SUM = "each_within(1)", "one_within(1)", "sum_within(1)"
RHO, MU, BOTH = "rho: Rho", "mu: Mu", "eps: Epsilon, delta: Delta"


def program(relation: str, budget: str, body: str, *noise: str) -> Any:
    return parse(f"@sketch(adjacent={relation})\ndef f(q: Private, T: float, {budget}):\n    {body.format(*noise)}\n")


PROVED = {
    "release": (EACH, RHO, RELEASE, "Gauss(sqrt(len(q)/(2*rho)))"),
    "release, mu": (EACH, MU, RELEASE, "Gauss(sqrt(len(q))/mu)"),
    "release, both": (EACH, BOTH, RELEASE, "Gauss(sqrt(len(q))/gdp(eps, delta))"),
    "one answer": (ONE, RHO, RELEASE, "Gauss(1/sqrt(2*rho))"),
    "answers add up": (SUM, RHO, RELEASE, "Gauss(1/sqrt(2*rho))"),
    "a longer move": ("one_within(3)", MU, RELEASE, "Gauss(3/mu)"),
    "monotone": ("monotone(2)", RHO, RELEASE, "Gauss(sqrt(2*len(q)/rho))"),
    "running sums": (ONE, RHO, PREFIX, "Gauss(1/sqrt(2*rho))"),
    "sum": (ONE, BOTH, TOTAL, "Gauss(1/gdp(eps, delta))"),
    "max of n": (EACH, RHO, MAX, "Gauss(sqrt(len(q)/(2*rho)))"),
    "max, one answer": (ONE, MU, MAX, "Gauss(1/mu)"),
    "Laplace by squares": (EACH, RHO, RELEASE, "Lap(sqrt(len(q)/(2*rho)))"),
    "Laplace by conversion": (EACH, RHO, ABOVE, "Lap(2/sqrt(2*rho))", "Lap(4/sqrt(2*rho))"),
    "pure is approximate": (EACH, BOTH, ABOVE, "Lap(2/eps)", "Lap(4/eps)"),
    "other noise that stays": (ONE, MU, "e = T + {}\n    return e, q[0] + {}", "Lap(1/mu)", "Gauss(1/mu)"),
    "a Gaussian threshold": (EACH, RHO, ABOVE, "Gauss(1/sqrt(rho))", "Lap(4/rho)"),
    "a Gaussian threshold, alike scales": (EACH, RHO, ABOVE, "Gauss(sqrt(3/(2*rho)))", "Lap(3/rho)"),
}
NOT_PROVED = {
    "too little by a thousandth": (EACH, RHO, RELEASE, "Gauss(0.999*sqrt(len(q)/(2*rho)))"),
    "noise of one answer for all": (EACH, RHO, RELEASE, "Gauss(1/sqrt(2*rho))"),
    "Laplace is not Gaussian": (EACH, MU, RELEASE, "Lap(sqrt(len(q))/mu)"),
    "Laplace is not Gaussian, both": (EACH, BOTH, RELEASE, "Lap(sqrt(len(q))/gdp(eps, delta))"),
    "Exponential has no quadratic price": (EACH, RHO, MAX, "Exp(1/sqrt(2*rho))"),
    "max as if it were Laplace": (EACH, RHO, MAX, "Gauss(2/sqrt(2*rho))"),
    "looking ahead on Gaussian answers": (EACH, RHO, ABOVE, "Gauss(1/sqrt(rho))", "Gauss(2/sqrt(rho))"),
    "linear scale for Gaussian noise": (EACH, RHO, ABOVE, "Gauss(1/sqrt(rho))", "Gauss(4/rho)"),
    "a wrong power": (ONE, RHO, RELEASE, "Gauss(1/rho)"),
    "pure scale for Gaussian noise": (ONE, BOTH, RELEASE, "Gauss(1/eps)"),
    "other noise on the other way": (
        EACH, RHO, "if q[0] > 0:\n        return q[0] + {}\n    return q[0] + {}", "Gauss(1/sqrt(2*rho))", "Lap(1/sqrt(2*rho))"
    ),
    "threshold without noise of its own": (EACH, RHO, ABOVE, "Gauss(1/sqrt(2*rho))", "Lap(4/rho)"),
    "a linear price of moves of several answers": (SUM, RHO, RELEASE, "Lap(1/rho)"),
    "noise without a price behind noise that stays": (ONE, MU, "e = T + {}\n    return e, q[0] + {}", "Gauss(1/mu)", "Lap(1/mu)"),
    "same noise twice": (ONE, RHO, "e = {}\n    return q[0] + e, q[1] + e", "Gauss(1/sqrt(2*rho))"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROVED)
def test_proved_for_every_length_and_checked_again(name: str) -> None:
    sketch = program(*PROVED[name])
    found = prove_budget(sketch, plain_claim(sketch), Settings().proof)
    assert isinstance(found, Proved), found
    assert recheck_budget(found.certificate) == [] and verify(found.certificate.text) == []
    assert refute_budget(sketch, plain_claim(sketch)) is None


@pytest.mark.parametrize("name", NOT_PROVED)
def test_not_proved(name: str) -> None:
    sketch = program(*NOT_PROVED[name])
    assert isinstance(prove_budget(sketch, plain_claim(sketch), Settings().proof), Unknown)


@pytest.mark.parametrize(
    ("budget", "noise"),
    [(RHO, "sqrt(len(q)/(2*rho))"), (MU, "sqrt(len(q))/mu"), (BOTH, "sqrt(len(q))/gdp(eps, delta)")],
)
def test_one_per_cent_less_is_refuted(budget: str, noise: str) -> None:
    sketch = program(EACH, budget, RELEASE, f"Gauss(0.99*{noise})")
    found = decide_budget(sketch, plain_claim(sketch), Settings()).verdict
    assert isinstance(found, Refuted)
    document = counterexample_data.document(found, sketch, plain_claim(sketch))
    assert verify(json.dumps(document)) == []
    fine = program(EACH, budget, RELEASE, f"Gauss({noise})")
    for change in ({"program": str(fine)}, {"d2": document["d1"]}, {"order": "1"}, {"variant": "eps"}, {"epsilon": "0"}):
        if change != {"order": "1"} or budget == RHO:
            assert verify(json.dumps({**document, **change})), change


@pytest.mark.parametrize(
    ("budget", "noise"), [(RHO, "DiscreteGauss(1/sqrt(2*rho))"), (RHO, "DiscreteLap(1/sqrt(2*rho))"), (BOTH, "DiscreteGauss(20/gdp(eps, delta))")]
)
@pytest.mark.parametrize("body", [RELEASE, "return 3 - {} - q[0]"])
def test_whole_noise_shows_the_fraction_of_an_answer(budget: str, noise: str, body: str) -> None:
    sketch = program(ONE, budget, body, noise)
    found = refute_budget(sketch, plain_claim(sketch))
    assert found is not None and found.odds.p2.high == 0
    if noise == "DiscreteGauss(1/sqrt(2*rho))":
        whole = parse(str(sketch).replace("q: Private", "q: Private[int]"))
        assert isinstance(decide_budget(whole, plain_claim(whole), Settings()).verdict, Proved)


def test_permute_and_flip_is_not_what_the_exponential_mechanism_is() -> None:
    """ε²/8-zCDP is the exponential mechanism's; permute-and-flip is noisy max with Exponential noise (opendp#2911)."""
    sketch = program(EACH, RHO, MAX, "Exp(1/sqrt(2*rho))")
    assert isinstance(decide_budget(sketch, plain_claim(sketch), Settings()).verdict, Refuted)
    arguments = Arguments(Fraction(1, 8), 2, (("T", Fraction(0)),))
    low, high = ((Fraction(0), Fraction(0)), (Fraction(1), Fraction(-1)))
    p, q = (budget_probability(sketch, d, arguments, Equals(Fraction(0))) for d in (low, high))
    assert abs(float(renyi(p, q, Fraction(2)).mid()) / 2 - 0.255) < 5e-4  # type: ignore[arg-type]


def test_what_is_released_may_steer() -> None:
    for scale, proved in (("1/sqrt(rho)", True), ("0.9/sqrt(rho)", False)):
        sketch = program(EACH, RHO, STEERED, *[f"Gauss({scale})"] * 3)
        assert isinstance(prove_budget(sketch, plain_claim(sketch), Settings().proof), Proved) == proved


def test_no_document_passes_for_another_claim() -> None:
    sketch = program(EACH, RHO, RELEASE, "Gauss(sqrt(len(q)/(2*rho)))")
    found = prove_budget(sketch, plain_claim(sketch), Settings().proof)
    assert isinstance(found, Proved)
    document = found.certificate.document()
    other = program(EACH, RHO, RELEASE, "Gauss(sqrt(len(q)/(3*rho)))")
    for change in (
        {"program": str(other)},
        {"claim": "rho/2"},
        {"claim": "sqrt(rho)"},
        {"variant": "mu"},
        {"rule": "pure"},
        {"rule": "?"},
        {"kind": "bounded"},
        {"adjacency": "one_within(1)"},
        {"proof": {}},
        {"proof": {**document["proof"], "program": document["program"]}},
        {"program": str(program(EACH, MU, RELEASE, "Lap(sqrt(len(q))/mu)"))},
    ):
        assert recheck_budget(Certificate(json.dumps({**document, **change}))), change
    for reach in (None, ["2"], ["0"], ["-1"], [None], [], "1"):
        (case,) = document["proof"]["cases"]
        changed = {**case, "reach": reach} if reach is not None else {k: v for k, v in case.items() if k != "reach"}
        inner = {**document["proof"], "cases": [changed]}
        assert recheck_budget(Certificate(json.dumps({**document, "proof": inner}))), reach
    assert recheck_budget(Certificate(json.dumps(document))) == []


def test_what_stands_around_a_certificate_is_checked() -> None:
    from kolahal.display import as_document

    found = check(program(EACH, RHO, RELEASE, "Gauss(sqrt(len(q)/(2*rho)))"))
    document = json.loads(json.dumps(as_document(found)))
    assert document["guarantee"] == "ρ-zCDP" and verify(json.dumps(document)) == []
    for change in ({"guarantee": "ε-DP"}, {"claim": "rho/2"}, {"verdict": "bounded"}, {"adjacency": "one_within(1)"}):
        assert verify(json.dumps({**document, **change})), change


def test_the_inner_proof_of_a_surrogate_is_no_proof_of_the_program() -> None:
    sketch = program(EACH, RHO, RELEASE, "Gauss(sqrt(len(q)/(2*rho)))")
    found = prove_budget(sketch, plain_claim(sketch), Settings().proof)
    assert isinstance(found, Proved)
    inner = found.certificate.document()["proof"]
    assert verify(json.dumps(inner)) == []  # of the surrogate, which is another program
    assert verify(json.dumps({**inner, "program": str(sketch)}))


def test_the_longest_shift_is_one_for_all_cases() -> None:
    """What a step costs is derived from that of the first case."""
    sketch = program("monotone(2)", RHO, RELEASE, "Gauss(sqrt(2*len(q)/rho))")
    found = prove_budget(sketch, plain_claim(sketch), Settings().proof)
    assert isinstance(found, Proved)
    document = found.certificate.document()
    up, down = document["proof"]["cases"]
    for reach in (["2"], ["1/2"]):
        for cases in ([up, {**down, "reach": reach}], [{**up, "reach": reach}, down]):
            changed = {**document, "proof": {**document["proof"], "cases": cases}}
            faults = recheck_budget(Certificate(json.dumps(changed)))
            assert faults == ["the longest shift of a draw is missing, or not the same in all cases"]


def test_noise_that_waits_is_told_apart_by_the_laws_of_the_program() -> None:
    gauss, laplace, other = program(EACH, RHO, "return q[0] + {}, q[1] + {}, q[2] + {}", "Gauss(1/rho)", "Lap(1/rho)", "Gauss(2/rho)").draws
    no_paths = SimpleNamespace(first=SimpleNamespace(paths={}), second=SimpleNamespace(paths={}))

    def check_laws(draws: Any, delayed: bool) -> None:
        alike = tuple(replace(gauss, site=site) for site in range(len(draws)))
        proof: Any = SimpleNamespace(delayed=delayed, sketch=SimpleNamespace(draws=alike), product=lambda: no_paths)
        _check_laws(tuple(replace(draw, site=site) for site, draw in enumerate(draws)), proof, proof.product())

    for draws in ((gauss, laplace), (gauss, other), (gauss, gauss, laplace)):
        check_laws(draws, False)
        with pytest.raises(Rejected, match="two kinds of noise look alike"):
            check_laws(draws, True)
    check_laws((laplace, laplace, laplace), True)


def test_draws_that_go_together_are_told_apart_by_the_laws_of_the_program() -> None:
    """Also behind two paths whose draws do not go together, and only as far as those of a path do."""
    draws = program(EACH, RHO, "return q[0] + {}, q[1] + {}", "Gauss(1/rho)", "Lap(1/rho)").draws

    def path(*laws: str) -> Any:
        return SimpleNamespace(draws=[SimpleNamespace(law=law, site=site) for site, law in enumerate(laws)])

    def check_laws(ones: Any, twos: Any) -> None:
        product = SimpleNamespace(first=SimpleNamespace(paths={None: ones}), second=SimpleNamespace(paths={None: twos}))
        proof: Any = SimpleNamespace(delayed=False, sketch=SimpleNamespace(draws=draws), product=lambda: product)
        _check_laws(draws, proof, proof.product())

    swapped = SimpleNamespace(draws=path("a", "a").draws[::-1])
    check_laws([path("a", "a")], [path("a", "a"), path("b")])
    check_laws([path("a", "a")], [SimpleNamespace(draws=[*path("b").draws, *swapped.draws])])
    for twos in ([swapped], [path("b"), swapped], [path("a", "a"), path("b", "a"), swapped]):
        with pytest.raises(Rejected, match="two kinds of noise look alike"):
            check_laws([path("a", "a")], twos)


@pytest.mark.parametrize("check_again", [recheck_budget, recheck_affine, recheck_union])
def test_a_document_that_says_nothing_is_refused_for_that(check_again: Any) -> None:
    assert check_again(Certificate("{}")) == ["kind is None, and not of the right form"]
    assert check_again(Certificate('{"kind": "other"}')) == ["it is a certificate of another kind"]


STAY, MOVE, CANCEL = Form(), Form(Fraction(1)), Form(cancel=True)


@pytest.mark.parametrize(
    ("shifts", "ghosts", "fine"),
    [
        ((Always(CANCEL), Always(STAY)), (), True),
        ((AtValue("i", None, 0, MOVE, CANCEL), Always(STAY)), (), True),
        ((Always(MOVE), ByBranch(0, MOVE, STAY)), (), True),
        ((AtValue("i", None, 0, MOVE, STAY), ByBranch(0, MOVE, STAY)), (), True),
        ((ByBranch(0, MOVE, STAY), Always(STAY)), (), False),
        ((AtGhost(0, MOVE, STAY), Always(STAY)), ("at",), False),
        ((AtValue("i", None, 0, MOVE, ByBranch(0, MOVE, STAY)), Always(STAY)), (), False),
        ((Always(CANCEL), ByBranch(0, MOVE, STAY)), (), False),
        ((Always(Form(follow="t")), ByBranch(0, MOVE, STAY)), (), False),
        ((AtValue("i", None, 0, CANCEL, STAY), AtGhost(0, MOVE, STAY)), ("at",), False),
        ((Always(CANCEL), Always(STAY)), ("at",), False),
    ],
)
def test_what_looks_ahead(shifts: Any, ghosts: tuple[str, ...], fine: bool) -> None:
    if fine:
        check_alignment(Alignment(shifts, ghosts), [0])
    else:
        with pytest.raises(Rejected):
            check_alignment(Alignment(shifts, ghosts), [0])


def test_pure_parts_know_that_they_are_pure() -> None:
    from kolahal.law.law import find_laws
    from kolahal.proof.find.bounded import prove_bounded
    from kolahal.proof.find.lengths import prove_every_length
    from kolahal.proof.refute.refute import refute
    from kolahal.settings import TesterSettings
    from kolahal.tester.trial import test_mechanism

    for sketch in (
        program(ONE, RHO, RELEASE, "Lap(1/sqrt(rho))"),
        program(ONE, MU, RELEASE, "Gauss(1/mu)"),
        program(ONE, BOTH, RELEASE, "Lap(1/eps)"),
    ):
        claim, settings = plain_claim(sketch), Settings()
        assert decide(sketch, claim, settings) == decide_budget(sketch, claim, settings), "the ladder for its budget"
        for ask in (
            lambda sketch=sketch, settings=settings: find_laws(sketch, settings.proof),
            lambda sketch=sketch, claim=claim: prove_every_length(sketch, claim),
            lambda sketch=sketch, claim=claim, settings=settings: prove_bounded(sketch, claim, settings.proof),
            lambda sketch=sketch, claim=claim, settings=settings: refute(sketch, claim, settings),
            lambda sketch=sketch: test_mechanism(sketch, Fraction(1), TesterSettings(), 0),
        ):
            with pytest.raises(UsageError, match="only"):
                ask()
