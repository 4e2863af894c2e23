"""`@pytest.mark.dp`: a test that passes if a mechanism is proved private, and fails with the counterexample if it is not.

Loaded by every run of pytest, so nothing of ours is imported before such a test runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kolahal.lang.sketch import Sketch
    from kolahal.results import Check
    from kolahal.verdicts import Refuted

MARKER = (
    'dp(target=None, *, eps="", allow_unknown=False, allow_bounded=False): the mechanism that the test returns, takes as an '
    "argument, or names as `target` must be proved private at the level `eps`, such as 2*eps; allow_unknown=True expects "
    "failure where neither a proof nor a counterexample is found; allow_bounded=True accepts a proof up to some number of answers."
)


ALLOWED = ("allow_unknown", "allow_bounded")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a marked test, and check the mechanism that it is about; others are none of our business."""
    marker = pyfuncitem.get_closest_marker("dp")
    if marker is None:
        return None
    unknown = set(marker.kwargs) - {"eps", *ALLOWED}
    if unknown or len(marker.args) > 1:
        wrong = f"no option {', '.join(sorted(unknown))}" if unknown else "one target, and not several"
        pytest.fail(f"{pyfuncitem.nodeid}: pytest.mark.dp has {wrong}; it is pytest.mark.{MARKER.split(':')[0]}", False)
    names = pyfuncitem._fixtureinfo.argnames
    values = {name: pyfuncitem.funcargs[name] for name in names}
    returned = pyfuncitem.obj(**values)
    mechanism = _find_mechanism(pyfuncitem, [returned, *marker.args, *values.values()])
    from kolahal.checking import check
    from kolahal.errors import KolahalError

    claim = str(marker.kwargs.get("eps", ""))
    allowed = {name for name in ALLOWED if marker.kwargs.get(name)}
    try:
        found = check(mechanism, claim)
    except KolahalError as error:
        raise pytest.fail.Exception(f"{pyfuncitem.nodeid}: {error}", False) from None
    _judge(mechanism, found, claim, allowed)
    return True


def _find_mechanism(item: pytest.Function, candidates: list[Any]) -> Sketch:
    """The first mechanism among what a test gave back, its marker named, and its arguments hold."""
    from kolahal.lang.sketch import Mechanism, Sketch

    for candidate in candidates:
        if isinstance(candidate, Mechanism):
            return candidate.filled()
        if isinstance(candidate, Sketch):
            return candidate
        if isinstance(candidate, str) and candidate in item.get_closest_marker("dp").args:  # type: ignore[union-attr]
            return _load(item, candidate)
    pytest.fail(
        f"{item.nodeid}: pytest.mark.dp found no mechanism; return one, take one as an argument, "
        'or name one: @pytest.mark.dp("path.py:function")',
        False,
    )


def _load(item: pytest.Function, target: str) -> Sketch:
    """The mechanism of a name of the gallery, or of a path, beside the test's own file if it is there."""
    from kolahal.errors import KolahalError
    from kolahal.lang.read.front import split_target
    from kolahal.sketches.gallery import load_one

    path, name = split_target(target)
    beside = item.path.parent / path
    if beside.is_file():
        target = f"{beside}:{name}" if name else str(beside)
    try:
        return load_one(target)
    except KolahalError as error:  # what is wrong, without the way to it through our own code
        raise pytest.fail.Exception(f"{item.nodeid}: {error}", False) from None


def _judge(mechanism: Sketch, check: Check, claim: str, allowed: set[str]) -> None:
    """Pass, fail, or expected failure."""
    from kolahal.report.advice import advise
    from kolahal.verdicts import Bounded, Proved, Refuted, describe_verdict

    level = claim or mechanism.budget.name
    remedy = advise(check.verdict, mechanism)
    advice = f"\nWhat to do: {remedy}." if remedy else ""
    match check.verdict:
        case Proved():
            return
        case Refuted():
            pytest.fail(
                f"{mechanism.name} is not {level}-private.\n{describe_counterexample(check.verdict, mechanism, level)}", False
            )
        case Bounded() as verdict:
            if "allow_bounded" in allowed:
                return
            said = describe_verdict(verdict, mechanism.private.name)
            other = "If inputs beyond that never occur, accept it: @pytest.mark.dp(allow_bounded=True)."
            pytest.fail(f"{mechanism.name} is not proved {level}-private. {said}.{advice}\n{other}", False)
        case verdict:
            reason = (
                f"{mechanism.name}: neither a proof that it is {level}-private nor a counterexample: {verdict.reason}"
            )
            if "allow_unknown" in allowed and not verdict.defect:
                pytest.xfail(reason)
            pytest.fail(reason + advice, False)


def describe_counterexample(refuted: Refuted, mechanism: Sketch, level: str) -> str:
    """A counterexample to `level`-privacy in words."""
    from kolahal.lang.sketch import Variant
    from kolahal.model import describe_event, show
    from kolahal.report.budgets import describe_break

    example, odds = refuted.example, refuted.odds
    lines = [
        f"With {example.arguments}, take the neighbours",
        f"  d1 = {show(example.d1)}",
        f"  d2 = {show(example.d2)}",
        f"and the event that {describe_event(example.event)}. Its probability is",
        f"  between {odds.p1.low:.6g} and {odds.p1.high:.6g} on d1",
        f"  between {odds.p2.low:.6g} and {odds.p2.high:.6g} on d2",
    ]
    if mechanism.variant is not Variant.PURE:
        return "\n".join([*lines, f"{describe_break(refuted, mechanism)}."])
    ratio = odds.p1.low / odds.p2.high if odds.p2.high > 0 else float("inf")
    return "\n".join([*lines, f"The first is at least {ratio:.6g} times the second, more than exp({level})."])
