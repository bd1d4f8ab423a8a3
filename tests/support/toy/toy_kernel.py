"""A PyPTO kernel that doubles its input, 64 rows at a time."""

import pypto

ROWS = pypto.frontend.dynamic("rows")


@pypto.frontend.jit
def double(x: pypto.Tensor((ROWS, 64), pypto.DT_FP16), out: pypto.Tensor((ROWS, 64), pypto.DT_FP16)):
    pypto.set_vec_tile_shapes(64, 64)
    for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
        tile = pypto.view(x, [64, 64], [i * 64, 0])
        pypto.assemble(pypto.mul(tile, 2.0), [i * 64, 0], out)
