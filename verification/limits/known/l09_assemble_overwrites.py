"""Limit 9: assemble overwrites."""

from verification.limits.inputs import one_grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def assemble_twice(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([64, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="BLOCKS", idx_name="i"):
            pypto.assemble(pypto.mul(pypto.view(x, [64, 128], [i * 64, 0]), 2.0), [0, 0], y)

    return kernel


def accumulate(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([64, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for _u in pypto.loop(1, name="ONCE", idx_name="_u"):
            total = pypto.tensor([64, 128], pypto.DT_FP32, "total")
            for i in pypto.loop(x.shape[0] // 64, name="BLOCKS", idx_name="i"):
                share = pypto.mul(pypto.view(x, [64, 128], [i * 64, 0]), 2.0)
                if pypto.is_loop_begin(i):
                    total[:] = share
                else:
                    total[:] = pypto.add(total, share)
                if pypto.is_loop_end(i):
                    pypto.assemble(total, [0, 0], y)

    return kernel


def _answer(x):
    return 2 * (x[:64] + x[64:])


LIMIT = Limit(
    number=9,
    title=Text("pypto.assemble overwrites", "pypto.assemble 是覆写非累加"),
    statement=Text("pypto.assemble overwrites, it does not add.", "pypto.assemble 是覆写非累加。"),
    workaround=Text(
        "Split the kernel, accumulate locally and write once.",
        "拆分 kernel，局部累积后一次性写出。",
    ),
    cause=Text(
        "assemble places a tile. Two tiles for one region mean that the later one stays, without an error; on a device "
        "without an order between them, either one.",
        "assemble 只是放置 tile。同一区域写两次时后写者生效且不报错；在设备上若两者无序，则结果不定。",
    ),
    probes=(
        Probe(
            name="assemble-twice",
            form="pypto.assemble(share, [0, 0], y) in every iteration",
            build=assemble_twice,
            inputs=one_grid,
            answer=_answer,
            lint=("double-assemble",),
        ),
        Probe(
            name="accumulate",
            form="total[:] = pypto.add(total, share); one assemble",
            build=accumulate,
            inputs=one_grid,
            answer=_answer,
            role=WORKAROUND,
        ),
    ),
    stress=(
        "field/*",
        "*small blocks*",
    ),
)
