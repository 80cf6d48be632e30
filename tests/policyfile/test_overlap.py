"""Two paths that can lead to the same value."""

import pytest

from admission.engine.fieldpath import FieldPath
from admission.policyfile.overlap import leads_into, may_meet


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        pytest.param("status.a", "status.a", True, id="equal"),
        pytest.param("status.a", "status.b", False, id="other members"),
        pytest.param("status.a", "status.a.b", False, id="one is inside of the other"),
        pytest.param("status.*", "status.a", True, id="an entry of a map"),
        pytest.param("status.a[*]", "status.a[0]", True, id="any item"),
        pytest.param("status.a[0]", "status.a[1]", False, id="two items"),
        pytest.param("status.a[0]", "status.a[-1]", True, id="first and last can be one"),
        pytest.param("status.a[-1]", "status.a[-2]", False, id="the last two"),
        pytest.param("status.a[1:]", "status.a[*]", True, id="a slice"),
        pytest.param("status.*", "status[0]", False, id="a map is no list"),
    ],
)
def test_paths_meet_where_they_can_lead_to_one_value(one: str, other: str, meet: bool) -> None:
    assert may_meet(FieldPath.parse(one), FieldPath.parse(other)) is meet
    assert may_meet(FieldPath.parse(other), FieldPath.parse(one)) is meet


@pytest.mark.parametrize(
    ("path", "changed", "leads"),
    [
        pytest.param("status.a.b", "status.a", True, id="to something inside"),
        pytest.param("status.a", "status.a", True, id="to the thing itself"),
        pytest.param("status", "status.a", False, id="around it"),
        pytest.param("status.c[*].message", "status.*", True, id="inside of any entry"),
    ],
)
def test_a_path_leads_into_what_it_reads_a_part_of(path: str, changed: str, leads: bool) -> None:
    assert leads_into(FieldPath.parse(path), FieldPath.parse(changed)) is leads
