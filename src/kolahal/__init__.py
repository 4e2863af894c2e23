"""Kolahal: find noise scales that make a program differentially private, and no noisier than they must be."""

from kolahal.errors import KolahalError, SettingsError, UsageError
from kolahal.lang.front import (
    DiscreteExp,
    DiscreteLap,
    Epsilon,
    Exp,
    Lap,
    Private,
    each_within,
    hole,
    monotone,
    one_within,
    sketch,
    sum_within,
)
from kolahal.lang.scale import Scale, parse_scale
from kolahal.lang.sketch import Mechanism, Sketch
from kolahal.settings import Grammar, Settings

__version__ = "0.1.0"

__all__ = [
    "DiscreteExp",
    "DiscreteLap",
    "Epsilon",
    "Exp",
    "Grammar",
    "KolahalError",
    "Lap",
    "Mechanism",
    "Private",
    "Scale",
    "Settings",
    "SettingsError",
    "Sketch",
    "UsageError",
    "each_within",
    "hole",
    "monotone",
    "one_within",
    "parse_scale",
    "sketch",
    "sum_within",
]
