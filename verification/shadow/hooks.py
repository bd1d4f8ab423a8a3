"""Turns the events of PyPTO's parser into a trace in the making.

Methods of the parser and the functions that open loops and branches are wrapped; what they do is unchanged.
"""

from __future__ import annotations

import ast
import functools
import sys
import traceback
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from verification.shadow.builder import Builder, Range, expression
from verification.shadow.ordinary import Arcs, Ordinary
from verification.shadow.patches import Patches
from verification.shadow.visits import Branching, executes, note_branch, place_of, source_file


class Hooks:
    """The wrappers around the parser, and the trace that they build.

    Args:
        pypto: the module.
        patches: where they are put in place.
        failed: is given the traceback of what went wrong in the noting.

    Attributes:
        builder: the trace of the kernel that was visited last; None if there is none, or its noting went wrong.
    """

    def __init__(self, pypto: Any, patches: Patches, failed: Callable[[str], None]) -> None:
        self.builder: Builder | None = None
        self._failed = failed
        self._pypto = pypto
        self._patches = patches
        self._ordinary = Ordinary(pypto, self._helped)
        self._opened: Range | None = None
        self._calls: list[str] = []
        """Names of inlined functions that are being called and whose body has not begun."""

    def install(self) -> None:
        """Puts the wrappers in place.

        Raises:
            AttributeError: this PyPTO lacks one of them.
        """
        from pypto import _controller
        from pypto.frontend.parser.parser import Parser

        loop = self._loop(_controller.loop)
        self._patches.put(_controller, "loop", loop)
        self._patches.put(self._pypto, "loop", loop)
        self._patches.put(self._pypto, "cond", self._cond(self._pypto.cond))
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
            self._patches.put(Parser, name, functools.wraps(vars(Parser)[name])(wrap(vars(Parser)[name])))

    def noting(self, note: Callable[[Builder], None]) -> None:
        """Notes something, if a body is being visited; what goes wrong in it ends the noting, not the kernel."""
        builder = self.builder
        if builder is None or not builder.inside:
            return
        try:
            note(builder)
        except Exception:  # noqa: BLE001 - whatever is wrong with us must not become the kernel's failure
            self._failed(traceback.format_exc(limit=-4))
            self.builder = None

    def _helped(self, arcs: Arcs) -> None:
        self.noting(lambda builder: builder.helped(arcs))

    def _loop(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def loop(*args: Any, **kwargs: Any) -> Any:
            generator = original(*args, **kwargs)
            self.noting(lambda _: self._open(args, kwargs))
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
            return Branching(branch, lambda taken: self.noting(lambda builder: note_branch(builder, scalar, taken)))

        return cond

    def _on_init(self, original: Any) -> Any:
        def init(parser: Any, source: Any, extra_vars: dict[str, Any] | None = None) -> None:
            original(parser, source, self._current(extra_vars or {}))

        return init

    def _on_collect_function_environment(self, original: Any) -> Any:
        return lambda parser, func: self._current(original(parser, func))

    def _current(self, names: dict[str, Any]) -> dict[str, Any]:
        """The same names, those that mean a wrapped function pointed at its wrapper."""
        return {name: self._patches.replaced.get(id(value), value) for name, value in names.items()}

    def _on_visit_function_def(self, original: Any) -> Any:
        def visit_function_def(parser: Any, node: ast.FunctionDef) -> Any:
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            self.builder = Builder(node.name, source_file(parser), first, node.lineno)
            self._ordinary.parsed(source_file(parser), first, node.end_lineno or node.lineno)
            self._calls.clear()
            try:
                return original(parser, node)
            except BaseException:
                if self.builder is not None and not self.builder.whole:
                    self.builder = None
                raise

        return visit_function_def

    def _on_add_tensor_args_to_context(self, original: Any) -> Any:
        def add_tensor_args(parser: Any, tensors: list[Any]) -> None:
            original(parser, tensors)
            if self.builder is not None and not self.builder.inside:
                for tensor in tensors:
                    self.builder.argument(tensor)

        return add_tensor_args

    def _on_visit_body(self, original: Any) -> Any:
        def visit_body(parser: Any, body: list[ast.stmt]) -> None:
            builder = self.builder
            if builder is not None and not builder.inside:
                self._opened = None
                with builder.body():
                    self._ordinary.watch(lambda: original(parser, body))
                return
            with self._around(parser):
                original(parser, body)

        return visit_body

    def _around(self, parser: Any) -> Any:
        """What the body about to be visited is: an inlined function's, or part of one or of the kernel's."""
        builder = self.builder
        if builder is not None and self._calls and self._calls[-1]:
            name, self._calls[-1] = self._calls[-1], ""
            tree = parser.diag.source.as_ast()
            line = tree.decorator_list[0].lineno if tree.decorator_list else tree.lineno
            self._ordinary.parsed(source_file(parser), line, tree.end_lineno)
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
            builder = self.builder
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
            builder = self.builder
            if builder is None:
                original(parser, node, iterator, variables)
                return
            with builder.loop(place_of(parser, node), python=python, name=ast.unparse(node.target)):
                original(parser, node, iterator, variables)

        return visit_loop

    def _on_assign_loop_variable(self, original: Any) -> Any:
        def assign(parser: Any, target: ast.expr, value: Any, *rest: Any) -> None:
            opened, self._opened = self._opened, None
            self.noting(lambda builder: builder.turn(ast.unparse(target), value, opened))
            original(parser, target, value, *rest)

        return assign
