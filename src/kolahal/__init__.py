"""Kolahal: find noise scales that make a program differentially private, and no noisier than they must be."""

import kolahal.early  # noqa: F401, I001  (first: Ctrl-C while the rest is loaded)

from importlib import import_module
from typing import Any

from kolahal.errors import KolahalError, SettingsError, UsageError
from kolahal.lang.read.front import (
    Between,
    Delta,
    DiscreteExp,
    DiscreteGauss,
    DiscreteLap,
    Epsilon,
    Exp,
    Flip,
    Gauss,
    Geometric,
    Lap,
    Mu,
    Noise,
    Pick,
    Private,
    Records,
    Rho,
    add_remove,
    choose,
    clip,
    each_within,
    gdp,
    hole,
    monotone,
    one_within,
    replace,
    sketch,
    sqrt,
    sum_within,
)
from kolahal.lang.scale import Scale, parse_scale
from kolahal.lang.sketch import Mechanism, Sketch
from kolahal.settings import Grammar, Settings

__version__ = "0.1.0"

# Loaded when first asked for: these need numpy, scipy and solvers, and `import kolahal` is to be quick.
_LATER = {
    "synthesize": "kolahal.display",
    "synthesize_plain": "kolahal.display",
    "check": "kolahal.display",
    "emit": "kolahal.emission.release",
    "tune": "kolahal.display",
}

__all__ = [
    "Between",
    "Delta",
    "DiscreteExp",
    "DiscreteGauss",
    "DiscreteLap",
    "Epsilon",
    "Exp",
    "Flip",
    "Gauss",
    "Geometric",
    "Grammar",
    "KolahalError",
    "Lap",
    "Mechanism",
    "Mu",
    "Noise",
    "Pick",
    "Private",
    "Records",
    "Rho",
    "Scale",
    "Settings",
    "SettingsError",
    "Sketch",
    "UsageError",
    "add_remove",
    "check",
    "choose",
    "clip",
    "each_within",
    "emit",
    "gdp",
    "hole",
    "monotone",
    "one_within",
    "parse_scale",
    "replace",
    "sketch",
    "sqrt",
    "sum_within",
    "synthesize",
    "synthesize_plain",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'kolahal' has no attribute {name!r}")
