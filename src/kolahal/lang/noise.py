"""The families of noise that a sketch may name. What they do to numbers is in `engine/noise.py`."""

from __future__ import annotations

from enum import Enum


class Noise(Enum):
    """A family of noise; the value is the name by which a sketch calls it.

    Every family that is added to values, but the bells, is as likely at x as exp(−|x|/scale) says: exact probabilities and
    the price of a shift in a pure proof rest on it. A bell is as likely as exp(−x²/(2·scale²)): its loss has no bound,
    and no pure rule may be used on it (`Sketch.draws` refuses it under a pure budget).
    """

    _value_: str
    words: str
    one_sided: bool  # whether draws are never below 0
    whole: bool  # whether draws are whole numbers
    finite: bool  # whether draws are 0 or 1, which programs see as False or True
    selects: bool  # whether a draw is a place of a list of scores
    bell: bool  # whether it is Gaussian
    open: bool  # whether it is none yet: `lang/families.py` lists the families that it may become

    def __new__(
        cls, name: str, words: str, one_sided: bool, whole: bool, finite: bool = False, selects: bool = False, bell: bool = False,
        open: bool = False,
    ) -> Noise:  # fmt: skip
        noise = object.__new__(cls)
        noise._value_, noise.words, noise.one_sided, noise.whole = name, words, one_sided, whole
        noise.finite, noise.selects, noise.bell, noise.open = finite, selects, bell, open
        return noise

    LAPLACE = "Lap", "Laplace", False, False
    EXPONENTIAL = "Exp", "Exponential", True, False
    DISCRETE_LAPLACE = "DiscreteLap", "discrete Laplace", False, True
    GEOMETRIC = "DiscreteExp", "discrete Exponential", True, True
    GAUSS = "Gauss", "Gaussian", False, False, False, False, True
    DISCRETE_GAUSS = "DiscreteGauss", "discrete Gaussian", False, True, False, False, True

    # A coin: True with probability exp(−1/scale)/(1 + exp(−1/scale)), which is 1/(1 + exp(1/scale)).
    FLIP = "Flip", "coin", True, True, True

    # The exponential mechanism: a place with probability proportional to exp(score/scale). A price like that of one-sided
    # noise is paid for a place that falls behind another one.
    CHOOSE = "choose", "exponential mechanism", True, False, False, True

    # A family that is left to the tool: `Noise(hole)`. Nothing runs or prices it (`Sketch.draws` refuses it).
    OPEN = "Noise", "noise of an open family", False, False, False, False, False, True

    __hash__ = object.__hash__  # families are looked up at every draw, and Enum's own asks for the hash of the name

    @property
    def discrete(self) -> Noise:
        """The family on the whole numbers with the same loss under whole shifts (the paper's formal semantics)."""
        kind = (self.one_sided, self.bell)
        same = (n for n in Noise if n.whole and not n.finite and (n.one_sided, n.bell) == kind)
        return self if self.whole or self.selects or self.open else next(same)


BY_NAME = {noise.value: noise for noise in Noise} | {"Geometric": Noise.DISCRETE_LAPLACE}  # as the geometric mechanism has it
