"""Rules on operations and their operands."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from verification.lint.finding import Match
from verification.lint.scope import ELEMENTWISE, Kernel, Shape, is_loop, is_pypto, op_name

_L0C_BYTES = 128 * 1024
_WITH_ONES = frozenset({"sigmoid", "rms_norm"})
"""What PyPTO composes with a whole tile of ones."""
_LOOP_KEYWORDS = frozenset({"name", "idx_name", "unroll_list", "submit_before_loop", "unroll"})


def two_expanded_axes(kernel: Kernel) -> Iterator[Match]:
    """An element-wise operation that expands two axes of one operand."""
    for node in _calls(kernel):
        if op_name(node) in ELEMENTWISE:
            tensors = [tensor for one in node.args if (tensor := kernel.tensor(one)) is not None]
            shapes = [tensor.shape for tensor in tensors if tensor.shape]
            if any(_expanded(one, other) > 1 for one in shapes for other in shapes if len(one) == len(other)):
                yield Match(rule="two-expanded-axes", node=node, what=ast.unparse(node))


def _expanded(one: Shape, other: Shape) -> int:
    return sum(a == 1 and b is not None and b > 1 for a, b in zip(one, other, strict=True))


def where_scalar(kernel: Kernel) -> Iterator[Match]:
    """``pypto.where`` with a number for a branch."""
    for node in _calls(kernel):
        if is_pypto(node, "where") and any(_is_number(one) for one in node.args[1:]):
            yield Match(rule="where-scalar", node=node, what=ast.unparse(node))


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    is_float = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float"
    return is_float or (isinstance(node, ast.Constant) and isinstance(node.value, int | float))


def cast_from_bool(kernel: Kernel) -> Iterator[Match]:
    """``pypto.cast`` of a BOOL tensor."""
    for node in _calls(kernel):
        if is_pypto(node, "cast") and node.args and _dtype(kernel, node.args[0]) == "DT_BOOL":
            yield Match(rule="cast-from-bool", node=node, what=ast.unparse(node))


def fp16_sum(kernel: Kernel) -> Iterator[Match]:
    """``pypto.sum`` of an FP16 tensor."""
    for node in _calls(kernel):
        if is_pypto(node, "sum") and node.args and _dtype(kernel, node.args[0]) == "DT_FP16":
            yield Match(rule="fp16-sum", node=node, what=ast.unparse(node))


def composed_of_a_part(kernel: Kernel) -> Iterator[Match]:
    """``sigmoid`` and ``rms_norm`` of a tensor with a valid_shape of its own."""
    for node in _calls(kernel):
        name = op_name(node)
        if name in _WITH_ONES and is_pypto(node, name) and node.args:
            tensor = kernel.tensor(node.args[0])
            if tensor is not None and tensor.part:
                yield Match(rule="composed-of-a-part", node=node, what=ast.unparse(node), probe=name.replace("_", "-"))


def zeros(kernel: Kernel) -> Iterator[Match]:
    """``pypto.zeros`` with a dtype in second place."""
    for node in _calls(kernel):
        if is_pypto(node, "zeros") and len(node.args) > 1 and isinstance(node.args[0], ast.List | ast.Tuple):
            yield Match(rule="zeros", node=node, what=ast.unparse(node))


def cube_tile(kernel: Kernel) -> Iterator[Match]:
    """Cube tiles whose L1 is no multiple of L0, or whose L0 result does not fit."""
    for node in _calls(kernel):
        if op_name(node) == "set_cube_tile_shapes":
            tiles = [kernel.shape(one) for one in node.args[:3]]
            pairs = [tile for tile in tiles if tile is not None and len(tile) == 2]
            wrong = any(l0 is not None and l1 is not None and (l0 < 1 or l1 % l0) for l0, l1 in pairs)
            if len(pairs) == 3 and pairs[0][0] and pairs[2][0]:
                wrong = wrong or 4 * pairs[0][0] * pairs[2][0] > _L0C_BYTES
            if wrong:
                yield Match(rule="cube-tile", node=node, what=ast.unparse(node))


def column_view(kernel: Kernel) -> Iterator[Match]:
    """A view of one column, R rows, of a tensor with fewer rows, or whose second offset counts in R rows."""
    for node in _calls(kernel):
        if not (is_pypto(node, "view") and len(node.args) > 2 and isinstance(node.args[2], ast.List | ast.Tuple)):
            continue
        shape, tensor, offsets = kernel.shape(node.args[1]), kernel.tensor(node.args[0]), node.args[2].elts
        if shape is None or len(shape) != 2 or shape[1] != 1 or len(offsets) != 2 or shape[0] == 1:
            continue
        short = tensor is not None and tensor.shape is not None and _less(tensor.shape[0], shape[0])
        if short or _counts_in(kernel, offsets[1], node.args[1], shape[0]):
            yield Match(rule="column-view", node=node, what=ast.unparse(node))


def _less(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one < other


def _counts_in(kernel: Kernel, offset: ast.expr, shape: ast.expr, rows: int | None) -> bool:
    """Whether an offset is a multiple of the view's rows."""
    rows_text = ast.unparse(shape.elts[0]) if isinstance(shape, ast.List | ast.Tuple) else ""
    for node in ast.walk(offset):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for side in (node.left, node.right):
                if ast.unparse(side) == rows_text or (rows is not None and kernel.integer(side) == rows):
                    return True
    return False


def ignored_keyword(kernel: Kernel) -> Iterator[Match]:
    """Keywords of ``pypto.loop`` that nothing reads."""
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.For) and is_loop(node) and isinstance(node.iter, ast.Call):
            names = [one.arg for one in node.iter.keywords if one.arg is not None and one.arg not in _LOOP_KEYWORDS]
            if names:
                yield Match(rule="ignored-keyword", node=node, what=f"{', '.join(names)} in {ast.unparse(node.iter)}")


def _calls(kernel: Kernel) -> Iterator[ast.Call]:
    return (node for node in ast.walk(kernel.node) if isinstance(node, ast.Call))


def _dtype(kernel: Kernel, node: ast.AST) -> str:
    tensor = kernel.tensor(node)
    return tensor.dtype if tensor is not None else ""
