"""What stands in a catalogue for writing, and in place of a missing text."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from locframework.app import OPERATOR
from locframework.branches.service import BranchScope
from locframework.formats.records import Catalogue, FormatInfo
from locframework.keys.catalogues import Missing, by_module, family_of
from locframework.keys.records import FileDetail, Selection
from locframework.projects.records import Project
from locframework.testing.workspace import Workspace
from tests.databases import statements_of

PLAIN = FormatInfo("json-flat", "JSON", ".json", "application/json")
WITH_SOURCE = FormatInfo("gettext-po", "PO", ".po", "text/plain", source_texts=True)
APPROVED = Selection()


class Texts:
    """A project in en, de, de-AT (which falls back to de) and pl."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.record = workspace.project(languages=["de", "de-AT", "pl"])
        path = f"/projects/{self.record['id']}/languages/de-AT"
        workspace.owner.patch(path, json={"fallbackLanguageCode": "de"})

    @property
    def project(self) -> Project:
        framework = self.workspace.framework
        return framework.projects.get_project(OPERATOR, self.record["id"])

    def key(self, name: str, values: Mapping[str, Any], **fields: Any) -> str:
        key = self.workspace.key(self.record, name, values=values, **fields)
        return str(key["id"])

    def catalogue(
        self,
        tag: str,
        *,
        info: FormatInfo = PLAIN,
        missing: Missing = "omit",
        which: Selection = APPROVED,
    ) -> Catalogue:
        framework, project = self.workspace.framework, self.project
        languages = framework.languages.of(project)
        with framework.storage.snapshot():
            return framework.catalogues.of_language(
                BranchScope(project), languages, tag, info, which, missing=missing
            )


@pytest.fixture
def texts(workspace: Workspace) -> Texts:
    return Texts(workspace)


def values(catalogue: Catalogue) -> dict[str, Any]:
    return {entry.key: entry.value for entry in catalogue.entries}


def test_every_key_is_there_in_code_point_order(texts: Texts) -> None:
    for name in ("b", "a.b", "a-b", "B"):
        texts.key(name, {"de": name} if name != "b" else {})

    entries = texts.catalogue("de").entries

    assert [(e.key, e.value) for e in entries] == [
        ("B", "B"),
        ("a-b", "a-b"),
        ("a.b", "a.b"),
        ("b", None),
    ]


def test_plural_forms_come_in_their_order(texts: Texts) -> None:
    forms = {"other": "n", "many": "5", "few": "2", "one": "1"}
    texts.key("n", {"pl": forms}, isPlural=True)

    catalogue = texts.catalogue("pl")

    [entry] = catalogue.entries
    assert isinstance(entry.value, Mapping)
    assert list(entry.value.items()) == [
        ("one", "1"),
        ("few", "2"),
        ("many", "5"),
        ("other", "n"),
    ]
    assert entry.is_plural
    assert catalogue.plural_forms == ("one", "few", "many", "other")


@pytest.mark.parametrize(
    ("missing", "tag", "expected"),
    [
        ("omit", "de-AT", {"all": "at", "no-at": None, "en": None, "none": None}),
        ("source", "de-AT", {"all": "at", "no-at": "en", "en": "en", "none": None}),
        ("fallback", "de-AT", {"all": "at", "no-at": "de", "en": "en", "none": None}),
        ("fallback", "pl", {"all": "en", "no-at": "en", "en": "en", "none": None}),
        ("source", "en", {"all": "en", "no-at": "en", "en": "en", "none": None}),
        ("fallback", "en", {"all": "en", "no-at": "en", "en": "en", "none": None}),
    ],
)
def test_a_missing_text_is_omitted_or_another_stands_in(
    texts: Texts, missing: Missing, tag: str, expected: Mapping[str, str | None]
) -> None:
    texts.key("all", {"en": "en", "de": "de", "de-AT": "at"})
    texts.key("no-at", {"en": "en", "de": "de"})
    texts.key("en", {"en": "en"})
    texts.key("none", {})

    assert values(texts.catalogue(tag, missing=missing)) == expected


def test_only_a_text_that_may_be_delivered_stands_in(texts: Texts) -> None:
    key_id = texts.key("a", {})
    path = f"/projects/{texts.record['id']}/keys/{key_id}/values/en"
    texts.workspace.client("translator").put(path, json={"value": "proposed"})

    approved = texts.catalogue("de", missing="source")
    newest = texts.catalogue("de", missing="source", which=Selection("any"))

    assert values(approved) == {"a": None}
    assert values(newest) == {"a": "proposed"}
    assert newest.entries[0].needs_review


def test_source_texts_come_for_formats_that_carry_them(texts: Texts) -> None:
    texts.key("a", {"en": "A", "de": "A de"})
    texts.key("b", {"de": "B de"})
    texts.key("n", {"en": {"one": "1", "other": "n"}}, isPlural=True)

    def sources(info: FormatInfo) -> Sequence[object]:
        return [entry.source for entry in texts.catalogue("de", info=info).entries]

    assert sources(WITH_SOURCE) == ["A", None, {"one": "1", "other": "n"}]
    assert sources(PLAIN) == [None, None, None]


def test_a_selection_holds_for_texts_sources_and_stand_ins(texts: Texts) -> None:
    texts.key("m.a", {"en": "A"}, tags=["t"])
    texts.key("m.b", {"en": "B", "de": "B de"})
    texts.key("z", {"en": "Z"}, tags=["t"])

    def chosen(which: Selection) -> list[tuple[str, object, object]]:
        catalogue = texts.catalogue(
            "de", info=WITH_SOURCE, missing="source", which=which
        )
        return [(e.key, e.value, e.source) for e in catalogue.entries]

    assert chosen(Selection(module="m")) == [
        ("m.a", "A", "A"),
        ("m.b", "B de", "B"),
    ]
    assert chosen(Selection(tag="t")) == [("m.a", "A", "A"), ("z", "Z", "Z")]


def test_details_come_back_to_the_family_and_language_they_are_of(
    texts: Texts,
) -> None:
    key_id, project_id = texts.key("a", {"de": "A"}), texts.record["id"]
    storage = texts.workspace.framework.storage

    def detail(
        family: str, key_id: str, module: str, tag: str, what: str
    ) -> FileDetail:
        return FileDetail(project_id, family, key_id, module, tag, {"is": what})

    with storage.transaction():
        storage.keys.put_details(
            [
                detail("gettext", key_id, "", "", "of key"),
                detail("gettext", key_id, "", "de", "of value"),
                detail("gettext", "", "", "de", "of file"),
                detail("gettext", "", "m", "de", "of module"),
                detail("json", key_id, "", "", "of json"),
            ]
        )

    german = texts.catalogue("de", info=WITH_SOURCE)
    polish = texts.catalogue("pl", info=WITH_SOURCE)
    module = texts.catalogue("de", info=WITH_SOURCE, which=Selection(module="m"))
    other = texts.catalogue("de", info=WITH_SOURCE, which=Selection(module="x"))
    [entry], [without] = german.entries, polish.entries
    assert (entry.key_detail, entry.detail) == ({"is": "of key"}, {"is": "of value"})
    assert (without.key_detail, without.detail) == ({"is": "of key"}, None)
    assert (german.detail, polish.detail) == ({"is": "of file"}, None)
    assert (module.detail, other.detail) == ({"is": "of module"}, {"is": "of file"})


def test_more_keys_need_no_more_statements(texts: Texts) -> None:
    storage, counted = texts.workspace.framework.storage, []
    for size in (3, 30):
        for number in range(size):
            texts.key(f"k{size}-{number}", {"en": "x"})
        with statements_of(storage) as seen:
            texts.catalogue("de-AT", info=WITH_SOURCE, missing="fallback")
        counted.append(len(seen))

    assert counted[0] == counted[1]


def test_a_catalogue_is_taken_apart_by_module(texts: Texts) -> None:
    for name in ("b.x", "a", "a.y", "a-b.z", "c"):
        texts.key(name, {"de": name})

    parts = by_module(texts.catalogue("de"), ".")

    assert {module: list(values(part)) for module, part in parts.items()} == {
        "@root": ["a", "c"],
        "a": ["a.y"],
        "a-b": ["a-b.z"],
        "b": ["b.x"],
    }
    assert list(parts) == ["@root", "a", "a-b", "b"]


@pytest.mark.parametrize(
    ("id_", "family"), [("gettext-po", "gettext"), ("arb", "arb"), ("a-b-c", "a")]
)
def test_formats_of_a_family_share_their_first_word_or_name_one(
    id_: str, family: str
) -> None:
    info = FormatInfo(id_, "", ".x", "text/plain")

    assert family_of(info) == family
    assert family_of(replace(info, family="b")) == "b"
