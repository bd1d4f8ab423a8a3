"""Two right kernels that PyPTO 0.2.0's own compile passes turn into something else, given the numbers for it."""

import pypto

SUMMED, ROUNDED = 128, 64
ROWS = pypto.frontend.dynamic("rows")


@pypto.frontend.jit
def sum_rows(x: pypto.Tensor((ROWS, SUMMED), pypto.DT_FP32), out: pypto.Tensor((ROWS, 1), pypto.DT_FP32)):
    """ExpandFunction cuts the row into tiles of 32 and adds them two by two: another order than the graph's."""
    pypto.set_vec_tile_shapes(32, 32)
    for u in pypto.loop(x.shape[0] // 32, name="ROWS", idx_name="u"):
        part = pypto.view(x, [32, SUMMED], [u * 32, 0])
        total = pypto.sum(part, -1, True)
        pypto.assemble(total, [u * 32, 0], out)


@pypto.frontend.jit
def there_and_back(x: pypto.Tensor((ROWS, ROUNDED), pypto.DT_BF16), out: pypto.Tensor((ROWS, ROUNDED), pypto.DT_BF16)):
    """AutoCast computes the chain in FP32: x + 256 is no longer rounded to BF16, which has 8 bits."""
    pypto.set_vec_tile_shapes(32, ROUNDED)
    for u in pypto.loop(x.shape[0] // 32, name="ROWS", idx_name="u"):
        part = pypto.view(x, [32, ROUNDED], [u * 32, 0])
        far = pypto.add(part, 256.0)
        near = pypto.sub(far, 256.0)
        pypto.assemble(near, [u * 32, 0], out)
