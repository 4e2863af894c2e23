"""Ctrl-C while the command is being loaded, which takes some tenths of a second: it ends, without a traceback.

An exception would not do: raised inside an import it comes out as something else. Nothing changes for those who import
kolahal from programs of their own.
"""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130


def _stop(number: int, frame: FrameType | None) -> None:
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


if is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # and not ignored, as by nohup
    signal.signal(signal.SIGINT, _stop)
