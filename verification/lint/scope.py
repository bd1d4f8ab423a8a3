"""What a kernel's source tells of its names: tensors with shape and dtype, symbolic scalars, loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

Shape = tuple[int | None, ...]
"""Sizes; None where the source does not say."""


@dataclass(frozen=True, kw_only=True)
class Tensor:
    """What is known of a tensor."""

    shape: Shape | None = None
    dtype: str = ""
    """``DT_FP16`` and the like; empty if unknown."""
    parameter: bool = False
    part: bool = False
    """Whether the source gives it a valid_shape that is not its shape."""


@dataclass
class Kernel:
    """One function that PyPTO's parser reads."""

    node: ast.FunctionDef
    nested: bool
    """Whether it is a ``pypto.frontend.function``, called by a kernel."""
    tensors: dict[str, Tensor] = field(default_factory=dict)
    symbols: set[str] = field(default_factory=set)
    """Symbolic scalars: loop variables, sizes known at the call, entries of tables, and what is made of them."""
    constants: dict[str, object] = field(default_factory=dict)
    """Names of the enclosing scopes with a literal value; of a list or tuple, its node."""

    @property
    def parameters(self) -> set[str]:
        """Names of its tensors that the caller hands over."""
        return {name for name, tensor in self.tensors.items() if tensor.parameter}

    def is_symbolic(self, node: ast.AST) -> bool:
        """Whether an expression is a symbolic scalar, or a condition made of one."""
        if isinstance(node, ast.Name):
            return node.id in self.symbols
        if isinstance(node, ast.Call):
            is_extremum = op_name(node) in {"min", "max"}
            return op_name(node) in CONDITIONS or (is_extremum and any(map(self.is_symbolic, (node.func, *node.args))))
        if isinstance(node, ast.Subscript):
            return self._is_symbolic_entry(node)
        if isinstance(node, ast.Attribute):
            return self.is_symbolic(node.value)
        made = isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp | ast.IfExp)
        return made and any(map(self.is_symbolic, ast.iter_child_nodes(node)))

    def _is_symbolic_entry(self, node: ast.Subscript) -> bool:
        """``x.shape[0]`` of an axis that is not a number, or an entry of a table, ``tab[u, 0]``."""
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            owner = node.value.value
            tensor = self.tensors.get(owner.id) if isinstance(owner, ast.Name) else None
            if tensor is None or not tensor.parameter:
                return False
            axis, sizes = self.integer(node.slice), tensor.shape or ()
            return axis is None or not -len(sizes) <= axis < len(sizes) or sizes[axis] is None
        if isinstance(node.value, ast.Name) and node.value.id in self.tensors:
            places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return not any(isinstance(one, ast.Slice) or ast.unparse(one) == "..." for one in places)
        return False

    def integer(self, node: ast.AST) -> int | None:
        """The value of an integer expression of literals and constants of enclosing scopes; None if it has none."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, int) and not isinstance(node.value, bool) else None
        if isinstance(node, ast.Name):
            found = self.constants.get(node.id)
            return found if isinstance(found, int) and not isinstance(found, bool) else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.integer(node.operand)
            return None if inner is None else -inner
        if isinstance(node, ast.BinOp):
            left, right = self.integer(node.left), self.integer(node.right)
            if left is not None and right is not None:
                made = {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}
                return made.get(type(node.op))
        return None

    def bound_to(self, node: ast.expr) -> ast.expr:
        """What a name stands for that the kernel binds once, or that an enclosing scope binds to a list."""
        seen: set[str] = set()
        while isinstance(node, ast.Name) and node.id not in seen:
            seen.add(node.id)
            name = node.id
            inside = [one for one in ast.walk(self.node) if isinstance(one, ast.Name) and one.id == name]
            stores = sum(isinstance(one.ctx, ast.Store) for one in inside)
            values = [
                value
                for one in ast.walk(self.node)
                if isinstance(one, ast.Assign)
                for target, value in _pairs(one)
                if target == name
            ]
            outside = self.constants.get(name)
            if len(values) == stores == 1:
                node = values[0]
            elif not stores and isinstance(outside, ast.List | ast.Tuple):
                node = outside
        return node

    def shape(self, node: ast.AST | None) -> Shape | None:
        """The sizes that a list or tuple gives."""
        if not isinstance(node, ast.List | ast.Tuple):
            return None
        return tuple(self.integer(one) for one in node.elts)

    def tensor(self, node: ast.AST) -> Tensor | None:
        """What is known of a tensor expression; None if it is none, or nothing is known."""
        if isinstance(node, ast.Name):
            return self.tensors.get(node.id)
        if not isinstance(node, ast.Call):
            return None
        return self._result(op_name(node), node)

    def _result(self, name: str, call: ast.Call) -> Tensor | None:
        """What is known of an operation's result."""
        arguments = call.args
        operands = [self.tensor(one) for one in arguments]
        first, second = operands[0] if operands else None, arguments[1] if len(arguments) > 1 else None
        kept = first or Tensor()
        if name in {"view", "reshape"}:
            return Tensor(shape=self.shape(second), dtype=kept.dtype, part=self._is_part(call))
        if name in {"tensor", "full"} and second is not None:
            return Tensor(shape=self.shape(arguments[0]), dtype=dtype_name(arguments[-1 if name == "full" else 1]))
        if name == "cast" and second is not None:
            return Tensor(shape=kept.shape, dtype=dtype_name(second), part=kept.part)
        if name == "matmul":
            return Tensor(dtype=dtype_name(arguments[2]) if len(arguments) > 2 else "")
        if name in ELEMENTWISE:
            dtypes = {one.dtype for one in operands if one is not None}
            part = any(one.part for one in operands if one is not None)
            return Tensor(dtype=dtypes.pop() if len(dtypes) == 1 else "", part=part)
        return Tensor(shape=kept.shape, dtype=kept.dtype, part=kept.part) if name in SAME_SHAPE else None

    def _is_part(self, call: ast.Call) -> bool:
        """Whether a view states a valid_shape that is not the whole view."""
        stated = [self._sizes(one.value) for one in call.keywords if one.arg == "valid_shape"]
        return bool(stated) and len(call.args) > 1 and stated[0] != self._sizes(call.args[1])

    def _sizes(self, node: ast.expr) -> list[int | str]:
        """Sizes as numbers, or as they are written."""
        listed = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
        return [ast.unparse(one) if (size := self.integer(one)) is None else size for one in listed]


CONDITIONS = frozenset({"is_loop_begin", "is_loop_end"})
SAME_SHAPE = frozenset({"exp", "log", "abs", "sqrt", "clone", "relu"})
ELEMENTWISE = frozenset({"add", "sub", "mul", "div", "maximum", "minimum", "where"})


def op_name(node: ast.AST) -> str:
    """The last name of a call: ``add`` of ``pypto.add(…)`` or ``a.add(…)``."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def is_pypto(node: ast.AST, name: str) -> bool:
    """Whether a node is the call ``pypto.<name>(…)``, by whatever alias the module goes."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == name
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ALIASES
    )


ALIASES = frozenset({"pypto", "pto", "tile", "pp"})
"""Names under which kernels import PyPTO."""


def dtype_name(node: ast.AST) -> str:
    """``DT_FP16`` of ``pypto.DT_FP16``; empty for anything else."""
    return node.attr if isinstance(node, ast.Attribute) and node.attr.startswith("DT_") else ""


def kernels(tree: ast.Module) -> list[Kernel]:
    """Every function of a module that PyPTO's parser reads, with what is known of its names."""
    return list(_walk(tree, {}))


def _walk(scope: ast.AST, constants: dict[str, object]) -> Iterator[Kernel]:
    constants = dict(constants)
    body = getattr(scope, "body", [])
    for statement in body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            _bind(statement.targets[0], statement.value, constants)
        if isinstance(statement, ast.FunctionDef):
            kind = _kind(statement)
            if kind:
                yield _read(statement, constants, nested=kind == "function")
            else:
                yield from _walk(statement, constants)
        elif isinstance(statement, ast.ClassDef | ast.If | ast.With | ast.Try):
            yield from _walk(statement, constants)


def _bind(target: ast.expr, value: ast.expr, constants: dict[str, object]) -> None:
    if isinstance(target, ast.Name):
        if isinstance(value, ast.Constant):
            constants[target.id] = value.value
        elif isinstance(value, ast.List | ast.Tuple):
            constants[target.id] = value
        elif (isinstance(value, ast.Attribute) and value.attr == "DYNAMIC") or op_name(value) == "dynamic":
            constants[target.id] = SYMBOL
        else:
            constants.pop(target.id, None)


SYMBOL = object()
"""Marks a name that is bound to a symbolic size."""


def _kind(node: ast.FunctionDef) -> str:
    """``jit`` or ``function`` by its decorator, else empty."""
    for decorator in node.decorator_list:
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(named, ast.Attribute) and named.attr in {"jit", "function"}:
            text = ast.unparse(named)
            if text.split(".")[0] in ALIASES:
                return named.attr
    return ""


def _read(node: ast.FunctionDef, constants: dict[str, object], *, nested: bool) -> Kernel:
    kernel = Kernel(node=node, nested=nested, constants=constants)
    kernel.symbols = {name for name, value in constants.items() if value is SYMBOL}
    for argument in (*node.args.posonlyargs, *node.args.args):
        annotation = argument.annotation
        if isinstance(annotation, ast.Call) and op_name(annotation) == "Tensor":
            shape = kernel.shape(annotation.args[0]) if annotation.args else None
            dtype = dtype_name(annotation.args[1]) if len(annotation.args) > 1 else ""
            kernel.tensors[argument.arg] = Tensor(shape=shape, dtype=dtype, parameter=True)
    _settle(kernel)
    return kernel


def _settle(kernel: Kernel) -> None:
    """Follows assignments until nothing new is known: loops carry names backwards too."""
    while True:
        before = len(kernel.symbols) + len(kernel.tensors)
        for node in ast.walk(kernel.node):
            if isinstance(node, ast.For) and is_loop(node) and isinstance(node.target, ast.Name):
                kernel.symbols.add(node.target.id)
            if isinstance(node, ast.Assign):
                for target, value in _pairs(node):
                    if kernel.is_symbolic(value):
                        kernel.symbols.add(target)
                    elif target not in kernel.tensors and (tensor := kernel.tensor(value)) is not None:
                        kernel.tensors[target] = Tensor(shape=tensor.shape, dtype=tensor.dtype, part=tensor.part)
        if len(kernel.symbols) + len(kernel.tensors) == before:
            return


def is_loop(node: ast.For) -> bool:
    """Whether a for goes over ``pypto.loop(…)`` or a variant of it."""
    return isinstance(node.iter, ast.Call) and op_name(node.iter).startswith("loop")


def _pairs(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    for target in node.targets:
        if isinstance(target, ast.Name):
            yield target.id, node.value
        elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            for one, value in zip(target.elts, node.value.elts, strict=False):
                if isinstance(one, ast.Name):
                    yield one.id, value
