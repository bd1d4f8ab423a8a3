"""Legal calls to start from, and how to bend them."""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass, replace
from typing import Any

import torch

from bsa.contract import NO_WINDOW, BackwardCall, OperatorArguments, Problem, check_forward, check_operator
from bsa.errors import ContractError
from bsa.reference.problem import reference_problem


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call with the operator's arguments."""

    arguments: BackwardCall
    extra: OperatorArguments

    def check(self, profile: str) -> Problem:
        """Checks it as ``bsa.aclnn`` would."""
        return check_operator(self.arguments, self.extra, profile=profile)

    def check_forward(self) -> Problem:
        """Checks the part of it that a forward call has."""
        given = self.arguments
        return check_forward(
            given.query,
            given.key,
            given.value,
            given.block_sparse_mask,
            block_shape=given.block_shape,  # type: ignore[arg-type]  # wrong types are part of the test
            actual_seq_lengths=given.actual_seq_lengths,
            actual_seq_lengths_kv=given.actual_seq_lengths_kv,
            layout=given.layout,
            scale=given.scale,
            num_key_value_heads=given.num_key_value_heads,
            run_mode=given.run_mode,
        )

    def refusal(self, profile: str) -> ContractError | None:
        """The error of this profile itself; None if it accepts, whatever the profile that runs the call says."""
        error = self.any_refusal(profile)
        return error if error and error.profile == profile else None

    def any_refusal(self, profile: str) -> ContractError | None:
        """The error of either profile."""
        try:
            self.check(profile)
        except ContractError as error:
            return error
        return None

    def reference_refusal(self, profile: str) -> ContractError | None:
        """The error of the references, which have every layout; they stand for any profile."""
        given = self.arguments
        try:
            reference_problem(
                given.query,
                given.key,
                given.value,
                given.block_sparse_mask,
                block_shape=(given.block_shape[0], given.block_shape[1]),
                actual_seq_lengths=given.actual_seq_lengths,
                actual_seq_lengths_kv=given.actual_seq_lengths_kv,
                layout=given.layout,
                scale=given.scale,
                num_key_value_heads=given.num_key_value_heads,
            )
        except ContractError as error:
            return ContractError(error.rule, **{**error._fields(), "profile": profile})
        return None

    def bend(self, **changes: Any) -> Call:
        """The call with some arguments replaced."""
        mine = {name: value for name, value in changes.items() if name in BackwardCall.__dataclass_fields__}
        theirs = {name: value for name, value in changes.items() if name in OperatorArguments.__dataclass_fields__}
        outputs = {name: value for name, value in changes.items() if name in self.extra.outputs}
        assert set(changes) == {*mine, *theirs, *outputs}
        extra = replace(self.extra, **theirs, outputs={**self.extra.outputs, **outputs})
        return Call(arguments=replace(self.arguments, **mine), extra=extra)


def zeros(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    """A tensor of zeros."""
    return torch.zeros(shape, dtype=dtype)


def huge(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    """A tensor of any size without memory."""
    return torch.zeros((1,) * len(shape), dtype=dtype).expand(shape)


def sparse(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    """A contiguous tensor of any size without memory: a mapping of a file with nothing in it."""
    with tempfile.NamedTemporaryFile() as file:
        return torch.from_file(file.name, shared=True, size=math.prod(shape), dtype=dtype).view(shape)


def largest() -> Call:
    """The largest query there is at head_dim 128: 2^31 - 128 elements."""
    rows = 2**24 - 1
    query = sparse(1, 1, rows, 128)
    small = make(batch=1, heads=(1, 1), rows=(16, 16), block=(512, 16))
    return small.bend(
        dout=query,
        query=query,
        attention_out=query,
        dq=query,
        softmax_lse=sparse(1, 1, rows, 1, dtype=torch.float32),
        block_sparse_mask=torch.ones(1, 1, 2**15, 1, dtype=torch.bool),
    )


def dense(rows: int, *, mask: bool = True) -> Call:
    """A call that selects all of ceil(rows / 512) * 4096 blocks of 512 x 1024."""
    query, key = sparse(1, 1, rows, 128), sparse(1, 1, 2**22, 128)
    flags = torch.ones(1, 1, -(-rows // 512), 2**12, dtype=torch.bool) if mask else None
    return make(batch=1, heads=(1, 1), rows=(16, 16), block=(512, 1024)).bend(
        dout=query,
        query=query,
        key=key,
        value=key,
        attention_out=query,
        dq=query,
        dk=key,
        dv=sparse(1, 1, 2**22, 128),
        softmax_lse=sparse(1, 1, rows, 1, dtype=torch.float32),
        block_sparse_mask=flags,
    )


def packed() -> Call:
    """A call in TND: two sequences in 52 query and 63 key tokens."""
    query, key = zeros(52, 2, 128), zeros(63, 2, 128)
    return make().bend(
        query=query,
        key=key,
        value=key,
        layout="TND",
        block_sparse_mask=None,
        actual_seq_lengths=[20, 32],
        actual_seq_lengths_kv=[16, 47],
    )


def make(
    *,
    batch: int = 2,
    heads: tuple[int, int] = (2, 2),
    rows: tuple[int, int] = (32, 48),
    width: int = 128,
    block: tuple[int, int] = (16, 16),
    dtype: torch.dtype = torch.float16,
) -> Call:
    """A call in BNSD that both profiles accept, with the sizes asked for."""
    query, key = (
        zeros(batch, heads[0], rows[0], width, dtype=dtype),
        zeros(batch, heads[1], rows[1], width, dtype=dtype),
    )
    blocks = (-(-rows[0] // block[0]), -(-rows[1] // block[1]))
    return Call(
        arguments=BackwardCall(
            dout=query,
            query=query,
            key=key,
            value=key,
            attention_out=query,
            softmax_lse=zeros(batch, heads[0], rows[0], 1, dtype=torch.float32),
            block_sparse_mask=torch.ones(batch, heads[0], *blocks, dtype=torch.bool),
            block_shape=block,
            actual_seq_lengths=None,
            actual_seq_lengths_kv=None,
            layout="BNSD",
            scale=None,
            num_key_value_heads=None,
            run_mode="sim",
        ),
        extra=OperatorArguments(
            atten_mask=None,
            kv_layout="BNSD",
            mask_type=0,
            pre_tokens=NO_WINDOW,
            next_tokens=NO_WINDOW,
            outputs={"dq": torch.empty_like(query), "dk": torch.empty_like(key), "dv": torch.empty_like(key)},
        ),
    )
