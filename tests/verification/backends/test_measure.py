"""Figures of an attempt are sums over its launches; what no launch knows is None."""

from types import SimpleNamespace

import pytest

from verification.backends.sim import measure as module
from verification.backends.sim.measure import measure

ANSWER = {"wall_s": 9.0, "cpu_s": 8.0, "peak_bytes": 7}


def launch(folder, **seconds):
    return SimpleNamespace(
        folder=folder,
        kernel="kernel",
        microseconds=2.0,
        utilisation=0.5,
        tasks=3,
        paths={"PATH0": 1},
        calls=({0: "PATH0"},),
        compiled=frozenset({"PATH0"}),
        ops={"MUL": 4},
        seconds=seconds,
        stages=("trace", "interpreter"),
    )


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """Measures launches with these seconds of their stages."""

    def run(*launches):
        for number in range(len(launches)):
            (tmp_path / f"output_{number}").mkdir()
        monkeypatch.setattr(module, "read_launch", lambda folder: launch(folder, **launches[int(folder.name[-1])]))
        return measure(tmp_path, ANSWER, "none")[0]

    return run


def test_compiling_is_the_passes_and_the_compiler_of_the_control_flow(measured):
    found = measured({"interpret": 1.0, "compile": 2.0, "control_flow": 4.0, "model": 8.0}, {"compile": 16.0})
    assert (found.interpret_s, found.compile_s, found.model_s) == (1.0, 22.0, 8.0)
    assert (found.tasks, found.model_us, found.ops) == (6, 4.0, {"MUL": 8})


def test_stages_that_never_came(measured):
    found = measured({"interpret": 1.0})
    assert (found.interpret_s, found.compile_s, found.model_s) == (1.0, None, None)


def test_no_launch_at_all(measured):
    found = measured()
    assert (found.wall_s, found.peak_bytes, found.compile_s, found.model_us, found.tasks) == (9.0, 7, None, None, 0)
