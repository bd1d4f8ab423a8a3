"""Records the trace of every kernel that is launched in a block, without a change to what PyPTO does.

For the time of the block methods of PyPTO's parser and functions of its Python modules are wrapped; nothing compiled
is touched. A wrapper around an operation would give it the wrapper's own line as source location, so that it sets the
caller's first. What goes wrong in the noting itself is kept apart and never reaches the kernel.
"""

from __future__ import annotations

import ast
import functools
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

from bsa._pypto import load
from verification.shadow.builder import Builder, Range, expression
from verification.shadow.effects import Effects
from verification.shadow.launch import Launched, snapshot
from verification.shadow.patches import Patches
from verification.shadow.visits import Branching, executes, note_branch, place_of, source_file


class Recording(list[Launched]):
    """The launches of a block, in order.

    Attributes:
        problem: traceback of what went wrong in the noting; empty if nothing did.
        keep: whether to keep the tensors of each launch, before and after it.
    """

    problem = ""
    keep = False


@contextmanager
def record(recording: Recording | None = None) -> Iterator[Recording]:
    """Notes the trace of every kernel launched inside the block.

    Args:
        recording: where to note it; None = a new one.

    Yields:
        The launches. A kernel whose trace or run failed is not among them.
    """
    recording = Recording() if recording is None else recording
    recorder = _Recorder(load(), recording)
    recorder.install()
    try:
        yield recording
    finally:
        recorder.patches.undo()


class _Recorder:
    def __init__(self, pypto: Any, recording: Recording) -> None:
        self.patches = Patches()
        self._pypto = pypto
        self._recording = recording
        self._builder: Builder | None = None
        self._opened: Range | None = None
        self._calls: list[str] = []
        """Names of inlined functions that are being called and whose body has not begun."""
        self._effects = Effects(pypto, self._noting)

    def install(self) -> None:
        """Puts the wrappers in place, all or none."""
        from pypto import _controller
        from pypto.frontend.parser import entry
        from pypto.frontend.parser.parser import Parser

        try:
            loop = self._loop(_controller.loop)
            self.patches.put(_controller, "loop", loop)
            self.patches.put(self._pypto, "loop", loop)
            self.patches.put(self._pypto, "cond", self._cond(self._pypto.cond))
            self.patches.put(entry.JitCallableWrapper, "_execute_kernel", self._launch(entry.JitCallableWrapper))
            for name in (
                "__init__",
                "visit",
                "_visit_function_def",
                "_visit_body",
                "_add_tensor_args_to_context",
                "_try_nested_call",
                "_collect_function_environment",
                "_handle_list_tuple_iterator",
                "_handle_pto_iterator",
                "_assign_loop_variable",
            ):
                wrap = getattr(self, f"_on_{name.strip('_')}")
                self.patches.put(Parser, name, functools.wraps(vars(Parser)[name])(wrap(vars(Parser)[name])))
            self._effects.install(self.patches)
        except BaseException:
            self.patches.undo()
            raise

    def _noting(self, note: Callable[[Builder], None]) -> None:
        """Notes something, if a body is being visited; what goes wrong in it ends the noting, not the kernel."""
        builder = self._builder
        if builder is None or not builder.inside:
            return
        try:
            note(builder)
        except Exception:  # noqa: BLE001 - whatever is wrong with us must not become the kernel's failure
            self._recording.problem = self._recording.problem or traceback.format_exc(limit=-4)
            self._builder = None

    def _launch(self, wrapper: Any) -> Callable[..., None]:
        original = vars(wrapper)["_execute_kernel"]

        @functools.wraps(original)
        def execute(kernel: Any, tensors: list[Any], definitions: list[Any]) -> None:
            self._builder = None
            shapes, tables = snapshot([one.name for one in definitions], tensors)
            before = self._copies(tensors, definitions)
            try:
                original(kernel, tensors, definitions)
                if self._builder is not None:
                    kept = {"before": before, "after": self._copies(tensors, definitions)}
                    self._finish(self._builder, shapes=shapes, tables=tables, **kept)
            finally:
                self._builder = None

        return execute

    def _copies(self, tensors: list[Any], definitions: list[Any]) -> dict[str, Any]:
        """Copies of the tensors, if they are to be kept; whoever watches what the host does must not see them made."""
        if not self._recording.keep:
            return {}
        from torch.utils._python_dispatch import _disable_current_modes

        with _disable_current_modes():
            return {one.name: tensor.clone() for one, tensor in zip(definitions, tensors, strict=True)}

    def _finish(self, builder: Builder, **launch: Mapping[str, Any]) -> None:
        try:
            self._recording.append(Launched(trace=builder.finish(), **launch))
        except Exception:  # noqa: BLE001 - as in _noting
            self._recording.problem = self._recording.problem or traceback.format_exc(limit=-4)

    def _loop(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def loop(*args: Any, **kwargs: Any) -> Any:
            generator = original(*args, **kwargs)
            self._noting(lambda _: self._open(args, kwargs))
            return generator

        return loop

    def _open(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not 1 <= len(args) <= 3:
            return
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        self._opened = Range(
            start=expression(start),
            stop=expression(stop),
            step=expression(step),
            name=kwargs.get("name", ""),
            parallel=bool(kwargs.get("parallel", False)),
        )

    def _cond(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def cond(scalar: Any, file: str | None = None, lineno: int | None = None) -> Any:
            if file is None and lineno is None:
                caller = sys._getframe(1)  # noqa: SLF001 - as PyPTO finds the place itself
                file, lineno = caller.f_code.co_filename, caller.f_lineno
            branch = original(scalar, file=file, lineno=lineno)
            return Branching(branch, lambda taken: self._noting(lambda builder: note_branch(builder, scalar, taken)))

        return cond

    def _on_init(self, original: Any) -> Any:
        def init(parser: Any, source: Any, extra_vars: dict[str, Any] | None = None) -> None:
            original(parser, source, self._current(extra_vars or {}))

        return init

    def _on_collect_function_environment(self, original: Any) -> Any:
        return lambda parser, func: self._current(original(parser, func))

    def _current(self, names: dict[str, Any]) -> dict[str, Any]:
        """The same names, those that mean a wrapped function pointed at its wrapper."""
        return {name: self.patches.replaced.get(id(value), value) for name, value in names.items()}

    def _on_visit_function_def(self, original: Any) -> Any:
        def visit_function_def(parser: Any, node: ast.FunctionDef) -> Any:
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            self._builder = Builder(node.name, source_file(parser), first, node.lineno)
            self._calls.clear()
            try:
                return original(parser, node)
            except BaseException:
                self._builder = None
                raise

        return visit_function_def

    def _on_add_tensor_args_to_context(self, original: Any) -> Any:
        def add_tensor_args(parser: Any, tensors: list[Any]) -> None:
            original(parser, tensors)
            if self._builder is not None and not self._builder.inside:
                for tensor in tensors:
                    self._builder.argument(tensor)

        return add_tensor_args

    def _on_visit_body(self, original: Any) -> Any:
        def visit_body(parser: Any, body: list[ast.stmt]) -> Any:
            with self._around(parser):
                return original(parser, body)

        return visit_body

    def _around(self, parser: Any) -> Any:
        """What the body about to be visited is: the kernel's, an inlined function's, or part of one of these."""
        builder = self._builder
        if builder is None:
            return nullcontext()
        if not builder.inside:
            self._opened = None
            return builder.body()
        if self._calls and self._calls[-1]:
            name, self._calls[-1] = self._calls[-1], ""
            tree = parser.diag.source.as_ast()
            line = tree.decorator_list[0].lineno if tree.decorator_list else tree.lineno
            return builder.inlined(source_file(parser), line, name)
        return nullcontext()

    def _on_try_nested_call(self, original: Any) -> Any:
        def try_nested_call(parser: Any, node: ast.Call, extra_vars: Any = None) -> Any:
            self._calls.append(node.func.id if isinstance(node.func, ast.Name) else "")
            try:
                return original(parser, node, extra_vars)
            finally:
                self._calls.pop()

        return try_nested_call

    def _on_visit(self, original: Any) -> Any:
        def visit(parser: Any, node: Any) -> Any:
            builder = self._builder
            if builder is None or not builder.inside or not executes(node):
                return original(parser, node)
            before, builder.place = builder.place, place_of(parser, node)
            builder.line(builder.place)
            try:
                return original(parser, node)
            finally:
                builder.place = before

        return visit

    def _on_handle_list_tuple_iterator(self, original: Any) -> Any:
        return self._visit_loop(original, python=True)

    def _on_handle_pto_iterator(self, original: Any) -> Any:
        return self._visit_loop(original, python=False)

    def _visit_loop(self, original: Any, *, python: bool) -> Any:
        def visit_loop(parser: Any, node: ast.For, iterator: Any, variables: Any) -> None:
            builder = self._builder
            if builder is None:
                original(parser, node, iterator, variables)
                return
            with builder.loop(place_of(parser, node), python=python, name=ast.unparse(node.target)):
                original(parser, node, iterator, variables)

        return visit_loop

    def _on_assign_loop_variable(self, original: Any) -> Any:
        def assign(parser: Any, target: ast.expr, value: Any, *rest: Any) -> None:
            opened, self._opened = self._opened, None
            self._noting(lambda builder: builder.turn(ast.unparse(target), value, opened))
            original(parser, target, value, *rest)

        return assign
