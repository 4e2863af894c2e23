"""What a guarantee is worth as another one, with the name of the formula."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from kolahal.errors import UsageError
from kolahal.lang.accounting import delta_of_gdp, epsilon_of_zcdp, gdp_of, rho_of_pure, rising

TANH = "ρ = ε·tanh(ε/2), tight"
KINK = "Dong, Roth, Su 2022: μ = −2·Φ⁻¹(1/(1 + e^ε)), tight"
BUN_STEINKE = "Bun, Steinke 2016: ρ = μ²/2"
CKS = "Canonne, Kamath, Steinke 2020, Corollary 13"
DRS = "Dong, Roth, Su 2022: δ = Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2), tight"
KOV = "Kairouz, Oh, Viswanath 2015: ε′ = log(e^ε − δ·(1 + e^ε)), tight"
FEWEST = 1e-12


@dataclass(frozen=True, slots=True)
class Guarantee:
    """Numbers of one notion: some of eps, delta, rho and mu; and the formula that they come from."""

    values: tuple[tuple[str, float], ...]
    formula: str

    def __str__(self) -> str:
        names = {"eps": "ε", "delta": "δ", "rho": "ρ", "mu": "μ"}
        shown = ", ".join(f"{names[name]} = {value:.6g}" for name, value in self.values)
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
            found = [
                Guarantee((("rho", rho_of_pure(given["eps"])),), TANH),
                Guarantee((("mu", -2 * NormalDist().inv_cdf(1 / (1 + math.exp(given["eps"])))),), KINK),
            ]
            if delta is not None:
                found.append(Guarantee((("eps", _weaker(given["eps"], delta)), ("delta", delta)), KOV))
            return tuple(found)
        case ["rho"] if delta is not None:
            return (Guarantee((("eps", epsilon_of_zcdp(given["rho"], delta)), ("delta", delta)), CKS),)
        case ["mu"]:
            found = [Guarantee((("rho", given["mu"] ** 2 / 2),), BUN_STEINKE)]
            if delta is not None:
                found.append(Guarantee((("eps", _epsilon_of_gdp(given["mu"], delta)), ("delta", delta)), DRS))
            return tuple(found)
        case _:
            raise UsageError("give one of eps, rho and mu, and delta where an (ε, δ) is asked for; rho alone says nothing of ε")


def sufficient(epsilon: float, delta: float) -> Guarantee:
    """What a program has to keep so that it is (ε, δ)-DP."""
    return Guarantee((("mu", gdp_of(epsilon, delta)),), DRS)


def _weaker(epsilon: float, delta: float) -> float:
    """The ε at some δ of an ε-DP program."""
    left = math.exp(epsilon) - delta * (1 + math.exp(epsilon))
    return max(0.0, math.log(left)) if left > 0 else 0.0


def _epsilon_of_gdp(mu: float, delta: float) -> float:
    if delta_of_gdp(mu, FEWEST) <= delta:
        return 0.0
    return 1 / rising(lambda inverse: delta_of_gdp(mu, 1 / inverse) if inverse > 1 / 700 else 0.0, delta)
