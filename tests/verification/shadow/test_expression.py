"""Symbolic scalars are evaluated as PyPTO's generated C does, and nothing else is evaluated at all."""

import pytest

from verification.shadow.expression import NotReplayableError, OutsideTableError, Scope

SCOPE = Scope({"x": (96, 64), "cnt": (2, 2)}, {"cnt": [[5, 6], [7, 8]]})
SCOPE.indices.update(u=1, c=6)
SCOPE.steps.update(u=1, c=3)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (7, 7),
        ("((u+1)*32)", 64),
        ("((-c)/4)", -1),
        ("((-c)%4)", -2),
        ("(c/4)", 1),
        ("RUNTIME_Min((RUNTIME_GetInputShapeDim(ARG_x,0)-(u*32)), 100)", 64),
        ("RUNTIME_Max(-3, u)", 1),
        ("RUNTIME_GetInputDataInt32Dim2(ARG_cnt,u,0)", 7),
        ("RUNTIME_GetViewValidShapeDim(RUNTIME_GetInputShapeDim(ARG_x,0),80,32)", 16),
        ("RUNTIME_GetViewValidShapeDim(RUNTIME_GetInputShapeDim(ARG_x,0),200,32)", 0),
        ("RUNTIME_IsLoopBegin(c,0)", 0),
        ("RUNTIME_IsLoopEnd(c,9)", 1),
        ("RUNTIME_IsLoopEnd(c,10)", 0),
        ("RUNTIME_IsLoopEnd(u,2)", 1),
        ("((RUNTIME_Eq(c, 6)*2)+RUNTIME_Ne(u, 1))", 2),
        ("(!((c*5)<u))", 1),
        ("(u>=1)", 1),
    ],
)
def test_value(expression, value):
    assert SCOPE.value(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "RUNTIME_GetTensorDataInt32Dim1(12, 0)",
        "unknown+1",
        "(u/0)",
        "__import__('os')",
        "u.bit_length()",
        "_read('cnt', 0, 0)",
        "[u for u in (1,)]",
        "u ** 99",
        "u if c else 1",
        "1 +",
        "'text'",
    ],
)
def test_anything_else_is_refused(expression):
    with pytest.raises(NotReplayableError):
        SCOPE.value(expression)


@pytest.mark.parametrize("index", ["2,0", "0,2", "-1,0", "0,0-1"])
def test_reading_beyond_a_table_is_told_with_the_entry(index):
    with pytest.raises(OutsideTableError) as caught:
        SCOPE.value(f"RUNTIME_GetInputDataInt32Dim2(ARG_cnt,{index})")
    assert (caught.value.table, caught.value.shape) == ("cnt", (2, 2))
