"""``python -m tests.demo``."""

import sys

from tests.demo.command import main

if __name__ == "__main__":
    sys.exit(main())
