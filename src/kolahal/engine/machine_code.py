"""Compiled kernels as machine code on disk. Numba is needed to make it, and not to run it: loading Numba takes longer than most tests.

A kernel is called as Numba calls a function that it compiled: a place for the result, one for an exception, and of each
array what its own structure holds. Whoever makes machine code checks that this is so (`is_called_so`).
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from kolahal.nouns import dataclass

DESTRUCTOR = "NRT_MemInfo_call_dtor"  # what a kernel would call to give memory back; ours own none
_kept: list[Any] = []  # what machine code needs as long as it may be called


@dataclass(frozen=True, slots=True)
class MachineCode:
    """An object file, and the name of the function in it."""

    symbol: str
    code: bytes


def is_called_so(kinds: Sequence[str], pointers: Sequence[bool]) -> bool:
    """Whether a function for these parameters takes what we would give it: which of its arguments are pointers."""
    expected = [True, True]  # result and exception
    for kind in kinds:
        expected += [False] if "[" not in kind else [True, True, False, False, True, *(False,) * (2 * _dimensions(kind))]
    return list(pointers) == expected


def _dimensions(kind: str) -> int:
    return kind.count(",") + 1


def is_known_symbol(name: str) -> bool:
    """Whether a name that machine code refers to is there in every process, also without Numba."""
    return name.startswith("llvm.") or name == DESTRUCTOR or hasattr(ctypes.CDLL(None), name)


# ---------------------------------------------------------------- running


def load(made: MachineCode, kinds: Sequence[str]) -> Callable[..., int]:
    """The function of some machine code, for parameters of these kinds."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if llvm.address_of_symbol(DESTRUCTOR) is None:
        llvm.add_symbol(DESTRUCTOR, ctypes.cast(_nothing(), ctypes.c_void_p).value)
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(made.code))
    engine.finalize_object()
    _kept.append(engine)
    arrays = [(np.dtype(kind.partition("[")[0]), _dimensions(kind)) if "[" in kind else None for kind in kinds]
    types: list[Any] = [ctypes.c_void_p, ctypes.c_void_p]
    for array in arrays:
        inner = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
        types += [ctypes.c_int64] if array is None else [*inner, *(ctypes.c_int64,) * (2 * array[1])]
    function = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(engine.get_function_address(made.symbol))

    def call(*values: Any) -> int:
        result, raised = ctypes.c_int64(), ctypes.c_void_p()
        given: list[Any] = []
        for value, array in zip(values, arrays, strict=True):
            if array is None:
                given.append(value)
                continue
            if value.dtype != array[0] or value.ndim != array[1] or not value.flags.c_contiguous:
                raise TypeError("an array is not as the kernel was compiled for")
            given += (None, None, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
        if function(ctypes.addressof(result), ctypes.addressof(raised), *given):
            raise RuntimeError("a kernel stopped where none can")
        return result.value

    return call


@cache
def _nothing() -> Any:
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda memory: None)


# ---------------------------------------------------------------- on disk


@cache
def _processor() -> str:
    """The processor that machine code is for, and what compiles for it."""
    import llvmlite
    import llvmlite.binding as llvm

    told = f"{llvmlite.__version__} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def is_kept(folder: Path, name: str) -> bool:
    """Whether there is machine code of this name, for whatever processor."""
    try:
        return any(folder.glob(f"{name}-*.kernel"))
    except OSError:
        return False


def read(folder: Path, name: str) -> MachineCode | None:
    """The machine code of this name for this processor, if it is there and whole."""
    try:
        digest, symbol, code = (folder / f"{name}-{_processor()}.kernel").read_bytes().split(b"\n", 2)
    except (OSError, ValueError):
        return None
    whole = digest.decode(errors="replace") == _digest(symbol, code)
    return MachineCode(symbol.decode(), code) if whole else None


def keep(folder: Path, name: str, made: MachineCode) -> None:
    """Keep machine code for other processes; never half, because they may read it now."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    symbol = made.symbol.encode()
    handle, path = tempfile.mkstemp(dir=folder, suffix=".new")
    with os.fdopen(handle, "wb") as file:
        file.write(b"\n".join([_digest(symbol, made.code).encode(), symbol, made.code]))
    os.replace(path, folder / f"{name}-{_processor()}.kernel")


def _digest(symbol: bytes, code: bytes) -> str:
    return hashlib.sha256(symbol + b"\n" + code).hexdigest()
