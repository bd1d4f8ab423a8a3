"""Twelve kinds of inputs on which the criterion is measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import numpy.typing as npt
import torch

from verification.scoreboard.selftest.attention import Problem

Draw = Callable[[np.random.Generator, tuple[int, ...]], npt.NDArray[np.float64]]
Maker = Callable[..., Problem]
BLOCK = 128


def _uniform(rng: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    return rng.uniform(-1.0, 1.0, shape)


def _normal(rng: np.random.Generator, shape: tuple[int, ...], *, sigma: float = 1.0) -> npt.NDArray[np.float64]:
    return rng.normal(0.0, sigma, shape)


def _outliers(rng: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    values = rng.normal(0.0, 1.0, shape)
    return np.where(rng.random(shape) < 1e-3, values * 20.0, values)


def _shifted(
    rng: np.random.Generator, shape: tuple[int, ...], *, mean: float, half: float = 1.0
) -> npt.NDArray[np.float64]:
    return rng.uniform(mean - half, mean + half, shape)


def problem(
    seed: int,
    *,
    dtype: torch.dtype = torch.float16,
    batch: int = 2,
    heads: tuple[int, int] = (4, 2),
    rows: tuple[int, int] = (512, 512),
    width: int = 128,
    lengths: tuple[tuple[int, ...], tuple[int, ...]] | None = None,
    density: float = 1.0,
    empty: bool = False,
    draw: tuple[Draw, Draw, Draw] = (_uniform, _uniform, _uniform),
) -> Problem:
    """Inputs of one call.

    Args:
        seed: decides every value.
        dtype: of query, key and value.
        batch: batches.
        heads: query heads and key-value heads.
        rows: query rows and key-value rows.
        width: head dimension.
        lengths: actual lengths of queries and of keys, one per batch; None = full.
        density: probability that a block is selected; each query block selects one at least.
        empty: the first query block of the first batch and head selects nothing.
        draw: how query, key and value are drawn.
    """
    rng = np.random.Generator(np.random.Philox(seed))
    shapes = [(batch, heads[0], rows[0], width)] + [(batch, heads[1], rows[1], width)] * 2
    query, key, value = (torch.from_numpy(one(rng, shape)).to(dtype) for one, shape in zip(draw, shapes, strict=True))
    blocks = (math.ceil(rows[0] / BLOCK), math.ceil(rows[1] / BLOCK))
    mask = rng.random((batch, heads[0], *blocks)) < density
    np.put_along_axis(mask, rng.integers(0, blocks[1], (*mask.shape[:3], 1)), values=True, axis=3)
    if empty:
        mask[0, 0, 0] = False
    full = ((rows[0],) * batch, (rows[1],) * batch)
    lengths_q, lengths_kv = lengths or full
    return Problem(
        query=query,
        key=key,
        value=value,
        mask=torch.from_numpy(mask),
        block=BLOCK,
        lengths_q=lengths_q,
        lengths_kv=lengths_kv,
    )


INPUTS: Mapping[str, Maker] = {
    "uniform": problem,
    "normal": partial(problem, draw=(_normal,) * 3),
    "5 sigma": partial(problem, draw=(partial(_normal, sigma=5.0),) * 3),
    "0.02 sigma": partial(problem, draw=(partial(_normal, sigma=0.02),) * 3),
    "outliers": partial(problem, draw=(_outliers,) * 3),
    "V around 1": partial(problem, draw=(_uniform, _uniform, partial(_shifted, mean=1.0))),
    "negative logits": partial(problem, draw=(partial(_shifted, mean=4.0), partial(_shifted, mean=-4.0), _uniform)),
    "tail": partial(problem, rows=(296, 296)),
    "lengths": partial(problem, rows=(400, 400), lengths=((256, 400), (400, 300))),
    "sparse": partial(problem, rows=(512, 1024), density=0.3, empty=True),
    "long keys": partial(problem, rows=(128, 2048)),
    "few keys": partial(problem, rows=(512, 24), draw=(_normal,) * 3),
}
"""Makers by name; each takes a seed and optionally ``dtype``."""
