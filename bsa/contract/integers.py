"""What counts as an integer argument."""

from __future__ import annotations

from operator import index


def as_integer(value: object) -> int | None:
    """The value as a Python int, or None if it is not an integer: a bool is not one, a numpy or 0-d tensor integer is.

    A tensor on a device is not one either: reading it would wait for the device.
    """
    boolean = isinstance(value, bool) or str(getattr(value, "dtype", "")) in {"bool", "torch.bool"}
    device = getattr(getattr(value, "device", None), "type", "cpu")
    if boolean or device != "cpu" or not hasattr(value, "__index__"):
        return None
    try:
        return index(value)
    except TypeError:  # a floating-point tensor has __index__, and refuses
        return None
