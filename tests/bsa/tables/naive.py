"""The forward kernel's work, listed one block at a time: the definition that the tables are held against."""


def work(mask, problem):
    """For each query block that attends to something: its rows, and the rows of its key blocks, in the kernel's view.

    Returns:
        dict: (first row, column head) of a query block -> (rows, key head, [(first row, rows) of a key block…], keys).
    """
    found = {}
    tnd = problem.layout == "TND"
    size_q, size_kv = problem.block_shape
    for batch in range(problem.batch):
        for head in range(problem.heads_q):
            for block in range(problem.blocks_q):
                rows = min(size_q, problem.lengths_q[batch] - block * size_q)
                picks = []
                for other in range(problem.blocks_kv):
                    there = min(size_kv, problem.lengths_kv[batch] - other * size_kv)
                    if there > 0 and (mask is None or mask[batch, head, block, other]):
                        head_kv = head // problem.group
                        base = (
                            problem.starts_kv[batch] if tnd else (batch * problem.heads_kv + head_kv) * problem.seq_kv
                        )
                        picks.append((base + other * size_kv, there))
                if rows > 0 and picks:
                    base = problem.starts_q[batch] if tnd else (batch * problem.heads_q + head) * problem.seq_q
                    place = (base + block * size_q, head if tnd else 0)
                    keys = (len(picks) - 1) * size_kv + picks[-1][1]
                    found[place] = (rows, head // problem.group if tnd else 0, picks, keys)
    return found


def written(mask, problem):
    """(batch, head, position) of every query row that gets an output from the kernel."""
    size_q, size_kv = problem.block_shape
    return {
        (batch, head, position)
        for batch in range(problem.batch)
        for head in range(problem.heads_q)
        for position in range(problem.lengths_q[batch])
        if any(
            other * size_kv < problem.lengths_kv[batch]
            and (mask is None or mask[batch, head, position // size_q, other])
            for other in range(problem.blocks_kv)
        )
    }
