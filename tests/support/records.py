"""Small makers that several test folders share."""

from verification.record import PASS, Record


def make_record(case_id, *, attempt=1, verdict=PASS, **fields):
    """A record with nothing in it but its key and verdict."""
    return Record(
        run_id="run",
        case_id=case_id,
        attempt=attempt,
        case={"dut": "toy.double", "name": f"case {case_id}"},
        suites=("toy",),
        backend="fake",
        run_mode="sim",
        verdict=verdict,
        reason="" if verdict == PASS else f"because {verdict}",
        started="2026-01-01T00:00:00",
        finished="2026-01-01T00:00:01",
        replay=f"bsa-verify replay {case_id}",
        **fields,
    )
