"""Rules of the actual sequence lengths."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from bsa.contract.integers import as_integer
from bsa.contract.refusal import Refuse

Lengths = Sequence[int] | torch.Tensor
"""One length per batch: a sequence of int, or a one-dimensional CPU tensor of an integer dtype."""

INTEGER_DTYPES = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def read_lengths(refuse: Refuse, argument: str, lengths: Lengths) -> tuple[int, ...]:
    """The lengths as Python integers.

    Raises:
        ContractError: rule ``lengths-type``.
    """
    if isinstance(lengths, torch.Tensor):
        return _read_tensor(refuse, argument, lengths)
    legal = "a sequence of int, or a one-dimensional CPU tensor of an integer dtype"
    if isinstance(lengths, (str, bytes)) or not hasattr(lengths, "__iter__"):
        shown = lengths if isinstance(lengths, (int, float, str)) else type(lengths).__name__
        raise refuse("lengths-type", argument=argument, value=shown, legal=legal)
    return tuple(_read_element(refuse, argument, batch, item) for batch, item in enumerate(lengths))


def check_count(refuse: Refuse, argument: str, lengths: tuple[int, ...], batch: int, reason: str) -> None:
    """One length per batch.

    Raises:
        ContractError: rule ``lengths-count``.
    """
    if len(lengths) != batch:
        raise refuse("lengths-count", argument=argument, value=lengths, legal=f"{batch} entries, {reason}")


def check_range(refuse: Refuse, argument: str, lengths: tuple[int, ...], maximum: int, extent: str) -> None:
    """0 <= length <= maximum for every batch.

    Args:
        refuse: makes the error.
        argument: name of the argument.
        lengths: one per batch.
        maximum: largest legal length.
        extent: what the maximum is, for the error.

    Raises:
        ContractError: rule ``lengths-range``; names the first offending batch.
    """
    for batch, length in enumerate(lengths):
        if not 0 <= length <= maximum:
            raise refuse(
                "lengths-range",
                argument=f"{argument}[{batch}]",
                value=length,
                legal=f"0 <= length of batch {batch} <= {maximum} ({extent})",
            )


def check_sum(refuse: Refuse, argument: str, lengths: tuple[int, ...], tokens: int) -> None:
    """The sequences of a packed tensor fit into its tokens.

    Raises:
        ContractError: rule ``lengths-sum``.
    """
    if sum(lengths) > tokens:
        raise refuse(
            "lengths-sum",
            argument=argument,
            value=lengths,
            legal=f"a sum of at most T = {tokens}, here {sum(lengths)}",
            fix="give the length of each sequence, not cumulative ends",
        )


def _read_tensor(refuse: Refuse, argument: str, lengths: torch.Tensor) -> tuple[int, ...]:
    problems = (
        (lengths.device.type != "cpu", f"tensor on {lengths.device}", "move it with .cpu(): lengths decide host work"),
        (lengths.dtype not in INTEGER_DTYPES, f"tensor of {lengths.dtype}", "convert it with .to(torch.int64)"),
        (lengths.dim() != 1, f"tensor of shape {tuple(lengths.shape)}", "flatten it with .reshape(-1)"),
    )
    for wrong, value, fix in problems:
        if wrong:
            legal = "a sequence of int, or a one-dimensional CPU tensor of an integer dtype"
            raise refuse("lengths-type", argument=argument, value=value, legal=legal, fix=fix)
    return tuple(int(item) for item in lengths.tolist())


def _read_element(refuse: Refuse, argument: str, batch: int, item: object) -> int:
    length = as_integer(item)
    if length is None:
        shown = item if isinstance(item, (bool, int, float, str)) else type(item).__name__
        legal = "an int; bool and float are not lengths"
        raise refuse("lengths-type", argument=f"{argument}[{batch}]", value=shown, legal=legal)
    return length
