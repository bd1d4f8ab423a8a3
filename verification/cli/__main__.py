"""``python -m verification.cli``: the same as ``bsa-verify``."""

import sys

from verification.cli.main import main

sys.exit(main())
