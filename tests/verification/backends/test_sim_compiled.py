"""A case whose control flow another case has compiled compiles none of it, and gives the same bytes."""

from bsa._pypto import cache_folder
from stimuli.suites import suite
from verification.backends.sim import SimBackend
from verification.dut import Call, find_duts
from verification.plan import Budget
from verification.scoreboard.digest import digest


def test_the_same_kernel_is_compiled_once(monkeypatch, tmp_path):
    """The second run of a case adds nothing to the cache, and returns what the first did."""
    calculator = cache_folder("calculator")
    kept = tmp_path / "bsa-verification" / "compiled"
    kept.mkdir(parents=True)
    kept.with_name("calculator").symlink_to(calculator)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    case = suite("smoke", "bsa.forward").cases[0]
    dut = find_duts()[case.dut]
    backend = SimBackend()
    seen, results = [], []
    try:
        for _ in range(2):
            observation = backend.run(case, dut, Call(), Budget())
            assert observation.error is None
            seen.append({name: digest(tensor) for name, tensor in observation.calls[0].outputs.items()})
            backend.finish(None)
            results.append({path.name for path in kept.iterdir()})
    finally:
        backend.close()
    assert seen[0] == seen[1] != {}
    assert results[0] == results[1] != set()
