"""A hunt for wrong proofs of budgets other than ε: `python -m bench.budget_hunt 2000`.

Random programs are put to the prover. Whatever it proves is measured on random neighbours: the Rényi divergence of all
outcomes by integration, that of Gaussian releases in closed form, and certain refutations of random events. A divergence
above the claim is a violation of a theorem of docs/theory-budgets.md, or of its use. The programs are of all kinds that
the theorems are about, and of kinds that they are not: noise that is shared, added up, compared, or of the wrong family.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kolahal.errors import KolahalError
from kolahal.exact.divergences import breaks_approximate, breaks_gdp
from kolahal.exact.gaussian import budget_probability
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch, Variant
from kolahal.model import AllOf, Anything, Arguments, Database, Equals, Event, Within
from kolahal.paths.cuts import CannotIntegrate
from kolahal.proof.find.budgets import prove_budget
from kolahal.proof.find.union import prove_union
from kolahal.proof.refute.budgets import refute_budget
from kolahal.settings import Settings
from kolahal.verdicts import Proved, Refuted

ORDERS = (1.1, 2.0, 6.0, 24.0)
TOLERANCE = 1e-9
EFFORT = Settings().proof.quick(fixed=False)
RELATIONS = ("each_within(1)", "one_within(1)", "monotone(1)", "sum_within(1)", "each_within(2)")
BODIES = {  # {0}, {1}, {2} are draws
    "release": "    return [x + {0} for x in q]",
    "pair": "    return q[0] + {0}, q[0] + {1}",
    "shared": "    e = {0}\n    return q[0] + e, q[0] - e",
    "both": "    return q[0] + {0} + {1}",
    "running": "    s = 0\n    out = []\n    for x in q:\n        s = s + x + {0}\n        out.append(s)\n    return out",
    "sums": "    s = 0\n    out = []\n    for x in q:\n        s = s + x\n        out.append(s + {0})\n    return out",
    "total": "    s = 0\n    for x in q:\n        s = s + x\n    return s + {0}",
    "steered": "    a = q[0] + {0}\n    if a > 0:\n        return a, 2 * q[0] + {1}\n    return a, q[0] + {2}",
    "max": "    b = None\n    at = 0\n    for i in range(len(q)):\n        v = q[i] + {0}\n        if b is None or v > b:\n            b = v\n"
    "            at = i\n    return at",
    "above": "    t = {0}\n    for i in range(len(q)):\n        if q[i] + {1} > t:\n            return i\n    return None",
    "count": "    t = {0}\n    c = 0\n    for x in q:\n        if x + {1} > t:\n            c = c + 1\n    return c",
    "sign": "    a = q[0] + {0}\n    return a > 0",
    "branches": "    if q[0] > 0:\n        r = q[0] + {0}\n    else:\n        r = q[0] + {1}\n    return r > 1",
    "follows": "    t = q[0] + {0}\n    u = t + {1}\n    if u > 1:\n        return True\n    return False",
    "weighed": "    return 2 * q[0] + {0}, q[0] / 2 + {1}",
    "choose": "    return choose(q, {3})",
    "chosen": "    at = choose(q, {3})\n    return at, q[at] + {0}",
    "twice": "    return choose(q, {3}), choose(q, {3})",
    "first": "    t = {0}\n    for i in range({4}):\n        if q[i] + {1} > t:\n            return i\n    return None",  # Theorem E
    "largest": "    b = q[0] + {0}\n    at = 0\n    for i in range(1, {4}):\n        v = q[i] + {0}\n        if v > b:\n            b = v\n"
    "            at = i\n    return at",
    "pairs": "    a = {0}\n    if q[0] + a > q[1] + {1}:\n        return q[0] + {2} > a\n    return None",
}
SIZED = {"first": (2, 3), "largest": (2, 3), "pairs": (2,)}  # programs of a declared number of answers, under (ε, δ)
REGION = (Fraction(1, 2), Fraction(1, 20))  # the least ε and the largest δ that they accept
SCALES = {
    "rho": ("1/sqrt(2*rho)", "1/sqrt(rho)", "sqrt(len(q)/(2*rho))", "sqrt(len(q)/rho)", "2/sqrt(2*rho)", "2/sqrt(rho)", "1/rho", "2/rho", "4/rho", "3/rho"),
    "mu": ("1/mu", "sqrt(2)/mu", "sqrt(len(q))/mu", "2/mu", "sqrt(2*len(q))/mu", "sqrt(8)/mu"),
    "sized": ("1/gdp(eps, delta)", "sqrt(2)/gdp(eps, delta)", "2/gdp(eps, delta)", "2.5/gdp(eps, delta)", "3/gdp(eps, delta)", "4/gdp(eps, delta)"),
    "eps": ("1/gdp(eps, delta)", "sqrt(len(q))/gdp(eps, delta)", "sqrt(2)/gdp(eps, delta)", "1/eps", "2/eps", "4/eps", "len(q)/eps"),
}  # fmt: skip
FREE = ("release", "pair", "shared", "running", "sums", "steered", "weighed")  # whose events are not apart
HEADS = {"rho": "rho: Rho", "mu": "mu: Mu", "eps": "eps: Epsilon, delta: Delta"}
FAMILIES = ("Gauss", "Gauss", "Gauss", "Lap", "Lap", "Exp")


def sized_program(kind: str, rng: random.Random) -> Sketch:
    size, draws = rng.choice(SIZED[kind]), [f"Gauss({rng.choice(SCALES['sized'])})" for _ in range(3)]
    body = BODIES[kind].format(*draws, "", size)
    accepts = f"    assert eps >= {REGION[0]} and delta <= {REGION[1]}\n"
    return parse(f"@sketch(adjacent={rng.choice(RELATIONS)})\ndef f(q: Private[{size}], {HEADS['eps']}):\n{accepts}{body}\n")


def random_program(rng: random.Random) -> tuple[str, Sketch]:
    kind, budget = rng.choice(list(BODIES)), rng.choice(("rho", "rho", "mu", "eps"))
    if kind in SIZED:
        return kind, sized_program(kind, rng)
    draws = [f"{rng.choice(FAMILIES)}({rng.choice(SCALES[budget])})" for _ in range(3)]
    if rng.random() < 0.4:
        draws = draws[:1] * 3
    text = f"@sketch(adjacent={rng.choice(RELATIONS)})\ndef f(q: Private, {HEADS[budget]}):\n{BODIES[kind].format(*draws, rng.choice(SCALES[budget]))}\n"
    return kind, parse(text)


def arguments_of(sketch: Sketch, size: int, rng: random.Random) -> Arguments:
    budget = Fraction(rng.choice((1, 2, 8)), rng.choice((2, 8)))
    delta = Fraction(1, rng.choice((20, 1000, 10**6))) if sketch.delta is not None else None
    if sketch.asserted:  # at the corner of what is accepted, mostly
        budget = rng.choice((REGION[0], REGION[0], REGION[0] * 2))
        delta = rng.choice((REGION[1], REGION[1], Fraction(1, 1000)))
    return Arguments(budget, size, (), delta, sketch.variant.symbol)


def neighbours(sketch: Sketch, size: int, rng: random.Random) -> tuple[Database, Database]:
    d1 = tuple(Fraction(rng.randint(-3, 3)) for _ in range(size))
    return d1, tuple(a + b for a, b in zip(d1, sketch.adjacency.draw_move(size, rng), strict=True))


def events_of(kind: str, size: int, rng: random.Random) -> list[Event]:
    """All outcomes of a program with finitely many, else some events of its numbers."""
    match kind:
        case "max" | "choose" | "largest":
            return [Equals(Fraction(i)) for i in range(size)]
        case "above" | "first":
            return [Equals(None), *(Equals(Fraction(i)) for i in range(size))]
        case "count":
            return [Equals(Fraction(i)) for i in range(size + 1)]
        case "sign" | "branches" | "follows":
            return [Equals(True), Equals(False)]
        case "pairs":
            return [Equals(True), Equals(False), Equals(None)]
        case "twice":
            return [AllOf((Equals(Fraction(i)), Equals(Fraction(j)))) for i in range(size) for j in range(size)]
        case "chosen":
            low = Within(Fraction(rng.randint(-12, 12), 2), None)
            return [AllOf((Equals(Fraction(i)), low)) for i in range(size)]
    low = Within(Fraction(rng.randint(-12, 12), 2), None)
    many = {"pair": 2, "shared": 2, "steered": 2, "weighed": 2, "release": size, "running": size, "sums": size}.get(kind)
    if many is None:
        return [low]
    return [AllOf(tuple(low if i == place else Anything() for i in range(many))) for place in range(many)]


def violations(kind: str, sketch: Sketch, rng: random.Random) -> Iterator[str]:
    """What speaks against a proof on one pair of neighbours."""
    size = sketch.private.count or rng.choice((1, 2, 2, 3))
    arguments = arguments_of(sketch, size, rng)
    d1, d2 = neighbours(sketch, size, rng)
    events = events_of(kind, size, rng)
    odds = []
    for event in events:
        p, q = (budget_probability(sketch, d, arguments, event) for d in (d1, d2))
        if not isinstance(p, CannotIntegrate) and not isinstance(q, CannotIntegrate):
            odds.append((p, q))
    where = f"{d1} {d2} {arguments}"
    if sketch.variant is Variant.ZCDP:
        partition = (isinstance(events[0], Equals) or kind == "twice") and len(odds) == len(events)
        for group in [odds] if partition else [[pair] for pair in odds]:
            for found, order in divergences([(float(p.ball.mid()), float(q.ball.mid())) for p, q in group], partition):
                if found > order * float(arguments.epsilon) * (1 + TOLERANCE) + TOLERANCE:
                    yield f"D_{order} = {found} on {where}"
    for p, q in odds:
        for one, other in ((p, q), (q, p)):
            if sketch.variant is Variant.GDP and breaks_gdp(one, other, arguments.epsilon):
                yield f"not GDP on {where}"
            if arguments.delta is not None and breaks_approximate(one, other, arguments.epsilon, arguments.delta):
                yield f"not (ε, δ) on {where}"
    if arguments.delta is not None and len(odds) > 1 and (kind not in FREE):
        for way in (1, -1):
            pairs = [(float(p.ball.mid()), float(q.ball.mid()))[::way] for p, q in odds]
            total = sum(max(0.0, p - np.exp(float(arguments.epsilon)) * q) for p, q in pairs)
            if total > float(arguments.delta) * (1 + TOLERANCE) + TOLERANCE:
                yield f"outcomes add up to δ = {total} on {where}"


def divergences(pairs: list[tuple[float, float]], partition: bool) -> Iterator[tuple[float, float]]:
    """Rényi divergences of all outcomes, both ways; an event alone has a complement."""
    laws = np.array(pairs if partition else [*pairs, *[(1 - p, 1 - q) for p, q in pairs]])
    for one, other in ((laws[:, 0], laws[:, 1]), (laws[:, 1], laws[:, 0])):
        if (other <= 1e-300).any() or (one <= 1e-300).any():
            continue
        for order in ORDERS:
            logs = order * np.log(one) + (1 - order) * np.log(other)
            yield float(np.logaddexp.reduce(logs)) / (order - 1), order


def judge(rng: random.Random, pairs: int) -> tuple[str, Sketch | None, list[str]]:
    """What becomes of a random program, in words, and what is wrong with that."""
    try:
        kind, sketch = random_program(rng)
    except KolahalError:
        return "refused", None, []
    word, verdict = "proved", prove_budget(sketch, plain_claim(sketch), EFFORT)
    if not isinstance(verdict, Proved) and kind in SIZED:
        word, verdict = "proved by Theorem E", prove_union(sketch, plain_claim(sketch), EFFORT)
    if not isinstance(verdict, Proved):
        return "not proved", sketch, []
    found = [v for _ in range(pairs) for v in violations(kind, sketch, rng)]
    refuted = refute_budget(sketch, plain_claim(sketch)) if kind not in ("max", "above", "count", *SIZED) else None
    if isinstance(refuted, Refuted):
        found.append(f"refuted: {refuted.example}")
    return word, sketch, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pairs", type=int, default=4, help="of neighbours, for each program that is proved")
    options = parser.parse_args()
    told: Counter[str] = Counter()
    start = time.process_time()
    wrong = 0
    try:
        for index in range(options.count):
            word, sketch, found = judge(random.Random(f"{options.seed}/{index}"), options.pairs)
            told[word] += 1
            if found:
                wrong += 1
                print(f"VIOLATION in program {index}:\n{sketch}{found[0]}", flush=True)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
    shown = ", ".join(f"{count} {word}" for word, count in sorted(told.items()))
    print(f"{told.total()} programs: {shown}; {wrong} violations; {time.process_time() - start:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
