"""What plugins provide is looked at before the start: its port, and its name."""

from types import SimpleNamespace
from typing import Any

import pytest

from locframework import hookimpl
from locframework.errors import PluginError
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

    said = f"SimpleNamespace is no {port}: it lacks {member}"
    assert refusal_of(kind, [item]) == said


@pytest.mark.parametrize(
    ("kind", "member"), [(k, m) for k, _, m in MEMBERS if m not in VALUES]
)
def test_a_method_that_is_none_is_refused(kind: str, member: str) -> None:
    item = whole(kind, **{member: "text"})

    assert refusal_of(kind, [item]) == f"SimpleNamespace.{member} is no method"


@pytest.mark.parametrize("kind", [*PORTS, "event_types"])
def test_a_forgotten_return_is_refused(kind: str) -> None:
    assert refusal_of(kind, None) == "answered None; return a list, be it empty"


@pytest.mark.parametrize("kind", [*PORTS, "event_types"])
def test_no_items_are_fine(kind: str) -> None:
    assert set(provided(kind, [])) == set(getattr(PluginHost({}), kind))


def test_a_class_in_place_of_a_format_is_refused() -> None:
    assert refusal_of("formats", [Wordy]) == "Wordy is a class; make an object of it"


@pytest.mark.parametrize("id_", ["Ini Foo", "INI", "ini_foo", "-ini", "", 3, None])
def test_the_id_of_a_format_is_lower_case_kebab(id_: Any) -> None:
    assert refusal_of("formats", [Wordy(id_)]) == f"id {id_!r} is not lower-case kebab"


def test_the_info_of_a_format_is_its_record() -> None:
    item = whole("formats", info={"id": "ini"})

    assert refusal_of("formats", [item]) == "info is dict, and no FormatInfo"


@pytest.mark.parametrize(
    "kind", ["storages", "blob_stores", "transports", "matchers", "concordancers"]
)
@pytest.mark.parametrize("name", ["My Store", "S3", "1st", "", 3, None])
def test_the_name_that_a_setting_chooses_by_is_plain(kind: str, name: object) -> None:
    said = f"name {name!r} is not lower-case letters, 0-9, _, -"

    assert refusal_of(kind, [whole(kind, name=name)]) == said


def test_an_event_type_is_its_record() -> None:
    assert refusal_of("event_types", [{"type": "x"}]) == "dict is no EventType"
