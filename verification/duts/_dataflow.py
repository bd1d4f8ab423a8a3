"""What the variables of the block-sparse attention kernels should hold, in float64 from the inputs of the call.

Nothing is taken from the kernels' tables: a row is known by where it was viewed from, and which rows meet which is read
from mask and lengths.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from bsa.reference.items import work
from bsa.reference.rows import Addressing, key_rows, query_rows
from stimuli.stimulus import Stimulus
from verification.duts._attention import MASK, problem_of
from verification.explain import Context, MisplacedError, Value

ROUNDINGS = 4.0
"""Units in the last place of the kernel's dtype that an intermediate may be off."""


class _Attention:
    """What forward and backward have in common.

    Args:
        stimulus: the call.
    """

    def __init__(self, stimulus: Stimulus) -> None:
        problem = problem_of(stimulus)
        dim, tensors = problem.head_dim, stimulus.tensors
        self.scale = float(problem.scale)
        self.tolerance = ROUNDINGS * torch.finfo(tensors["query"].dtype).eps
        self.floor = 64 * self.tolerance * torch.finfo(tensors["query"].dtype).smallest_normal
        inputs = [name for name in ("query", "key", "value", "dout") if name in tensors]
        self.rows = {name: tensors[name].double().reshape(-1, dim) for name in inputs}
        self.meets = torch.zeros((len(self.rows["query"]) + 1, len(self.rows["key"]) + 1), dtype=torch.bool)
        for one in work(problem, tensors.get(MASK)):
            self.meets[one.query[:, :, None], one.key[:, None, :]] = True
        self.meets = self.meets[:-1, :-1]
        sides = {"query": (query_rows(problem), problem.heads_q), "key": (key_rows(problem), problem.heads_kv)}
        self._begins = {name: _first_rows(side, heads) for name, (side, heads) in sides.items()}

    def rows_of(self, name: str, numbers: torch.Tensor) -> torch.Tensor:
        """Rows of an input by number; NaN for none."""
        inside = (numbers >= 0) & (numbers < len(self.rows[name]))
        found = self.rows[name][numbers.clamp(0, len(self.rows[name]) - 1)]
        return torch.where(inside[:, None], found, torch.nan)

    def permitted(
        self, name: str, found: Value, *, keys: torch.Tensor | None, queries: torch.Tensor | None
    ) -> torch.Tensor:
        """Rows of an input that may meet those of the other side; NaN for the others.

        Raises:
            MisplacedError: the first one begins no block.
        """
        self.begin_a_block("query" if queries is None else "key", found)
        expected = self.rows_of(name, found.rows)
        limit = self.meets.shape[0 if queries is None else 1] - 1
        mine = found.rows.clamp(0, limit)
        pairs = self.meets[mine][:, keys].T if queries is None else self.meets[queries][:, mine]
        return torch.where(pairs.all(dim=0)[:, None], expected, torch.nan)

    def begin_a_block(self, side: str, found: Value) -> None:
        """Raises MisplacedError if rows do not begin where a block does."""
        if len(found.rows) and int(found.rows[0]) not in self._begins[side]:
            raise MisplacedError(f"row {int(found.rows[0])} begins no block")

    def products(self, context: Context, left: str, right: str, of: tuple[str, str]) -> torch.Tensor:
        """Dot products of the rows of two variables."""
        return self.rows_of(left, context.found[of[0]].rows) @ self.rows_of(right, context.found[of[1]].rows).T


class ForwardFlow(_Attention):
    """The forward kernel's."""

    def expect(self, name: str, found: Value, context: Context) -> torch.Tensor | None:
        """See :class:`verification.explain.Dataflow`."""
        chunked = "CHUNK" in context.loops or "ROWS_CHUNKED" in context.loops
        one = self._gathered(name, found, context)
        if one is not None:
            return one
        if name in _CARRIED:
            later, start = _CARRIED[name]
            return context.known[later] if context.operation == "move" else torch.full_like(found.data, start)
        rule = (_CHUNKED if chunked else {}).get(name) or _WHOLE.get(name)
        if rule is None:
            return self._logits(found, context, chunked=chunked) if name == "logits" else None
        if name.startswith("->"):
            _placed(name, context, context.found["q"].rows)
        return rule(context.known)

    def _logits(self, found: Value, context: Context, *, chunked: bool) -> torch.Tensor:
        if not chunked:
            self._complete(found, context)
        columns = torch.full((found.data.shape[1],), -1) if found.columns is None else found.columns
        return self.scale * (self.rows_of("query", found.rows) @ self.rows_of("key", columns).T)

    def _gathered(self, name: str, found: Value, context: Context) -> torch.Tensor | None:
        if name == "q":
            self.begin_a_block("query", found)
            return self.rows_of("query", found.rows)
        if name == "attended":
            columns = context.found["logits"].columns
            return self.rows_of("value", found.rows if columns is None else columns)
        if name == "k":
            return self.permitted("key", found, keys=None, queries=context.found["q"].rows)
        if name in ("v", "values") and context.operation == "view":
            return self.rows_of("value", context.found["k"].rows)
        if name in ("scores", "->scores") and "k" in context.found and found.columns is not None:
            return self.products(context, "query", "key", ("q", "k"))
        return None

    def _complete(self, found: Value, context: Context) -> None:
        """Raises MisplacedError if a key that a row attends to is missing."""
        wanted = self.meets[context.found["q"].rows].any(dim=0)
        if found.columns is not None:
            wanted[found.columns.clamp_min(0)] = False
        if bool(wanted.any()):
            raise MisplacedError(f"key row {int(wanted.nonzero()[0])} is missing")


_Rule = Callable[[dict[str, torch.Tensor]], torch.Tensor]
_WHOLE: dict[str, _Rule] = {
    "maximum": lambda e: e["logits"].amax(-1, keepdim=True),
    "weights": lambda e: torch.exp(e["logits"] - e["maximum"]),
    "total": lambda e: e["weights"].sum(-1, keepdim=True),
    "->lse": lambda e: e["maximum"] + e["total"].log(),
    "share": lambda e: e["weights"] / e["total"],
    "->out": lambda e: e["share"] @ e["attended"],
}
_CHUNKED: dict[str, _Rule] = {
    "before": lambda e: e["highest"],
    "sum_before": lambda e: e["sum_so_far"],
    "out_before": lambda e: e["out_so_far"],
    "maximum": lambda e: torch.maximum(e["before"], e["logits"].amax(-1, keepdim=True)),
    "fade": lambda e: torch.exp(e["before"] - e["maximum"]),
    "total": lambda e: e["sum_before"] * e["fade"] + e["weights"].sum(-1, keepdim=True),
    "share": lambda e: e["weights"],
    "added": lambda e: e["weights"] @ e["attended"],
    "collected": lambda e: e["out_before"] * e["fade"] + e["added"],
    "->out": lambda e: e["collected"] / e["total"],
}
_CARRIED = {"highest": ("maximum", -torch.inf), "sum_so_far": ("total", 0.0), "out_so_far": ("collected", 0.0)}
"""What is carried from chunk to chunk: the variable it is set to, and what it begins with."""


class BackwardFlow(_Attention):
    """The backward kernel's.

    Args:
        stimulus: the call.
    """

    def __init__(self, stimulus: Stimulus) -> None:
        super().__init__(stimulus)
        tensors = stimulus.tensors
        dim = self.rows["dout"].shape[1]
        self.rows["lse"] = tensors["softmax_lse"].double().reshape(-1, 1)
        out = tensors["attention_out"].double().reshape(-1, dim)
        self.rows["delta"] = (self.rows["dout"] * out).sum(dim=-1, keepdim=True)

    def expect(self, name: str, found: Value, context: Context) -> torch.Tensor | None:
        """See :class:`verification.explain.Dataflow`."""
        by_query = any(loop.startswith("DQ") for loop in context.loops)
        gathered = self._gathered(name, found, context, by_query=by_query)
        if gathered is not None:
            return gathered
        return self._scored(name, context) if name in _SCORED else self._summed(name, context, by_query=by_query)

    def _gathered(self, name: str, found: Value, context: Context, *, by_query: bool) -> torch.Tensor | None:
        base = name.removesuffix("_block")
        tensor = _TENSORS.get(base)
        if tensor is None or context.operation != "view":
            return None
        end = name[len(base) :]
        if base == ("q" if by_query else "k"):
            self.begin_a_block(tensor, found)
            return self.rows_of(tensor, found.rows)
        if base == "k":
            return self.permitted(tensor, found, keys=None, queries=context.found["q"].rows)
        if base == "q":
            return self.permitted(tensor, found, keys=context.found["k"].rows, queries=None)
        partner = "k" if base == "v" else "q"
        return self.rows_of(tensor, context.found[partner + end].rows)

    def _scored(self, name: str, context: Context) -> torch.Tensor:
        known = context.known
        if name == "scores":
            return self.products(context, "query", "key", ("q", "k"))
        if name == "d_weights":
            return self.products(context, "dout", "value", ("q", "k"))
        if name == "weights":
            return torch.exp(self.scale * known["scores"] - known["log_sum"])
        return known["weights"] * (known["d_weights"] - known["dot"])

    def _summed(self, name: str, context: Context, *, by_query: bool) -> torch.Tensor | None:
        known, (kind, _, last) = context.known, name.partition("_")
        if kind in ("part", "all", "one"):
            return {
                "q": lambda: known["d_scores"] @ known["k"],
                "k": lambda: known["d_scores"].T @ known["q"],
                "v": lambda: known["weights"].T @ known["do"],
            }[last]()
        if kind == "sum":
            return known[f"part_{last}"] if context.first else known[name] + known[f"part_{last}"]
        total, target = context.alias.get("total", ""), context.alias.get("target", name.removeprefix("->"))
        if total not in known or name not in ("there", f"->{target}"):
            return None
        if name.startswith("->"):
            _placed(name, context, context.found["q" if by_query else "k"].rows)
        scaled = target != "dv" and context.operation != "view"
        return known[total] * (self.scale if scaled else 1.0)


_TENSORS = {
    "q": "query",
    "k": "key",
    "v": "value",
    "do": "dout",
    "log_sum": "lse",
    "lse": "lse",
    "dot": "delta",
    "delta": "delta",
}
_SCORED = ("scores", "d_weights", "weights", "d_scores")


def _first_rows(side: Addressing, heads: int) -> frozenset[int]:
    """First row of every block."""
    found = [
        int(side.starts[batch]) + head * side.head_stride + position * side.row_stride
        for batch, length in enumerate(side.lengths.tolist())
        for head in range(heads)
        for position in range(0, length, side.block)
    ]
    return frozenset(found)


def _placed(name: str, context: Context, rows: torch.Tensor) -> None:
    """Raises MisplacedError if results are written to other rows than they belong to."""
    there = context.written
    if there is not None and not torch.equal(there[: len(rows)], rows[: len(there)]):
        raise MisplacedError(f"written to row {int(there[0])} of {name.removeprefix('->')}, not {int(rows[0])}")
