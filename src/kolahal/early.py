"""What a command does before the rest is loaded; nothing changes for those who import kolahal from programs of their own.

Loading takes some tenths of a second. Ctrl-C ends it without a traceback: an exception would not do, since raised inside
an import it comes out as something else. Dead circles of objects are looked for less often, and memory that was given back
is kept, which together take a fifth off a short run. Linear algebra has one thread, as workers have: starting more takes a
tenth of a second, and their number changes the last digits.
"""

import gc
import os
import signal
import sys

INTERRUPTED = 130
SELDOM = 500_000  # new objects between two searches for dead circles, instead of 700; there are few such circles
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's mallopt
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
KEPT, SMALL = 256 << 20, 32 << 20  # bytes that are not given back to the system, and of a piece that may be kept


def _stop(number: int, frame: object) -> None:
    os.write(2, b"Interrupted.\n")
    os._exit(INTERRUPTED)


def is_command() -> bool:
    """Whether this process is `kolahal` or `python -m kolahal`."""
    called = sys.argv[0] if sys.argv else ""
    return os.path.basename(called) == "kolahal" or (called == "-m" and "kolahal" in sys.orig_argv)


def loaded() -> None:
    """From now on Ctrl-C is an exception again."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _keep_memory() -> None:
    """Z3 takes 16 MB for each new context; fetching them from the system every time takes longer than most answers."""
    import ctypes

    try:
        library = ctypes.CDLL(None)
        library.mallopt(M_MMAP_THRESHOLD, SMALL)
        library.mallopt(M_TRIM_THRESHOLD, KEPT)
    except (AttributeError, OSError, TypeError):  # another C library
        return


if is_command():
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # and not ignored, as by nohup
        signal.signal(signal.SIGINT, _stop)
    _keep_memory()
    os.environ.update(ONE_THREAD)  # numpy, which is loaded later, looks there
    gc.set_threshold(SELDOM)
