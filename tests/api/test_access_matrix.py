"""Every operation × who asks × whose target: nobody learns or changes what is others'.

The operations come from the interface description, so a new one is in the matrix at
once; one whose path has a parameter that this file cannot fill fails the build.
"""

import pytest

from locframework.access.permissions import PERMISSIONS
from locframework.testing.workspace import open_workspace

from .every_operation import (
    ANY_LANGUAGE,
    FILE,
    Mentioned,
    World,
    absent,
    rows,
    same,
)


@pytest.fixture
def workspace(database_url, tmp_path):
    with open_workspace(
        database_url, tmp_path, plugins=[Mentioned(), "json", "pseudo"]
    ) as workspace:
        yield workspace


def test_every_parameter_of_a_path_is_known_here(workspace):
    world = World(workspace, "known")

    unknown = {
        name
        for row in rows(world.owner)
        for name in row.parameters
        if name not in world.ids
    }

    assert unknown == set()


OF_SESSIONS = ("renewSession", "closeSession")  # refused to tokens that are none


def test_without_a_token_nothing_but_the_public_answers(workspace):
    world = World(workspace, "first")
    nobody = world.owner.with_token(None)

    for row in rows(world.owner):
        answer = row.ask(nobody, world.ids_for(row))

        if row.name == "openSession":  # its credential is in the body, and unknown here
            assert answer.status == 401
        elif row.is_public:
            assert answer.status not in (401, 403), row.name
        else:
            assert answer.status == 401, row.name
            assert answer.error["code"] == "unauthorized"
            assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_another_organizations_target_reads_like_an_absent_one(workspace):
    mine, theirs = World(workspace, "mine"), World(workspace, "theirs")

    for row in rows(mine.owner):
        if row.is_public or not row.parameters:
            continue
        root = row.parameters[0]
        foreign = row.ask(mine.owner, theirs.ids_for(row))
        nowhere = row.ask(mine.owner, absent(theirs.ids_for(row), root))

        assert foreign.status == 404, row.name
        assert same(foreign, nowhere), row.name


def test_anothers_child_in_my_project_reads_like_an_absent_one(workspace):
    mine, theirs = World(workspace, "mine"), World(workspace, "theirs")

    for row in rows(mine.owner):
        child = [name for name in row.parameters if name.endswith("Id")][1:]
        if row.is_public or not child:
            continue
        foreign_ids = {**mine.ids_for(row), child[0]: theirs.ids_for(row)[child[0]]}
        foreign = row.ask(mine.owner, foreign_ids)
        nowhere = row.ask(mine.owner, absent(mine.ids_for(row), child[0]))

        assert foreign.status == 404, row.name
        assert same(foreign, nowhere), row.name


def test_a_project_token_sees_no_other_project(workspace):
    mine = World(workspace, "mine")
    sibling = workspace.project(owner=mine.owner)

    for row in rows(mine.owner):
        if row.is_public or row.parameters[:1] != ["projectId"]:
            continue
        ids = {**mine.ids_for(row), "projectId": sibling["id"]}
        foreign = row.ask(mine.project_token, ids)
        nowhere = row.ask(mine.project_token, absent(ids, "projectId"))

        assert foreign.status == 404, row.name
        assert foreign.error["code"] == "project_not_found"
        assert same(foreign, nowhere), row.name


def test_every_operation_refuses_who_lacks_its_permission(workspace):
    world = World(workspace, "first")

    for row in rows(world.owner):
        if row.permission is None:
            continue
        others = sorted(set(PERMISSIONS) - {row.permission})
        narrowed = world.owner.post(
            "/tokens", json={"name": "narrow", "permissions": others}
        ).data["secret"]

        answer = row.ask(world.owner.with_token(narrowed), world.ids_for(row))

        assert answer.status == 403, row.name
        assert answer.error["code"] == "permission_denied", row.name
        assert answer.error["details"] == {"required": row.permission}, row.name


def test_a_malformed_body_is_told_only_to_who_may_know_the_target(workspace):
    mine, theirs = World(workspace, "mine"), World(workspace, "theirs")
    checked = 0

    for row in rows(mine.owner):
        if row.body is None or not row.parameters or row.permission is None:
            continue
        path = row.path
        for name in row.parameters:
            path = path.replace(f"{{{name}}}", theirs.ids_for(row)[name])
        junk = mine.owner.request(
            row.method, path, content=b"{", headers={"Content-Type": "application/json"}
        )

        assert junk.status == 404, row.name
        checked += 1

    assert checked > 10


def test_who_may_do_everything_is_let_through_every_operation(workspace):
    world = World(workspace, "first")

    for row in rows(world.owner):
        if row.is_public or row.name in OF_SESSIONS:
            continue
        answer = row.ask(world.owner, world.ids_for(row))

        assert answer.status < 500, row.name
        assert answer.status not in (401, 403, 404), f"{row.name}: {answer}"


def test_who_may_do_everything_meets_404_for_every_absent_target(workspace):
    world = World(workspace, "first")

    for row in rows(world.owner):
        if row.is_public or not row.parameters or row.name in ANY_LANGUAGE:
            continue
        last = row.parameters[-1]
        answer = row.ask(world.owner, absent(world.ids_for(row), last))

        wanted = (400, "language_not_in_project")  # decisions 2.5, of a translation
        if row.name != "setEntryTranslation":
            wanted = (404, answer.error["code"])
        assert (answer.status, answer.error["code"]) == wanted, f"{row.name}: {answer}"


@pytest.mark.parametrize("query", [{}, {"branch": "spring"}], ids=["main", "branch"])
def test_a_language_that_is_not_assigned_is_refused_on_every_path_that_writes_it(
    workspace, query
):
    world = World(workspace, "first")
    scoped = workspace.client(
        "developer", languages=["en"], organization_id=world.organization_id
    )
    by_name = {row.name: row for row in rows(world.owner)}

    single = by_name["createKey"].ask(scoped, world.ids, query)
    put = by_name["setValue"].ask(scoped, world.ids, query)
    approved = by_name["approveValue"].ask(scoped, world.ids, query)
    rejected = by_name["rejectValue"].ask(scoped, world.ids, query)
    reverted = by_name["revertValue"].ask(scoped, world.ids, query)
    batch = by_name["setValues"].ask(scoped, world.ids, query)
    bulk = scoped.post(
        f"/projects/{world.project['id']}/keys/bulk",
        json={"keys": [{"key": "c", "values": {"de": "x"}}]},
        query=query,
    )
    imported = scoped.post(
        f"/projects/{world.project['id']}/import",
        form={"format": "json-nested", "languageCode": "de"},
        files={"file": FILE},
        query=query,
    )

    for answer in (single, put, approved, rejected, reverted, imported):
        assert answer.status == 403
        assert answer.error["code"] == "language_not_assigned"
        assert answer.error["details"] == {"languageCode": "de"}
    for answer in (batch, bulk):
        [result] = answer.data["results"]
        assert result["outcome"] == "failed"
        assert result["error"]["code"] == "language_not_assigned"
