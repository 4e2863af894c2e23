"""`python -m bench.hunt`."""

import sys

from bench.hunt import main

sys.exit(main(sys.argv[1:]))
