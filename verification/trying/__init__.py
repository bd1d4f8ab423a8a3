"""A customer's shape: the whole if it fits, slices of it that fit, and its block tables."""

from verification.trying._capture import params_of_capture
from verification.trying._places import Places
from verification.trying._request import Request, params_of, refuse_beside_capture
from verification.trying._slices import Slice, slices
from verification.trying._whole import check_whole, refuse_too_many_blocks

__all__ = [
    "Places",
    "Request",
    "Slice",
    "check_whole",
    "params_of",
    "params_of_capture",
    "refuse_beside_capture",
    "refuse_too_many_blocks",
    "slices",
]
