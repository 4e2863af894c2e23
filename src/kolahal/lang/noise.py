"""The families of noise that a sketch may name. What they do to numbers is in `engine/noise.py`."""

from __future__ import annotations

from enum import Enum


class Noise(Enum):
    """A family of noise; the value is the name by which a sketch calls it.

    Every family is as likely at x as exp(−|x|/scale) says: exact probabilities and the price of a shift rest on it.
    """

    _value_: str
    words: str
    one_sided: bool  # whether draws are never below 0
    whole: bool  # whether draws are whole numbers

    def __new__(cls, name: str, words: str, one_sided: bool, whole: bool) -> Noise:
        noise = object.__new__(cls)
        noise._value_, noise.words, noise.one_sided, noise.whole = name, words, one_sided, whole
        return noise

    LAPLACE = "Lap", "Laplace", False, False
    EXPONENTIAL = "Exp", "Exponential", True, False
    DISCRETE_LAPLACE = "DiscreteLap", "discrete Laplace", False, True
    GEOMETRIC = "DiscreteExp", "discrete Exponential", True, True

    @property
    def discrete(self) -> Noise:
        """The family on the whole numbers with the same loss under whole shifts (the paper's formal semantics)."""
        return self if self.whole else next(n for n in Noise if n.whole and n.one_sided == self.one_sided)
