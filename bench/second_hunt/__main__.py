"""`python -m bench.second_hunt`."""

import sys

from bench.second_hunt import main

sys.exit(main(sys.argv[1:]))
