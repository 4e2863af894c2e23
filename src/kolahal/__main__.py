"""`python -m kolahal` and the `kolahal` command."""

import gc

from kolahal.cli import main as run
from kolahal.early import loaded


def main() -> int:
    """Run the command of this process's arguments, and give its exit code."""
    loaded()
    code = run()
    gc.freeze()  # nobody looks for dead circles on the way out
    return code


if __name__ == "__main__":
    raise SystemExit(main())
