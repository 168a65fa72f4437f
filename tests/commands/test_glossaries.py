"""``locframework glossary import`` and ``glossary export``."""

import pytest

from locframework import OPERATOR
from locframework.glossaries.records import NewGlossary, TermQuery

CSV = "term,de\npier,Anleger\nquay,Kai\n"


@pytest.fixture
def glossary(framework, project):
    new = NewGlossary("Ports", "en", organization_id=project.organization_id)
    return framework.glossaries.create_glossary(OPERATOR, new)


@pytest.fixture
def terms(framework, glossary):
    def read():
        found = framework.terms.list_terms(OPERATOR, glossary.id, TermQuery())
        return {
            each.term: {t.language_code: t.value for t in each.translations}
            for each in found.items
        }

    return read


def test_a_file_is_imported_and_told(command, folder, terms):
    (folder / "terms.csv").write_text(CSV)

    first = command("glossary", "import", "terms.csv")
    second = command("glossary", "import", "terms.csv")

    assert first.exit_code == 0, first.stderr
    assert first.stdout == (
        "terms.csv: 2 terms created, 0 updated, 0 unchanged; 2 translations written\n"
    )
    assert "terms.csv: new languages: de (German)\n" in first.stderr
    assert "0 terms created, 0 updated, 2 unchanged" in second.stdout
    assert "new languages" not in second.stderr
    assert terms() == {"pier": {"de": "Anleger"}, "quay": {"de": "Kai"}}


def test_all_that_is_wrong_with_a_file_is_told_and_nothing_is_changed(
    command, folder, terms
):
    (folder / "bad.csv").write_text("term,de\n,x\nquay,Kai\n,y\n")

    result = command("glossary", "import", "bad.csv")

    assert result.exit_code == 1
    assert "Error: bad.csv: " in result.stderr
    assert "line 2" in result.stderr
    assert "line 4" in result.stderr
    assert terms() == {}


@pytest.mark.parametrize("format_", ["csv", "tbx"])
def test_what_is_exported_comes_back_as_it_was(
    command, folder, framework, glossary, terms, format_
):
    (folder / "terms.csv").write_text(CSV)
    command("glossary", "import", "terms.csv")
    before = terms()

    written = command("glossary", "export", "--format", format_)
    for term in framework.terms.list_terms(OPERATOR, glossary.id, TermQuery()).items:
        framework.terms.delete_term(OPERATOR, glossary.id, term.id)
    command("glossary", "import", f"ports.{format_}")

    assert written.stderr.startswith(f"ports.{format_}: ")
    assert terms() == before


def test_a_glossary_that_is_not_there_is_told(command, framework):
    result = command("glossary", "export", "--format", "csv", "--glossary", "ports")

    assert result.exit_code == 1
    assert "glossary" in result.stderr
