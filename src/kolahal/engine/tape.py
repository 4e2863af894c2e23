"""Unit noise, found by its address: the site of the draw and the turn numbers of all loops around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from zlib import crc32

from numpy.random import SFC64, Generator, SeedSequence

from kolahal.engine.noise import FAMILIES, Array
from kolahal.lang.noise import Noise

Turns = tuple[int, ...]
Units = Callable[[Noise, int, Turns], tuple[float, ...]]  # the noise of one run, by address


def stream(seed: int, *name: str | int) -> Generator:
    """A generator for one named step, unmoved by what other steps draw."""
    words = [crc32(part.encode()) if isinstance(part, str) else part for part in name]
    return Generator(SFC64(SeedSequence([seed, len(words), *words])))


@dataclass(frozen=True, slots=True)
class Tape:
    """The unit noise of `runs` runs. An address always holds the same noise, whoever asks first."""

    key: tuple[int, ...]
    runs: int
    _drawn: dict[tuple[Noise, int, Turns], Array] = field(default_factory=dict, compare=False, repr=False)

    def units(self, noise: Noise, site: int, turns: Turns) -> Array:
        """Unit variates of shape (parts, runs) at an address."""
        address = (noise, site, turns)
        if address not in self._drawn:
            # The depth is part of the seed because seeds are padded with zeros.
            seed = SeedSequence([*self.key, site, len(turns) + 1, *turns])
            self._drawn[address] = FAMILIES[noise].draw_units(Generator(SFC64(seed)), self.runs)
        return self._drawn[address]

    def row(self, run: int) -> Units:
        """The noise of one run, for the reference engine."""

        def read(noise: Noise, site: int, turns: Turns) -> tuple[float, ...]:
            return tuple(float(u) for u in self.units(noise, site, turns)[:, run])

        return read


def tapes(seed: int, name: str, runs: int, draws: int, largest: int = 1 << 15) -> Iterator[Tape]:
    """Tapes for `runs` runs altogether, each small enough that `draws` draws a run fit into bounded memory."""
    room = max(1, (1 << 22) // max(1, draws))
    chunk = max(256, min(largest, 1 << (room.bit_length() - 1)))
    for index, start in enumerate(range(0, runs, chunk)):
        yield Tape((seed, crc32(name.encode()), index), min(chunk, runs - start))
