"""What PyPTO's C++ says of a kernel that it cannot run, with the telling part first."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_KIND: Final = re.compile(r"^(?:\d+, )*(\w+OpError)$", re.MULTILINE)
_PLACE: Final = re.compile(r"^filename: (?P<file>.+)\nlineno: (?P<line>\d+)$", re.MULTILINE)
_LOOP: Final = re.compile(r"^func: TENSOR_(\w+?)_Unroll\d+_", re.MULTILINE)
_CODE: Final = re.compile(r"(?:\w+: )?Errcode: \w+!\n(?P<said>ErrCode: .+?)(?:, func \w+, file .+)?\n")


def telling_first(text: str) -> str:
    """The text with a line before it that says the most, where PyPTO begins with numbers.

    Of an operation that the interpreter could not carry out: which one, where in the kernel, in which loop, and why,
    which PyPTO says a dozen lines below. Of an error with a code: the sentence that follows it.

    Args:
        text: what PyPTO raised; any other stays as it is.
    """
    kind, place, loop = _KIND.search(text), _PLACE.search(text), _LOOP.search(text)
    if kind is not None and place is not None:
        file = Path(place["file"])
        at = f"at {file.parent.name}/{file.name}:{place['line']}" + (f" in loop {loop[1]}" if loop else "")
        return f"{kind[1]} {at}: {text.strip().splitlines()[-1]}\n{text}"
    code = _CODE.match(text)
    return text if code is None else f"{code['said']}\n{text}"
