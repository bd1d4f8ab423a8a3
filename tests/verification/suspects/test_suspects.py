"""Lines that a cause points at: those with its form, and no others."""

import pytest

from verification.suspects import RULES, rule_of, suspects

SOURCE = """
import pypto

kept = {}
LOW = -65504.0
ZERO = float("-inf")
FEW = -3.0

def wrapper(mask, valid, scale, selected):
    name = mask.data_ptr()
    factor = (valid * scale).half()
    other = valid.half()
    wide = scale.to(torch.float16)
    for one in selected or [0]:
        pass
    for one in selected or []:
        pass
    return valid / scale

@pypto.frontend.jit()
def kernel(q, k, m, n, out):
    factor = pypto.view(m, [1, 1], [0, 0])
    gap = pypto.cast(pypto.view(n, [1, 1], [0, 0]), 1)
    scores = pypto.matmul(q, k)
    logits = pypto.add(pypto.mul(scores, factor), gap)
    total = pypto.add(pypto.mul(scores, scores), logits)
    out[:] = pypto.div(logits, total)
"""
CAUSES = {
    "call 2 returned the answer of call 1, as tables kept by an address do": ["mask.data_ptr()"],
    "the LSE is -65504 and so on: a finite minus infinity outweighs the true logits": ["LOW = -65504.0"],
    "like that of a scale stored in FP16 (1.07e-4 x logit)": ["(valid * scale).half()", "scale.to(torch.float16)"],
    "NaN or Inf that the inputs hold spreads into rows": ["logits = pypto.add(pypto.mul(scores, factor), gap)"],
    "they must be 0, all of them the same values, as the mean of V would be": ["out[:] = pypto.div(logits, total)"],
    "only rows that select nothing or lie beyond the actual length are wrong": ["for one in selected or [0]:"],
}


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "FWD"
    folder.mkdir()
    (folder / "impl.py").write_text(SOURCE, encoding="utf-8")
    return str(folder / "impl.py")


@pytest.mark.parametrize("cause", CAUSES)
def test_lines_have_the_form(path, cause):
    """Folder, file, number and text of each; what only resembles it is left out."""
    found = suspects(cause, [path])
    lines = SOURCE.splitlines()
    assert len(found) == len(CAUSES[cause])
    for said, text in zip(found, CAUSES[cause], strict=True):
        place, number, line = said.split(":", 2)
        assert place == "FWD/impl.py"
        assert text in line
        assert lines[int(number) - 1].strip() == line.strip()


def test_every_rule_is_tried():
    """One cause each."""
    assert [rule_of(cause) for cause in CAUSES] == [rule.name for rule in RULES]


def test_other_causes_point_nowhere(path):
    """And so does a cause whose form no source has."""
    assert suspects("everything is wrong", [path]) == ()
    assert rule_of("everything is wrong") == ""
    assert suspects(next(iter(CAUSES)), []) == ()


def test_sources_that_cannot_be_read_are_left_out(tmp_path, path):
    """Missing, no text, no Python."""
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe")
    (tmp_path / "text.py").write_text("def (", encoding="utf-8")
    others = [str(tmp_path / name) for name in ("bytes.py", "text.py", "missing.py")]
    assert len(suspects(next(iter(CAUSES)), [*others, path])) == 1


def test_every_line(tmp_path):
    """However many there are: what shows them says how many it leaves out."""
    (tmp_path / "many.py").write_text("x.data_ptr()\n" * 9, encoding="utf-8")
    assert len(suspects(next(iter(CAUSES)), [str(tmp_path / "many.py")])) == 9
