"""cvc5, where it is installed, as a second solver for the queries of a certificate; nothing else rests on it."""

from __future__ import annotations

from importlib.util import find_spec


def available() -> bool:
    """Whether there is a second solver."""
    return find_spec("cvc5") is not None


def check_script(script: str, steps: int) -> str:
    """What cvc5 says to an SMT-LIB script: sat, unsat or unknown; a text that it cannot read is unknown."""
    import cvc5  # optional: `pip install 'kolahal[cvc5]'`

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit", str(steps))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "obligation")
    symbols = parser.getSymbolManager()
    said: list[str] = []
    try:
        while not (command := parser.nextCommand()).isNull():
            said += command.invoke(solver, symbols).split()
    except RuntimeError:
        return "unknown"
    return said[0] if len(said) == 1 and said[0] in ("sat", "unsat") else "unknown"
