"""`python -m kolahal` and the `kolahal` command."""

from kolahal.cli import main as run
from kolahal.early import loaded


def main() -> int:
    """Run the command of this process's arguments, and give its exit code."""
    loaded()
    return run()


if __name__ == "__main__":
    raise SystemExit(main())
