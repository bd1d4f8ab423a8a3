"""The process that kernels run in children of."""

from collections.abc import Iterator

import pytest

from tests.support.warm_process import WarmProcess


@pytest.fixture(scope="session")
def forked() -> Iterator[WarmProcess]:
    """Call a function in a fresh process that has PyPTO loaded."""
    process = WarmProcess()
    yield process
    process.close()
