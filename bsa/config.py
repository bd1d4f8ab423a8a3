"""What an engineer tunes in the forward kernel: tile shapes and compile options, results unchanged.

Figures are the cost model's end-to-end microseconds of PyPTO 0.2.0 (FP16, D = 128, blocks 256 x 512): ``S256`` is B1
Hq4/Hkv4, dense, ``S1024`` is B1 Hq8/Hkv1 at 30 %. They rank configurations and do not predict a device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

Tile = tuple[int, int]
"""Tile of one axis of a matrix multiplication: in the L0 buffer, in the L1 buffer. L0 divides L1."""

COPY_BYTES: Final = 128 * 1024
"""Bytes that fit through the vector buffer in one copy (192 KiB in all; PyPTO's pass fails at 256 KiB)."""


@dataclass(frozen=True, kw_only=True)
class KernelConfig:
    """Tiles and options of the forward kernel. One jit object exists per configuration."""

    scores_m: Tile = (128, 128)  # limit 11: L0 divides L1
    """Query rows of a tile of Q K^T. Splitting finer than 128 costs time; L0 256 is refused by PyPTO."""
    scores_n: Tile = (128, 128)
    """Keys of a tile of Q K^T. L1 256 in place of 128: no change."""
    values_m: Tile = (128, 128)
    """Query rows of a tile of P V."""
    values_k: Tile = (128, 512)
    """Keys of a tile of P V. L1 512 in place of 128, without merging: S256 32.5 to 28.7, S1024 135.6 to 118.9."""
    vector_elements: int = 16384  # limit 15: what fits
    """Elements of a softmax tile, which is as wide as its row: more do not fit the vector buffer, fewer make more and
    shorter tasks."""
    vector_rows: int = 16
    """Most rows of a softmax tile of 256 keys or more. More leave cores idle: at 32, without merging, S256 27.6 to
    31.1."""
    accumulate: Tile = (128, 128)
    """Rows and columns of a tile of the running sum of P V, used only where rows have several chunks."""
    l1_reuse: int = 4
    """Matrix tasks that share an operand, merged into one (``cube_l1_reuse_setting``). With vector_merge 2: at 2 S256
    26.3 and S1024 94.1, at 4 25.2 and 71.9, at 8 31.2 and 79.9."""
    vector_merge: int = 2
    """Vector tasks of one structure, merged into one (``vec_nbuffer_setting``). With l1_reuse 4: at 1 S256 29.5 and
    S1024 113.6, at 2 25.2 and 71.9, at 4 27.4 and 60.0, where compiling S1024 costs 2 CPU seconds more."""
    schedule: int = 0
    """``device_sched_mode``. No effect in the cost model; on a card 1 prefers tasks whose data is in L2."""
    slots: int = 128
    """Loop iterations whose workspace may live at once (``stitch_function_inner_memory`` and ``…_outcast_memory``).
    With fewer slots than iterations, independent iterations wait for each other; workspace grows with it."""
    widest_row: int = 2048
    """Keys of a row that one pass handles whole; longer rows go in chunks of that many with a running softmax."""
    most_blocks: int = 8
    """Key blocks of a row that one pass handles whole, whatever their size: each is unrolled in the kernel."""

    def widths(self, block_kv: int, most: int) -> tuple[tuple[int, ...], bool]:
        """Choose the row widths to compile for, few by design: powers of two.

        Args:
            block_kv: keys of a block.
            most: key blocks of the row that selects the most.

        Returns:
            The widths in blocks, ascending, and whether rows exist that need several chunks of the last width.
        """
        limit = max(1, min(self.most_blocks, self.widest_row // block_kv))
        widths = [1]
        while widths[-1] < most and widths[-1] * 2 <= limit:
            widths.append(widths[-1] * 2)
        return tuple(widths), most > widths[-1]

    def vector_tile(self, columns: int) -> Tile:
        """Choose rows and columns of a softmax tile: whole rows, for a full-row reduction is one operation.

        Args:
            columns: keys of a row that one pass handles.
        """
        rows = min(self.vector_elements // columns, max(self.vector_rows, 4096 // columns))
        return 2 ** (max(1, rows).bit_length() - 1), columns

    def gathered_k(self, block_kv: int, head_dim: int) -> Tile:
        """Choose the key tile of P V where the values of several blocks are gathered into one.

        While its L1 part divides a block, the gathering is free: each tile is loaded from its block. Otherwise every
        block is copied, whole, through the vector buffer, which must hold it.

        Args:
            block_kv: keys of a block.
            head_dim: D.

        Returns:
            `values_k`, or divisors of the block where that copies and copying costs more or is impossible.
        """
        if block_kv % self.values_k[1] == 0:
            return self.values_k
        inner = _divisor(block_kv, self.values_k[0])
        copied = block_kv * head_dim * 2 <= COPY_BYTES
        return self.values_k if inner < 64 and copied else (inner, _divisor(block_kv, self.values_k[1], step=inner))

    def jit_options(self, pypto: Any, run_mode: str) -> dict[str, dict[str, object]]:
        """Return the keyword arguments for ``pypto.frontend.jit``.

        Args:
            pypto: the loaded module.
            run_mode: ``sim`` or ``npu``.
        """
        return {
            "runtime_options": {
                "run_mode": {"sim": pypto.RunMode.SIM, "npu": pypto.RunMode.NPU}[run_mode],
                "device_sched_mode": self.schedule,
                "stitch_function_inner_memory": self.slots,
                "stitch_function_outcast_memory": self.slots,
            },
            "pass_options": {
                "cube_l1_reuse_setting": {-1: self.l1_reuse},
                "vec_nbuffer_setting": {-1: self.vector_merge},
            },
            "debug_options": {"runtime_debug_mode": 3},
        }


def _divisor(number: int, most: int, *, step: int = 16) -> int:
    """Return the largest multiple of ``step`` that divides ``number`` and is at most ``most``."""
    return max(part for part in range(step, most + 1, step) if number % part == 0)


DEFAULT: Final = KernelConfig()
"""What :func:`bsa.block_sparse_attention` uses."""


def published_config(seq_q: int) -> KernelConfig:
    """Return the options that the published kernel configures by Sq (its README, section 3.2), with its tiles.

    Args:
        seq_q: query rows; below 1024, below 2048, and from there on the options differ.

    Returns:
        l1 16 and schedule 3; l1 64 and schedule 1; l1 64 and schedule 3 (schedule 1 harms 2048, section 8.5).
    """
    l1_reuse, schedule = (16, 3) if seq_q < 1024 else (64, 1) if seq_q < 2048 else (64, 3)
    square = (128, 128)
    return KernelConfig(values_k=square, l1_reuse=l1_reuse, vector_merge=1, schedule=schedule, slots=10)
