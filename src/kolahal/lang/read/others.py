"""Names of other libraries that people write, and what they are called in a sketch."""

from __future__ import annotations

from kolahal.lang.read.tree import NOISES

HERE = ("len", "max", "min", "abs", "sum", "any", "all", "sorted", "range")  # calls that a sketch knows under their plain names
NOISY = (  # pieces of names, the more special first, and the noise that is meant
    ("discrete_laplace", "DiscreteLap"),
    ("discretelaplace", "DiscreteLap"),
    ("geometric", "DiscreteLap"),
    ("gauss", "Gauss"),
    ("normal", "Gauss"),
    ("lap", "Lap"),
    ("exponential", "Exp"),
    ("exp", "Exp"),
)
PLAIN = {
    "clip": "Write max(low, min(x, high)).",
    "mean": "Write sum(q) / len(q).",
    "average": "Write sum(q) / len(q).",
    "argmax": "Go through the list, and keep the largest item so far and its place.",
    "append": "Write out.append(x) on a list of the sketch.",
    "int": "Return the number as it is, and round it outside the sketch.",
    "float": "Use the number as it is; numbers are exact.",
}


def find_remedy(name: str) -> str:
    """What to write instead of a call of that name; nothing where it is not known."""
    last = name.rpartition(".")[2].rstrip(")").lower()
    if last in HERE:
        return f"Write {last}(…) without a module before it."
    if last in PLAIN:
        return PLAIN[last]
    ours = next((noise for piece, noise in NOISY if piece in name.lower()), None)
    if ours in NOISES:
        return f"If noise is meant, import {ours} from kolahal and write {ours}(scale), or {ours}(hole) to have the scale found."
    every = " or ".join(NOISES)
    if ours is not None:
        return f"There is no such noise in a sketch; import {every} from kolahal, and write Lap(hole) to have its scale found."
    if any(word in name.lower() for word in ("random", "noise", "uniform", "rng", "sample")):
        return f"For noise, import {every} from kolahal and write Lap(hole) or Exp(hole)."
    return ""
