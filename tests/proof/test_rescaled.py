"""Public factors: counted in other units a program is the same one, and proofs see through means and shares."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import pytest

from kolahal.engine import reference
from kolahal.errors import KolahalError
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.certificate import recheck
from kolahal.proof.trusted.restated.rescaled import ONE, UnitSystem, rescaled
from kolahal.verdicts import Proved

HEAD = "@sketch(adjacent={})\ndef f(q: Private, eps: Epsilon, k: int = 1, n: int = 1, T: float = 0):\n"


def program(text: str, adjacent: str = "one_within(1)") -> Sketch:
    return parse(HEAD.format(adjacent) + "\n".join(f"    {line}" for line in text.split("\n")))


SUMMED = "s = 0\nfor x in q:\n    s = s + x\n"
MEANS = {
    "at once": "return sum(q)/len(q) + Lap(1/(eps*len(q)))",
    "noise inside": "return (sum(q) + Lap(1/eps))/len(q)",
    "noise first": "eta = Lap(1/(eps*len(q)))\nreturn eta + sum(q)/len(q)",
    "a name for the number": "size = len(q)\n" + SUMMED + "m = s/size\nreturn m + Lap(1/(size*eps))",
    "a weight": "w = 1/len(q)\nm = 0\nfor x in q:\n    m = m + w*x\nreturn m + Lap(w/eps)",
    "a part in each turn": "m = 0\nfor x in q:\n    m += x/len(q)\nreturn Lap(1/(eps*len(q))) + m",
    "compared": SUMMED + "if s/len(q) + Lap(1/(len(q)*eps)) > T:\n    return True\nreturn False",
    "compared with a half": SUMMED + "m = s/len(q) + Lap(1/(len(q)*eps))\nif m > 1/2:\n    return m\nreturn 0",
    "two means": "a = sum(q)/len(q)\nreturn a + Lap(2/(eps*len(q))), a/k + Lap(2/(k*len(q)*eps))",
    "the sum and the mean": "s = sum(q)\nreturn s + Lap(2/eps), s/len(q) + Lap(2/(eps*len(q)))",
    "a list of shares": "out = []\nfor x in q:\n    out.append(x/k + Lap(1/(k*eps)))\nreturn out",
    "the largest share": "best = 0\nplace = 0\nfor i in range(len(q)):\n    v = q[i]/k + Exp(2/(k*eps))\n    if i == 0 or v > best:\n        best = v\n        place = i\nreturn place",
    "above a share": "t = T + Lap(2/(k*eps))\nfor i in range(len(q)):\n    if q[i]/k + Lap(4/(k*eps)) >= t:\n        return i\nreturn -1",
    "clipped": "s = 0\nfor x in q:\n    s += min(max(x, 0), 3)\nreturn s/len(q) + Lap(1/(eps*len(q)))",
    "times": "return k*sum(q) + Lap(k/eps)",
}
WRONG = {
    "noise for the mean of more": "return sum(q)/len(q) + Lap(1/(2*eps*len(q)))",
    "noise is divided twice": "return (sum(q) + Lap(1/(eps*len(q))))/len(q)",
    "a divisor that may be below 1": "return sum(q)/T + Lap(1/eps)",
    "divided by something else": "return sum(q)/k + Lap(1/(n*eps))",
    "the mean as if it were a place": SUMMED
    + "if s/len(q) > T:\n    return Lap(1/(len(q)*eps))\nreturn s/len(q) + Lap(1/(len(q)*eps))",
    "one answer has no noise": "m = sum(q)/len(q)\nif m + Lap(1/(eps*len(q))) > 0:\n    return m\nreturn 0",
    "two for the price of one": "a = sum(q)/len(q)\nreturn a + Lap(1/(eps*len(q))), a/k + Lap(1/(k*len(q)*eps))",
    "each, not one": "return sum(q)/len(q) + Lap(1/(eps*len(q)))",
    "the number is changed": "size = len(q)\nsize = size - 1\nreturn sum(q)/size + Lap(1/(len(q)*eps))",
    "given late": "s = 0\nm = 1\nfor x in q:\n    s += x/m\n    m = len(q)\nreturn s + Lap(1/(eps*len(q)))",
}


@pytest.mark.parametrize("way", MEANS)
def test_a_mean_is_proved_however_it_is_written(way: str) -> None:
    found = prove_every_length(
        program(MEANS[way], "each_within(1)" if "share" in way and "list" not in way else "one_within(1)")
    )
    assert isinstance(found, Proved), found
    assert recheck(found.certificate) == []


@pytest.mark.parametrize("way", WRONG)
def test_means_with_too_little_noise_are_not_proved(way: str) -> None:
    found = prove_every_length(program(WRONG[way], "each_within(1)" if way == "each, not one" else "one_within(1)"))
    assert not isinstance(found, Proved)


def random_shares(seed: int) -> str:
    """A program whose values are divided and multiplied by public numbers, in ways that have units and in ways that have not."""
    rng = random.Random(seed)
    powers = ["", "", "/k", "/n", "*k", "/(k*n)", "/len(q)", "/len(q)", "*eps", "/2", "*3/n", "/T"]
    weights = rng.sample(powers[:-1], 2)
    known = ["a", "b", "q[0]", "T", "0", "1/k", "w"]

    def value() -> str:
        one = rng.choice([*known, *(f"Lap({s})" for s in ("1/(n*eps)", "k/eps", "1/(k*len(q)*eps)"))])
        return f"{one}{rng.choice(weights)}" if rng.randrange(3) else one

    def total() -> str:
        shape = rng.choice(
            ("{} + {}", "{} - {}", "max({}, {})", "-({} + {})", "({} + {})/k", "k*({} - {})", "abs({}) + {}")
        )
        return shape.format(value(), value())

    def statements(indent: str) -> Iterator[str]:
        for _ in range(rng.randint(1, 3)):
            name = rng.choice("ab")
            match rng.randrange(4):
                case 0:
                    yield f"{indent}if {total()} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {value()}:"
                    yield f"{indent}    {rng.choice((f'{name} = {value()}', f'out.append({value()})', 'c = c + 1', f'return {value()}'))}"
                case 1:
                    yield f"{indent}out.append({value()})"
                case _:
                    yield f"{indent}{name} = {total()}"

    lines = [
        f"w = {rng.choice(('1/n', 'k', '1', 'len(q)/k', 'q[0]'))}",
        "a, b, c = q[0], 0, 0",
        "out = []",
        *statements(""),
    ]
    lines += ["for x in q:", f"    a = a + x{rng.choice(powers)}", *statements("    ")]
    return "\n".join([*lines, f"return {rng.choice(('out', 'a', 'b', 'a, b', 'c', 'out[0]', total()))}"])


def times(answer: object, units: list[Fraction]) -> object:
    """An answer with its numbers counted in other units: one unit for all, or one for each place."""
    if isinstance(answer, tuple):
        return tuple(
            times(part, [unit])
            for part, unit in zip(answer, units if len(units) > 1 else units * len(answer), strict=True)
        )
    return answer * units[0] if isinstance(answer, Fraction) else answer


@dataclass(frozen=True)
class Trial:
    """One run: its private and public inputs, and its noise."""

    database: list[Fraction]
    eps: Fraction
    public: dict[str, Fraction]
    noise: dict[object, list[Fraction]]
    rng: random.Random

    def outcome(self, mechanism: Sketch, **public: Fraction) -> object:
        arguments = Arguments(self.eps, len(self.database), tuple({**self.public, **public}.items()))
        try:
            return reference.run(mechanism, self.database, arguments, (), self.drawn, Fraction)
        except KolahalError as fault:
            return type(fault)

    def drawn(self, kind: object, site: int, turns: object) -> list[Fraction]:
        return self.noise.setdefault((site, turns), [Fraction(self.rng.randint(-64, 64), 8)])

    def number(self, unit: Scale) -> Fraction:
        known = {**self.public, "eps": self.eps, "len(q)": Fraction(len(self.database))}
        return math.prod((known[name] ** power for name, power in unit.powers), start=Fraction(1))


def trial_of(seed: int) -> Trial:
    # Powers of two, since the engine's scales are floating-point numbers.
    rng = random.Random(seed)
    database = [Fraction(rng.randint(-3, 3)) for _ in range(rng.choice((1, 2, 4)))]
    public = {
        "k": Fraction(rng.choice((1, 2, 4))),
        "n": Fraction(rng.choice((1, 2))),
        "T": Fraction(rng.randint(-2, 2), 2),
    }
    return Trial(database, Fraction(2) ** rng.randint(-2, 3), public, {}, rng)


@pytest.mark.mutants
def test_the_program_in_other_units_gives_the_same_output_in_these() -> None:
    changed, told = 0, 0
    for seed in range(1000):
        text = random_shares(seed)
        try:
            mechanism = program(text)
        except KolahalError:
            continue
        other = rescaled(mechanism)
        if other == mechanism:
            continue
        changed += 1
        units = UnitSystem(mechanism)
        places = {"return out": ["return[]"], "return a, b": ["return 0", "return 1"]}.get(
            text.rpartition("\n")[2], ["return"]
        )
        for run in range(4):
            trial = trial_of(4 * seed + run)
            one = trial.outcome(mechanism)
            two = trial.outcome(other, T=trial.public["T"] * trial.number(units.unit(("T", ONE))))
            own = places if isinstance(one, tuple) else ["return"]
            assert two == times(one, [trial.number(units.unit((place, ONE))) for place in own]), text
            told += not isinstance(one, type)
    assert changed > 40
    assert told > 100
