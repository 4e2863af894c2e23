"""Arguments in, exit code out. Commands parse and print; the work is done elsewhere."""

from kolahal.cli import batch, convert, editor, judge, paper, programs, synth, tune
from kolahal.cli.base import cli, main

__all__ = ["batch", "cli", "convert", "editor", "judge", "main", "paper", "programs", "synth", "tune"]
