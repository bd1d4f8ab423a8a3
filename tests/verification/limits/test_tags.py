"""Use tags: found where they stand, known, and complete."""

from pathlib import Path

from bsa import _pypto
from verification.dut import find_duts
from verification.duts.pypto_limits import NAME
from verification.limits import LIMITS
from verification.limits.expectation import expectation_for
from verification.limits.removals import caught_by
from verification.limits.tags import uses, uses_of

SOURCE = '''
SIZE = 8  # limit 15: what fits

def outer():
    """# limit 3: no tag, since this is text."""
    def inner():
        wait()  # type: ignore  # limits 2, 13: both
        x = "# limit 4: no tag"
'''


def test_tags_are_comments():
    """Alone or after another comment, one or several numbers; text is no tag."""
    found = [(use.number, use.line, use.function, use.what) for use in uses_of(SOURCE, Path("x.py"))]
    assert found == [(15, 2, "", "what fits"), (2, 7, "inner", "both"), (13, 7, "inner", "both")]


def test_every_tag_names_a_known_limit():
    """A number that means nothing protects nothing."""
    for name, dut in find_duts().items():
        if name != NAME:
            assert {use.number for use in uses(dut.kernel_sources())} <= set(LIMITS), name


def test_every_use_is_protected_or_accepted():
    """For each DUT, what is tagged is caught when it is taken out, or the expectation says that it is not."""
    accepted = expectation_for(_pypto.installed_version()).unprotected
    protected = caught_by()
    open_ = {
        (use.number, name)
        for name in ("bsa.forward", "bsa.backward")
        for use in uses(find_duts()[name].kernel_sources())
        if name not in protected.get(use.number, {}) and use.number not in accepted
    }
    assert not open_
