"""The families of noise that a sketch may name. What they do to numbers is in `engine/noise.py`."""

from __future__ import annotations

from enum import Enum


class Noise(Enum):
    """A family of noise; the value is the name by which a sketch calls it."""

    LAPLACE = "Lap"
    EXPONENTIAL = "Exp"
    DISCRETE_LAPLACE = "DiscreteLap"
    GEOMETRIC = "DiscreteExp"

    @property
    def words(self) -> str:
        return _WORDS[self]

    @property
    def discrete(self) -> Noise:
        """The family on the whole numbers with the same loss under whole shifts (the paper's formal semantics)."""
        return _DISCRETE.get(self, self)


_WORDS = {
    Noise.LAPLACE: "Laplace",
    Noise.EXPONENTIAL: "Exponential",
    Noise.DISCRETE_LAPLACE: "discrete Laplace",
    Noise.GEOMETRIC: "discrete Exponential",
}
_DISCRETE = {Noise.LAPLACE: Noise.DISCRETE_LAPLACE, Noise.EXPONENTIAL: Noise.GEOMETRIC}
