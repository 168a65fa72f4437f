"""Every call of a project's services × who asks, on both databases.

tests/api has the same for every operation over HTTP, with what each answers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from operator import attrgetter
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from locframework.access.permissions import PERMISSIONS
from locframework.access.records import NewToken
from locframework.branches.records import BranchesQuery, NewBranch
from locframework.errors import (
    JobNotFound,
    LanguageNotAssigned,
    LocError,
    PermissionDenied,
    ProjectNotFound,
)
from locframework.exchange.records import ExportQuery, ImportOptions
from locframework.fields import new_id
from locframework.formats.records import SourceFile
from locframework.history.records import ActivityQuery, RevertRequest
from locframework.issues.service import CheckPreview, IssueQuery
from locframework.jobs.records import JobQuery
from locframework.keys.bulk_review import ReviewRequest
from locframework.keys.records import (
    Approval,
    BulkKey,
    BulkReview,
    HistoryQuery,
    KeyChanges,
    KeyConditions,
    KeyQuery,
    NewKey,
    NewKeys,
    NewValue,
    NewValues,
    Rejection,
    Reversion,
    ReviewItem,
    TrashQuery,
    ValueItem,
)
from locframework.machine_translation.records import (
    MonthsQuery,
    SuggestRequest,
    TranslateRequest,
)
from locframework.memories.prefill import PrefillRequest
from locframework.merging.records import MergeRequest
from locframework.pagination import PageRequest
from locframework.projects.records import (
    LanguageChanges,
    NewLanguage,
    NewProject,
    ProjectChanges,
)
from locframework.testing.contracts.storage_events import latest
from tests.images import png

FILE = SourceFile("fr.json", b'{"imported": "Nouveau"}')
FRENCH = ImportOptions(format="json-flat", language_code="fr")
NEW_KEYS = NewKeys([BulkKey("bulk", values={"fr": "Neuf"})])
KNOWN_KEYS = NewKeys([BulkKey("pay", description="Said")], on_existing="update")


class World:
    """A project with one of everything, and those who ask about it."""

    def __init__(self, workspace):
        self._workspace = workspace
        self.framework = f = workspace.framework
        self.owner = self._caller(workspace.owner.token)
        new = NewProject("Web shop", "en")
        self.project = f.projects.create_project(self.owner, new).id
        for code in ("de", "fr", "nl"):
            f.languages.add_language(self.owner, self.project, NewLanguage(code))
        self.pay = self._key("pay", en="Pay {n}", fr="Payer")
        self.approvable, self.rejectable = self._key("one"), self._key("two")
        self.also_approvable, self.withdrawable = self._key("six"), self._key("ten")
        for key in (self.approvable, self.rejectable, self.also_approvable):
            self.write(self.member("translator"), key, "Attendre")
        self.turned = self._key("turned", fr="Un")
        self.doomed, self.gone = self._key("doomed"), self._key("gone")
        f.keys.delete_key(self.owner, self.project, self.gone)
        for name in ("spring", "autumn"):
            f.branches.create_branch(self.owner, self.project, NewBranch(name))
        self.write(self.owner, self.pay, "Régler {n}", branch="spring")
        self.file = f.files.add_file(self.owner, self.project, png()).id
        self.job = f.issues.start_recheck(self.owner, self.project).id  # nobody runs it
        start = f.imports.start_import  # nobody runs it, nor the next one
        self.imported = start(self.owner, self.project, FILE, FRENCH).id
        asked = TranslateRequest(["fr"])
        self.run = f.machine_translation.start_run(self.owner, self.project, asked).id
        new_token = NewToken("ci", ["project_read"])
        self.token = f.projects.create_token(self.owner, self.project, new_token)[0].id

    def stranger(self):
        """The owner of another organization."""
        return self._caller(self._workspace.organization("Other")[1].token)

    def member(self, role, **narrowed):
        return self._caller(self._workspace.client(role, **narrowed).token)

    def member_without(self, permission):
        """One who has every other permission."""
        others = sorted(set(PERMISSIONS) - {permission})
        return self.member("owner", permissions=others)

    def _caller(self, token):
        caller = self.framework.authenticate(token)
        assert caller is not None
        return caller

    def _key(self, name, **values):
        new = NewKey(name, values=values)
        return self.framework.keys.create_key(self.owner, self.project, new).id

    def write(self, caller, key, text, lang="fr", **where):
        new = NewValue(text)
        self.framework.keys.set_value(caller, self.project, key, lang, new, **where)


class Row(NamedTuple):
    """A call, the permissions that it needs, and its arguments."""

    name: str
    needs: str  # with spaces between; "": any
    arguments: Callable[[World], tuple[object, ...]]  # after the caller and the project
    writes: str = ""  # the language whose text it writes
    proposes: str = ""  # the attribute with the key that the caller has proposed for

    def ask(self, world, caller, project=None):
        method = attrgetter(self.name)(world.framework)
        return method(caller, project or world.project, *self.arguments(world))

    def refusal(self, world, caller, project=None):
        """Why it is not done, or the first item of a batch is not."""
        if self.proposes:
            with suppress(LocError):
                world.write(caller, getattr(world, self.proposes), "Attendre")
        try:
            answer = self.ask(world, caller, project)
        except LocError as error:
            return error
        first = answer[0] if isinstance(answer, list) and answer else None
        return getattr(first, "error", None)


ROWS = [  # the reads first; what ends most comes last
    Row("projects.get_project", "project_read", lambda w: ()),
    Row("projects.list_tokens", "token_manage", lambda w: (PageRequest(),)),
    Row("languages.list_languages", "project_read", lambda w: ()),
    Row("languages.page_of_languages", "project_read", lambda w: (PageRequest(),)),
    Row("languages.get_language", "project_read", lambda w: ("fr",)),
    Row("keys.get_key", "translation_read", lambda w: (w.pay,)),
    Row("keys.list_keys", "translation_read", lambda w: (KeyQuery(search="payer"),)),
    Row("keys.get_value", "translation_read", lambda w: (w.pay, "fr")),
    Row("keys.get_detail", "translation_read", lambda w: (w.pay,)),
    Row("keys.list_trash", "translation_read", lambda w: (TrashQuery(),)),
    Row(
        "history.list_revisions",
        "translation_read",
        lambda w: (w.pay, "fr", HistoryQuery(branch="spring")),
    ),
    Row("branches.list_branches", "translation_read", lambda w: (BranchesQuery(),)),
    Row("branches.get_branch", "translation_read", lambda w: ("spring",)),
    Row("merging.diff", "translation_read", lambda w: ("spring",)),
    Row("statistics.get_statistics", "statistics_read", lambda w: ()),
    Row("activity.list_activity", "audit_read", lambda w: (ActivityQuery(),)),
    Row("issues.list_issues", "translation_read", lambda w: (IssueQuery(),)),
    Row("files.read_file", "translation_read", lambda w: (w.file,)),
    Row(
        "exports.export",
        "export_run",
        lambda w: (ExportQuery("json-flat", language_codes=["fr"]),),
    ),
    Row(
        "exports.state",
        "export_run",
        lambda w: (ExportQuery("json-flat", language_codes=["fr"]),),
    ),
    Row("imports.list_conflicts", "", lambda w: (w.imported, PageRequest())),
    Row("jobs.list_jobs", "", lambda w: (JobQuery(type="recheck"),)),
    Row("jobs.get_job", "", lambda w: (w.job,)),
    Row(
        "keys.create_key",
        "key_create translation_write",
        lambda w: (NewKey("new", values={"fr": "Neuf"}),),
        writes="fr",
    ),
    Row("keys.update_key", "key_update", lambda w: (w.pay, KeyChanges(tags=["a"]))),
    Row(
        "keys.update_key",
        "key_update translation_write",
        lambda w: (w.turned, KeyChanges(is_plural=True)),
        writes="fr",
    ),
    Row("keys.delete_key", "key_delete", lambda w: (w.doomed,)),
    Row("keys.restore_key", "key_delete", lambda w: (w.gone,)),
    Row(
        "bulk_keys.create_keys",
        "key_create translation_write",
        lambda w: (NEW_KEYS,),
        writes="fr",
    ),
    Row("bulk_keys.create_keys", "key_create key_update", lambda w: (KNOWN_KEYS,)),
    Row(
        "bulk_keys.set_values",
        "translation_write",
        lambda w: (NewValues([ValueItem("fr", "Payez", key_id=w.pay)]),),
        writes="fr",
    ),
    Row(
        "history.revert",
        "translation_write",
        lambda w: (w.pay, "fr", Reversion(1)),
        writes="fr",
    ),
    Row(
        "keys.set_value",
        "translation_write",
        lambda w: (w.pay, "fr", NewValue("Je paie")),
        writes="fr",
    ),
    Row(
        "review.approve",
        "translation_approve",
        lambda w: (w.approvable, "fr", Approval()),
        writes="fr",
    ),
    Row(
        "review.reject",
        "translation_approve",
        lambda w: (w.rejectable, "fr", Rejection("No")),
        writes="fr",
    ),
    Row(
        "review.withdraw",
        "translation_write",
        lambda w: (w.withdrawable, "fr"),
        writes="fr",
        proposes="withdrawable",
    ),
    Row(
        "bulk_keys.review",
        "translation_approve",
        lambda w: (BulkReview("approve", [ReviewItem("fr", w.also_approvable)]),),
        writes="fr",
    ),
    Row(
        "bulk_reviews.start_review",
        "translation_approve",
        lambda w: (ReviewRequest("approve", KeyConditions(language_code="fr")),),
        writes="fr",
    ),
    Row(
        "issues.preview",
        "translation_read",
        lambda w: (CheckPreview(w.pay, "fr", "Payer"),),
    ),
    Row("branches.create_branch", "branch_manage", lambda w: (NewBranch("winter"),)),
    Row("branches.close_branch", "branch_manage", lambda w: ("autumn",)),
    Row("merging.update", "branch_manage", lambda w: ("spring",)),
    Row(
        "merging.merge",
        "branch_merge",
        lambda w: ("spring", MergeRequest(strategy="use_branch")),
        writes="fr",
    ),
    Row(
        "activity.start_revert",
        "translation_approve",
        lambda w: (RevertRequest(key_id=w.pay, dry_run=True),),
    ),
    Row("issues.start_recheck", "project_update", lambda w: ()),
    Row("files.add_file", "key_update", lambda w: (png(),)),
    Row(
        "imports.start_import",
        "import_run key_create translation_write",
        lambda w: (FILE, FRENCH),
        writes="fr",
    ),
    Row(
        "imports.start_import",
        "import_run key_create key_delete translation_write",
        lambda w: (FILE, replace(FRENCH, mode="replace")),
        writes="en",  # with the keys that go
    ),
    Row(
        "prefill.start_prefill",
        "translation_write tm_read",
        lambda w: (PrefillRequest(["fr"]),),
        writes="fr",
    ),
    Row(
        "machine_translation.start_run",
        "ai_run",
        lambda w: (TranslateRequest(["fr"]),),
        writes="fr",
    ),
    Row(
        "machine_translation.suggest",
        "ai_suggest",
        lambda w: (SuggestRequest("fr", text="Pay"),),
    ),
    Row(
        "run_approvals.start_approval",
        "translation_approve",
        lambda w: (w.run,),
        writes="fr",
    ),
    Row("machine_translation.list_providers", "ai_suggest", lambda w: ()),
    Row("machine_translation.get_usage", "ai_run", lambda w: ()),
    Row("machine_translation.get_quality", "ai_run", lambda w: (MonthsQuery(),)),
    Row("machine_translation.list_outcomes", "", lambda w: (w.run, PageRequest())),
    Row("jobs.cancel_job", "", lambda w: (w.job,)),
    Row("languages.add_language", "language_manage", lambda w: (NewLanguage("ar"),)),
    Row(
        "languages.update_language",
        "language_manage",
        lambda w: ("nl", LanguageChanges(label="Flemish")),
    ),
    Row("languages.remove_language", "language_manage", lambda w: ("nl",)),
    Row(
        "projects.update_project",
        "project_update",
        lambda w: (ProjectChanges(description="Ours"),),
    ),
    Row("projects.create_token", "token_manage", lambda w: (NewToken("s", []),)),
    Row("projects.revoke_token", "token_manage", lambda w: (w.token,)),
    Row("projects.delete_project", "project_delete", lambda w: ()),
]
SERVICES = {row.name.partition(".")[0] for row in ROWS}
STARTED_BY = {
    "imports.list_conflicts": "import_run",
    "machine_translation.list_outcomes": "ai_run",
}
"""What starts the jobs that calls are about; the others are project_update's."""
FOR_OTHER_SERVICES = {"require", "visible", "seen_id"}
PREPARING = "prepare_"  # the same in two steps, for HTTP


@pytest.fixture
def world(workspace):
    return World(workspace)


@pytest.fixture
def untouched_world(world):
    """A world that nothing may change."""
    storage = world.framework.storage

    def state():
        jobs = world.framework.jobs.list_jobs(world.owner, world.project, JobQuery())
        events = latest(storage.events, world.project, 1000)
        return events, jobs, storage.projects.find(world.project)

    before = state()
    yield world
    assert state() == before


def test_no_call_of_these_services_is_left_out(sqlite_workspace):
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


def test_another_organizations_project_reads_like_an_absent_one(untouched_world):
    stranger = untouched_world.stranger()

    for row in ROWS:
        foreign = row.refusal(untouched_world, stranger)
        nowhere = row.refusal(untouched_world, stranger, new_id())

        assert isinstance(foreign, ProjectNotFound), row.name
        assert isinstance(nowhere, ProjectNotFound), row.name
        assert foreign.message == nowhere.message, row.name
        assert foreign.details == nowhere.details, row.name


def test_who_lacks_one_of_the_permissions_is_told_which(untouched_world):
    callers = {}

    for row in ROWS:
        for permission in row.needs.split():
            if permission not in callers:
                callers[permission] = untouched_world.member_without(permission)

            refusal = row.refusal(untouched_world, callers[permission])

            assert isinstance(refusal, PermissionDenied), (row.name, permission)
            assert refusal.details == {"required": permission}, row.name


def test_who_has_these_permissions_and_no_other_is_answered(world):
    for row in ROWS:
        needed = row.needs.split() or [STARTED_BY.get(row.name, "project_update")]
        caller = world.member("owner", permissions=needed)

        assert row.refusal(world, caller) is None, row.name


def test_a_job_is_shown_only_to_who_might_have_started_it(world):
    caller = world.member_without("project_update")

    for row in ROWS:
        if row.name in ("jobs.get_job", "jobs.cancel_job"):
            assert isinstance(row.refusal(world, caller), JobNotFound), row.name


def test_a_language_that_is_not_assigned_is_refused_where_it_is_written_and_only_there(
    world,
):
    german = world.member("owner", languages=["de"])
    world.write(german, world.pay, "Zahlen {n}", "de")

    for row in ROWS:
        refusal = row.refusal(world, german)
        if row.writes:
            assert refusal is not None, row.name
            assert refusal.code == LanguageNotAssigned.code, row.name
            assert refusal.details == {"languageCode": row.writes}, row.name
        else:
            assert refusal is None, row.name
