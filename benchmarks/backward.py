"""Times the backward pass: the cost model's microseconds of each phase, and the host's work before a launch.

``python benchmarks/backward.py model`` runs dense MHA (B1, Hq = Hkv = 4, D 128, FP16, blocks 256 x 512) at S 256 to
2048 in the simulator, dQ alone, dK/dV alone and merged, each in a process of its own, beside the published times of a
910B3. The cost model ranks kernels; it is not the device.

``python benchmarks/backward.py host`` prepares B4 Hq32 Hkv8 S8192 at 30 %: our tables, beside Python loops over batch,
head, query block and key block that make the same tables from the mask, beside the same loops over the mask as plain
lists, and beside the published strategy, which gathers compact copies in such loops (here into one reused buffer, so
that it fits into memory); and the peak memory of all preparation.

Both: without an argument. The figures stand in ``docs/explanation/backward.md``.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import torch
from looped_tables import tables_in_loops

from bsa.blocks import selected_blocks
from bsa.contract import BackwardCall, Problem, check_backward
from bsa.kernels.backward_config import DEFAULT
from bsa.kernels.backward_host import prepare
from bsa.kernels.backward_tables import key_tables, query_tables

SIZES = (256, 512, 1024, 2048)
PHASES = ("dq", "dkv", "both")
PUBLISHED = {256: (79, 85), 512: (100, 112), 1024: (183, 200)}
"""Microseconds of dQ and of dK/dV on a 910B3 (published README, section 8.3)."""
BATCH, HEADS, HEADS_KV, ROWS, DENSITY = 4, 32, 8, 8192, 0.3


def make_call(batch: int, heads: int, heads_kv: int, rows: int, density: float) -> tuple[BackwardCall, Problem]:
    """Make a call of random numbers; its gradients mean nothing, its sizes do."""
    draw = torch.Generator().manual_seed(0)
    query_shape, key_shape = (batch, heads, rows, 128), (batch, heads_kv, rows, 128)
    query, key, value, dout, out = (
        torch.rand(shape, generator=draw, dtype=torch.float32).sub_(0.5).half()
        for shape in (query_shape, key_shape, key_shape, query_shape, query_shape)
    )
    mask = torch.rand((batch, heads, -(-rows // 256), -(-rows // 512)), generator=draw) < density
    call = BackwardCall(
        dout=dout,
        query=query,
        key=key,
        value=value,
        attention_out=out,
        softmax_lse=torch.full((batch, heads, rows), 7.0),
        block_sparse_mask=mask,
        block_shape=(256, 512),
        actual_seq_lengths=None,
        actual_seq_lengths_kv=None,
        layout="BNSD",
        scale=None,
        num_key_value_heads=None,
        run_mode="sim",
    )
    return call, check_backward(call, profile="pypto")


def model(rows: int, phases: Any) -> dict[str, float]:
    """Run one launch and return the cost model's figures."""
    from bsa._pypto import simulate
    from bsa.backward import run_backward

    call, problem = make_call(1, 4, 4, rows, 1.0)
    start = time.process_time()
    with simulate() as run:
        run_backward(call, problem, replace(DEFAULT, phases=phases))
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    launch = run.launches[0]
    return {
        "us": launch.microseconds or float("nan"),
        "utilisation": launch.utilisation or float("nan"),
        "cpu": time.process_time() - start + children.ru_utime + children.ru_stime,
        "gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def host() -> dict[str, float]:
    """Prepare the large call, and time its parts."""
    call, problem = make_call(BATCH, HEADS, HEADS_KV, ROWS, DENSITY)
    torch.set_num_threads(1)
    names = ("query", "key", "value", "dout", "attention_out", "softmax_lse")
    tensors = {name: getattr(call, name) for name in names}
    inputs = sum(tensor.nbytes for tensor in tensors.values())
    outputs = sum(tensors[name].nbytes for name in ("query", "key", "value"))
    before = forget_peak()
    whole = seconds(lambda: prepare(tensors, call.block_sparse_mask, problem, DEFAULT))
    extra = status("VmHWM") - before
    return {
        "tables": min(seconds(lambda: make_tables(call, problem)) for _ in range(20)),
        "whole": whole,
        "gathered": seconds(lambda: gather_in_loops(call, problem)),
        "loops": seconds(lambda: same_in_loops(call, problem, lists=False)),
        "lists": min(seconds(lambda: same_in_loops(call, problem, lists=True)) for _ in range(3)),
        "inputs": inputs / 2**20,
        "outputs": outputs / 2**20,
        "extra": extra / 2**20,
    }


def forget_peak() -> int:
    """Let the peak of this process's memory begin anew, and return the bytes that are resident now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return status("VmRSS")


def status(field: str) -> int:
    """Return the bytes that a field of /proc/self/status states."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith(field + ":")).split()[1]) << 10


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of this process that ``work`` takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def make_tables(call: BackwardCall, problem: Problem) -> object:
    """Make what the mask decides: both tables."""
    selected = selected_blocks(call.block_sparse_mask, problem)
    widest = [DEFAULT.widest(block, problem.head_dim) for block in problem.block_shape]
    return query_tables(selected, problem, widest[1]), key_tables(selected, problem, widest[0])


def gather_in_loops(call: BackwardCall, problem: Problem) -> None:
    """Do what the published wrapper does: compact copies of every block's counterparts, for both phases."""
    for batch in range(problem.batch):
        for head in range(problem.heads_q):
            for block in range(problem.blocks_q):
                gather_keys(call, problem, (batch, head, block))
        for shared in range(problem.heads_kv):
            for other in range(problem.blocks_kv):
                gather_queries(call, problem, (batch, shared, other))


@cache
def buffer(_number: int, rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
    """Return memory that every gathering reuses, a separate piece for each number."""
    return torch.empty(rows, columns, dtype=dtype)


def gather_keys(call: BackwardCall, problem: Problem, at: tuple[int, int, int]) -> None:
    """Copy the keys and values that one query block selects."""
    batch, head, _ = at
    columns, shared, place = problem.block_shape[1], head // problem.group, 0
    targets = [buffer(number, problem.seq_kv, problem.head_dim, problem.dtype) for number in range(2)]
    for other in range(problem.blocks_kv):
        if call.block_sparse_mask[at][other]:  # type: ignore[index]  # the calls made here have a mask
            taken = slice(other * columns, (other + 1) * columns)
            for target, source in zip(targets, (call.key, call.value), strict=True):
                target[place : place + columns] = source[batch, shared, taken]
            place += columns


def gather_queries(call: BackwardCall, problem: Problem, at: tuple[int, int, int]) -> None:
    """Copy the rows of query, dout, out and LSE of the query blocks that select one key block."""
    batch, shared, other = at
    rows, group, place = problem.block_shape[0], problem.group, 0
    targets = [buffer(number, group * problem.seq_q, problem.head_dim, problem.dtype) for number in range(3)]
    sums = buffer(0, group * problem.seq_q, 1, torch.float32)
    for head in range(shared * group, (shared + 1) * group):
        for block in range(problem.blocks_q):
            if call.block_sparse_mask[batch, head, block, other]:  # type: ignore[index]  # as above
                taken = slice(block * rows, (block + 1) * rows)
                for target, source in zip(targets, (call.query, call.dout, call.attention_out), strict=True):
                    target[place : place + rows] = source[batch, head, taken]
                sums[place : place + rows, 0] = call.softmax_lse[batch, head, taken]
                place += rows


def same_in_loops(call: BackwardCall, problem: Problem, *, lists: bool) -> object:
    """Make our tables in Python loops that ask the mask, a tensor or nested lists, for one block after the other."""
    mask = call.block_sparse_mask
    widest = tuple(DEFAULT.widest(block, problem.head_dim) for block in problem.block_shape)
    plain = mask.tolist() if lists else None  # type: ignore[union-attr]  # the calls made here have a mask

    def selects(*at: int) -> bool:
        return bool(mask[at])  # type: ignore[index]  # as above

    def selects_listed(batch: int, head: int, block: int, other: int) -> bool:
        return plain[batch][head][block][other]  # type: ignore[index,no-any-return]  # as above

    return tables_in_loops(selects_listed if lists else selects, problem, widest)  # type: ignore[arg-type]  # two of them


def in_a_process(*arguments: str) -> dict[str, float]:
    """Run one measurement of this file in a fresh process."""
    command = [sys.executable, __file__, *arguments]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, float] = json.loads(text.splitlines()[-1])
    return result


def print_model(sizes: tuple[int, ...]) -> None:
    """Print a line per size."""
    print("| S | dQ | dK/dV | merged | published dQ | dK/dV | utilisation | CPU s | GiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for rows in sizes:
        dq, dkv, both = (in_a_process("one", str(rows), phases) for phases in PHASES)
        known = PUBLISHED.get(rows, ("-", "-"))
        times = " | ".join(f"{one['us']:.0f} us" for one in (dq, dkv, both))
        cost = f"{both['utilisation']:.0%} | {both['cpu']:.1f} | {both['gib']:.1f}"
        print(f"| {rows} | {times} | {known[0]} | {known[1]} | {cost} |", flush=True)


def print_host() -> None:
    """Print the host's figures."""
    one = in_a_process("one", "host")
    print(f"B{BATCH} Hq{HEADS} Hkv{HEADS_KV} S{ROWS} {DENSITY:.0%}, blocks 256 x 512, one thread")
    print(f"our tables:                       {one['tables']:8.3f} s")
    for name, words in (
        ("loops", "the same tables in loops:        "),
        ("lists", "the same, mask as plain lists:   "),
        ("gathered", "published strategy, loops:       "),
    ):
        print(f"{words} {one[name]:8.3f} s = {one[name] / one['tables']:.0f} x")
    print(f"whole preparation (D, NaN, tables):{one['whole']:7.3f} s")
    print(
        f"inputs {one['inputs']:.0f} MiB, outputs {one['outputs']:.0f} MiB, peak beyond inputs {one['extra']:.0f} MiB"
    )


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["model", "host"], metavar="model | host")
    what = parser.parse_args().what
    if what[0] == "one":
        print(json.dumps(host() if what[1] == "host" else model(int(what[1]), what[2])))
        return
    if "model" in what:
        print_model(tuple(int(part) for part in what if part.isdigit()) or SIZES)
    if "host" in what:
        print_host()


if __name__ == "__main__":
    main()
