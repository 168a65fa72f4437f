"""Each project has settings of a plugin: GET and PATCH …/plugins/{name}."""

from __future__ import annotations

import logging

import msgspec
import pytest

from locframework import OPERATOR, PluginError, hookimpl
from locframework.errors import PluginNotFound
from locframework.plugins import FoundPlugin, PluginHost
from locframework.ports import Secret
from locframework.testing.contracts.storage_events import latest

from .conftest import DigestSettings

DEFAULTS = {"sendHour": 9, "languages": [], "url": None, "token": ""}


def test_a_project_has_the_defaults_until_settings_are_changed(world):
    assert world.owner.get(world.settings).data == {
        "settings": DEFAULTS,
        "isSet": False,
    }
    assert world.own.settings(world.id) == DigestSettings()
    assert world.own.settings_by_project() == {}


def test_what_a_patch_leaves_out_stays(world):
    first = world.owner.patch(world.settings, json={"sendHour": 7})
    second = world.owner.patch(world.settings, json={"languages": ["de"]})

    assert first.data == {"settings": {**DEFAULTS, "sendHour": 7}, "isSet": True}
    assert second.data["settings"] == {**DEFAULTS, "sendHour": 7, "languages": ["de"]}
    assert world.owner.get(world.settings).data == second.data
    assert world.own.settings(world.project["slug"]) == DigestSettings(7, ["de"])


def test_other_projects_have_settings_of_their_own(world):
    other = world.workspace.project()
    world.owner.patch(world.settings, json={"sendHour": 7})
    world.owner.patch(f"/projects/{other['id']}/plugins/digest", json={})

    assert world.own.settings_by_project() == {
        world.id: DigestSettings(7),
        other["id"]: DigestSettings(),
    }
    world.owner.delete(world.path)
    assert [*world.own.settings_by_project()] == [other["id"]]


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ({"sendHour": "x"}, "$.sendHour", "Expected `int`, got `str`"),
        ({"sendHour": None}, "$.sendHour", "Expected `int`, got `null`"),
        ({"languages": ["de", 5]}, "$.languages[1]", "Expected `str`, got `int`"),
        ({"sendHours": 5}, "$.sendHours", "did you mean 'sendHour'?"),
        ({"sendHour": 24}, "$", "sendHour is 0 to 23"),
        ({"url": "…"}, "$.url", "what is shown of a secret"),
        ({"languages": ["d" * 65_536]}, "$", "has more than 65536 bytes"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(world, body, path, message):
    refused = world.owner.patch(world.settings, json={"token": "x", **body})

    [problem] = refused.json["error"]["details"]
    assert (refused.status, problem["path"]) == (400, path)
    assert message in problem["message"]
    assert world.owner.get(world.settings).data["isSet"] is False


@pytest.mark.parametrize("body", [[], "x", 5, None])
def test_a_body_that_is_no_object_is_refused(world, body):
    assert world.owner.patch(world.settings, json=body).status == 400


def test_a_secret_is_accepted_kept_and_never_shown(world, caplog):
    caplog.set_level(logging.DEBUG)
    changed = world.owner.patch(
        world.settings, json={"url": "s3cr3t", "token": "s3cr3t"}
    )
    again = world.owner.patch(world.settings, json={"sendHour": 8})
    read = world.owner.get(world.settings)
    events = latest(world.framework.storage.events, world.id, 9)
    activity = world.owner.get(f"{world.path}/activity")

    shown = {**DEFAULTS, "url": "…", "token": "…"}
    assert changed.data["settings"] == shown
    assert read.data["settings"] == again.data["settings"] == {**shown, "sendHour": 8}
    assert world.own.settings(world.id).url == "s3cr3t"
    said = [changed, again, read, activity]
    assert "s3cr3t" not in "".join(each.content.decode() for each in said)
    assert "s3cr3t" not in f"{events}{caplog.text}"
    world.owner.patch(world.settings, json={"url": None})
    assert world.owner.get(world.settings).data["settings"]["url"] is None


def test_a_change_is_an_event_of_the_project_and_no_change_is_none(world):
    for body in ({"sendHour": 7}, {"sendHour": 7}, {}):
        world.owner.patch(world.settings, json=body)

    events = [
        each
        for each in latest(world.framework.storage.events, world.id, 9)
        if each.type == "project.updated"
    ]
    assert [each.items for each in events] == [
        [{"projectId": world.id, "fields": ["plugins.digest"]}]
    ]


def test_if_match_must_name_the_settings_that_are_there(world):
    etag = world.owner.get(world.settings).headers["ETag"]

    def change(hour):
        headers = {"If-Match": etag}
        return world.owner.patch(
            world.settings, json={"sendHour": hour}, headers=headers
        )

    first, second = change(7), change(8)

    assert (first.status, second.status) == (200, 412)
    assert first.headers["ETag"] == world.owner.get(world.settings).headers["ETag"]
    assert world.own.settings(world.id).send_hour == 7


@pytest.mark.parametrize("name", ["digets", "json", "peewee", "@settings"])
def test_a_plugin_without_settings_in_projects_is_not_found(world, name):
    path = f"{world.path}/plugins/{name}"

    for answer in (world.owner.get(path), world.owner.patch(path, json={})):
        assert (answer.status, answer.json["error"]["code"]) == (
            404,
            "plugin_not_found",
        )


def test_project_read_reads_and_project_update_changes(world):
    viewer = world.workspace.client("viewer")
    _, stranger = world.workspace.organization()

    assert viewer.get(world.settings).status == 200
    denied = viewer.patch(world.settings, json={})
    assert denied.json["error"]["details"] == {"required": "project_update"}
    for answer in (
        stranger.get(world.settings),
        stranger.patch(world.settings, json={}),
    ):
        assert answer.json["error"]["code"] == "project_not_found"


def test_the_operator_changes_settings_from_python(world):
    service = world.framework.project_settings
    changed = service.update_settings(OPERATOR, world.id, "digest", {"sendHour": 3})

    assert changed == service.get_settings(OPERATOR, world.id, "digest")
    assert (changed.settings["sendHour"], changed.is_set) == (3, True)
    with pytest.raises(PluginNotFound):
        service.get_settings(OPERATOR, world.id, "json")


def test_stored_settings_that_fit_a_newer_plugin_no_more_are_ignored(
    world, monkeypatch, caplog
):
    body = {"sendHour": 7, "languages": ["de"], "url": "s3cr3t"}
    world.owner.patch(world.settings, json=body)

    class Newer(msgspec.Struct, rename="camel"):
        languages: list[str] = []
        url: int = 5
        added: str = "x"

    monkeypatch.setitem(world.framework.project_settings._types, "digest", Newer)

    assert world.own.settings(world.id) == Newer(["de"])
    assert "do not fit it any more: sendHour, url" in caplog.text
    assert "s3cr3t" not in caplog.text
    changed = world.owner.patch(world.settings, json={"added": "y"})
    assert changed.data["settings"] == {"languages": ["de"], "url": 5, "added": "y"}


def test_plugins_are_listed_with_their_settings_in_projects(world):
    listed = world.owner.get("/plugins").data["plugins"]

    [own] = [each for each in listed if each["name"] == "digest"]
    assert own["projectSettings"][:2] == [
        "sendHour: int = 9",
        "languages: list[str] = []",
    ]


class Nested(msgspec.Struct, frozen=True):
    url: Secret = ""


class Required(msgspec.Struct):
    url: str
    other: int = 1


class NestedSecret(msgspec.Struct):
    nested: Nested = Nested()


class ListOfSecrets(msgspec.Struct):
    urls: list[Secret] = []


@pytest.mark.parametrize(
    ("type_", "reason"),
    [
        (dict, "must be a msgspec.Struct"),
        (Required, "url needs a default"),
        (NestedSecret, "a Secret must be a field of its own"),
        (ListOfSecrets, "a Secret must be a field of its own"),
    ],
)
def test_a_type_that_settings_cannot_have_stops_the_start(type_, reason):
    class Plugin:
        project_settings_type = type_

        @hookimpl
        def loc_on_close(self):
            pass

    with pytest.raises(PluginError, match=reason):
        PluginHost({"x": FoundPlugin(Plugin(), "tests")})
