"""What a kernel really did: its trace recorded, and replayed with the sizes, tables and loop indices of a call.

PyPTO's parser visits both arms of every branch and each loop body once per path, so that what it visits says nothing
about what ran. :func:`record` notes the visits as a tree that holds for every shape; :func:`replay` walks that tree for
one call; :func:`crosscheck` compares the walk with PyPTO's own account of it.
"""

from verification.shadow.crosscheck import Disagreement, crosscheck
from verification.shadow.expression import NotReplayableError
from verification.shadow.launch import Launched
from verification.shadow.recorder import Recording, record
from verification.shadow.replay import Observer, replay
from verification.shadow.tree import Trace

__all__ = [
    "Disagreement",
    "Launched",
    "NotReplayableError",
    "Observer",
    "Recording",
    "Trace",
    "crosscheck",
    "record",
    "replay",
]
