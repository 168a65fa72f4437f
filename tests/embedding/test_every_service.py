"""Every call of a project's services × who asks, as over HTTP, on both databases."""

from __future__ import annotations

import inspect

import pytest

from locframework.access.records import Caller
from locframework.errors import (
    JobNotFound,
    LanguageNotFound,
    LocError,
    PermissionDenied,
    ProjectNotFound,
)
from locframework.fields import new_id
from locframework.projects.records import NewLanguage
from locframework.testing.workspace import Workspace

from .every_read import READS
from .every_service import World
from .every_write import WRITES

ROWS = READS + WRITES  # the reads first: they tell what the world was made with
SERVICES = {row.name.partition(".")[0] for row in ROWS}
FOR_OTHER_SERVICES = {"require", "visible", "seen_id"}
PREPARING = "prepare_"  # the same in two steps, for HTTP


@pytest.fixture
def world(workspace: Workspace) -> World:
    return World(workspace)


def test_no_call_of_these_services_is_left_out(sqlite_workspace: Workspace) -> None:
    there = {
        f"{service}.{name}"
        for service in SERVICES
        for name, method in inspect.getmembers(
            getattr(sqlite_workspace.framework, service), inspect.ismethod
        )
        if list(inspect.signature(method).parameters)[:2]
        in (["caller", "project_id"], ["caller", "reference"])
        and not name.startswith(("_", PREPARING))
        and name not in FOR_OTHER_SERVICES
    }

    assert there == {row.name for row in ROWS}


def test_another_organizations_project_reads_like_an_absent_one(world: World) -> None:
    stranger = world.stranger()

    for row in ROWS:
        foreign = row.refusal(world, stranger)
        nowhere = row.refusal(world, stranger, new_id())

        assert isinstance(foreign, ProjectNotFound), row.name
        assert told(foreign) == told(nowhere), row.name
    assert is_untouched(world)


def test_anothers_part_in_my_project_reads_like_an_absent_one(world: World) -> None:
    stranger = world.stranger()
    own, french = world.new_project(stranger), world.new_project(stranger)
    world.framework.languages.add_language(stranger, french, NewLanguage("fr"))

    for row in ROWS:
        if row.lacks is not None:
            mine = own if row.lacks is LanguageNotFound else french
            refusal = row.refusal(world, stranger, mine)
            assert refusal is not None, row.name
            assert refusal.code == row.lacks.code, row.name
    assert is_untouched(world)


def test_who_lacks_one_of_the_permissions_is_told_which(world: World) -> None:
    callers: dict[str, Caller] = {}

    for row in ROWS:
        for permission in row.needs.split():
            if permission not in callers:
                callers[permission] = world.member_without(permission)

            refusal = row.refusal(world, callers[permission])

            assert isinstance(refusal, PermissionDenied), (row.name, permission)
            assert refusal.details == {"required": permission}, row.name
    assert is_untouched(world)


def test_who_has_these_permissions_and_no_other_is_answered(world: World) -> None:
    for row in ROWS:
        needed = row.needs.split() or ["project_update"]  # which started the job
        caller = world.member("owner", permissions=needed)

        assert isinstance(row.ask(world, caller), row.answers), row.name


def test_a_job_is_shown_only_to_who_might_have_started_it(world: World) -> None:
    caller = world.member_without("project_update")

    for row in ROWS:
        if row.lacks is JobNotFound:
            assert isinstance(row.refusal(world, caller), JobNotFound), row.name


def test_a_language_that_is_not_assigned_is_refused_where_it_is_written_and_only_there(
    world: World,
) -> None:
    german = world.member("owner", languages=["de"])
    world.write(german, world.pay, "Zahlen {n}", "de")

    for row in ROWS:
        if row.writes:
            refusal = row.refusal(world, german)
            assert refusal is not None, row.name
            assert refusal.code == "language_not_assigned", row.name
            assert refusal.details == {"languageCode": row.writes}, row.name
        else:
            answer = row.ask(world, german)
            assert isinstance(answer, row.answers), row.name


def test_the_owner_is_answered(world: World) -> None:
    for row in ROWS:
        answer = row.ask(world, world.owner)

        assert isinstance(answer, row.answers), row.name
        assert row.fits(answer), f"{row.name}: {answer}"


def told(refusal: object) -> tuple[object, ...]:
    assert isinstance(refusal, LocError)
    return type(refusal), refusal.message, refusal.details


def is_untouched(world: World) -> bool:
    return all(row.fits(row.ask(world, world.owner)) for row in READS)
