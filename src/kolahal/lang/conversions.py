"""What a guarantee is worth as another one, with the name of the formula."""

from __future__ import annotations

import math

from kolahal.errors import UsageError
from kolahal.lang.accounting import ROOT_HALF, delta_above, epsilon_of_zcdp, rho_of_pure, rising
from kolahal.nouns import dataclass

TANH = "ρ = ε·tanh(ε/2), tight"
KINK = "Dong, Roth, Su 2022: μ = −2·Φ⁻¹(1/(1 + e^ε)), tight"
BUN_STEINKE = "Bun, Steinke 2016: ρ = μ²/2"
CKS = "Canonne, Kamath, Steinke 2020, Corollary 13"
DRS = "Dong, Roth, Su 2022: δ = Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2), tight"
KOV = "Kairouz, Oh, Viswanath 2015: ε′ = log(e^ε − δ·(1 + e^ε)), tight"
FEWEST = 1e-12
MOST = 700.0  # above it e^ε is too large for a double
LEAST = math.ulp(0.0)  # where a double would be 0, and 0 would say too much


@dataclass(frozen=True, slots=True)
class Guarantee:
    """Numbers of one notion: some of eps, delta, rho and mu; and the formula that they come from."""

    values: tuple[tuple[str, float], ...]
    formula: str
    down: bool = False  # whether less is on the safe side, as of what has to be kept

    def __str__(self) -> str:
        """With few digits, rounded to the safe side."""
        names = {"eps": "ε", "delta": "δ", "rho": "ρ", "mu": "μ"}
        shown = ", ".join(f"{names[name]} = {short(value, self.down)}" for name, value in self.values)
        kinds = {("eps",): "ε-DP", ("rho",): "ρ-zCDP", ("mu",): "μ-GDP", ("eps", "delta"): "(ε, δ)-DP"}
        return f"{kinds[tuple(name for name, _ in self.values)]} with {shown}"


def convert(given: dict[str, float]) -> tuple[Guarantee, ...]:
    """What follows from ε-DP, ρ-zCDP or μ-GDP, where `delta` says at which δ an ε is asked for."""
    for name, value in given.items():
        if not (0 < value < math.inf) or (name == "delta" and value >= 1):
            raise UsageError(f"{name} = {value}: a budget is a number above 0, and δ is below 1")
    delta = given.get("delta")
    match sorted(set(given) - {"delta"}):
        case ["eps"]:
            found = [Guarantee((("rho", rho_of_pure(given["eps"]) or LEAST),), TANH)]
            if given["eps"] < MOST:
                found.append(Guarantee((("mu", _mu_of_pure(given["eps"])),), KINK))
            if delta is not None:
                found.append(Guarantee((("eps", _weaker(given["eps"], delta)), ("delta", delta)), KOV))
            return tuple(found)
        case ["rho"] if delta is not None:
            return (Guarantee((("eps", epsilon_of_zcdp(given["rho"], delta)), ("delta", delta)), CKS),)
        case ["mu"]:
            found = [Guarantee((("rho", given["mu"] * given["mu"] / 2 or LEAST),), BUN_STEINKE)]
            if delta is not None:
                found.append(Guarantee((("eps", _epsilon_of_gdp(given["mu"], delta)), ("delta", delta)), DRS))
            return tuple(found)
        case _:
            raise UsageError(
                "give one of eps, rho and mu, and delta where an (ε, δ) is asked for, as in --rho 0.5 --delta 1e-6; "
                "rho alone says nothing of ε"
            )


def sufficient(epsilon: float, delta: float) -> Guarantee:
    """What a program has to keep so that it is (ε, δ)-DP."""
    return Guarantee((("mu", rising(lambda mu: delta_above(mu, epsilon), delta)),), DRS, down=True)


def short(value: float, down: bool = False, digits: int = 6) -> str:
    """A number with few digits that is not below it, or else not above it, but for what doubles lose."""
    shown = f"{value:.{digits}g}"
    missed = value - float(shown)
    if value and abs(missed) > 1e-12 * value and (missed < 0) == down:
        step = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
        shown = f"{float(shown) + (-step if down else step):.{digits}g}"
    return shown


def _mu_of_pure(epsilon: float) -> float:
    """2·Φ(μ/2) − 1 = tanh(ε/2), by the side on which nothing is lost."""
    if epsilon < 1:
        return rising(lambda mu: math.erf(mu / 2 * ROOT_HALF), math.tanh(epsilon / 2))
    return rising(lambda mu: -math.erfc(mu / 2 * ROOT_HALF), -2 / (1 + math.exp(epsilon)))


def _weaker(epsilon: float, delta: float) -> float:
    """The ε at some δ of an ε-DP program."""
    if epsilon > 1:
        left = -delta * (1 + math.exp(-epsilon))
        return max(0.0, epsilon + math.log1p(left)) if left > -1 else 0.0
    return max(0.0, math.log1p(max(math.expm1(epsilon) - delta * (2 + math.expm1(epsilon)), -0.5)))


def _epsilon_of_gdp(mu: float, delta: float) -> float:
    if delta_above(mu, FEWEST) <= delta:
        return 0.0
    return 1 / rising(lambda inverse: delta_above(mu, 1 / inverse), delta)
