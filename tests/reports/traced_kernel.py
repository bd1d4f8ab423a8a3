"""The text of a kernel, for reports: it is read and never imported. Each statement says what became of it."""


def kernel(x, out):
    """A loop with an untaken arm."""
    for block in range(x.blocks):  # executed
        tile = x.view(  # executed
            [32, 64],
            [block * 32, 0],
        )
        if block == 3:  # executed
            tile = tile * 2  # executed
        elif block == 7:  # executed
            tile = tile * 3  # compiled
        else:
            tile = tile * 4  # traced
        if x.debug:  # executed
            out.note(tile)  # never
        out.assemble(tile, [block * 32, 0])  # executed


def unrelated(x):
    """Nothing here was traced: it is not shown."""
    return x
