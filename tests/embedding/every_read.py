"""The calls that only read, each of what a World was made with."""

from __future__ import annotations

from typing import Any

from locframework.branches.records import Branch, BranchesQuery
from locframework.errors import (
    BranchNotFound,
    FileNotFound,
    JobNotFound,
    KeyNotFound,
    LanguageNotFound,
)
from locframework.exchange.records import ExportedFile, ExportQuery
from locframework.history.records import ActivityQuery
from locframework.issues.service import IssueQuery
from locframework.jobs.records import Job, JobQuery
from locframework.keys.records import Key, KeyDetail, KeyQuery, TrashQuery
from locframework.keys.revisions import HistoryQuery
from locframework.merging.records import Diff
from locframework.pagination import Page, PageRequest
from locframework.projects.records import Language, Project
from locframework.statistics.records import Statistics
from locframework.testing.images import png

from .every_service import Row, french


def names(page: Page[Any]) -> list[str]:
    return [each.name for each in page.items]


READS = (
    Row(
        "projects.get_project",
        "project_read",
        lambda w: (),
        Project,
        lambda project: project.name == "Web shop",
    ),
    Row(
        "projects.list_tokens",
        "token_manage",
        lambda w: (PageRequest(),),
        Page,
        lambda page: names(page) == ["ci"],
    ),
    Row(
        "languages.list_languages",
        "project_read",
        lambda w: (),
        list,
        lambda found: [each.language_code for each in found][:2] == ["en", "de"],
    ),
    Row(
        "languages.page_of_languages",
        "project_read",
        lambda w: (PageRequest(limit=1),),
        Page,
        lambda page: (page.items[0].language_code, page.total) == ("en", 4),
    ),
    Row(
        "languages.get_language",
        "project_read",
        lambda w: ("fr",),
        Language,
        lambda language: language.label == "French",
        lacks=LanguageNotFound,
    ),
    Row(
        "keys.get_key",
        "translation_read",
        lambda w: (w.pay,),
        Key,
        lambda key: french(key) == [("Payer", "approved")],
        lacks=KeyNotFound,
    ),
    Row(
        "keys.list_keys",
        "translation_read",
        lambda w: (KeyQuery(search="payer", include="values"),),
        Page,
        lambda page: [french(key)[0][0] for key in page.items] == ["Payer"],
    ),
    Row(
        "keys.get_value",
        "translation_read",
        lambda w: (w.pay, "fr"),
        list,
        lambda values: [(v.value, v.revision) for v in values] == [("Payer", 1)],
        lacks=KeyNotFound,
    ),
    Row(
        "keys.get_detail",
        "translation_read",
        lambda w: (w.pay,),
        KeyDetail,
        lambda detail: detail.max_length is None,
        lacks=KeyNotFound,
    ),
    Row(
        "keys.list_trash",
        "translation_read",
        lambda w: (TrashQuery(),),
        Page,
        lambda page: [key.key for key in page.items] == ["gone"],
    ),
    Row(
        "history.list_revisions",
        "translation_read",
        lambda w: (w.pay, "fr", HistoryQuery(branch="spring")),
        Page,
        lambda page: [r.value for r in page.items] == ["Régler {n}", "Payer"],
        lacks=BranchNotFound,
    ),
    Row(
        "branches.list_branches",
        "translation_read",
        lambda w: (BranchesQuery(),),
        Page,
        lambda page: names(page) == ["autumn", "spring"],
    ),
    Row(
        "branches.get_branch",
        "translation_read",
        lambda w: ("spring",),
        Branch,
        lambda branch: (branch.status, branch.change_count) == ("open", 1),
        lacks=BranchNotFound,
    ),
    Row(
        "merging.diff",
        "translation_read",
        lambda w: ("spring",),
        Diff,
        lambda diff: (
            [(c.main, c.branch) for c in diff.items] == [("Payer", "Régler {n}")]
        ),
        lacks=BranchNotFound,
    ),
    Row(
        "statistics.get_statistics",
        "statistics_read",
        lambda w: (),
        Statistics,
        lambda told: (
            [
                (each.approved, each.pending_review, each.untranslated)
                for each in told.languages
                if each.language_code == "fr"
            ]
            == [(2, 2, 1)]
        ),
    ),
    Row(
        "activity.list_activity",
        "audit_read",
        lambda w: (ActivityQuery(key_id=w.gone),),
        Page,
        lambda page: (
            [each.type for each in page.items] == ["key.deleted", "key.created"]
        ),
    ),
    Row(
        "issues.list_issues",
        "translation_read",
        lambda w: (IssueQuery(language_code="fr", severity="error"),),
        Page,
        lambda page: [each.key for each in page.items] == ["pay"],
    ),
    Row(
        "files.read_file",
        "translation_read",
        lambda w: (w.file,),
        tuple,
        lambda answer: answer[1]() == png(),
        lacks=FileNotFound,
    ),
    Row(
        "exports.export",
        "export_run",
        lambda w: (ExportQuery("json-flat", language_codes=["fr"]),),
        ExportedFile,
        lambda file: b'"pay": "Payer"' in file.content,
    ),
    Row(
        "jobs.list_jobs",
        "",
        lambda w: (JobQuery(type="recheck"),),
        Page,
        lambda page: page.total >= 1,
    ),
    Row(
        "jobs.get_job",
        "",
        lambda w: (w.job,),
        Job,
        lambda job: job.status == "queued",
        lacks=JobNotFound,
    ),
)
