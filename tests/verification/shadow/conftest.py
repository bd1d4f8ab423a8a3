"""The process that kernels run in children of."""

from collections.abc import Iterator

import pytest

from tests.support.warm_process import WarmProcess
from tests.verification.shadow import kernels


@pytest.fixture(scope="session")
def forked() -> Iterator[WarmProcess]:
    """Call a function in a fresh process that has PyPTO loaded."""
    process = WarmProcess()
    yield process
    process.close()


@pytest.fixture(scope="session")
def recorded(forked, tmp_path_factory):
    """One run of the kernel with every form of control flow: trip counts 0 to 3 of its inner loop."""
    return forked(kernels.run, kernels.FOUR_UNITS, tmp_path_factory.mktemp("pypto"))
