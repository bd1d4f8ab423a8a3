"""Makes the toy DUT's distribution visible to this process and to those that it starts."""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

# A machine that is busy makes no example wrong.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

SUPPORT = Path(__file__).parents[1] / "support"
TOY = str(SUPPORT / "toy")

for folder in (TOY, str(SUPPORT)):
    if folder not in sys.path:
        sys.path.insert(0, folder)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [TOY, os.environ.get("PYTHONPATH", "")]))
