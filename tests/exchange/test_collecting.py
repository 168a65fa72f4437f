"""What files say is brought together by key, and judged with a line each."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from locframework.errors import InvalidKey, Problem, UnreadableFile
from locframework.exchange.collecting import collect_keys
from locframework.exchange.modules import name_in_project
from locframework.exchange.records import ImportBatch, ImportedDetail, ReadFile
from locframework.formats.records import Catalogue, Entry, FormatInfo, SourceFile
from locframework.projects.records import Project

PO = FormatInfo("gettext-po", "PO", ".po", "text/plain", source_texts=True)
LONG = "x" * 65_537
NO_FILE = SourceFile("", b"")
JSON = FormatInfo("json-flat", "JSON", ".json", "application/json")


def file(tag: str, *entries: Entry, path: str = "", info: FormatInfo = PO) -> ReadFile:
    return ReadFile(path, info, tag, Catalogue(tag, entries), SourceFile(path, b""))


def collected(
    project: Project, *files: ReadFile, module: str | None = None
) -> ImportBatch:
    if module is not None:
        files = [replace(each, module=module, module_is_given=True) for each in files]
    return collect_keys(files, project)


def problems(project: Project, *files: ReadFile) -> Sequence[Problem]:
    with pytest.raises((UnreadableFile, InvalidKey)) as refused:
        collect_keys(files, project)
    assert isinstance(refused.value.details, list)
    return refused.value.details


@pytest.mark.parametrize(
    ("files", "keys"),
    [
        (  # the same text twice, and a description that is cut
            [file("de", Entry("k", "x" * 65_536, description="d" * 1500))] * 2,
            {"k": ({"de": "x" * 65_536}, False, "d" * 1000)},
        ),
        (  # the source language gives the description
            [
                file("de", Entry("pay", "Zahlen", description="Knopf")),
                file("en", Entry("pay", "Pay", description="Button")),
            ],
            {"pay": ({"en": "Pay", "de": "Zahlen"}, False, "Button")},
        ),
        (  # a file without source texts has comments of translators
            [file("de", Entry("pay", "Zahlen", description="Knopf"), info=JSON)],
            {"pay": ({"de": "Zahlen"}, False, "")},
        ),
        (  # empty texts are none at all
            [
                file(
                    "de",
                    Entry("a", ""),
                    Entry("b", None),
                    Entry("c", {"one": "", "other": "x"}),
                    Entry("d", {"other": ""}, is_plural=True),
                )
            ],
            {
                "a": ({}, False, ""),
                "b": ({}, False, ""),
                "c": ({"de": {"other": "x"}}, True, ""),
                "d": ({}, True, ""),
            },
        ),
        (  # keys are sorted by name
            [
                file("de", Entry("b", "x"), Entry("d", "x")),
                file("en", Entry("a.b", "x"), Entry("a-b", "x")),
            ],
            {
                "a-b": ({"en": "x"}, False, ""),
                "a.b": ({"en": "x"}, False, ""),
                "b": ({"de": "x"}, False, ""),
                "d": ({"de": "x"}, False, ""),
            },
        ),
    ],
)
def test_files_become_keys(
    project: Project, files: list[ReadFile], keys: dict[str, object]
) -> None:
    found = collected(project, *files).keys

    assert list(keys) == [key.name for key in found]
    assert list(keys.values()) == [
        (key.values, key.is_plural, key.description) for key in found
    ]


def test_keys_are_put_below_the_module(project: Project) -> None:
    entries = Entry("pay", "x"), Entry("cart.buy", "y")

    keys = collected(project, file("de", *entries), module="cart").keys

    assert [key.name for key in keys] == ["cart.buy", "cart.pay"]


def test_a_key_that_only_begins_alike_is_not_in_the_module() -> None:
    given = replace(file("de"), module="cart", module_is_given=True)
    assert name_in_project("cart.pay", given, ".") == "cart.pay"
    assert name_in_project("carton", given, ".") == "cart.carton"
    assert name_in_project("cart", given, ".") == "cart.cart"
    named = replace(file("de"), module="cart")
    assert name_in_project("cart.pay", named, ".") == "cart.cart.pay"
    assert name_in_project("cart.pay", file("de"), ".") == "cart.pay"


def test_bad_keys_have_a_code_of_their_own(project: Project) -> None:
    long = ".".join(["k" * 50] * 9)
    entries = [Entry(long + end, "x", line=line) for line, end in ((3, "a"), (4, "b"))]

    with pytest.raises(InvalidKey, match=r"line 3: .*and 1 more"):
        collected(project, file("de", *entries), module="m" * 50)


def test_a_hundred_problems_are_told_at_most(project: Project) -> None:
    entries = [Entry(f"k{number}", "\0", line=number) for number in range(1, 300)]

    assert len(problems(project, file("de", *entries))) == 100


@pytest.mark.parametrize(
    ("entry", "path", "place"),
    [
        (Entry("k", "a\0b", line=7), "", "line 7"),
        (Entry("k", "\ud800", line=7), "", "line 7"),
        (Entry("k", {"other": "a\0"}, line=7), "", "line 7"),
        (Entry("k", {"some": "a"}, line=7), "", "line 7"),
        (Entry("k", "x", description="\0", line=7), "", "line 7"),
        (Entry("k", "x", source="\udfff", line=7), "de/a.json", "de/a.json line 7"),
        (Entry("k", "\0"), "de/a.json", "de/a.json key k"),
    ],
)
def test_a_text_that_cannot_be_kept_is_told_with_its_place(
    project: Project, entry: Entry, path: str, place: str
) -> None:
    [told] = problems(project, file("de", entry, path=path))

    assert (told.path, told.rule) == (place, "text")


@pytest.mark.parametrize(
    ("entry", "values"),
    [
        (Entry("k", LONG, line=7), {}),
        (Entry("k", "ü" * 32_769, line=7), {}),
        (Entry("k", {"one": "x", "other": LONG}, line=7), {"de": {"one": "x"}}),
        (Entry("k", {"other": LONG}, line=7), {}),
        (Entry("k", "x", source=LONG, line=7), {"de": "x"}),
    ],
)
def test_a_text_that_is_too_long_costs_that_text_alone(
    project: Project, entry: Entry, values: object
) -> None:
    batch = collected(project, file("de", entry, Entry("l", "y"), path="de/a.json"))

    found = [(key.name, key.values, key.source) for key in batch.keys]
    assert found == [("k", values, None), ("l", {"de": "y"}, None)]
    assert batch.warnings == [
        "de/a.json line 7: a text is left out: it has more than 65536 bytes in UTF-8"
    ]


def test_two_texts_for_one_key_and_language_are_refused(project: Project) -> None:
    [told] = problems(
        project,
        file("de", Entry("k", "x", line=1), path="de/a.json"),
        file("de", Entry("k", "y", line=5), path="de/b.json"),
    )

    assert (told.path, told.rule) == ("de/b.json line 5", "duplicate")
    assert "import files that share keys one by one" in told.message


def test_details_are_kept_by_family_and_language(project: Project) -> None:
    batch = collected(
        project,
        file("de", Entry("k", "x", key_detail={"msgid": "K"}, detail={"c": 1})),
        file("pl", Entry("k", "y", key_detail={"msgid": "K"}, detail={"c": 2})),
        file("pl", Entry("k", "y", key_detail={"order": 1}), info=JSON),
    )

    assert batch.keys[0].details == (
        ImportedDetail("gettext", "", {"msgid": "K"}),
        ImportedDetail("gettext", "de", {"c": 1}),
        ImportedDetail("gettext", "pl", {"c": 2}),
        ImportedDetail("json", "", {"order": 1}),
    )


def test_what_a_file_says_of_itself_is_kept(project: Project) -> None:
    catalogue = Catalogue("de", [], detail={"header": "x"}, warnings=["odd"])
    batch = collected(project, ReadFile("de/a.po", PO, "de", catalogue, NO_FILE))

    assert batch.files == [ImportedDetail("gettext", "de", {"header": "x"})]
    assert batch.warnings == ["de/a.po: odd"]
