"""A certificate from a stranger is accepted or refused, in time; it never makes the check stumble or hang."""

from __future__ import annotations

import copy
import json
import time
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kolahal import check, synthesize
from kolahal.errors import KolahalError, UsageError
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.logic import solver
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute import counterexample_data
from kolahal.proof.refute.refute import refute
from kolahal.proof.trusted import bounded
from kolahal.proof.trusted import certificate as certificates
from kolahal.proof.trusted.documents import Malformed, read_number, read_whole
from kolahal.report.json import check_document, dump, synthesis_document
from kolahal.results import Check
from kolahal.settings import Settings
from kolahal.sketches.gallery import load_one
from kolahal.verdicts import Bounded, Proved, Refuted, proof_of
from kolahal.verification import _certificate_in, _inspect, inspect_document, verify

CLAIM = parse_scale("eps")
KINDS = ("every length", "every length, a ghost", "bounded", "counterexample")


@cache
def document(kind: str) -> Any:
    """A valid document of each kind."""
    if kind == "counterexample":
        mechanism = load_one("noisy_max_1").complete("1/eps").filled()
        refuted = refute(mechanism, CLAIM, Settings())
        assert refuted is not None
        return json.loads(json.dumps(counterexample_data.document(refuted, mechanism, CLAIM)))
    name, *scales = ("noisy_max_1", "2/eps") if "ghost" in kind else ("above_threshold_1", "2/eps", "4/eps")
    mechanism = load_one(name).complete(*scales).filled()
    found = prove_bounded(mechanism, size=2) if kind == "bounded" else prove_every_length(mechanism)
    assert isinstance(found, Proved | Bounded)
    return json.loads(found.certificate.text)


@cache
def around(kind: str) -> Any:
    """The document of `check --json` around one of each kind."""
    inner = document(kind)
    found = check(parse(inner["program"]), inner["claim"])
    refutation = None
    if isinstance(found.verdict, Refuted):
        assert found.sketch is not None
        refutation = counterexample_data.document(found.verdict, found.sketch, CLAIM)
    names = {"sketch": parse(inner["program"]).name, "claim": inner["claim"], "program": inner["program"]}
    outer = json.loads(dump({**check_document(found, refutation), **names}))
    if kind == "bounded":  # of what has a proof for every length, too
        outer |= {"certificate": inner, "verdict": "bounded", "scope": "up to 2 queries"}
    return outer


@cache
def synthesis() -> tuple[Any, str]:
    """A result of `synth`, and its certificate."""
    found = synthesize(load_one("svt"))
    assert found.best is not None
    certificate = proof_of(found.best.verdict)
    assert certificate is not None
    return json.loads(dump(synthesis_document(found, {}, "0"))), certificate.text


@pytest.mark.parametrize("kind", KINDS)
def test_the_documents_are_valid(kind: str) -> None:
    assert verify(json.dumps(document(kind))) == []
    assert verify(json.dumps(around(kind))) == []


# ---------------------------------------------------------------- what they are about


@pytest.mark.parametrize("kind", KINDS)
def test_a_document_says_what_it_is_about(kind: str) -> None:
    for given_document in (document(kind), around(kind)):
        found = inspect_document(json.dumps(given_document))
        assert str(found.program) == document(kind)["program"] and found.claim == "eps"
        assert (found.verdict, found.scope) == {
            "bounded": ("bounded", "up to 2 queries"),
            "counterexample": ("refuted", None),
        }.get(kind, ("proved", "every length"))
        assert (found.example is not None) == (kind == "counterexample")


def test_what_a_proof_assumes_and_how_far_it_reaches_is_told() -> None:
    result, certificate = synthesis()
    found = inspect_document(json.dumps(result), certificate=certificate)
    assert (found.faults, found.verdict, found.assumed) == ((), "proved", ("N >= 1",))
    declared = parse("@sketch(adjacent=one_within(1))\ndef f(q: Private[2], eps: Epsilon):\n    return q[1] + Lap(1/eps)\n")
    whole = parse("@sketch(adjacent=one_within(1))\ndef f(q: Private, N: int, eps: Epsilon):\n    return q[0] * N + Lap(N/eps)\n")
    for sketch, verdict, scope in (
        (declared, "proved", "its 2 answers"),
        (whole, "bounded", "up to 1 queries, N from 1 to 3"),
    ):
        proof = proof_of(prove_bounded(sketch, size=1))
        assert proof is not None
        found = inspect_document(proof.text)
        assert (found.faults, found.verdict, found.scope) == ((), verdict, scope)


# ---------------------------------------------------------------- what does not fit together

OTHER = "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[0]\n"
EXCHANGED: list[dict[str, Any]] = [
    {"program": OTHER},
    {"program": "no program"},
    {"program": None},
    {"sketch": "another"},
    {"claim": "1/2*eps"},
    {"claim": "N*eps"},
    {"claim": "0*eps"},
    {"claim": ""},
    {"verdict": "unknown"},
    {"scope": "every input there is"},
    {"assumed": ["N >= 5"]},
    {"epsilon_lower": 3.0, "epsilon_upper": 2.0},
    {"epsilon_lower": "much"},
    {"adjacency": "one_within(1)"},
    {"neighbours": "nobody"},
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", EXCHANGED, ids=json.dumps)
def test_what_stands_around_a_proof_must_be_what_it_proves(kind: str, change: dict[str, Any]) -> None:
    assert verify(json.dumps({**around(kind), **change})) != []


@pytest.mark.parametrize("kind", KINDS)
def test_a_document_with_another_verdict_is_rejected(kind: str) -> None:
    own = around(kind)["verdict"]
    for verdict in {"proved", "bounded", "refuted", "unknown", "", None, 1} - {own}:
        assert any("verdict" in fault for fault in verify(json.dumps({**around(kind), "verdict": verdict})))
        assert verify(json.dumps({**document(kind), "verdict": verdict})) != [], "also on the certificate itself"


def test_bounds_must_fit_the_verdict() -> None:
    assert verify(json.dumps({**around("every length"), "epsilon_lower": 1.5, "epsilon_upper": None})) != []
    assert verify(json.dumps({**around("counterexample"), "epsilon_upper": 1.0})) != []


def test_a_proof_of_less_is_one_of_the_claim_and_not_the_other_way() -> None:
    loose = check(load_one("noisy_max_1").complete("4/eps"))
    assert isinstance(loose, Check) and loose.sketch is not None
    outer = json.loads(dump({**check_document(loose), "claim": loose.claim, "program": str(loose.sketch)}))
    assert outer["certificate"]["claim"] == "eps/2" and verify(json.dumps(outer)) == []
    assert verify(json.dumps({**outer, "claim": "eps/3"})) != []
    assert verify(json.dumps({**around("counterexample"), "claim": "2*eps"})) != []


def test_a_proof_and_a_refutation_in_one_document_are_rejected() -> None:
    both = {**around("every length"), "refutation": document("counterexample")}
    assert any("a proof and a refutation" in fault for fault in verify(json.dumps(both)))
    shown = {**around("every length"), "counterexample": around("counterexample")["counterexample"]}
    assert any("counterexample" in fault for fault in verify(json.dumps(shown)))


@pytest.mark.parametrize("claim", ["0*eps", "0", "None", "", "-1*eps", "eps**2", "1", "2", "T*eps", "1/eps", "len(q)", 3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_claim_must_be_a_multiple_of_epsilon(kind: str, claim: Any) -> None:
    """Everything that has noise loses more than nothing, so that a counterexample to 0·ε says nothing at all."""
    assert verify(json.dumps({**document(kind), "claim": claim})) != []


def test_a_bounded_proof_of_nothing_is_rejected() -> None:
    nothing = {"kind": "bounded", "program": OTHER, "claim": "eps", "size": 0, "cases": []}
    assert verify(json.dumps(nothing)) != []
    for size in (0, 1, 2):
        assert verify(json.dumps({**document("bounded"), "size": size, "cases": []})) != []
    for kind in ("every length", "every length, a ghost"):
        assert verify(json.dumps({**document(kind), "cases": []})) != []


@pytest.mark.parametrize(
    "change",
    [
        {"p1": [0.99, 1.0]},
        {"p2": [0.0, 1e-9]},
        {"p1": None},
        {"p1": ["0", "1"]},
        {"words": "the answer is something else"},
    ],
)
def test_what_a_counterexample_tells_beside_its_numbers_must_be_so(change: dict[str, Any]) -> None:
    assert verify(json.dumps({**document("counterexample"), **change})) != []


@pytest.mark.parametrize("name", ["d1", "d2", "event", "epsilon", "arguments"])
def test_the_counterexample_that_people_read_is_the_one_that_was_checked(name: str) -> None:
    shown = around("counterexample")["counterexample"]
    other = {"d1": [9.0, 9.0], "d2": [9.0, 9.0], "event": "nothing", "epsilon": 0.1, "arguments": {"N": 1.0}}[name]
    assert verify(json.dumps({**around("counterexample"), "counterexample": {**shown, name: other}})) != []


def test_an_unknown_kind_and_a_program_with_holes_are_rejected() -> None:
    assert verify(json.dumps({**document("every length"), "kind": "oracle"})) != []
    for kind in KINDS:
        program = document(kind)["program"]
        holes = program.replace("2/eps", "hole") if "2/eps" in program else program.replace("1/eps", "hole")
        assert holes != program
        assert any("holes" in fault for fault in verify(json.dumps({**document(kind), "program": holes})))


def test_a_key_that_comes_twice_is_refused() -> None:
    text = json.dumps(document("every length"))
    with pytest.raises(UsageError, match="twice"):
        verify('{"program": ' + json.dumps(OTHER) + ", " + text[1:])


def test_a_result_of_synth_needs_its_certificate() -> None:
    result, _ = synthesis()
    with pytest.raises(UsageError, match=r"certificate\.json"):
        verify(json.dumps(result))


def first(result: Any, **changes: Any) -> dict[str, Any]:
    best, *others = result["candidates"]
    return {"candidates": [{**best, **changes}, *others]}


SYNTH_CHANGES: dict[str, Any] = {
    "other scales": lambda r: first(r, scales=["1/eps", "1/eps"]),
    "too few scales": lambda r: first(r, scales=[]),
    "no scales": lambda r: first(r, scales=None),
    "another verdict": lambda r: first(r, verdict="bounded"),
    "another scope": lambda r: first(r, scope="all there is"),
    "nothing assumed": lambda r: first(r, assumed=[]),
    "another rank": lambda r: first(r, rank=7),
    "another best": lambda r: {"best": 2},
    "no best": lambda r: {"best": None},
    "no candidates": lambda r: {"candidates": []},
    "odd candidates": lambda r: {"candidates": 3},
    "another sketch": lambda r: {"program": OTHER.replace("q[0]", "q[0] + Lap(hole)")},
    "another mechanism": lambda r: {"mechanism": OTHER},
    "another name": lambda r: {"sketch": "other"},
    "another relation": lambda r: {"adjacency": "one_within(1)"},
    "another proof in words": lambda r: {"proof": {**r["proof"], "claim": "eps/9"}},
    "no proof in words": lambda r: {"proof": None},
}


@pytest.mark.parametrize("name", SYNTH_CHANGES)
def test_a_result_of_synth_must_be_what_its_certificate_proves(name: str) -> None:
    result, certificate = synthesis()
    changed = {**result, **SYNTH_CHANGES[name](result)}
    assert inspect_document(json.dumps(changed), certificate=certificate).faults != ()


def test_a_result_of_synth_with_another_certificate_is_rejected() -> None:
    result, _ = synthesis()
    for kind in KINDS:
        assert inspect_document(json.dumps(result), certificate=json.dumps(document(kind))).faults != ()


# ---------------------------------------------------------------- anything at all


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


JUNK = (
    *(None, True, False, 0, 1, -1, 3.5, 1e308, float("inf"), float("nan"), 10**400, -(10**30), 5_000, [], {}, [1]),
    *("", "x", "1/0", "1e999999", "1e9999999999", "nan", "-1", "9" * 5_000, "1/3", "\0", "\ud800", "eps**99999"),
    *("(" * 3_000, "(and " * 400 + "true" + ")" * 400, {"a": 1}, [None], [[]], nested(60), {"rule": "always"}),
)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the parts of a document are, the whole not among them."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [place for key, value in items for place in ((*path, key), *places(value, (*path, key)))]


def change(data: Any, draw: st.DataObject) -> None:
    path = draw.draw(st.sampled_from(places(data)))
    holder = data
    for step in path[:-1]:
        holder = holder[step]
    old = holder[path[-1]]
    match draw.draw(st.sampled_from(["delete", "junk", "copy", "text"])):
        case "delete":
            del holder[path[-1]]
        case "copy":
            other = data
            for step in draw.draw(st.sampled_from(places(data))):
                other = other[step]
            holder[path[-1]] = copy.deepcopy(other)
        case "text" if isinstance(old, str):
            at = draw.draw(st.integers(0, len(old)))
            new = draw.draw(st.sampled_from(["", "0", "99999", "(", ")", "/", "*", "eps", "q", "-", " ", "False"]))
            holder[path[-1]] = old[:at] + new + old[at + draw.draw(st.sampled_from([0, 1, 3])) :]
        case _:
            holder[path[-1]] = copy.deepcopy(draw.draw(st.sampled_from(JUNK)))


@settings(max_examples=80)
@given(st.sampled_from(KINDS), st.integers(1, 3), st.data())
def test_a_changed_document_is_judged_and_nothing_else(kind: str, changes: int, draw: st.DataObject) -> None:
    changed = copy.deepcopy(document(kind))
    for _ in range(changes):
        if places(changed):
            change(changed, draw)
    text = json.dumps(changed)
    try:
        faults = verify(text)
    except KolahalError:
        return
    assert all(isinstance(fault, str) for fault in faults)
    # `verify` turns whatever happens into a fault; that nothing happens is the reader's own merit.
    _inspect(json.loads(text), _certificate_in(json.loads(text), None), Settings())


@settings(max_examples=30)
@given(st.sampled_from([*KINDS, "synth"]), st.integers(1, 2), st.data())
def test_what_stands_around_is_read_and_nothing_else(kind: str, changes: int, draw: st.DataObject) -> None:
    inner = json.loads(synthesis()[1]) if kind == "synth" else None
    changed = copy.deepcopy(synthesis()[0] if kind == "synth" else around(kind))
    for _ in range(changes):
        own = {name: value for name, value in changed.items() if name not in ("certificate", "refutation")}
        change(own, draw)
        changed = {**own, **{name: changed[name] for name in ("certificate", "refutation") if name in changed}}
    changed = json.loads(json.dumps(changed))
    try:
        given_certificate = None if inner is None else json.dumps(inner)
        _inspect(changed, _certificate_in(changed, given_certificate), Settings())
    except KolahalError:
        return


HEAD = "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n"
SLOW = {
    "many turns": "    s = 0\n    for i in range(1000000):\n        s = s + 1\n    return s + Lap(1/eps)\n",
    "growth": "    out = []\n    for i in range(1000000):\n        out.append(q[0] + Lap(1/eps))\n    return out\n",
    "squares": "    s = 3\n    for i in range(60):\n        s = s * s\n    return s + Lap(1/eps)\n",
    "squares, line by line": "    s = 3\n" + "    s = s * s\n" * 60 + "    return s + Lap(1/eps)\n",
    "branches": "    s = 0\n" + "    if q[0] + Lap(1/eps) > 0:\n        s = s + 1\n" * 14 + "    return s\n",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SLOW)
def test_a_program_that_takes_forever_is_refused(kind: str, name: str) -> None:
    changed = {**document(kind), "program": HEAD + SLOW[name]}
    if kind == "counterexample":
        changed |= {"arguments": {}, "d1": ["0"], "d2": ["1"], "epsilon": "1", "claim": "100*eps"}
    elif kind == "bounded":
        changed |= {"size": 1, "cases": changed["cases"][:1]}
    else:
        assumptions = [text.replace("every", "one") for text in changed["assumptions"]]
        changed |= {"adjacency": "one_within(1)", "assumptions": assumptions}
        changed["assumptions"][1] = "neighbours: one answer may move by at most 1, the others stay"
    start = time.process_time()
    assert verify(json.dumps(changed)) != []
    assert time.process_time() - start < 20  # it takes a second or two; without limits, no end was seen


@pytest.mark.parametrize(
    "change",
    [
        {"d1": ["0"] * 5_000, "d2": ["1"] * 5_000},
        {"d1": ["1e9999999999", "0"]},
        {"d1": ["9" * 1_000_000, "0"]},
        {"epsilon": "1e-9999999999"},
        {"event": {"all": [{"within": ["0", "1e99999999999"]}]}},
    ],
)
def test_absurd_sizes_are_refused(change: dict[str, Any]) -> None:
    assert verify(json.dumps({**document("counterexample"), **change})) != []


@pytest.mark.parametrize("size", [10**6, 10**400, -1, "2", 2.0, True, None])
def test_absurd_sizes_of_a_bounded_proof_are_refused(size: Any) -> None:
    assert verify(json.dumps({**document("bounded"), "size": size})) != []


def test_texts_that_are_no_documents() -> None:
    for text in ("", "{", "[]", "1", "null", "{}", '{"certificate": 1}', "[" * 100_000, '"' + "x" * 1000 + '"'):
        with pytest.raises(UsageError):
            verify(text)


@pytest.mark.parametrize("value", ["1e5", "1/0", " 1", "1_000", "٣", "0x10", "", "1/-2", 1.5, True, None, [], 10**400])
def test_what_is_not_an_exact_number(value: object) -> None:
    with pytest.raises(Malformed):
        read_number(value)


def test_exact_numbers() -> None:
    assert [str(read_number(v)) for v in ("3/4", "-2", "+1", "2.50", 7)] == ["3/4", "-2", "1", "5/2", "7"]
    assert read_whole(3, 3) == 3
    with pytest.raises(Malformed):
        read_whole(4, 3)


def test_a_claim_says_nothing_where_its_own_arguments_are_below_one() -> None:
    sketch = parse(
        "@sketch(adjacent=one_within(1))\ndef f(q: Private, N: int, eps: Epsilon):\n    return q[0] + Lap(1/(2*eps))\n"
    )
    claim = parse_scale("N*eps")
    refuted = refute(sketch, claim, Settings())
    assert refuted is not None
    shown = counterexample_data.document(refuted, sketch, claim)
    assert verify(json.dumps(shown)) == []
    assert any("says nothing" in fault for fault in verify(json.dumps({**shown, "arguments": {"N": "0"}})))


# ---------------------------------------------------------------- whose fault it is

OURS = {  # where a mistake of ours could be: the re-check of each kind of document, and what it stands on
    "every length": (certificates, "build_system"),
    "every length, a ghost": (solver, "check_script"),
    "bounded": (bounded, "covers_all_runs"),
    "counterexample": (counterexample_data, "certain_probability"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [KeyError, TypeError, AssertionError, ValueError, ZeroDivisionError, AttributeError])
def test_a_defect_of_ours_is_not_told_as_a_fault_of_the_document(
    kind: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a valid document is rejected, and nobody hears of the defect."""
    text = json.dumps(document(kind))

    def stumble(*_: object, **__: object) -> None:
        raise error("ours")

    monkeypatch.setattr(*OURS[kind], stumble)
    with pytest.raises(error, match="ours"):
        verify(text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [RecursionError, MemoryError])
def test_a_document_that_is_too_much_is_rejected(
    kind: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object, **__: object) -> None:
        raise error

    text = json.dumps(document(kind))
    monkeypatch.setattr(*OURS[kind], stumble)
    assert len(verify(text)) == 1
