"""The first error is the one raised, whatever PyPTO makes of it."""

import re
from pathlib import Path

import pytest
import torch

from bsa import KernelError
from tests.bsa.simulator import sample_kernels


def test_masked_error_is_raised_with_its_line_and_its_mask(forked):
    with pytest.raises(KernelError, match="RecordIfBranch") as caught:
        forked(sample_kernels.run, "explicit_cond")
    assert caught.value.kernel == "explicit_cond"
    assert "TypeError: Test condition must be a symbolic scalar or boolean" in caught.value.reason


def test_unmasked_error_names_kernel_and_line(forked):
    with pytest.raises(KernelError, match=r"TypeError: unsupported operand type\(s\) for \*\*") as caught:
        forked(sample_kernels.run, "power_of_a_symbol")
    assert caught.value.kernel == "power_of_a_symbol"
    assert "i**-0.5" in _line(caught.value.line)


def test_an_operation_that_fails_is_named_first_with_its_statement_and_why(forked):
    with pytest.raises(KernelError) as caught:
        forked(sample_kernels.run, "sizes_that_differ")
    first, *rest = str(caught.value).splitlines()
    named = re.fullmatch(
        r"kernel failed: MAXIMUMOpError at simulator/sample_kernels.py:(\d+) in loop ROWS: (.+)", first
    )
    assert "pypto.maximum(part, whole)" in _line(int(named[1]))
    assert named[2].startswith("The size of tensor a (40) must match the size of tensor b (64)")
    assert "\n".join(rest) == caught.value.reason


def test_an_operation_that_pypto_composes_is_named_with_the_loop(forked):
    with pytest.raises(KernelError, match=r"DIVOpError at pypto/operator.py:\d+ in loop ROWS: The size of tensor a"):
        forked(sample_kernels.run, "composed_by_pypto")


def test_what_follows_an_error_code_is_told_first(forked):
    with pytest.raises(KernelError) as caught:
        forked(sample_kernels.run, "without_a_cost")
    first, *rest = str(caught.value).splitlines()
    assert first.startswith("kernel failed: ErrCode: F92001,[SIMULATION]: No pipe type")
    assert first.endswith("opcode=EXP2")
    assert "\n".join(rest) == caught.value.reason.rstrip()


def test_wrong_dtype_is_an_error_and_not_garbage(forked):
    with pytest.raises(KernelError, match="dtype of 1st input tensor"):
        forked(sample_kernels.run, dtype=torch.float16)


def test_strided_tensor_is_an_error(forked):
    with pytest.raises(KernelError, match="not all tensors are contiguous"):
        forked(sample_kernels.run, strided=True)


def test_error_of_the_caller_passes_unchanged(forked):
    with pytest.raises(LookupError, match="not PyPTO's"):
        forked(sample_kernels.raise_of_the_caller)


def _line(number: int) -> str:
    return Path(sample_kernels.__file__).read_text().splitlines()[number - 1]
