"""Limit 13: a kernel that starts before the host's data has arrived."""

from verification.limits.inputs import one_grid
from verification.limits.limit import Limit, Probe, Text


def launch_at_once(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.add(pypto.view(x, [64, 128], [i * 64, 0]), 1.0), [i * 64, 0], y)

    return kernel


def _just_written(_call):
    return tuple(x.clone().mul_(2.0) for x in one_grid(0))


LIMIT = Limit(
    number=13,
    title=Text("Races between wrapper and kernel", "wrapper 数据与 kernel 存在竞争"),
    statement=Text(
        "Data that the wrapper writes races with the kernel.",
        "wrapper 数据与 kernel 存在竞争。",
    ),
    workaround=Text(
        "torch.npu.synchronize() after the wrapper has written, before the launch.",
        "torch.npu.synchronize() 确保 wrapper 数据写入完成。",
    ),
    cause=Text(
        "Operations of torch_npu and kernels of PyPTO go to the device in streams that do not wait for each other. "
        "Sim is "
        "synchronous, so numbers show nothing. The order is visible: run under the recording stand-in for the device "
        "runtime, a launch whose argument was written since the last synchronize is named.",
        "torch_npu 的算子与 PyPTO 的 kernel 在互不等待的流上提交到设备。sim 是同步的，数值看不出问题，但顺序可以检查："
        "在设备运行时的记录替身之下，若某个参数自上次同步后被写过，就会被指出。",
    ),
    probes=(
        Probe(
            name="launch-at-once",
            form="x.mul_(2.0); kernel(x, y) without torch.npu.synchronize()",
            build=launch_at_once,
            inputs=_just_written,
            answer=lambda x: x + 1,
            blind=Text("a launch in sim is synchronous", "sim 中的启动是同步的"),
        ),
    ),
    stress=(
        "*repeat*",
        "*history*",
    ),
)
