"""What plugins provide is looked at before the start: its port, and its name."""

import sys
from collections.abc import AsyncIterator, Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from locframework import Framework, Settings, hookimpl
from locframework.errors import PluginError, SettingsError, Unavailable
from locframework.formats.records import FormatInfo
from locframework.plugins import PluginHost

from .samples import Wordy

PORTS = {
    "storages": ("StorageProvider", "name open"),
    "blob_stores": ("BlobStore", "name put get has delete names public_url"),
    "formats": ("Format", "info recognizes read write"),
    "transports": ("Transport", "name judge send"),
    "matchers": ("Matcher", "name find distance forget"),
    "concordancers": ("Concordancer", "name find forget"),
    "checks": ("Check", "name description severity find"),
}
MEMBERS = [
    (kind, port, member)
    for kind, (port, members) in PORTS.items()
    for member in members.split()
]
VALUES = {
    "name": "thing",
    "info": FormatInfo("thing", "Thing", ".txt", "text/plain"),
    "severity": "error",
    "description": "Finds things.",
}
METHODS = [(kind, member) for kind, _, member in MEMBERS if member not in VALUES]


def provided(kind: str, item: object) -> dict[str, Any]:
    """What the host has of the kind, from one plugin that provides the item."""
    giver = SimpleNamespace(name="giver")
    setattr(giver, f"loc_provide_{kind}", hookimpl(lambda: item))
    host = PluginHost.discover({}, more=[giver], installed=False)
    found: dict[str, Any] = getattr(host, kind)
    return found


def refusal_of(kind: str, item: object) -> str:
    with pytest.raises(PluginError) as caught:
        provided(kind, item)
    start, _, reason = str(caught.value).partition(f"loc_provide_{kind}: ")
    assert start == "plugin 'giver' (types): "
    return reason


def whole(kind: str, **changes: object) -> Any:
    """The least that keeps the port, with some members as they are told."""
    members = PORTS[kind][1].split()
    values = {member: VALUES.get(member, lambda *_: None) for member in members}
    return SimpleNamespace(**values | changes)


@pytest.mark.parametrize("kind", PORTS)
def test_what_has_all_members_of_its_port_is_taken(kind: str) -> None:
    item = whole(kind)

    assert provided(kind, [item])["thing"] is item


@pytest.mark.parametrize(("kind", "port", "member"), MEMBERS)
def test_what_lacks_a_member_of_its_port_is_refused(
    kind: str, port: str, member: str
) -> None:
    item = whole(kind)
    delattr(item, member)

    said = f"SimpleNamespace is not of type {port}: it lacks {member}"
    assert refusal_of(kind, [item]) == said


@pytest.mark.parametrize(("kind", "member"), METHODS)
def test_a_method_that_is_none_is_refused(kind: str, member: str) -> None:
    item = whole(kind, **{member: "text"})

    assert refusal_of(kind, [item]) == f"SimpleNamespace.{member} is not a method"


@pytest.mark.parametrize(("kind", "member"), METHODS)
def test_a_method_that_nobody_would_wait_for_is_refused(kind: str, member: str) -> None:
    async def waiting(*_: object) -> None: ...

    async def yielding(*_: object) -> AsyncIterator[None]:
        yield

    said = f"SimpleNamespace.{member} is async, and would never run: write a plain def"
    for method in (waiting, yielding):
        assert refusal_of(kind, [whole(kind, **{member: method})]) == said


def test_a_method_that_takes_other_arguments_than_its_port_is_refused() -> None:
    def lacking(file: object) -> list[object]:
        return []

    def wanting(file: object, options: object, more: object) -> list[object]:
        return []

    def keywords(*, file: object, options: object) -> list[object]:
        return []

    said = "SimpleNamespace.read does not take (file, options)"
    for method in (lacking, wanting, keywords):
        assert refusal_of("formats", [whole("formats", read=method)]) == said


def test_a_method_may_take_more_than_its_port_says_where_that_has_a_default() -> None:
    def more(name: str, content: bytes, *, is_quick: bool = False) -> None: ...

    store = whole("blob_stores", put=more, get={}.get, has=partial(str.__eq__, "a"))

    assert provided("blob_stores", [store]) == {"thing": store}


@pytest.mark.parametrize("kind", [*PORTS, "event_types"])
def test_a_forgotten_return_is_refused(kind: str) -> None:
    assert refusal_of(kind, None) == "returned None; return a list, even an empty one"


@pytest.mark.parametrize("kind", [*PORTS, "event_types"])
def test_no_items_are_fine(kind: str) -> None:
    assert set(provided(kind, [])) == set(getattr(PluginHost({}), kind))


def test_a_class_in_place_of_a_format_is_refused() -> None:
    assert refusal_of("formats", [Wordy]) == "Wordy is a class; give an object of it"


@pytest.mark.parametrize("id_", ["Ini Foo", "INI", "ini_foo", "-ini", "", 3, None])
def test_the_id_of_a_format_is_lower_case_kebab(id_: Any) -> None:
    assert refusal_of("formats", [Wordy(id_)]) == f"id {id_!r} is not lower-case kebab"


def test_the_info_of_a_format_is_its_record() -> None:
    item = whole("formats", info={"id": "ini"})

    assert refusal_of("formats", [item]) == "info is dict, not FormatInfo"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": 7}, "info of thing: Expected `str`, got `int` - at `$.name`"),
        (
            {"extension": None},
            "info of thing: Expected `str`, got `null` - at `$.extension`",
        ),
        (
            {"can_import": "no"},
            "info of thing: Expected `bool`, got `str` - at `$.canImport`",
        ),
        (
            {"extension": "txt"},
            "extension 'txt' of thing is not a dot and lower-case letters or digits",
        ),
        ({"content_type": "text"}, "content_type 'text' of thing is not one"),
        (
            {"content_type": "text/plain\r\nX: y"},
            r"content_type 'text/plain\r\nX: y' of thing is not one",
        ),
    ],
)
def test_the_info_of_a_format_is_well_formed(
    changes: dict[str, Any], said: str
) -> None:
    info = replace(VALUES["info"], **changes)

    assert refusal_of("formats", [whole("formats", info=info)]) == said


@pytest.mark.parametrize(
    "kind", ["storages", "blob_stores", "transports", "matchers", "concordancers"]
)
@pytest.mark.parametrize("name", ["My Store", "S3", "1st", "", 3, None])
def test_the_name_that_a_setting_chooses_by_is_plain(kind: str, name: object) -> None:
    said = f"name {name!r} is not lower-case letters, 0-9, _, -"

    assert refusal_of(kind, [whole(kind, name=name)]) == said


def test_an_event_type_is_its_record() -> None:
    assert refusal_of("event_types", [{"type": "x"}]) == "dict is not of type EventType"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda: None, "thing: NoneType is not of type Storage: it lacks access"),
        (
            lambda: SimpleNamespace(access=1),
            "SimpleNamespace is not of type Storage: it lacks",
        ),
        (lambda: 1 / 0, "thing cannot be opened: ZeroDivisionError("),
        (lambda: sys.exit(3), "thing cannot be opened: SystemExit(3)"),
    ],
)
def test_a_storage_that_does_not_open_is_told_with_its_plugin(
    answer: Callable[[], object], said: str
) -> None:
    giver = SimpleNamespace(name="giver")
    stored = whole("storages", open=answer)
    giver.loc_provide_storages = hookimpl(lambda: [stored])

    with pytest.raises(PluginError) as caught:
        Framework(Settings(storage="thing"), [giver])

    line = str(caught.value)
    assert line.startswith("plugin 'giver' (types): loc_provide_storages: ")
    assert said in line


@pytest.mark.parametrize(
    "refusal",
    [SettingsError("file: is none", "file"), Unavailable("its server is down")],
)
def test_what_a_storage_itself_says_of_settings_and_servers_passes(
    refusal: Exception,
) -> None:
    def refuse() -> object:
        raise refusal

    giver = SimpleNamespace(name="giver")
    stored = whole("storages", open=refuse)
    giver.loc_provide_storages = hookimpl(lambda: [stored])

    with pytest.raises(type(refusal)) as caught:
        Framework(Settings(storage="thing"), [giver])

    assert caught.value is refusal
