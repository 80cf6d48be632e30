"""Quantities as bytes."""

import re

import pytest

from admission.quantity import as_quantity, parse_bytes


@pytest.mark.parametrize(
    ("value", "size"),
    [
        pytest.param(32000, 32000, id="a whole number"),
        pytest.param("32000", 32000, id="a whole number as text"),
        pytest.param("32Ki", 32768, id="binary"),
        pytest.param("1Mi", 1048576, id="binary millions"),
        pytest.param("500k", 500_000, id="decimal"),
        pytest.param("1M", 1_000_000, id="decimal millions"),
        pytest.param("1.5Gi", 1_610_612_736, id="a fraction that is whole in bytes"),
        pytest.param("0.5Ki", 512, id="less than one unit"),
        pytest.param("1e3", 1000, id="an exponent"),
        pytest.param("1E3", 1000, id="E with digits is an exponent"),
        pytest.param("1E", 10**18, id="E alone is a suffix"),
    ],
)
def test_a_quantity_is_a_number_of_bytes(value: int | str, size: int) -> None:
    assert parse_bytes(value) == size


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param("32KB", '"32KB" is no quantity; write for example 32Ki', id="KB"),
        pytest.param("32 kib", '"32 kib" is no quantity; write for example 32Ki', id="a blank and small letters"),
        pytest.param("1K", '"1K" is no quantity; write for example 1Ki', id="K, which Kubernetes has not"),
        pytest.param(
            "much", '"much" is no quantity; write for example 32Ki, 1Mi, 500k or a plain number of bytes', id="a word"
        ),
        pytest.param("", '"" is no quantity; write for example 32Ki, 1Mi, 500k or a plain number of bytes', id="empty"),
        pytest.param("0.3Ki", "0.3Ki is no whole number of bytes; write for example 32Ki", id="a part of a byte"),
        pytest.param(0, "0 is no positive number of bytes; write for example 32Ki", id="nothing"),
        pytest.param(-5, "-5 is no positive number of bytes; write for example 32Ki", id="less than nothing"),
        pytest.param("9Ei", "9Ei is more than a quantity can hold (9223372036854775807)", id="too much"),
    ],
)
def test_what_is_no_number_of_bytes_is_refused(value: int | str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse_bytes(value)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        pytest.param(0, "0 bytes", id="nothing"),
        pytest.param(1, "1 byte", id="one"),
        pytest.param(1023, "1023 bytes", id="below one unit"),
        pytest.param(1024, "1Ki", id="exactly one unit"),
        pytest.param(1400 * 1024, "1400Ki", id="as it is written in a policy"),
        pytest.param(1536 * 1024, "1536Ki", id="a size that is whole only in Ki"),
        pytest.param(2**20, "1Mi", id="the largest unit in which it is whole"),
        pytest.param(2**20 + 1, "1.0Mi", id="a little more"),
        pytest.param(2**20 - 1, "1Mi", id="a little less"),
        pytest.param(1_258_291, "1.2Mi", id="one decimal"),
        pytest.param(151_000, "147Ki", id="no decimal above a hundred"),
        pytest.param(20_001 * 1024, "19.5Mi", id="too many Ki to read"),
        pytest.param(2**63 - 1, "8.0Ei", id="the largest"),
    ],
)
def test_bytes_are_told_as_a_quantity(size: int, text: str) -> None:
    assert as_quantity(size) == text
