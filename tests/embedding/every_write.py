"""The calls that write, each something of its own; what ends most comes last."""

from __future__ import annotations

from msgspec.structs import replace

from locframework.access.records import NewToken, Token
from locframework.branches.records import Branch, NewBranch
from locframework.errors import (
    BranchNotFound,
    JobNotFound,
    KeyNotFound,
    LanguageNotFound,
    TokenNotFound,
)
from locframework.exchange.records import ImportOptions
from locframework.files.records import File
from locframework.formats.records import SourceFile
from locframework.history.records import RevertRequest
from locframework.jobs.records import Job
from locframework.keys.records import (
    Approval,
    BulkKey,
    Key,
    KeyChanges,
    NewKey,
    NewKeys,
    NewValue,
    NewValues,
    Rejection,
    ValueItem,
)
from locframework.keys.revisions import Reversion
from locframework.memories.prefill import PrefillRequest
from locframework.merging.records import MergeRequest, MergeResult, UpdateResult
from locframework.projects.records import (
    Language,
    LanguageChanges,
    NewLanguage,
    Project,
    ProjectChanges,
)
from locframework.testing.images import png

from .every_service import Row, french

FRENCH_FILE = SourceFile("fr.json", b'{"imported": "Nouveau"}')
FRENCH = ImportOptions(format="json-flat", language_code="fr")
INSTEAD = replace(FRENCH, mode="replace")
NEW = NewKey("new", values={"fr": "Neuf"})
MANY_NEW = NewKeys([BulkKey("bulk", values={"fr": "Neuf"})])
MANY_KNOWN = NewKeys([BulkKey("pay", description="Said")], on_existing="update")

WRITES = (
    Row(
        "keys.create_key",
        "key_create translation_write",
        lambda w: (NEW,),
        Key,
        lambda key: key.key == "new",
        writes="fr",
    ),
    Row(
        "keys.update_key",
        "key_update",
        lambda w: (w.pay, KeyChanges(tags=["shop"])),
        Key,
        lambda key: key.tags == ("shop",),
        lacks=KeyNotFound,
    ),
    Row(
        "keys.update_key",
        "key_update translation_write",
        lambda w: (w.turned, KeyChanges(is_plural=True)),
        Key,
        lambda key: key.is_plural,
        writes="fr",
        lacks=KeyNotFound,
    ),
    Row(
        "keys.delete_key",
        "key_delete",
        lambda w: (w.doomed,),
        Key,
        lambda key: key.key == "doomed",
        lacks=KeyNotFound,
    ),
    Row(
        "keys.restore_key",
        "key_delete",
        lambda w: (w.gone,),
        Key,
        lambda key: key.key == "gone",
        lacks=KeyNotFound,
    ),
    Row(
        "bulk_keys.create_keys",
        "key_create translation_write",
        lambda w: (MANY_NEW,),
        list,
        lambda results: [each.outcome for each in results] == ["created"],
        writes="fr",
    ),
    Row(
        "bulk_keys.create_keys",
        "key_create key_update",
        lambda w: (MANY_KNOWN,),
        list,
        lambda results: [each.key.description for each in results] == ["Said"],
    ),
    Row(
        "bulk_keys.set_values",
        "translation_write",
        lambda w: (NewValues([ValueItem("fr", "Payez", key_id=w.pay)]),),
        list,
        lambda results: french(results[0].key) == [("Payez", "approved")],
        writes="fr",
        lacks=KeyNotFound,
    ),
    Row(
        "history.revert",
        "translation_write",
        lambda w: (w.pay, "fr", Reversion(1)),
        Key,
        lambda key: french(key) == [("Payer", "approved")],
        writes="fr",
        lacks=KeyNotFound,
    ),
    Row(
        "keys.set_value",
        "translation_write",
        lambda w: (w.pay, "fr", NewValue("Je paie")),
        Key,
        lambda key: french(key) == [("Je paie", "approved")],
        writes="fr",
        lacks=KeyNotFound,
    ),
    Row(
        "review.approve",
        "translation_approve",
        lambda w: (w.approvable, "fr", Approval()),
        Key,
        lambda key: french(key) == [("Attendre", "approved")],
        writes="fr",
        lacks=KeyNotFound,
    ),
    Row(
        "review.reject",
        "translation_approve",
        lambda w: (w.rejectable, "fr", Rejection("No")),
        Key,
        lambda key: french(key) == [("Attendre", "draft")],
        writes="fr",
        lacks=KeyNotFound,
    ),
    Row(
        "branches.create_branch",
        "branch_manage",
        lambda w: (NewBranch("winter"),),
        Branch,
        lambda branch: (branch.name, branch.status) == ("winter", "open"),
    ),
    Row(
        "branches.close_branch",
        "branch_manage",
        lambda w: ("autumn",),
        Branch,
        lambda branch: (branch.name, branch.status) == ("autumn", "closed"),
        lacks=BranchNotFound,
    ),
    Row(
        "merging.update",
        "branch_manage",
        lambda w: ("spring",),
        UpdateResult,
        lambda result: result.branch.status == "open",
        lacks=BranchNotFound,
    ),
    Row(
        "merging.merge",
        "branch_merge",
        lambda w: ("spring", MergeRequest(strategy="use_branch")),
        MergeResult,
        lambda result: (result.branch.status, result.applied.updated) == ("merged", 1),
        writes="fr",
        lacks=BranchNotFound,
    ),
    Row(
        "activity.start_revert",
        "translation_approve",
        lambda w: (RevertRequest(key_id=w.pay, dry_run=True),),
        Job,
        lambda job: (job.type, job.status) == ("revert", "queued"),
    ),
    Row(
        "issues.start_recheck",
        "project_update",
        lambda w: (),
        Job,
        lambda job: job.type == "recheck",
    ),
    Row(
        "files.add_file",
        "key_update",
        lambda w: (png(),),
        File,
        lambda file: file.content_type == "image/png",
    ),
    Row(
        "imports.start_import",
        "import_run key_create translation_write",
        lambda w: (FRENCH_FILE, FRENCH),
        Job,
        lambda job: (job.type, job.status) == ("import", "queued"),
        writes="fr",
    ),
    Row(
        "imports.start_import",
        "import_run key_create key_delete translation_write",
        lambda w: (FRENCH_FILE, INSTEAD),
        Job,
        lambda job: job.type == "import",
        writes="en",  # with the keys that go
    ),
    Row(
        "prefill.start_prefill",
        "tm_write",
        lambda w: (PrefillRequest(["fr"]),),
        Job,
        lambda job: (job.type, job.status) == ("tm_prefill", "queued"),
        writes="fr",
    ),
    Row(
        "jobs.cancel_job",
        "",
        lambda w: (w.job,),
        Job,
        lambda job: job.status == "cancelled",
        lacks=JobNotFound,
    ),
    Row(
        "languages.add_language",
        "language_manage",
        lambda w: (NewLanguage("ar"),),
        Language,
        lambda language: (language.language_code, language.direction) == ("ar", "rtl"),
    ),
    Row(
        "languages.update_language",
        "language_manage",
        lambda w: ("nl", LanguageChanges(label="Flemish")),
        Language,
        lambda language: language.label == "Flemish",
        lacks=LanguageNotFound,
    ),
    Row(
        "languages.remove_language",
        "language_manage",
        lambda w: ("nl",),
        Language,
        lambda language: language.language_code == "nl",
        lacks=LanguageNotFound,
    ),
    Row(
        "projects.update_project",
        "project_update",
        lambda w: (ProjectChanges(description="Ours"),),
        Project,
        lambda project: project.description == "Ours",
    ),
    Row(
        "projects.create_token",
        "token_manage",
        lambda w: (NewToken("script", []),),
        tuple,
        lambda made: isinstance(made[0], Token) and made[1].startswith("svc_proj_"),
    ),
    Row(
        "projects.revoke_token",
        "token_manage",
        lambda w: (w.token,),
        type(None),
        lambda answer: answer is None,
        lacks=TokenNotFound,
    ),
    Row(
        "projects.delete_project",
        "project_delete",
        lambda w: (),
        Project,
        lambda project: project.name == "Web shop",
    ),
)
