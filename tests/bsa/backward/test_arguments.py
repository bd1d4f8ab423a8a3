"""Arguments in every accepted form reach the kernel as the same bits, and are left as they were."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from bsa.contract import BackwardCall, check_backward
from bsa.kernels.backward_config import DEFAULT
from bsa.kernels.backward_host import prepare
from tests.bsa.backward.calls import Contract, call, tensors_of
from tests.support.warm_process import WarmProcess

SQUARE = Contract(heads_q=32, heads_kv=8, seq_q=32, seq_kv=40, density=0.8)
"""As many query heads as rows: no shape tells the axes apart."""
PACKED = Contract(heads_q=4, heads_kv=2, batch=2, lengths_q=(20, 17), lengths_kv=(40, 9), layout="TND")

Tensors = dict[str, torch.Tensor]


def lse_with_an_axis(given: Tensors) -> Tensors:
    """Return the LSE with a last axis of 1."""
    return {**given, "softmax_lse": given["softmax_lse"].unsqueeze(-1)}


def transposed(given: Tensors) -> Tensors:
    """Return views of storage with the first two of the last three axes swapped, or the last two of two."""
    swapped = {}
    for name, tensor in given.items():
        axes = (-3, -2) if tensor.dim() > 2 else (-2, -1)
        swapped[name] = tensor.transpose(*axes).contiguous().transpose(*axes)
    return swapped


def spread(given: Tensors) -> Tensors:
    """Return views with a gap after each element."""
    return {name: torch.stack([tensor, torch.zeros_like(tensor)], dim=-1)[..., 0] for name, tensor in given.items()}


def prepared(contract: Contract, given: Tensors, **options: Any) -> tuple[torch.Tensor, ...]:
    """Return the tensors that the kernel would be given, outputs left out."""
    named = {**contract.options, "num_key_value_heads": None, "run_mode": "sim", **options}
    problem = check_backward(BackwardCall(**given, **named), profile="pypto")
    mask = given["block_sparse_mask"]
    return prepare(given, mask, problem, DEFAULT).arguments[:-3]


@pytest.mark.parametrize("contract", [SQUARE, PACKED], ids=["BNSD, Hq = S", "TND"])
@pytest.mark.parametrize("form", [lse_with_an_axis, transposed, spread])
def test_form_does_not_matter(contract: Contract, form: Callable[[Tensors], Tensors]) -> None:
    """LSE with a last axis of 1, transposed views, gaps between elements: the kernel is given the same tensors."""
    given = tensors_of(contract)
    pairs = zip(prepared(contract, given), prepared(contract, form(given)), strict=True)
    assert all(torch.equal(a, b) and b.is_contiguous() for a, b in pairs)


def test_contiguous_inputs_are_not_copied() -> None:
    """In both layouts the kernel reads the caller's own storage."""
    for contract in (SQUARE, PACKED):
        given = tensors_of(contract)
        names = ("query", "key", "value", "dout", "softmax_lse")
        for name, tensor in zip(names, prepared(contract, given), strict=False):
            assert tensor.data_ptr() == given[name].data_ptr(), name


def test_lengths_as_a_tensor() -> None:
    """A CPU tensor of lengths is as good as integers."""
    given = tensors_of(PACKED)
    lengths = {name: torch.tensor(PACKED.options[name]) for name in ("actual_seq_lengths", "actual_seq_lengths_kv")}
    pairs = zip(prepared(PACKED, given), prepared(PACKED, given, **lengths), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


def strided_call(contract: Contract) -> tuple[list[str], bool]:
    """Return the inputs that a call on views changed, and whether its results equal those on contiguous tensors."""
    given = tensors_of(contract)
    views = spread(transposed(lse_with_an_axis(given)))
    before = {name: tensor.clone() for name, tensor in views.items()}
    results = call(contract, given), call(contract, views)
    changed = [name for name, tensor in views.items() if not torch.equal(tensor, before[name])]
    return changed, all(torch.equal(a, b) for a, b in zip(*results, strict=True))


def test_views_end_to_end(forked: WarmProcess) -> None:
    """The call on views gives the bits of the call on contiguous tensors and leaves the views alone."""
    assert forked(strided_call, replace(SQUARE, heads_q=16, seq_q=16)) == ([], True)


def objects_for(contracts: list[Contract], folder: Path) -> tuple[int, list[str]]:
    """Return how many jit objects several calls made, and the program that each call traced."""
    from bsa._pypto import simulate
    from bsa.kernels.backward import build_backward

    programs = []
    for number, contract in enumerate(contracts):
        with simulate(output_dir=folder / str(number)) as run:
            call(contract, tensors_of(contract))
        programs.append((run.launches[0].folder / "program.json").read_text())
    return build_backward.cache_info().currsize, programs


def operations(program: str) -> list[tuple[str, list[str]]]:
    """Return a program's functions with their operations; numbers that only name things taken out."""
    return [
        (re.sub(r"\d+", "#", function["rawname"]), [operation["opcode"] for operation in function["operations"]])
        for function in json.loads(program)["functions"]
    ]


def test_one_object_for_all_sizes(forked: WarmProcess, tmp_path: Path) -> None:
    """Batch, heads, rows, lengths, layout, scale and mask are arguments of one jit object, traced to one program."""
    contracts = [
        Contract(seq_q=40, seq_kv=30),
        Contract(batch=2, heads_q=3, heads_kv=3, seq_q=36, seq_kv=20, scale=0.5),
        Contract(heads_q=2, heads_kv=2, layout="TND", lengths_q=(40,), lengths_kv=(30,), seed=3),
    ]
    objects, programs = forked(objects_for, contracts, tmp_path)
    assert objects == 1
    assert operations(programs[0]) == operations(programs[1]) == operations(programs[2])
