"""The contract of formats passes honest formats, and catches plausible mistakes."""

import inspect
import re
import tomllib
import unicodedata
from pathlib import Path

import pytest

from locframework.errors import PLUGIN_EXCEPTIONS
from locframework.ports import Entry
from locframework.testing.contracts.formats import FormatContract, Sample
from tests.testing.honest_formats import Lines, Xml

LINES = """\
# about all

# A button
"cart.pay" = "Pay now"
"cart.title"="Größe"
! review
"items" one = "1 item"
"items" other = "{n} items"

# no key
# "lost" = "x"
"Sign in" = "Sign in\\u0021"
"""
XML = """\
<?xml version="1.0"?>
<texts>
<text key="a" note="A button"><in lang="en">Save</in><in lang="de">Sichern</in></text>
<!-- a comment -->
<text key="b.c"><in lang="en" form="one">1 item</in><in lang="en" form="other">n</in>\
<in lang="de" form="other" review="yes">n St&#xFC;ck</in></text>

<text  key="Sign in"><in lang="en" review="yes">Sign &amp; go</in></text>
</texts>
"""


class TestLines(FormatContract):
    samples = {  # noqa: RUF012
        "lines": Sample(
            LINES.encode(),
            [
                Entry("cart.pay", "Pay now", description="A button", line=4),
                Entry("cart.title", "Größe", line=5),
                Entry(
                    "items",
                    {"one": "1 item", "other": "{n} items"},
                    is_plural=True,
                    needs_review=True,
                    line=7,
                ),
                Entry(
                    "Sign in",
                    "Sign in!",
                    description='no key\n"lost" = "x"',
                    line=12,
                ),
            ],
            LINES.replace("# about all\n\n", "")
            .replace("\n\n", "\n")
            .replace('"="', '" = "')
            .replace("\\u0021", "!")
            .encode(),
        ),
        "windows": Sample(
            b'\xef\xbb\xbf"a" = "x"\r\n\r\n"b" = "y"\r\n',
            [Entry("a", "x", line=1), Entry("b", "y", line=3)],
            b'"a" = "x"\n"b" = "y"\n',
        ),
    }
    unreadable = {  # noqa: RUF012
        "a key twice": (b'"a" = "x"\n\n"a" = "y"\n', 3),
        "no text": (b'"a" = "x"\n# b\nb\n', 3),
    }

    @pytest.fixture
    def format(self):
        return Lines()


class TestXml(FormatContract):
    samples = {  # noqa: RUF012
        "xml": Sample(
            XML.encode(),
            {
                "en": [
                    Entry("a", "Save", description="A button", line=3),
                    Entry("b.c", {"one": "1 item", "other": "n"}, True, line=5),
                    Entry("Sign in", "Sign & go", needs_review=True, line=7),
                ],
                "de": [
                    Entry("a", "Sichern", description="A button", line=3),
                    Entry("b.c", {"other": "n Stück"}, True, needs_review=True, line=5),
                ],
            },
            XML.replace('<?xml version="1.0"?>\n', "")
            .replace("<!-- a comment -->\n", "")
            .replace("\n\n", "\n")
            .replace("<text  ", "<text ")
            .replace("&#xFC;", "ü")
            .encode(),
        )
    }
    unreadable = {  # noqa: RUF012
        "not closed": (b'<texts>\n<text key="a">\n</texts>\n', 3),
        "a key twice": (b'<texts>\n<text key="a"/>\n<text key="a"/>\n</texts>\n', 3),
    }

    @pytest.fixture
    def format(self):
        return Xml()


HERE = Path(__file__).parent
SOURCE = (HERE / "honest_formats.py").read_text("utf-8")
MISTAKES = tomllib.loads((HERE / "mutants" / "formats.toml").read_text("utf-8"))


@pytest.mark.parametrize("mistake", MISTAKES["mistakes"], ids=lambda m: m["name"])
def test_a_mistake_is_caught(mistake, tmp_path):
    assert SOURCE.count(mistake["old"]) == 1
    changed = SOURCE.replace(mistake["old"], mistake["new"])
    space = {"unicodedata": unicodedata, "SEEN": set()}
    exec(compile(changed, mistake["name"], "exec"), space)
    suite = {"Lines": TestLines, "Xml": TestXml}[mistake["format"]]

    assert caught_by(suite(), space[mistake["format"]](), tmp_path)


def caught_by(suite, format_, tmp_path):
    """The first clause that a format does not keep."""
    clauses = inspect.getmembers(suite, inspect.ismethod)
    tests = {name: clause for name, clause in clauses if name.startswith("test_")}
    for name in sorted(tests, key=lambda name: ("f22" in name, "f12" in name, name)):
        for given in cases_of(tests[name], tmp_path):
            try:
                tests[name](format_, **given)
            except (*PLUGIN_EXCEPTIONS, AssertionError, pytest.fail.Exception):
                return name
            except pytest.skip.Exception:
                pass
    return None


def cases_of(clause, tmp_path):
    """The arguments of each case of a clause."""
    for mark in getattr(clause, "pytestmark", ()):
        return [{mark.args[0]: value} for value in mark.args[1]]
    needs_path = "tmp_path" in inspect.signature(clause).parameters
    return [{"tmp_path": tmp_path} if needs_path else {}]


def test_an_ability_declared_missing_has_to_be_missing():
    contract = type("Modest", (TestLines,), {"cannot": {"recognize": "too modest"}})()

    with pytest.raises(AssertionError):
        contract.test_f15_its_own_files_are_recognized(Lines())


def test_the_clauses_are_those_of_the_document():
    document = Path(__file__).parents[2] / "docs" / "internals" / "contracts.md"
    told = re.findall(r"^- \*\*F(\d+)\*\*", document.read_text("utf-8"), re.M)
    tests = [name for name in vars(FormatContract) if name.startswith("test_")]

    assert told == [str(number) for number in range(1, len(told) + 1)]
    assert [re.sub(r"test_f(\d+)_.*", r"\1", name) for name in tests] == told
