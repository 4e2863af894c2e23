"""Our data classes are Python's, with a docstring each."""

import dataclasses
import inspect

import pytest

from kolahal.nouns import dataclass


def test_a_class_without_words_gets_some_and_its_signature_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("its signature was looked for")

    monkeypatch.setattr(inspect, "signature", refuse)

    @dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 2

    @dataclass(eq=False)
    class Told:
        """What it is."""

        x: int

    assert Point.__doc__ == "Point: a value of named parts." and Told.__doc__ == "What it is."
    assert Point(1) == Point(1, 2) and hash(Point(1)) == hash(Point(1, 2)) and not hasattr(Point(1), "__dict__")
    assert Told(1) != Told(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1).x = 3  # type: ignore[misc]
