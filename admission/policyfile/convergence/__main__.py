"""``python -m admission.policyfile.convergence`` judges the policies on its standard input for a server."""

import sys

from admission.policyfile.convergence.apart import main

if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
