"""A warm parent runs on one thread whatever its surroundings ask for: what it forks must neither hang nor spin."""

from pathlib import Path

import pytest

from verification.backends.sim.warm_parent import WarmParent


@pytest.mark.parametrize("asked", [None, "4"])
def test_warm_parent_has_one_thread(monkeypatch, asked):
    """Neither an environment without OMP_NUM_THREADS nor one with more threads reaches it."""
    if asked is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", asked)
    parent = WarmParent()
    try:
        process = Path(f"/proc/{parent.pid}")
        assert b"OMP_NUM_THREADS=1" in (process / "environ").read_bytes().split(b"\0")
        assert len(list((process / "task").iterdir())) == 1
    finally:
        parent.close()
