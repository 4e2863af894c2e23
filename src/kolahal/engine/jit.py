"""The kernel of a sketch, compiled by Numba and kept on disk. Numba is optional and imported only when it is used."""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from kolahal.engine import batch, machine_code
from kolahal.engine.batch import Used
from kolahal.engine.faults import fault
from kolahal.engine.kernel import PARAMETERS, Kernel, write_kernel
from kolahal.engine.kernel_expressions import DONE, NO_ANSWER_ROOM, NO_LIST_ROOM, NO_NOISE, NO_TURNS
from kolahal.engine.machine_code import MachineCode, is_called_so, is_known_symbol
from kolahal.engine.noise import Array
from kolahal.engine.outputs import Lengths, Outputs
from kolahal.engine.tape import Tape, Turns, apart
from kolahal.lang.ir import Hole
from kolahal.lang.sketch import Role, Sketch
from kolahal.model import Arguments
from kolahal.nouns import dataclass

LARGEST_TABLE = 1 << 24  # addresses; each that is used holds the noise of all runs

# No fast-math and no contraction to fused multiply-add: the answers are those of the reference to the last bit.
# The kernel tests divisors itself, hence the error model that does not. Nobody calls it through Numba.
PRELUDE = f"""\
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy import ceil, floor


@intrinsic
def load(typing_context, address, place):
    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())
        return builder.load(builder.gep(pointer, [arguments[1]]))

    return types.float64(types.int64, types.int64), generate


@njit("int64({", ".join(PARAMETERS.values())})", error_model="numpy", fastmath=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""


@dataclass(frozen=True, slots=True)
class Ready:
    """A kernel and what runs it."""

    kernel: Kernel
    function: Callable[..., int]


class Unfit(Exception):
    """A program whose kernel is nested too deep for Python, or whose noise is spread too wide for a table."""


@cache
def available() -> bool:
    """Whether Numba is installed and can be imported."""
    try:
        importlib.import_module("numba")
    except ImportError:
        return False
    return True


def is_loaded(sketch: Sketch) -> bool:
    """Whether the compiled kernel of a sketch is in memory, so that using it costs nothing."""
    return sketch in _loaded


def is_on_disk(sketch: Sketch) -> bool:
    """Whether the kernel of a sketch has been compiled before, so that it need only be loaded."""
    if importlib.util.find_spec("numba") is None:
        return False
    return machine_code.is_kept(_cache_folder(), _name_of(write_kernel(sketch)))


def run(
    sketch: Sketch, database: Sequence[Fraction], arguments: Arguments, scales: Sequence[float], tape: Tape
) -> Outputs:
    """The answers of all runs of `tape`."""
    try:
        return drive(_compiled(sketch), sketch, database, arguments, scales, tape)[0]
    except Unfit:
        return batch.run(sketch, database, arguments, scales, tape)


def run_with_draws(
    sketch: Sketch, database: Sequence[Fraction], arguments: Arguments, scales: Sequence[float], tape: Tape
) -> tuple[Outputs, Used]:
    """The answers, and what each run drew at the holes: all that the weight of a run depends on."""
    try:
        return drive(_compiled(sketch), sketch, database, arguments, scales, tape, counted=True)
    except Unfit:
        return batch.run_with_draws(sketch, database, arguments, scales, tape)


# ---------------------------------------------------------------- running a kernel


class _CompiledNoise:
    """The table through which a kernel finds unit noise: for each site, one place an address, filled on demand.

    The tape holds it, and it not the tape: a circle would keep the noise until somebody looks for circles.
    """

    def __init__(self, kernel: Kernel, size: int):
        self.kernel = kernel
        outermost = {loops[0] for loops in kernel.around if loops}
        # Most loops run over the answers, and the test of `while` has a turn more; inner loops start small, because
        # room is the product over all loops.
        self.extents = np.array([size + 2 if loop in outermost else 8 for loop in range(kernel.loops)], dtype=np.int64)
        self.clear()

    def clear(self) -> None:
        rooms = [math.prod(int(self.extents[loop]) for loop in loops) for loops in self.kernel.around]
        if sum(rooms) > LARGEST_TABLE:
            raise Unfit
        self.offsets = np.cumsum([0, *rooms], dtype=np.int64)
        self.rows = np.zeros(int(self.offsets[-1]), dtype=np.int64)

    def grow(self, loop: int, turns: int) -> None:
        self.extents[loop] = max(turns, 2 * int(self.extents[loop]))
        self.clear()

    def supply(self, tape: Tape, site: int, slot: int) -> None:
        """Draw what the kernel asks for; of the turns that follow, hand over what others have drawn before."""
        noise, turns = self.kernel.draws[site].noise, self.turns(site, slot)
        last = int(self.extents[self.kernel.around[site][-1]]) if turns else 1
        # A kernel starts a run again for each thing that it asks for, so a loop that has gone far gets more at once.
        ahead = turns[-1] + turns[-1] // 4 if turns else 0
        while True:
            units = tape.units(noise, site, turns)
            self.rows[self.offsets[site] + slot] = units.ctypes.data  # the tape keeps the array alive
            if not turns or turns[-1] + 1 == last:
                return
            slot, turns = slot + 1, (*turns[:-1], turns[-1] + 1)
            if turns[-1] > ahead and not tape.has(noise, site, turns):
                return

    def turns(self, site: int, slot: int) -> Turns:
        found: list[int] = []
        for loop in reversed(self.kernel.around[site]):
            slot, turn = divmod(slot, int(self.extents[loop]))
            found.insert(0, turn)
        return tuple(found)


def drive(
    ready: Ready,
    sketch: Sketch,
    database: Sequence[Fraction],
    arguments: Arguments,
    scales: Sequence[float],
    tape: Tape,
    counted: bool = False,
) -> tuple[Outputs, Used]:
    """Run a kernel over all runs of `tape`, with the noise and the room that it asks for."""
    kernel, runs, size = ready.kernel, tape.runs, len(database)
    environment, quantities = arguments.environment(sketch), arguments.quantities(sketch)
    answers = np.array([float(a) for a in database])
    given = np.array([float(environment[p.name]) for p in sketch.parameters if p.role is not Role.PRIVATE])
    by_site = np.empty((len(kernel.draws), 1 if all(np.ndim(s) == 0 for s in scales) else runs))
    for draw in kernel.draws:
        hole = draw.scale
        by_site[draw.site] = scales[hole.index] if isinstance(hole, Hole) else hole.near(quantities)
    key = kernel.text, size
    noise = tape.tables.get(key) or tape.tables.setdefault(key, _CompiledNoise(kernel, size))
    room = 2 * max(size, kernel.widest) + 2
    width = max(size if kernel.lists else 1, kernel.widest, 1)  # fresh memory costs as much as the runs
    lengths: Lengths = np.zeros(runs, dtype=np.int64)
    kinds: Any = np.zeros((width, runs), dtype=np.uint8)
    # Numbers are summed up and sorted wherever they stand; of other items nobody reads what the kernel does not write,
    # and clearing that takes as long as the runs.
    values: Any = (np.zeros if kernel.tells_numbers else np.empty)((width, apart(runs)))
    used = Used(*(np.zeros((len(scales) if counted else 0, runs)) for _ in range(2)))
    state = np.zeros(3, dtype=np.int64)
    lists, list_kinds = _scratch(kernel.lists, room)
    while True:
        status = ready.function(
            int(state[0]), runs, answers, given, by_site, noise.extents, noise.offsets, noise.rows, lists, list_kinds,
            lengths, kinds, values, used.sums, used.counts, state,
        )  # fmt: skip
        which, amount = int(state[1]), int(state[2])
        if status == DONE:
            return Outputs(lengths, kinds, values[:, :runs]), used
        if status == NO_NOISE:
            noise.supply(tape, which, amount)
        elif status == NO_TURNS:
            noise.grow(which, amount)
        elif status == NO_LIST_ROOM:
            room *= 2
            lists, list_kinds = _scratch(kernel.lists, room)
        elif status == NO_ANSWER_ROOM:
            more = max(amount, 2 * width) - width
            kinds, values = (np.pad(part, ((0, more), (0, 0))) for part in (kinds, values))
            width += more
        else:
            # Equal programs share a kernel; the place of the fault is this one's.
            raise fault(sketch, *write_kernel(sketch).faults[status - 1])


def _scratch(lists: int, room: int) -> tuple[Array, Any]:
    return np.zeros((lists, room)), np.zeros((lists, room), dtype=np.uint8)


def interpret(sketch: Sketch) -> Ready:
    """The kernel of a sketch as Python runs it: slow, and equal to the compiled one, whose text it shares."""
    names: dict[str, Any] = {
        "load": lambda address, place: ctypes.c_double.from_address(int(address) + 8 * int(place)).value,
        "floor": lambda x: float(math.floor(x)),
        "ceil": lambda x: float(np.ceil(x)),
    }
    kernel = write_kernel(sketch)
    exec(compile(kernel.text, "<kernel>", "exec"), names)
    return Ready(kernel, np.errstate(all="ignore")(names["kernel"]))


# ---------------------------------------------------------------- compiling a kernel


_loaded: dict[Sketch, Ready] = {}


def _compiled(sketch: Sketch) -> Ready:
    """The compiled kernel: from memory, or from disk, or new."""
    ready = _loaded.get(sketch)
    if ready is None:
        kernel = write_kernel(sketch)
        try:
            compile(kernel.text, "<kernel>", "exec")
        except (SyntaxError, RecursionError, MemoryError):
            raise Unfit from None
        ready = _loaded[sketch] = Ready(kernel, _function_of(kernel))
    return ready


def _function_of(kernel: Kernel) -> Callable[..., int]:
    kinds, name, folder = list(PARAMETERS.values()), _name_of(kernel), _cache_folder()
    made = machine_code.read(folder, name)
    if made is None:
        made = make(kernel)
        with suppress(OSError):  # else every process makes its own
            machine_code.keep(folder, name, made)
    return machine_code.load(made, kinds)


def make(kernel: Kernel) -> MachineCode:
    """The machine code of a kernel, by Numba."""
    from llvmlite.ir import PointerType

    function = by_numba(kernel)
    try:
        (compiled,) = function.overloads.values()
        described, library = compiled.fndesc, compiled.library
        called = function.targetctx.call_conv.get_function_type(described.restype, described.argtypes)
        needed = [f.name for f in library._final_module.functions if f.is_declaration]
        code = bytes(library._get_compiled_object())
    except AttributeError:  # another version of Numba names its parts in another way
        raise Unfit from None
    if not is_called_so(list(PARAMETERS.values()), [isinstance(argument, PointerType) for argument in called.args]):
        raise Unfit  # or calls functions in another way
    if not all(map(is_known_symbol, needed)):
        raise Unfit
    return MachineCode(described.llvm_func_name, code)


def by_numba(kernel: Kernel) -> Any:
    """The kernel as Numba compiles it."""
    names: dict[str, Any] = {}
    exec(compile(PRELUDE + kernel.text, "<kernel>", "exec"), names)
    return names["kernel"]


def _name_of(kernel: Kernel) -> str:
    return hashlib.sha256((PRELUDE + kernel.text).encode()).hexdigest()[:32]


def _cache_folder() -> Path:
    """Where compiled kernels are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return Path(base).expanduser() / "kolahal"
    except RuntimeError:  # there is no home
        return Path(os.devnull)  # where nothing can be kept
