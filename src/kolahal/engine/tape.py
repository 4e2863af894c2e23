"""Unit noise, found by its address: the site of the draw and the turn numbers of all loops around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from hashlib import blake2b
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence

from kolahal.engine.noise import FAMILIES, Array
from kolahal.errors import UsageError
from kolahal.lang.noise import Noise
from kolahal.nouns import dataclass

BLOCK = 1 << 21  # doubles
MOST_NOISE = 1 << 28  # doubles of one tape: 2 GiB
MOST_DRAWS = 1 << 16  # of one run
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
    times: int = 1  # so often the same noise comes again
    _drawn: dict[tuple[Noise, int, Turns], Array] = field(default_factory=dict, compare=False, repr=False)
    _tails: dict[tuple[Noise, int, Turns], Array] = field(default_factory=dict, compare=False, repr=False)
    tables: dict[tuple[str, int], Any] = field(default_factory=dict, compare=False, repr=False)  # where kernels find it
    _block: list[Array] = field(default_factory=list, compare=False, repr=False)
    _rng: Generator = field(default_factory=lambda: Generator(SFC64(0)), compare=False, repr=False)

    def __reduce__(self) -> tuple[type[Tape], tuple[tuple[int, ...], int, int]]:
        """A worker gets the address book and not the noise: drawing is faster than sending."""
        return Tape, (self.key, self.runs, self.times)

    def units(self, noise: Noise, site: int, turns: Turns) -> Array:
        """Unit variates of shape (parts, runs) at an address."""
        address = (noise, site, turns)
        if address not in self._drawn:
            if len(self._drawn) > min(MOST_DRAWS, MOST_NOISE // self.runs):
                raise UsageError(
                    f"a run of this program draws noise more than {len(self._drawn) - 1} times: "
                    "a loop has no end, or none that comes soon"
                )
            self._move_to(site, turns)
            family = FAMILIES[noise]
            units = self._room(family.parts)
            once = units if self.times == 1 else np.empty((family.parts, self.runs // self.times))
            family.draw_units(self._rng, once)
            if self.times > 1:
                units.reshape(family.parts, self.times, -1)[:] = once[:, None, :]
            self._drawn[address] = units
        return self._drawn[address]

    def log_tails(self, noise: Noise, site: int, turns: Turns) -> Array:
        """Of a two-sided unit variate, the logarithms of the probabilities to be below and above it: (2, runs)."""
        address = (noise, site, turns)
        if address not in self._tails:
            (units,) = self.units(*address)
            far = -np.abs(units) - np.log(2)  # of the tail on its own side of 0
            near = np.log1p(-np.exp(far))
            below = units < 0
            self._tails[address] = np.array([np.where(below, far, near), np.where(below, near, far)])
        return self._tails[address]

    def _move_to(self, site: int, turns: Turns) -> None:
        """Put the generator where the noise of an address begins."""
        # A new generator costs 12 µs and moving one costs 3; with many queries that is most of the time.
        digest = blake2b(repr((self.key, site, turns)).encode(), digest_size=32).digest()
        words = {"state": np.frombuffer(digest, dtype="<u8")}
        state = {"bit_generator": "SFC64", "state": words, "has_uint32": 0, "uinteger": 0}
        self._rng.bit_generator.state = state

    def _room(self, parts: int) -> Array:
        """Memory for one address."""
        # Carved out of blocks that numpy asks for as large pages: fetching small ones takes as long as the drawing.
        need = parts * self.runs
        if self.runs < 256:
            return np.empty((parts, self.runs))
        step = apart(need)
        if not self._block or len(self._block[0]) < step:
            self._block[:] = [np.empty(max(step, BLOCK))]
        block = self._block[0]
        self._block[0] = block[step:]
        return block[:need].reshape(parts, self.runs)

    def has(self, noise: Noise, site: int, turns: Turns) -> bool:
        """Whether someone has asked for this address."""
        return (noise, site, turns) in self._drawn

    def anew(self) -> Tape:
        """The same runs, whose noise is drawn again."""
        return Tape(self.key, self.runs, self.times)

    def repeat(self, times: int) -> Tape:
        """The same runs that many times over, so that several scales meet the same noise in one go."""
        return Tape(self.key, self.runs * times, self.times * times)

    def row(self, run: int) -> Units:
        """The noise of one run, for the reference engine."""

        def read(noise: Noise, site: int, turns: Turns) -> tuple[float, ...]:
            return tuple(float(u) for u in self.units(noise, site, turns)[:, run])

        return read


def apart(doubles: int) -> int:
    """From one row of doubles to the next where a run reads from all rows: an odd number of the cache's lines, because a
    cache has few places for lines that are a power of two apart."""
    return 8 * (-(-doubles // 8) | 1)


def tapes(seed: int, name: str, runs: int, draws: int, largest: int = 1 << 15) -> Iterator[Tape]:
    """Tapes for `runs` runs altogether, each small enough that `draws` draws a run fit into bounded memory."""
    room = max(1, (1 << 22) // max(1, draws))
    chunk = max(256, min(largest, 1 << (room.bit_length() - 1)))
    for index, start in enumerate(range(0, runs, chunk)):
        yield Tape((seed, crc32(name.encode()), index), min(chunk, runs - start))
