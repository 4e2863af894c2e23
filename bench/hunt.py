"""The hunt for a wrong verdict: generated mechanisms, each asked of the prover and of the exact refuter.

A refutation is an exact inequality that shares nothing with a proof, so no mechanism may be both. How many: the
environment variable KOLAHAL_HUNT (default 200).
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from kolahal.lang.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.model import Proved, Unknown
from kolahal.proof.bounded import prove_bounded
from kolahal.proof.lengths import prove_every_length
from kolahal.proof.refute import refute
from kolahal.settings import Settings

SCALES = ("1/eps", "2/eps", "2/eps", "3/eps", "4/eps", "N/eps", "2*N/eps", "3*N/eps", "4*N/eps", "len(q)/eps")
RELATIONS = ("each_within(1)", "each_within(1)", "one_within(1)", "monotone(1)", "sum_within(1)", "each_within(2)")


def generate(seed: int) -> str:
    """A small mechanism: a threshold, a running maximum or sums, with random noise, scales, outputs and neighbours."""
    rng = random.Random(seed)
    noise = rng.choice(("Lap", "Lap", "Lap", "Exp"))

    def draw() -> str:
        return f"{noise if rng.random() < 0.8 else 'Lap'}({rng.choice(SCALES)})"

    def maybe(text: str, chance: float) -> str:
        return text if rng.random() < chance else ""

    answer = rng.choice(("x", "x", "x", "2 * x", "x - 1", "-x"))
    compare = rng.choice((">", ">", ">=", "<"))
    head = f"@sketch(adjacent={rng.choice(RELATIONS)})\ndef hunted(q: Private, N: int, T: float, eps: Epsilon):\n"
    shape = rng.choice(("threshold", "threshold", "maximum", "sum"))
    if shape == "threshold":
        value = f"{answer}{maybe(' + ' + draw(), 0.85)}"
        hit = rng.choice(
            (
                ["return i"],
                ["out.append(True)", "count = count + 1", "if count >= N:", "    break"],
                ["out.append(True)"],
                ["out.append(b)", "break"],
                [f"out.append(x + {draw()})", "count = count + 1", "if count >= N:", "    break"],
                ["out.append(b - t)", "break"],
                ["out.append(True)", f"t = T + {draw()}", "count = count + 1", "if count >= N:", "    break"],
            )
        )
        lines = [
            f"t = T{maybe(' + ' + draw(), 0.85)}",
            "out = []",
            "count = 0",
            "i = 0",
            "for x in q:",
            "    i = i + 1",
            f"    b = {value}",
            f"    if b {compare} t:",
            *(f"        {line}" for line in hit),
        ]
        if rng.random() < 0.7:
            lines += ["    else:", f"        {rng.choice(('out.append(False)', 'out.append(None)', 'pass'))}"]
        lines.append("return out" if hit != ["return i"] else "return 0")
    elif shape == "maximum":
        lines = [
            "m, v = 0, None",
            "i = 0",
            "for x in q:",
            f"    b = {answer} + {draw()}",
            f"    if v is None or b {compare} v:",
            "        m, v = i, b",
            "    i = i + 1",
            f"return {rng.choice(('m', 'm', 'm + ' + draw(), 'v'))}",
        ]
    else:
        each = maybe(" + " + draw(), 0.6)
        lines = [
            "s = 0",
            "out = []",
            "for x in q:",
            f"    s = s + {answer}{each}",
            *([f"    out.append(s{maybe(' + ' + draw(), 0.5)})"] if rng.random() < 0.5 else []),
            rng.choice(("return out", f"return s + {draw()}", "return s")),
        ]
    return head + "\n".join(f"    {line}" for line in lines) + "\n"


def judge(seed: int) -> tuple[int, str]:
    """Which verdict a generated mechanism gets; "both" must never happen."""
    text = generate(seed)
    sketch, settings, claim = parse(text), Settings(), parse_scale("eps")
    proof: Proved | Unknown = prove_every_length(sketch, claim, settings.proof)
    refuted = refute(sketch, claim, settings)
    if isinstance(proof, Proved):
        return seed, "both" if refuted else "proved, every length"
    if refuted:
        return seed, "refuted"
    bounded = prove_bounded(sketch, claim, settings.proof, 3)
    return seed, "proved, up to 3 queries" if isinstance(bounded, Proved) else "unknown"


def main() -> None:
    count = int(os.environ.get("KOLAHAL_HUNT", "200"))
    start = time.perf_counter()
    with ProcessPoolExecutor() as pool:
        verdicts = list(pool.map(judge, range(count), chunksize=4))
    found = Counter(verdict for _, verdict in verdicts)
    for verdict, number in found.most_common():
        print(f"{verdict:28} {number:6}  {100 * number / count:5.1f} %")
    print(f"{count} mechanisms in {time.perf_counter() - start:.0f} s; contradictions: {found['both']}")
    for seed in [seed for seed, verdict in verdicts if verdict == "both"]:
        print(f"\nproved and refuted, seed {seed}:\n{generate(seed)}")
