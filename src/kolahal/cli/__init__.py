"""Arguments in, exit code out. Commands parse and print; the work is done elsewhere."""

from kolahal.cli import batch, judge, paper, programs, synth
from kolahal.cli.base import cli, main

__all__ = ["batch", "cli", "judge", "main", "paper", "programs", "synth"]
