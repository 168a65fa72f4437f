"""What Python gives the services is checked as what comes over HTTP is."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, cast, get_type_hints

import pytest
from msgspec import Struct, structs, to_builtins

from locframework import OPERATOR, Framework, LocError
from locframework.access.records import NewMember, NewToken, Scope
from locframework.branches.records import NewBranch
from locframework.errors import ValidationFailed
from locframework.exchange.records import ImportOptions
from locframework.formats.records import SourceFile
from locframework.glossaries.records import NewGlossary
from locframework.keys.records import (
    BulkKey,
    KeyChanges,
    KeyQuery,
    NewKey,
    NewKeys,
    NewValue,
    Rejection,
)
from locframework.memories.records import NewMemory
from locframework.pagination import PageRequest
from locframework.projects.records import NewLanguage, NewProject

ROOTS = {
    **dict.fromkeys(("new", "changes", "asked", "request"), "$"),
    **dict.fromkeys(("query", "page"), "query"),
    "options": "form",
}
"""How a Problem's path begins, by the name of the parameter that takes the record."""

REFERRED = {
    "projects": "project_id",
    "glossaries": "glossary_id",
    "glossary_files": "glossary_id",
    "memories": "tm_id",
    "memory_files": "tm_id",
}
WRONG: Any = {"no": {"field": [{"is": "this"}]}}


def calls(framework):
    """Every method of a service that takes a caller and a record, and which one."""
    for service in vars(framework).values():
        for name, method in inspect.getmembers(service, inspect.ismethod):
            if (
                name.startswith("_")
                or "caller" not in inspect.signature(method).parameters
            ):
                continue
            for parameter, type_ in get_type_hints(method).items():
                if parameter in ROOTS and issubclass(type_, Struct):
                    yield method, parameter, type_


def wrong(type_):
    """A record with values of no type in the fields that must be given, or in one."""
    fields = structs.fields(type_)
    chosen = [field for field in fields if field.required] or fields[:1]
    made = type_(**{field.name: WRONG for field in chosen})
    return made, {field.encode_name for field in chosen}


@pytest.fixture
def ids(sqlite_workspace):
    """What methods are given beside the record; all of it is there."""
    framework, keys = sqlite_workspace.framework, sqlite_workspace.project()
    organization_id, project_id = sqlite_workspace.organization_id, keys["id"]
    new = NewMember(email="ines@example.com", role="viewer")
    member = framework.organizations.add_member(OPERATOR, organization_id, new)
    _, text = framework.tokens.create_for_member(
        OPERATOR, organization_id, member.id, NewToken("script")
    )
    of = {
        "name": "Ferries",
        "source_language": "en",
        "organization_id": organization_id,
    }
    absent = member.id  # it is not looked for before the record is judged
    return {
        "project_id": project_id,
        "organization_id": organization_id,
        "glossary_id": framework.glossaries.create_glossary(
            OPERATOR, NewGlossary(**of)
        ).id,
        "tm_id": framework.memories.create_memory(OPERATOR, NewMemory(**of)).id,
        "member_id": member.id,
        "term_id": absent,
        "entry_id": absent,
        "webhook_id": absent,
        "content": b"",
        "key_id": absent,
        "distribution_id": absent,
        "lang": "en",
        "check": "markup",
        "job_id": absent,
        "branch": "winter",
        "scope": Scope(organization_id, project_id),
        "file": SourceFile("en.json", b'{"a": "b"}'),
        "member": framework.tokens.caller_behind(text),
    }


def test_every_service_refuses_a_record_that_breaks_its_own_type(sqlite_workspace, ids):
    framework, seen = sqlite_workspace.framework, set()

    for method, parameter, type_ in calls(framework):
        record, names = wrong(type_)
        service = method.__self__
        referred = "organization_id"
        for name, id_name in REFERRED.items():
            if service is getattr(framework, name):
                referred = id_name
        known = {
            **ids,
            "reference": ids[referred],
            "caller": ids["member"] if "personal" in method.__name__ else OPERATOR,
            parameter: record,
        }
        if method.__name__ in ("create_project", "create_glossary", "create_memory"):
            record = structs.replace(record, organization_id=ids["organization_id"])
            known[parameter] = record
        wanted = inspect.signature(method).parameters
        given = {name: known[name] for name in wanted if name in known}

        with pytest.raises(ValidationFailed) as refused:
            method(**given)

        problems = refused.value.details
        assert isinstance(problems, list)
        paths = [re.split(r"[.\[]", problem.path) for problem in problems]
        told = {(root, name) for root, name, *_ in paths}
        assert told == {(ROOTS[parameter], name) for name in names}, method
        seen.add(type_)
    assert len(seen) >= 25


CONTENT = b'{"a": "b"}'
OPTIONS = ImportOptions(language_code="en")
NOTHING: Any = None  # as a program passes it that does not look


@pytest.mark.parametrize(
    ("file", "options", "place"),
    [
        (SourceFile(NOTHING, CONTENT), OPTIONS, "form.file.name"),
        (SourceFile("a\0b.json", CONTENT), OPTIONS, "form.file.name"),
        (
            SourceFile("en.json", CONTENT),
            ImportOptions(mode=cast("Any", "all")),
            "form.mode",
        ),
        (SourceFile("en.json", CONTENT), ImportOptions(tags=["a\0b"]), "form.tags"),
    ],
)
def test_a_file_to_import_is_checked_as_a_form_is(
    sqlite_workspace, file, options, place
):
    imports = sqlite_workspace.framework.imports
    project_id = sqlite_workspace.project()["id"]

    with pytest.raises(ValidationFailed) as refused:
        imports.start_import(OPERATOR, project_id, file, options)

    assert refused.value.message.startswith(place)


def test_bytes_of_any_type_are_imported(sqlite_workspace):
    imports = sqlite_workspace.framework.imports
    project_id = sqlite_workspace.project()["id"]

    for content in (bytearray(CONTENT), memoryview(CONTENT)):
        file = SourceFile("en.json", cast("Any", content))
        assert imports.start_import(OPERATOR, project_id, file, OPTIONS).id


@pytest.mark.parametrize(
    "new",
    [
        NewKey("a.b", description="x" * 5000),
        NewKey("a.b", tags=["x" * 80] * 30),
        NewKey("a.b", is_plural="no"),
        NewKey(5),
        NewKey("a.b", values={"en": 5}),
    ],
)
def test_a_refusal_reads_as_over_http(sqlite_workspace, new):
    project = sqlite_workspace.project()
    path = f"/projects/{project['id']}/keys"
    error = sqlite_workspace.owner.post(path, json=to_builtins(new)).error

    with pytest.raises(ValidationFailed) as refused:
        sqlite_workspace.framework.keys.create_key(OPERATOR, project["id"], new)

    assert refused.value.message == error["message"]
    assert [structs.asdict(each) for each in refused.value.details] == error["details"]


FORBIDDEN_TEXTS: list[Callable[[Framework, str, str], object]] = [
    lambda f, p, t: f.keys.create_key(OPERATOR, p, NewKey(t)),
    lambda f, p, t: f.keys.create_key(OPERATOR, p, NewKey("a", description=t)),
    lambda f, p, t: f.keys.create_key(OPERATOR, p, NewKey("a", tags=[t])),
    lambda f, p, t: f.keys.create_key(OPERATOR, p, NewKey("a", tags=("b", t))),
    lambda f, p, t: f.keys.create_key(OPERATOR, p, NewKey("a", values={"en": t})),
    lambda f, p, t: f.keys.create_key(OPERATOR, p, NewKey("a", values={t: "x"})),
    lambda f, p, t: f.keys.create_key(OPERATOR, p, NewKey("a"), branch=t),
    lambda f, p, t: f.keys.update_key(OPERATOR, p, p, KeyChanges(description=t)),
    lambda f, p, t: f.keys.set_value(OPERATOR, p, p, "en", NewValue({"one": t})),
    lambda f, p, t: f.keys.list_keys(OPERATOR, p, KeyQuery(search=t)),
    lambda f, p, t: f.keys.get_key(OPERATOR, p, t),
    lambda f, p, t: f.keys.get_value(OPERATOR, p, p, t),
    lambda f, p, t: f.bulk_keys.create_keys(OPERATOR, p, NewKeys([BulkKey(t)])),
    lambda f, p, t: f.review.reject(OPERATOR, p, p, "en", Rejection(reason=t)),
    lambda f, p, t: f.projects.create_project(OPERATOR, NewProject(t, "en")),
    lambda f, p, t: f.projects.get_project(OPERATOR, t),
    lambda f, p, t: f.languages.add_language(OPERATOR, p, NewLanguage("de", label=t)),
    lambda f, p, t: f.branches.create_branch(OPERATOR, p, NewBranch(t)),
    lambda f, p, t: f.branches.get_branch(OPERATOR, p, t),
    lambda f, p, t: f.organizations.create_organization(t, "a@example.com"),
    lambda f, p, t: f.organizations.create_organization("A", f"{t}@example.com"),
    lambda f, p, t: f.jobs.get_job(OPERATOR, p, t),
]


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"], ids=["nul", "surrogate"])
def test_no_service_stores_or_asks_for_what_no_text_may_hold(workspace, text):
    project_id = workspace.project()["id"]

    for call in FORBIDDEN_TEXTS:
        with pytest.raises(LocError) as refused:
            call(workspace.framework, project_id, text)
        assert refused.value.status in (400, 404), inspect.getsource(call)

    everyone = PageRequest(limit=200)
    assert (
        workspace.framework.organizations.list_organizations(OPERATOR, everyone).total
        == 1
    )


def test_who_may_not_do_it_is_told_so_before_what_is_wrong_with_the_record(
    sqlite_workspace, ids
):
    keys, project_id = sqlite_workspace.framework.keys, ids["project_id"]

    with pytest.raises(LocError) as refused:
        keys.create_key(ids["member"], project_id, NewKey("a", description="x" * 5000))

    assert refused.value.code == "permission_denied"
