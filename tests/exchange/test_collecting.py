"""What files say is brought together by key, and judged with a line each."""

from collections.abc import Sequence

import pytest

from locframework.errors import InvalidKey, Problem, UnreadableFile
from locframework.exchange.reading import collect_keys, under_module
from locframework.exchange.records import ImportBatch, ImportedDetail, ReadFile
from locframework.formats.records import Catalogue, Entry, FormatInfo
from locframework.projects.records import Project

PO = FormatInfo("gettext-po", "PO", ".po", "text/plain")
JSON = FormatInfo("json-flat", "JSON", ".json", "application/json")


def file(tag: str, *entries: Entry, path: str = "", info: FormatInfo = PO) -> ReadFile:
    return ReadFile(path, info, tag, Catalogue(tag, entries))


def collected(
    project: Project, *files: ReadFile, module: str | None = None
) -> ImportBatch:
    return collect_keys(files, project, module=module)


def problems(project: Project, *files: ReadFile) -> Sequence[Problem]:
    with pytest.raises((UnreadableFile, InvalidKey)) as refused:
        collect_keys(files, project, module=None)
    assert isinstance(refused.value.details, list)
    return refused.value.details


def test_the_same_text_of_64_kibibytes_twice_is_kept_and_a_description_cut(
    project: Project,
) -> None:
    entry = Entry("k", "x" * 65_536, description="d" * 1500)

    [key] = collected(project, file("de", entry), file("de", entry)).keys

    assert key.values == {"de": "x" * 65_536}
    assert key.description == "d" * 1000


def test_the_source_language_gives_the_description(project: Project) -> None:
    batch = collected(
        project,
        file("de", Entry("pay", "Zahlen", description="Knopf")),
        file("en", Entry("pay", "Pay", description="Button")),
    )

    assert batch.keys[0].description == "Button"


def test_empty_texts_are_none_at_all(project: Project) -> None:
    batch = collected(
        project,
        file(
            "de",
            Entry("a", ""),
            Entry("b", None),
            Entry("c", {"one": "", "other": "x"}),
            Entry("d", {"other": ""}, is_plural=True),
        ),
    )

    assert [key.values for key in batch.keys] == [{}, {}, {"de": {"other": "x"}}, {}]
    assert [key.is_plural for key in batch.keys] == [False, False, True, True]


def test_keys_come_by_name_whatever_their_order_in_the_files(project: Project) -> None:
    batch = collected(
        project,
        file("de", Entry("b", "x"), Entry("d", "x")),
        file("en", Entry("c", "x"), Entry("a.b", "x"), Entry("a-b", "x")),
    )

    assert [key.name for key in batch.keys] == ["a-b", "a.b", "b", "c", "d"]


def test_keys_are_put_below_the_module(project: Project) -> None:
    batch = collected(
        project, file("de", Entry("pay", "x"), Entry("cart.buy", "y")), module="cart"
    )

    assert [key.name for key in batch.keys] == ["cart.buy", "cart.pay"]


def test_a_key_that_only_begins_alike_is_not_in_the_module() -> None:
    assert under_module("cart.pay", "cart", ".") == "cart.pay"
    assert under_module("carton", "cart", ".") == "cart.carton"
    assert under_module("cart", "cart", ".") == "cart.cart"
    assert under_module("cart.pay", None, ".") == "cart.pay"


def test_bad_keys_have_a_code_of_their_own(project: Project) -> None:
    with pytest.raises(InvalidKey, match=r"line 3: .*and 1 more"):
        collected(project, file("de", Entry("é", "x", line=3), Entry("", "y", line=4)))


def test_a_hundred_problems_are_told_at_most(project: Project) -> None:
    entries = [Entry(f"bad key {number}", "x", line=number) for number in range(1, 300)]

    assert len(problems(project, file("de", *entries))) == 100


@pytest.mark.parametrize(
    "entry",
    [
        Entry("k", "a\0b", line=7),
        Entry("k", "\ud800", line=7),
        Entry("k", {"other": "a\0"}, line=7),
        Entry("k", {"some": "a"}, line=7),
        Entry("k", "x" * 65_537, line=7),
        Entry("k", "x", description="\0", line=7),
        Entry("k", "x", source="\udfff", line=7),
    ],
)
def test_a_text_that_cannot_be_kept_is_told_with_its_line(
    project: Project, entry: Entry
) -> None:
    [told] = problems(project, file("de", entry))

    assert (told.path, told.rule) == ("line 7", "text")


def test_two_texts_for_one_key_and_language_are_refused(project: Project) -> None:
    [told] = problems(
        project,
        file("de", Entry("k", "x", line=1), path="de/a.json"),
        file("de", Entry("k", "y", line=5), path="de/b.json"),
    )

    assert (told.path, told.rule) == ("de/b.json line 5", "duplicate")
    assert (
        "import files that share keys one by one, each with its own module"
        in told.message
    )


def test_a_problem_without_a_line_names_the_key(project: Project) -> None:
    [told] = problems(project, file("de", Entry("k", "\0"), path="de/a.json"))

    assert told.path == "de/a.json key k"


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
    batch = collected(project, ReadFile("de/a.po", PO, "de", catalogue))

    assert batch.files == [ImportedDetail("gettext", "de", {"header": "x"})]
    assert batch.warnings == ["de/a.po: odd"]
