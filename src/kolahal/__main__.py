"""`python -m kolahal` and the `kolahal` command."""

from kolahal.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
