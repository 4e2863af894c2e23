"""A proof of ours that does not pass its own re-check. It is not given, so nobody is misled; but one of the two is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from kolahal.verdicts import Unknown


def failed_recheck(what: str, faults: Sequence[str]) -> Unknown:
    """What is given instead of the proof; it is counted, `kolahal check --verbose` shows it, and the tests make an error of it."""
    told = f"{what} did not pass its re-check: {faults[0]}"
    return Unknown(told, failed_rechecks=(told,))
