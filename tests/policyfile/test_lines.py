"""Where the values of a file stand."""

from admission.policyfile.lines import Lines
from admission.policyfile.yamlfile import load_documents


def test_every_value_has_its_line() -> None:
    (document,) = load_documents(b"# comment\na:\n  - x\n  - {b: 1,\n     c: 2}\nd:\n\n  e\n", "p.yaml")
    lines = document.lines
    assert (lines.line, lines.at(("a",)), lines.at(("a", 0)), lines.at(("a", 1)), lines.at(("a", 1, "c"))) == (
        2,
        2,
        3,
        4,
        5,
    )
    assert lines.at(("d",)) == 6, "of the key, not of the value"
    assert lines.at(("a", 1, "no such", "thing")) == 4, "the nearest around it"
    assert lines.below(("a", 1)).at(("c",)) == 5


def test_what_stands_nowhere_has_no_line() -> None:
    assert Lines().at(("a", 0)) == 0
