"""Prints the contract's page: ``python -m bsa.contract > docs/contract.md``."""

import sys

from bsa.contract.document import page

if __name__ == "__main__":
    sys.stdout.write(page())
