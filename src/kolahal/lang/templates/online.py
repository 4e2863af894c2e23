"""A mechanism that is asked one answer at a time. `emit --online` copies this file, from here on, behind the support code."""

from __future__ import annotations

import inspect
import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NoReturn

from kolahal.lang.templates.runtime import (
    _STOPS,
    _argument,
    _budget,
    _check_inputs,
    _exact,
    _grids,
    _is_private,
    _Noise,
    _on_grid,
    _plain,
    _Plan,
    _Run,
    _running,
    _Sampler,
)

# ---------------------------------------------------------------- one answer at a time
#
# A run is cut where its loop begins a turn. There it waits for the next answer, and what it tells is what its list holds at
# that place, which is equal in the two runs of the proof, as is whether the run has ended. So both are asked the same next
# question, whoever chooses it by what was told, and the proof goes on with answers that are neighbours.

_ENDLESS = math.inf  # the number of answers while nobody knows it


class _Lazy:
    """A list of noisy answers, each made when it is first read, and once."""

    def __init__(self, answers: list[Fraction], make: Callable[[Fraction], Any]) -> None:
        self.answers, self.make = answers, make
        self.made: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, place: int) -> Any:
        if place not in self.made:
            self.made[place] = self.make(self.answers[place])
        return self.made[place]


class _Online:
    """One run of a mechanism. It is one use of its budget, whatever is asked, and cannot be copied."""

    _front = False  # whether the list that is told grows at its front
    _tells = False  # whether there is such a list
    _sums = False  # whether answers may be sums of numbers, one a record, from 0 to the distance
    _noise: Callable[[], _Noise] = _Sampler  # a new one for each turn: nobody meets its unused bits again

    def __init__(
        self,
        mechanism: Callable[..., Any],
        turns: Callable[..., Iterator[Any]],
        claim: Callable[..., Any],
        given: Mapping[str, object],
        records: Iterable[Any] | None,
    ) -> None:
        self._lock, self._process = threading.Lock(), os.getpid()
        self._name, self._rounds = mechanism.__name__, bool(mechanism._rounds)  # type: ignore[attr-defined]
        self._records = None if records is None else list(records)
        values: dict[str, Any] = {}
        for name, parameter in inspect.signature(mechanism).parameters.items():
            if _is_private(parameter):
                self._private = name
            elif parameter.annotation == "Epsilon":
                values[name] = _budget(name, given[name])
            else:
                values[name] = _argument(name, parameter.annotation, given[name])
        try:
            self._plan = _Plan(**turns.__globals__["_plan"](**values, **{self._private: range(0)}))
            self._claim = claim(**values)
        except ZeroDivisionError:
            raise ValueError("with these public arguments the program divides by zero") from None
        _check_inputs(self._private, [], self._plan)
        for text, scale in self._plan.scales.items():
            if scale <= 0:
                raise ValueError(f"the scale {text} is not above 0 here: there would be no noise")
        self._grid, self._noise_grid = _grids(self._plan, self._rounds)
        self._answers: list[Fraction] = []
        self._told, self._done, self._answer, self._fault = 0, False, None, ""
        self._turns = turns(**values, **{self._private: self._answers})
        self._advance()

    @property
    def done(self) -> bool:
        """Whether the run has ended, by itself or because it was closed."""
        return self._done

    @property
    def answer(self) -> Any:
        """What the run has answered; None before its end."""
        return self._answer

    @property
    def spent(self) -> Any:
        """The budget that is gone: nothing before the first answer, and then all of the claim."""
        return _plain(self._claim, list) if self._answers else 0

    def ask(self, answer: Any) -> Any:
        """Give the next private answer, or a question about one record, and hear the result at once.

        That is what is new in the list that the mechanism gives back; or, where it gives back something else, its answer
        once the run has ended, and None before. A question is a function of a record; the answer is the sum of what it
        gives for each record, moved into the range from 0 to the distance of neighbours, and down to a whole number where
        answers are whole.
        """
        with self._lock:
            self._refuse_copies()
            if self._done:
                raise ValueError(f"this run of {self._name} has ended: begin another, which spends its budget again")
            exact = self._sum(answer) if callable(answer) else _exact(self._private, answer)
            _check_inputs(self._private, [exact], self._plan)
            self._answers += _on_grid(self._private, [exact], self._grid, self._rounds)
            return self._advance()

    def close(self) -> Any:
        """End the run: no answer follows. Gives what the mechanism answers for all answers that it was given."""
        with self._lock:
            self._refuse_copies()
            if not self._done:
                self._advance()
                if not self._done:
                    raise AssertionError("the program waits for an answer that does not come")
            return self._answer

    def _sum(self, question: Callable[[Any], Any]) -> Fraction:
        if self._records is None or not self._sums:
            raise TypeError("a question about records needs records, and a mechanism each of whose answers may move")
        total, most = Fraction(0), Fraction(self._plan.distance)
        for record in self._records:
            number = min(max(_number(question, record), Fraction(0)), most)
            total += math.floor(number) if self._plan.whole else number  # that a sum is refused would tell of a record
        return total

    def _advance(self) -> Any:
        """Go on to the beginning of the next turn, or to the end."""
        token = _running.set(_Run(self._noise(), self._noise_grid))
        shown: Any = None
        try:
            shown = next(self._turns)
        except StopIteration as end:
            shown, self._done = end.value, True
            self._answer = _plain(shown, tuple if self._plan.as_tuple else list)
        except (ArithmeticError, LookupError, TypeError, NameError, ValueError) as error:
            self._done, self._fault = True, type(error).__name__
        finally:
            _running.reset(token)
        if self._fault:  # raised here, and not above, because the error itself could show private values
            raise RuntimeError(f"{self._name} stopped: {_STOPS.get(self._fault, self._fault)}")
        if not self._tells:
            return self._answer
        new = shown[: len(shown) - self._told][::-1] if self._front else shown[self._told :]
        self._told = len(shown)
        return _plain(list(new), list)

    def _refuse_copies(self) -> None:
        if os.getpid() != self._process:
            raise RuntimeError("this run belongs to another process: a copy would tell its noise twice")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a run cannot be copied or stored: a copy would tell its noise twice")


def _number(question: Callable[[Any], Any], record: Any) -> Fraction:
    """What a question gives for a record, exactly; 0 where that is no number, so that no error tells of a record."""
    try:
        value = question(record)
        return Fraction(int(value)) if isinstance(value, bool) else _exact("", value)
    except Exception:
        return Fraction(0)
