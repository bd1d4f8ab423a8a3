"""A PyPTO kernel: softmax over the 128 columns of each row, any number of rows, FP16."""

import pypto

ROWS = pypto.frontend.dynamic("rows")


@pypto.frontend.jit
def softmax(x: pypto.Tensor((ROWS, 128), pypto.DT_FP16), out: pypto.Tensor((ROWS, 128), pypto.DT_FP16)):
    pypto.set_vec_tile_shapes(64, 128)
    for index in pypto.loop((x.shape[0] + 63) // 64, name="TILES", idx_name="index"):
        rows = pypto.min(x.shape[0] - index * 64, 64)
        tile = pypto.cast(pypto.view(x, [64, 128], [index * 64, 0], valid_shape=[rows, 128]), pypto.DT_FP32)
        weights = pypto.exp(pypto.sub(tile, pypto.amax(tile, -1, True)))
        share = pypto.div(weights, pypto.sum(weights, -1, True))
        pypto.assemble(pypto.cast(share, pypto.DT_FP16), [index * 64, 0], out)
