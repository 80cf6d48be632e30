"""What a flag says, as a value."""

import pytest

from admission.engine.policy import Mode
from admission.settings import FLAGS

FLAG = {flag.field: flag for flag in FLAGS}


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("drain", "1m30s", 90.0),
        ("drain", "0", 0.0),
        ("keep_alive", "500ms", 0.5),
        ("max_body", "1k", 1000),
        ("max_body", "3145728", 3 * 2**20),
        ("max_body", "1.5Gi", 1_610_612_736),
        ("mode", "DryRun", Mode.DRY_RUN),
        ("decision_log_sample_unchanged", "0.25", 0.25),
        ("decision_log_sample_unchanged", "1/4", 0.25),
        ("decision_log_max_size", "0", 0),
        ("decision_log_max_age", "0", 0.0),
        ("decision_log_max_total", "0", 0),
    ],
)
def test_reads_what_users_write(field: str, text: str, value: object) -> None:
    assert FLAG[field].read(text) == value
