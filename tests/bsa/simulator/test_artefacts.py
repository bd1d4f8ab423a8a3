"""The figures of a launch are those of its files."""

import json

import pytest

from bsa._pypto import CORES, CYCLES_PER_MICROSECOND, read_launch
from tests.bsa.simulator import sample_kernels


@pytest.fixture(scope="module")
def launch(forked, tmp_path_factory):
    _, run = forked(sample_kernels.run, rows=192, output_dir=tmp_path_factory.mktemp("run"))
    return run.launches[0]


def test_time_and_utilisation_are_those_of_the_lanes(launch):
    lanes = json.loads((launch.folder / "CostModelSimulationOutput" / "_simulate.swim.json").read_text())
    tasks = [task for lane in lanes if lane["coreType"] != "HUB" for task in lane["tasks"]]
    span = max(task["execEnd"] for task in tasks) - min(task["execStart"] for task in tasks)
    assert launch.microseconds == span / CYCLES_PER_MICROSECOND
    assert launch.utilisation == sum(t["execEnd"] - t["execStart"] for t in tasks) / (CORES * span)
    assert launch.tasks == len(tasks) == 3


def test_cost_model_has_the_lanes_and_the_task_count_that_we_count(launch):
    report = (launch.folder / "CostModelSimulationOutput" / "_simulate.stat.report.txt").read_text()
    assert f"Core Machine Count...............................:{CORES:>10}" in report
    assert f"Total Submit Tasks...............................:{launch.tasks:>10}" in report


def test_kernel_paths_and_operations_are_counted_as_executed(launch):
    assert launch.kernel == "add_one"
    assert launch.paths == {"TENSOR_ROWS_Unroll1_PATH0_hiddenfunc0_root": 3}
    assert (launch.ops["ADDS"], launch.ops["COPY_IN"], launch.ops["COPY_OUT"]) == (3, 3, 3)


def test_stages_are_those_that_ran_and_each_has_its_time(launch):
    assert launch.stages == ("trace", "passes", "interpreter", "control_flow", "model")
    assert set(launch.seconds) == {"interpret", "compile", "control_flow", "model"}
    assert all(0 <= seconds < 600 for seconds in launch.seconds.values())


def test_folder_without_files_gives_empty_figures(tmp_path):
    launch = read_launch(tmp_path)
    assert (launch.kernel, launch.microseconds, launch.utilisation, launch.tasks) == ("", None, None, 0)
    assert (launch.paths, launch.ops, launch.seconds, launch.stages) == ({}, {}, {}, ("trace",))


def test_damaged_files_give_empty_figures(tmp_path):
    (tmp_path / "program.json").write_text("{")
    (tmp_path / "CostModelSimulationOutput").mkdir()
    (tmp_path / "CostModelSimulationOutput" / "_simulate.swim.json").write_text("[{")
    launch = read_launch(tmp_path)
    assert (launch.microseconds, launch.paths) == (None, {})
