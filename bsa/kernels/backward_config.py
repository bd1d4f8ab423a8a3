"""Tile shapes and pass options of the backward kernel, and the few variants of it that data choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

TileSplit = tuple[int, int]
"""(L0, L1) sides of a cube tile."""
Phases = Literal["both", "dq", "dkv"]
"""Which gradients the kernel computes; ``dq`` and ``dkv`` exist to be timed alone."""

WIDEST_TILE: Final = 2048
"""Elements of a score tile's long side: the entries of a chunk times the rows of a block stay within it."""
MOST_ENTRIES: Final = 16
"""Entries of a chunk; each is traced on its own. The interpreter's memory grows with the number of chunks."""
GATHERED_ELEMENTS: Final = 2**16
"""Elements of a block that is gathered with others: 128 KiB. 192 KiB compile, 252 KiB do not (``Run pass failed``), so
that larger blocks go one by one, read in place."""
UB_ELEMENTS: Final = 16384  # limit 15: what fits
"""Elements of an FP32 vector tile: 64 KiB, a third of a vector core's buffer. Twice that does not compile."""


@dataclass(frozen=True, kw_only=True)
class BackwardConfig:
    """Everything about the kernel that changes its speed and not its results. In the docs: what each does in the model.

    Attributes:
        cube_m: cube tile over rows of the left matrix.
        cube_k: cube tile over the summed axis.
        cube_n: cube tile over columns of the right matrix.
        score_columns: columns of a vector tile of scores; its rows follow from the buffer's size.
        l1_reuse: cube tasks that share an operand, merged into one (``cube_l1_reuse_setting``).
        vector_merge: vector tasks of one structure, merged into one (``vec_nbuffer_setting``).
        memory_slots: iterations whose workspace may be alive at once (``stitch_function_inner_memory`` and
            ``stitch_function_outcast_memory``); with fewer than a loop has iterations, independent ones wait.
        phases: both, dq or dkv.
    """

    cube_m: TileSplit = (128, 128)  # limit 11: L0 divides L1
    cube_k: TileSplit = (128, 256)
    cube_n: TileSplit = (128, 128)
    score_columns: int = 512
    l1_reuse: int = 4
    vector_merge: int = 4
    memory_slots: int = 128
    phases: Phases = "both"

    def widest(self, block: int, head_dim: int) -> int:
        """Return the most entries of a chunk, for entries of ``block`` rows: a power of two."""
        if block * head_dim > GATHERED_ELEMENTS:
            return 1
        return 1 << (max(1, min(MOST_ENTRIES, WIDEST_TILE // block)).bit_length() - 1)

    def options(self, pypto: Any, run_mode: str) -> dict[str, dict[str, object]]:
        """Keyword arguments for ``pypto.frontend.jit``."""
        mode = {"sim": pypto.RunMode.SIM, "npu": pypto.RunMode.NPU}[run_mode]
        return {
            "runtime_options": {
                "run_mode": mode,
                "stitch_function_inner_memory": self.memory_slots,
                "stitch_function_outcast_memory": self.memory_slots,
            },
            "pass_options": {
                "cube_l1_reuse_setting": {-1: self.l1_reuse},
                "vec_nbuffer_setting": {-1: self.vector_merge},
            },
            "debug_options": {"runtime_debug_mode": 3},
        }


DEFAULT: Final = BackwardConfig()
"""What `bsa.block_sparse_attention_grad` uses."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What one jit object is compiled for, besides its configuration. Sizes of the call are not part of it.

    Attributes:
        dtype: name of the torch dtype, ``float16`` or ``bfloat16``.
        head_dim: D.
        block_shape: rows of a query block, of a key block.
        width_q: key blocks that a chunk of phase 1 holds: a power of two.
        width_kv: query blocks that a chunk of phase 2 holds.
        carry_q: whether some query block needs more than one chunk.
        carry_kv: the same for key blocks.
    """

    dtype: str
    head_dim: int
    block_shape: tuple[int, int]
    width_q: int
    width_kv: int
    carry_q: bool
    carry_kv: bool


def vector_tile(columns: int, most: int) -> tuple[int, int]:
    """Return rows and columns of the vector tile that fills the buffer: ``columns`` wide, but at most ``most``."""
    side = min(columns, most)
    return UB_ELEMENTS // side, side
