"""Plugins keep JSON by key: apart from each other, bounded, and with transactions."""

import math
from datetime import UTC, datetime

import pytest

from locframework import OPERATOR, SettingsError
from locframework.errors import PluginDataFull, ProjectNotFound, ValidationFailed
from locframework.fields import new_id
from locframework.pagination import PageRequest
from locframework.plugin_services import data as limits
from locframework.plugin_services.data import PluginData
from locframework.projects.records import ProjectChanges

ABSENT = "01a224ed-0574-79a5-a4ce-0c1cc58dd801"
VALUES = [0, 1.5, True, "", "Größe 👩‍👩‍👧‍👦", [], {}, {"b": [None, {"a": 1}], "a": "x"}]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_is_read_as_it_was_stored(world, value):
    data = world.own.data(world.id)

    data.set("a", value)

    found = data.get("a")
    assert found == value
    assert type(found) is type(value)


def test_what_is_not_there_is_none(world):
    data = world.own.data(world.id)

    assert data.get("a") is None
    assert data.delete("a") is False
    assert world.own.data(new_id()).get("a") is None


def test_a_value_is_replaced_and_deleted(world):
    data = world.own.data(world.id)
    data.set("a", 1)
    data.set("a", 2)

    assert data.get("a") == 2
    assert data.delete("a") is True
    assert data.get("a") is None


def test_projects_organizations_and_the_application_have_values_of_their_own(world):
    other = world.workspace.project()
    owners = [world.id, other["id"], world.workspace.organization_id, None]

    for number, owner in enumerate(owners, 1):
        world.own.data(owner).set("a", number)

    assert [world.own.data(owner).get("a") for owner in owners] == [1, 2, 3, 4]
    assert world.own.data(world.project["slug"]).get("a") == 1


def test_no_plugin_sees_what_another_one_keeps(world):
    other = PluginData(world.framework.storage, "digest.x", world.id)
    world.own.data(world.id).set("a", 1)

    other.set("a", 2)

    assert world.own.data(world.id).get("a") == 1
    assert [each.key for each in other.list_items().items] == ["a"]


def test_values_are_listed_by_key_prefix_and_page(world):
    data = world.own.data(world.id)
    for key in ("user/2", "user/1", "b", "user/3"):
        data.set(key, key.upper())

    users = data.list_items("user/", PageRequest(limit=2))

    assert [(each.key, each.value) for each in users.items] == [
        ("user/1", "USER/1"),
        ("user/2", "USER/2"),
    ]
    assert users.total == 3
    assert data.list_items().items[0].key == "b"


def test_a_value_is_replaced_only_if_it_is_the_expected_one(world):
    data = world.own.data(world.id)

    assert data.replace("a", {"n": 1, "m": 2}, 2) is False
    assert data.replace("a", None, {"n": 1, "m": 2}) is True
    assert data.replace("a", None, 3) is False
    assert data.replace("a", {"m": 2, "n": 1}, 3) is True  # an object has no order
    assert data.get("a") == 3


@pytest.mark.parametrize(
    "value",
    [
        None,
        math.nan,
        (1,),
        {1: 2},
        datetime(2026, 1, 1, tzinfo=UTC),
        b"x",
        "\0",
        "\ud800",
    ],
    ids=ascii,
)
def test_what_is_not_plain_json_is_refused(world, value):
    data = world.own.data(world.id)

    with pytest.raises(ValidationFailed, match=r"^value: "):
        data.set("a", value)
    assert data.get("a") is None


def test_a_value_of_64_kib_fits_and_no_larger_one(world):
    data, most = world.own.data(world.id), "ä" * (32 * 1024 - 1)

    data.set("a", most)
    with pytest.raises(ValidationFailed, match="value: has more than 65536 bytes"):
        data.set("a", f"{most}x")

    assert data.get("a") == most


@pytest.mark.parametrize("key", ["", "a" * 201, "a\0", 5])
def test_a_key_has_1_to_200_characters(world, key):
    data = world.own.data(world.id)

    for call in (lambda: data.set(key, 1), lambda: data.get(key)):
        with pytest.raises(ValidationFailed, match=r"^key"):
            call()
    data.set("𝒳" * 200, 1)
    assert data.get("𝒳" * 200) == 1


def test_there_are_as_many_keys_as_the_limit_and_each_can_still_change(
    world, monkeypatch
):
    monkeypatch.setattr(limits, "ENTRIES_LIMIT", 3)
    data = world.own.data(world.id)
    for key in "abc":
        data.set(key, 1)

    with pytest.raises(PluginDataFull, match="digest has 3 values here"):
        data.set("d", 1)
    with pytest.raises(PluginDataFull):
        data.replace("d", None, 1)
    data.set("a", 2)
    assert data.replace("b", 1, 2) is True
    world.own.data().set("d", 1)  # counted apart
    data.delete("c")
    data.set("d", 1)


@pytest.mark.parametrize("owner", [ABSENT, "x", ""])
def test_nothing_is_kept_for_what_does_not_exist(world, owner):
    with pytest.raises(ProjectNotFound, match="no such project or organization"):
        world.own.data(owner).set("a", 1)


def test_nothing_is_kept_for_a_deleted_project(world):
    world.own.data(world.id).set("a", 1)
    assert world.owner.delete(world.path).status == 200

    with pytest.raises(ProjectNotFound):
        world.own.data(world.id).set("a", 2)


def test_data_is_written_with_the_open_transaction_or_not_at_all(world):
    data, projects = world.own.data(world.id), world.framework.projects

    def rename(name):
        changes = ProjectChanges(name=name)
        return projects.update_project(OPERATOR, world.id, changes)

    def write_and_fail():
        with world.framework.transaction():
            rename("Second")
            data.set("a", 2)
            data.set("b", 2)
            data.set("c", None)

    with world.framework.transaction():
        rename("First")
        data.set("a", 1)
    with pytest.raises(ValidationFailed):
        write_and_fail()

    assert data.get("a") == 1
    assert data.get("b") is None
    assert projects.get_project(OPERATOR, world.id).name == "First"


def test_a_plugin_that_is_not_loaded_has_nothing(world):
    with pytest.raises(SettingsError, match="no plugin 'digets' is loaded; there are"):
        world.framework.plugin("digets")
