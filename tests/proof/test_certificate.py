"""A certificate is believed only if it is a proof: documents that were changed are refused."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from every_length import load
from hypothesis import assume, given
from hypothesis import strategies as st
from stored import certificate

from examples import examples
from kolahal.lang.scale import parse_scale
from kolahal.proof.trusted.budget import Share
from kolahal.proof.trusted.certificate import (
    CaseProof,
    LengthProof,
    Rejected,
    read_certificate,
    recheck,
    write_certificate,
)
from kolahal.proof.trusted.obligations import obligations
from kolahal.proof.trusted.product import build_product, build_system
from kolahal.proof.trusted.shifts import Always, ByBranch, Form, ShiftRule
from kolahal.proof.trusted.values import Unsupported
from kolahal.verdicts import Certificate

NAMES = ("above_threshold_1", "svt", "noisy_max_1", "smart_sum", "histogram", "exp_noisy_max", "named_noise", "largest_of_list")


def document(name: str) -> Any:
    return json.loads(certificate(name).text)


def checked(data: Any) -> list[str]:
    return recheck(Certificate(json.dumps(data)))


def proof(name: str) -> LengthProof:
    return read_certificate(certificate(name))[0]


def forged(changed: LengthProof) -> list[str]:
    """The verdict on a document that was written for the changed proof, obligations and all."""
    try:
        return recheck(write_certificate(changed))
    except Unsupported as error:
        return [str(error)]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read_and_believed(name: str) -> None:
    assert recheck(certificate(name)) == []
    again = write_certificate(proof(name))
    assert again == certificate(name)


@pytest.mark.parametrize("name", NAMES)
def test_obligations_stand_in_the_document_as_scripts(name: str) -> None:
    for case in document(name)["cases"]:
        assert case["obligations"]
        assert all(script.endswith("(check-sat)\n") for script in case["obligations"])


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the leaves of a document are."""
    if isinstance(data, dict):
        return [p for key, value in data.items() for p in places(value, (*path, key))]
    if isinstance(data, list):
        return [p for i, value in enumerate(data) for p in places(value, (*path, i))]
    return [path]


@examples(60, quick=30)
@given(st.sampled_from(NAMES), st.data())
def test_no_leaf_of_a_document_can_be_changed(name: str, data: st.DataObject) -> None:
    changed = copy.deepcopy(document(name))
    path = data.draw(st.sampled_from(places(changed)))
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    old = holder[path[-1]]
    match old:
        case bool():
            new: Any = not old
        case int():
            new = old + data.draw(st.sampled_from([-1, 1, 2]))
        case None:
            new = data.draw(st.sampled_from(["m", "N", 1]))
        case str():
            at = data.draw(st.integers(0, max(0, len(old) - 1)))
            new = old[:at] + data.draw(st.sampled_from(["0", "2", "9", " ", "(", "x", ""])) + old[at + 1 :]
        case other:
            raise AssertionError(other)
    assume(new != old)
    holder[path[-1]] = new
    if failures := checked(changed):
        assert failures
        return
    # What passes must still be a proof of the same or a weaker statement: another name, text or spacing.
    before, after = proof(name), read_certificate(Certificate(json.dumps(changed)))[0]
    assert before.sketch.adjacency == after.sketch.adjacency
    assert parse_scale(changed["claim"]).coefficient >= before.claim.coefficient
    assert [d.scale for d in before.sketch.draws] == [d.scale for d in after.sketch.draws] or forged(after) == []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("above_threshold_1", "Lap(4/eps)", "Lap(3/eps)"),
        ("above_threshold_1", "Lap(2/eps)", "Lap(1/eps)"),
        ("above_threshold_1", "> t", "< t"),
        ("above_threshold_1", "each_within(1)", "each_within(2)"),
        ("above_threshold_1", "a[i - 1]", "a[0]"),
        ("above_threshold_1", "ans = i - 1", "ans = a[0]"),
        ("svt", "4*N/eps", "4/eps"),
        ("svt", "count >= N", "count >= N + 1"),
        ("svt", "out.append(True)", "out.append(qans)"),
        ("noisy_max_1", "2/eps", "1/eps"),
        ("noisy_max_1", "return m", "return v"),
        ("exp_noisy_max", "b > v", "b < v"),
        ("smart_sum", "Lap(2/eps)", "Lap(1/eps)"),
        ("smart_sum", "one_within", "each_within"),
        ("smart_sum", "r.insert(0, next)", "r.insert(0, sum)"),
        ("histogram", "one_within(1)", "sum_within(2)"),
        ("histogram", "Lap", "Exp"),
    ],
)
def test_a_proof_does_not_carry_over_to_another_program(name: str, old: str, new: str) -> None:
    original = proof(name)
    text = str(original.sketch)
    assert old in text
    other = load(text.replace(old, new))
    assert forged(replace(original, sketch=other)) != []
    moved = tuple(
        replace(case, neighbours=replace(case.neighbours, distance=other.adjacency.distance)) for case in original.cases
    )
    assert forged(replace(original, sketch=other, cases=moved)) != []


def with_case(whole: LengthProof, **changes: Any) -> LengthProof:
    return replace(whole, cases=(replace(whole.cases[0], **changes), *whole.cases[1:]))


def halve(rule: ShiftRule) -> ShiftRule:
    """Half of every shift of a rule, and none that makes up for a difference."""
    if isinstance(rule, Form):
        return replace(rule, units=rule.units / 2, cancel=False, follow=None)
    return replace(rule, then=halve(rule.then), orelse=halve(rule.orelse))


@pytest.mark.parametrize("name", NAMES)
def test_smaller_shifts_are_refused(name: str) -> None:
    whole = proof(name)
    for site, shift in enumerate(whole.cases[0].alignment.shifts):
        changed: Any = Always(halve(shift.form)) if isinstance(shift, Always) else halve(shift)
        if changed == shift:
            continue
        shifts = list(whole.cases[0].alignment.shifts)
        shifts[site] = changed
        assert forged(with_case(whole, alignment=replace(whole.cases[0].alignment, shifts=tuple(shifts)))) != []


@pytest.mark.parametrize("name", NAMES)
def test_a_smaller_claim_is_refused(name: str) -> None:
    whole = proof(name)
    assert forged(replace(whole, claim=parse_scale("0.99*eps"))) != []
    shares = tuple(Share(s.powers, s.bound * Fraction(99, 100), s.per) for s in whole.cases[0].shares)
    assert forged(with_case(replace(whole, claim=parse_scale("0.99*eps")), shares=shares)) != []
    assert forged(replace(whole, claim=parse_scale("2*eps"))) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_invariant_is_needed(name: str) -> None:
    whole = proof(name)
    empty = dict.fromkeys(whole.cases[0].invariant, ())
    assert forged(with_case(whole, invariant=empty)) != []


def test_an_invariant_that_is_simply_false_is_refused() -> None:
    changed = copy.deepcopy(document("svt"))
    changed["cases"][0]["invariant"]["0"].append("false")
    assert checked(changed) != []
    whole, *_ = read_certificate(certificate("svt"))
    from kolahal.logic.terms import FALSE

    assert forged(with_case(whole, invariant={0: (*whole.cases[0].invariant[0], FALSE)})) != []


def test_all_sets_of_moves_are_needed() -> None:
    whole = proof("svt_mono")
    assert len(whole.cases) == 2 and forged(whole) == []
    assert forged(replace(whole, cases=whole.cases[:1])) != []
    assert forged(replace(whole, cases=(whole.cases[0], whole.cases[0]))) != []


def test_a_quantity_of_a_scale_must_be_assumed() -> None:
    assert forged(replace(proof("svt"), assumed=())) != []
    assert forged(replace(proof("svt"), assumed=("T",))) != []


def test_consulted_branches_must_agree() -> None:
    """Noisy max with a shift that consults its own comparison: the runs may differ in it, so the map is not injective."""
    whole = proof("noisy_max_1")
    shift = ByBranch(0, Form(Fraction(2)), Form())
    assert forged(with_case(whole, alignment=replace(whole.cases[0].alignment, shifts=(shift,)))) != []


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"version": 1}', '{"version": 1, "scope": "every length"}'])
def test_nonsense_is_refused(text: str) -> None:
    assert recheck(Certificate(text)) != []
    with pytest.raises(Rejected):
        read_certificate(Certificate(text))


def test_scripts_say_what_the_obligations_say() -> None:
    whole = proof("above_threshold_1")
    case: CaseProof = whole.cases[0]
    product = build_product(whole.sketch, whole.released, whole.delayed)
    system = build_system(product, case.neighbours, case.alignment, case.shares, whole.assumed)
    assert [o.script() for o in obligations(system, case.invariant)] == document("above_threshold_1")["cases"][0][
        "obligations"
    ]
