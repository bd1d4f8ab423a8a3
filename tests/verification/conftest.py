"""Makes the toy DUT's distribution visible to this process and to those that it starts."""

import os
import sys
from pathlib import Path

TOY = str(Path(__file__).parents[1] / "support" / "toy")

if TOY not in sys.path:
    sys.path.insert(0, TOY)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [TOY, os.environ.get("PYTHONPATH", "")]))
