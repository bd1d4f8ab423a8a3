"""Small spaces for the tests, made of numbers of bins and forbidden combinations."""

from __future__ import annotations

from stimuli.space import Axis, Bin, Rule, Space
from stimuli.space.axis import IGNORED, NIGHT


def small(sizes: list[int], forbidden: list[dict[int, int]] | None = None) -> Space:
    """A space with axes a, b, … of these sizes, where the parameter of a bin is its number; 0 is the default."""
    names = [chr(ord("a") + at) for at in range(len(sizes))]
    axes = tuple(
        Axis(name=name, text=name, bins=tuple(Bin(name=str(n), params={name: n}) for n in range(size)))
        for name, size in zip(names, sizes, strict=True)
    )
    return of_axes(axes, [{names[axis]: (str(n),) for axis, n in one.items()} for one in forbidden or []])


def of_axes(axes: tuple[Axis, ...], forbidden: list[dict[str, tuple[str, ...]]]) -> Space:
    """A space whose cases have one parameter per axis."""
    return Space(
        name="small",
        parameters={axis.name: 0 for axis in axes},
        axes=axes,
        rules=tuple(Rule(kind=IGNORED, where=where, reason="for the test") for where in forbidden),
        budgets={"sim": (), NIGHT: (), "npu": ()},
        build=lambda row: {name: value for axis in axes for name, value in axis.bin(row[axis.name]).params.items()},
        observe=lambda params: {axis.name: str(params.get(axis.name, 0)) for axis in axes},
    )
