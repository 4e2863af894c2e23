"""The support code of mechanisms that are asked one answer at a time, as the module it is here."""

from __future__ import annotations

import copy
import math
import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from types import FunctionType
from typing import Any

import pytest
from test_runtime import Tape

from kolahal.lang.templates import online, runtime

pytestmark = pytest.mark.mutants

PLAN = {"distance": 1, "limits": {}, "numbers": [], "factors": [], "whole": False, "answers": None, "most": None, "as_tuple": False}


def begun(
    body: Callable[..., Iterator[Any]], *steps: int, relation: Any = runtime.each_within, plan: Callable[..., dict[str, Any]] | None = None, records: Any = None, **changes: Any
) -> Any:
    """A run of a mechanism with fixed noise; `changes` are of what it is given and of its class."""

    @runtime.sketch(adjacent=relation(1))
    def monitor(q: Private, T: float, eps: Epsilon) -> Any:  # type: ignore[name-defined]  # noqa: F821
        """Words."""

    def planned(q: Sequence[Any], T: Fraction, eps: Fraction) -> dict[str, Any]:
        assert len(q) == 0 and type(T) is type(eps) is Fraction
        return {**PLAN, "scales": {"2/eps": 2 / eps}, **(plan(T, eps) if plan else {})}

    names = {"_front", "_tells", "_sums"} & changes.keys()
    tape = Tape(*steps)
    kind = type("Monitor", (online._Online,), {"_noise": lambda self: tape, **{name: changes.pop(name) for name in names}})
    turns = FunctionType(body.__code__, {**body.__globals__, "_plan": planned}, body.__name__, body.__defaults__, body.__closure__)
    run = kind(monitor, turns, lambda T, eps: eps * 3 / 2, {"T": 0, "eps": 1, **changes}, records)
    run.tape = tape
    return run


def flags(q: Sequence[Fraction], T: Fraction, eps: Fraction) -> Iterator[Any]:
    out: list[Any] = []
    turn = 0
    while True:
        yield out
        if turn >= len(q):
            break
        x = q[turn] + runtime.Lap(2 / eps)
        turn += 1
        out.append(x >= T)
        if out[-1]:
            return out
    return [*out, None]


def first(q: Sequence[Fraction], T: Fraction, eps: Fraction) -> Iterator[Any]:
    turn = 0
    while True:
        yield
        if turn >= len(q):
            break
        turn += 1
        if q[turn - 1] >= T:
            return Fraction(turn, 2)
    return Fraction(-1)


def fronts(q: Sequence[Fraction], T: Fraction, eps: Fraction) -> Iterator[Any]:
    out: list[Any] = []
    turn = 0
    while True:
        yield out
        if turn >= len(q):
            break
        turn += 1
        out[:0] = [Fraction(turn), q[turn - 1]]
    return out


def stops(q: Sequence[Fraction], T: Fraction, eps: Fraction) -> Iterator[Any]:
    while True:
        yield
        if len(q) > 1:
            raise {0: ZeroDivisionError, 1: IndexError, 2: TypeError, 3: UnboundLocalError, 4: ValueError, 5: OverflowError, 6: AttributeError}[int(T)]("a private value")


def more(q: Sequence[Fraction], T: Fraction, eps: Fraction) -> Iterator[Any]:
    while True:
        yield []


def test_what_is_new_is_told_at_once() -> None:
    run = begun(flags, 5, -7, 2, _tells=True, T=0.5, eps="1/2")
    assert (run.done, run.answer, run.spent) == (False, None, 0) and type(run.spent) is int
    assert run.ask(0.25) == [False] and (run.done, run.answer, run.spent) == (False, None, 0.75)
    assert run.ask(0) == [False] and run.ask(1) == [True]
    assert (run.done, run.answer, run.spent) == (True, [False, False, True], 0.75) and run.tape.steps == []
    assert run.tape.asked == [("laplace", 4 / run._noise_grid)] * 3
    with pytest.raises(ValueError, match=r"^this run of monitor has ended: begin another, which spends its budget again$"):
        run.ask(1)
    assert run.close() == [False, False, True]
    ended = begun(flags, 0, _tells=True, T=9)
    assert ended.ask(1) == [False] and ended.close() == [False, None] and ended.done and ended.answer == [False, None]
    assert ended.close() == [False, None] and begun(flags, _tells=True).close() == [None]


def test_without_a_list_the_answer_comes_at_the_end() -> None:
    run = begun(first, T=2)
    assert run.ask(1) is None and run.answer is None and run.ask(3) == 1 and run.done and run.answer == 1
    assert type(run.answer) is int and begun(first, T=2).close() == -1
    half = begun(first, T=0)
    assert half.ask(0) == 0.5 and type(half.answer) is float


def test_a_list_that_grows_at_its_front_is_told_in_the_order_in_which_it_grew() -> None:
    run = begun(fronts, _tells=True, _front=True)
    assert run.ask(5) == [5, 1] and run.ask(6.5) == [6.5, 2] and run.close() == [2, 6.5, 1, 5]
    assert type(begun(flags, 0, _tells=True, plan=lambda T, eps: {"as_tuple": True}).close()) is tuple
    behind = begun(fronts, _tells=True)
    assert behind.ask(5) == [1, 5] and behind.ask(6) == [1, 5], "what stands behind what was told"


def test_answers_are_checked_and_rounded_as_in_the_batch_program() -> None:
    grid = Fraction(1, 2**39)
    run = begun(fronts, _tells=True)
    assert run._grid == grid and run._noise_grid == grid / 2 and run._rounds is True
    third = run.ask(Fraction(1, 3))
    assert third[1] == float(round(Fraction(1, 3) / grid) * grid)
    exact = begun(fronts, _tells=True, relation=runtime.sum_within)
    with pytest.raises(ValueError, match=r"^q\[0\] is not on the grid of this program"):
        exact.ask(Fraction(1, 3))
    assert exact._rounds is False and exact.spent == 0 and exact.ask(2.0**-60)[1] == 2.0**-60
    for wrong, error, words in (("1", TypeError, "q must be a number, and it is of type str"), (True, TypeError, "q must be a number"), (math.inf, ValueError, "q must be")):
        with pytest.raises(error, match=f"^{words}"):
            run.ask(wrong)
    whole = begun(fronts, plan=lambda T, eps: {"whole": True})
    with pytest.raises(ValueError, match=r"^q\[0\] must be a whole number"):
        whole.ask(0.5)
    assert whole.spent == 0


def test_public_values_are_checked_before_a_run_begins() -> None:
    for changes, words in (
        ({"eps": 0}, "eps must be above 0"),
        ({"T": 0, "plan": lambda T, eps: {"numbers": [1 / T]}}, "with these public arguments the program divides by zero$"),
        ({"plan": lambda T, eps: {"limits": {"T": (0, 1, None)}}}, "T must be at least 1"),
        ({"plan": lambda T, eps: {"scales": {"T": T}}}, "the scale T is not above 0 here: there would be no noise$"),
        ({"T": -1, "plan": lambda T, eps: {"scales": {"T": T}}}, "the scale T is not above 0 here"),
    ):
        with pytest.raises(ValueError, match=f"^{words}") as caught:
            begun(flags, **changes)
        assert caught.value.__cause__ is None and caught.value.__suppress_context__ in (True, False)
    assert not begun(flags, T=0.5, plan=lambda T, eps: {"scales": {"T": T}}).done, "noise may be small"
    with pytest.raises(ValueError, match=r"^q must have 2 answers"):
        begun(flags, plan=lambda T, eps: {"answers": 2})
    with pytest.raises(TypeError, match=r"^T must be a number"):
        begun(flags, T=["x", "y"])


def test_a_program_that_divides_by_zero_in_its_claim_is_refused() -> None:
    @runtime.sketch(adjacent=runtime.each_within(1))
    def monitor(q: Private, T: float, eps: Epsilon) -> Any: ...  # type: ignore[name-defined]  # noqa: F821

    turns = FunctionType(flags.__code__, {**flags.__globals__, "_plan": lambda q, T, eps: {**PLAN, "scales": {}}}, "turns")
    with pytest.raises(ValueError, match=r"^with these public arguments the program divides by zero$") as caught:
        online._Online(monitor, turns, lambda T, eps: eps / T, {"T": 0, "eps": 1}, None)
    assert caught.value.__suppress_context__


def test_arguments_are_of_their_kinds() -> None:
    @runtime.sketch(adjacent=runtime.each_within(1))
    def monitor(q: Private, N: int, on: bool, eps: Epsilon) -> Any: ...  # type: ignore[name-defined]  # noqa: F821

    def once(q: Sequence[Fraction], N: int, on: bool, eps: Fraction) -> Iterator[Any]:
        assert type(N) is int and on is True
        yield None

    turns = FunctionType(once.__code__, {**once.__globals__, "_plan": lambda q, N, on, eps: {**PLAN, "scales": {}}}, "turns")
    assert not online._Online(monitor, turns, lambda N, on, eps: eps, {"N": 2.0, "on": True, "eps": 1}, None).done
    for given, words in (({"N": 1.5, "on": True}, "N must be a whole number"), ({"N": 1, "on": 1}, "on must be True or False")):
        with pytest.raises((TypeError, ValueError), match=f"^{words}"):
            online._Online(monitor, turns, lambda N, on, eps: eps, {**given, "eps": 1}, None)


STOPS = ["it divided by zero", "it read a place outside a list, which may be too short", "it computed with None", "it read a name that had no value yet", "it asked for the largest or smallest of no items", "OverflowError"]


@pytest.mark.parametrize("why", range(len(STOPS)))
def test_a_run_that_stops_says_why_and_no_more(why: int) -> None:
    run = begun(stops, T=why)
    assert run.ask(1) is None
    with pytest.raises(RuntimeError, match=f"^monitor stopped: {STOPS[why]}$") as caught:
        run.ask(2)
    assert caught.value.__cause__ is None and caught.value.__context__ is None and run.done and run.answer is None
    with pytest.raises(LookupError):
        runtime._running.get()
    with pytest.raises(ValueError, match="has ended"):
        run.ask(3)
    assert run.close() is None


def test_other_errors_are_seen_and_leave_nothing_behind() -> None:
    run = begun(stops, T=6)
    run.ask(1)
    with pytest.raises(AttributeError):
        run.ask(2)
    with pytest.raises(LookupError):
        runtime._running.get()
    waits = begun(more, _tells=True)
    with pytest.raises(AssertionError, match=r"^the program waits for an answer that does not come$"):
        waits.close()


def test_a_run_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun(flags, 0, 0, _tells=True)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"^a run cannot be copied or stored: a copy would tell its noise twice$"):
            copied(run)
    monkeypatch.setattr(online.os, "getpid", lambda: os.getppid() + 10**7)
    for call in (lambda: run.ask(1), run.close):
        with pytest.raises(RuntimeError, match=r"^this run belongs to another process: a copy would tell its noise twice$"):
            call()
    assert run.spent == 0 and not run._lock.locked()


def test_questions_are_clamped_for_each_record() -> None:
    run = begun(fronts, _tells=True, _sums=True, records=iter([1, 5, -3, "no number", 0.5, True, None]))
    assert run._sum(lambda record: record) == Fraction(7, 2), "1 + 1 + 0 + 0 + 1/2 + 1 + 0"
    assert run.ask(lambda record: record) == [1, 3.5]
    assert run._sum(lambda record: record == 5) == 1 and run._sum(lambda record: 1 / 0) == 0
    assert type(run._sum(lambda record: 0)) is Fraction
    wide = begun(fronts, _sums=True, records=[1, 5, -3], plan=lambda T, eps: {"distance": Fraction(5, 2), "whole": False})
    assert wide._sum(lambda record: record) == Fraction(7, 2) and wide._sum(lambda record: record / 3) == Fraction(1 / 3) + Fraction(5 / 3)
    whole = begun(fronts, _sums=True, records=[1, 5, -3, 0.5], plan=lambda T, eps: {"distance": 2, "whole": True})
    assert whole._sum(lambda record: record) == 3 and whole._sum(lambda record: record / 2) == 2
    for refused in (begun(fronts, _sums=True), begun(fronts, records=[1])):
        with pytest.raises(TypeError, match=r"^a question about records needs records, and a mechanism each of whose answers may move$"):
            refused.ask(lambda record: 1)
    with pytest.raises(SystemExit):
        run._sum(lambda record: exec("raise SystemExit"))


def test_what_is_no_number_counts_as_nothing() -> None:
    values = {1: Fraction(1), 0.5: Fraction(1, 2), "1": Fraction(0), None: Fraction(0), math.inf: Fraction(0), False: Fraction(0)}
    for value, number in values.items():
        found = online._number(lambda record: record, value)
        assert found == number and type(found) is Fraction


def test_a_list_of_noisy_answers_is_made_when_it_is_read() -> None:
    made: list[Fraction] = []
    answers = [Fraction(4), Fraction(5)]
    lazy = online._Lazy(answers, lambda x: made.append(x) or x * 10)
    assert len(lazy) == 2 and made == []
    assert [lazy[1], lazy[0], lazy[1]] == [50, 40, 50] and made == [5, 4]
    answers.append(Fraction(6))
    assert len(lazy) == 3 and lazy[2] == 60 and lazy.made == {1: 50, 0: 40, 2: 60} and math.inf == online._ENDLESS
    with pytest.raises(IndexError):
        lazy[7]


def test_a_run_draws_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert online._Online._noise is runtime._Sampler and (online._Online._front, online._Online._tells, online._Online._sums) == (False, False, False)
