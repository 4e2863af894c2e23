"""Modules that most commands end without; they are loaded where they are first needed, which saves a third of a short run.

Everywhere else imports stand at the top (`tests/test_architecture.py`).
"""

from importlib import import_module

LATER = (
    "kolahal.engine.jit",
    "kolahal.lang.plain.convert",
    "kolahal.lang.read.gathered",
    "kolahal.proof.budgets",
    "kolahal.proof.find.bounded",
    "kolahal.proof.find.counted",
    "kolahal.proof.refute.counted",
    "kolahal.proof.refute.counterexample_data",
    "kolahal.proof.refute.growth",
    "kolahal.proof.refute.refute",
    "kolahal.proof.refute.scattered",
    "kolahal.report.proofs",
    "kolahal.report.svg",
    "kolahal.roads.baselines",
    "kolahal.roads.budgets",
    "kolahal.roads.exact",
    "kolahal.roads.families",
    "kolahal.roads.paper",
    "kolahal.tester.trial",
)


def load_all() -> None:
    """For processes that fork for each job, which else would load these again every time."""
    for name in LATER:
        import_module(name)
