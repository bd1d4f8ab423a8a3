"""Two kernels of one call, in a style of their own: operators, an ordinary helper, operations that ours do not use."""

import pypto

ROWS = pypto.frontend.dynamic("rows")
WIDE = 64


def tile_of(source, number):
    return pypto.view(source, [32, WIDE], [number * 32, 0])


@pypto.frontend.jit
def squash(x: pypto.Tensor((ROWS, WIDE), pypto.DT_FP32), y: pypto.Tensor((ROWS, WIDE), pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(32, WIDE)
    for u in pypto.loop(x.shape[0] // 32, name="SQUASH", idx_name="u", unroll_list=[2, 1]):
        tile = tile_of(x, u)
        gate = pypto.reciprocal(pypto.exp(-tile) + 1.0)
        same = pypto.sigmoid(tile)
        root = pypto.rsqrt(gate)
        power = pypto.log2(gate)
        turned = pypto.transpose(pypto.transpose(tile, 0, 1), 0, 1)
        above = pypto.where(pypto.gt(tile, 0.5), pypto.where(pypto.le(tile, 1.0), gate, root), 3.0)
        below = pypto.where(pypto.lt(tile, -0.5), pypto.where(pypto.ge(tile, -1.0), 2.0, root), gate)
        equal = pypto.where(pypto.eq(tile, 0.25), root, pypto.where(pypto.ne(tile, 0.5), gate, 5.0))
        together = gate + same + root + power + turned + above + below + equal + pypto.relu(tile)
        pypto.assemble(together, [u * 32, 0], y)


@pypto.frontend.jit
def stretch(
    y: pypto.Tensor((ROWS, WIDE), pypto.DT_FP32), out: pypto.Tensor((ROWS, WIDE), pypto.DT_FP32), by: float, rows: int
):
    pypto.set_vec_tile_shapes(32, WIDE)
    for u in pypto.loop(y.shape[0] // 32, name="STRETCH", idx_name="u"):
        tile = tile_of(y, u)
        stretched = tile * by
        again = pypto.view(stretched, [32, WIDE], [0, 0], valid_shape=[pypto.min(rows, 32 + u), WIDE])
        pypto.assemble(pypto.maximum(stretched, again), [u * 32, 0], out)
