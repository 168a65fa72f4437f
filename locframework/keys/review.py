"""What a reviewer can do with texts that wait: approve them, or reject them."""

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.records import BranchScope
from locframework.branches.service import Branches, require_writable
from locframework.errors import KeyNotFound, LanguageNotFound
from locframework.fields import is_id
from locframework.languages import tag_from_path
from locframework.projects.languages import Languages
from locframework.projects.records import Project
from locframework.projects.service import Projects, scope_of
from locframework.storage import Storage
from locframework.transactions import crash_point
from locframework.validation import check_record

from .records import Approval, Key, KeyWrite, Rejection, ReviewDecision
from .review_rules import check_forms, check_plurals
from .store import store_of
from .writer import KeyWriter


class Review:
    """Approvals and rejections: all plural forms of a language at once."""

    def __init__(
        self,
        storage: Storage,
        projects: Projects,
        branches: Branches,
        languages: Languages,
        writer: KeyWriter,
        access: Access,
    ) -> None:
        self._storage = storage
        self._projects = projects
        self._branches = branches
        self._languages = languages
        self._writer = writer
        self._access = access

    def approve(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        asked: Approval,
        *,
        branch: str | None = None,
    ) -> Key:
        """Let the texts that wait count from now on. Answers the key with its values.

        Drafts can be approved, and approved texts that are outdated: they are fresh
        again. Raises InvalidPluralForm, KeyNotFound, PluralMismatch, LanguageNotFound,
        LanguageNotAssigned, BranchProtected, NothingPending, QualityCheckFailed.
        """
        project = self._project(caller, project_id, asked)
        verdict = ReviewDecision(
            tag_from_path(lang), approves=True, revision=asked.revision
        )
        return self._judge(caller, project, key_id, verdict, branch)

    def reject(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        asked: Rejection,
        *,
        branch: str | None = None,
    ) -> Key:
        """Give the texts that wait back: the last approved one returns.

        Where there is none, the text stays, as a draft. Raises as ``approve``.
        """
        project = self._project(caller, project_id, asked)
        verdict = ReviewDecision(
            tag_from_path(lang),
            approves=False,
            revision=asked.revision,
            reason=asked.reason or None,
        )
        return self._judge(caller, project, key_id, verdict, branch)

    def _project(
        self, caller: Caller, project_id: str, asked: Approval | Rejection
    ) -> Project:
        project = self._projects.require(caller, "translation_approve", project_id)
        check_record(asked)
        check_forms(asked.revision)
        return project

    def _judge(
        self,
        caller: Caller,
        project: Project,
        key_id: str,
        verdict: ReviewDecision,
        branch: str | None,
    ) -> Key:
        scope = self._branches.scope(project, branch)
        self._writer.findings.prepare(project.id)
        with self._storage.transaction():
            scope = self._branches.lock_scope(scope)
            languages = self._languages.of(scope.project)
            codes = [language.language_code for language in languages]
            self._require(caller, scope, key_id, verdict, codes)
            write = KeyWrite(name=key_id, key_id=key_id, verdict=verdict)
            [written] = self._writer.write(caller, scope, languages, [write])
            crash_point("review.before_commit")
        crash_point("review.after_commit")
        return written.key

    def _require(
        self,
        caller: Caller,
        scope: BranchScope,
        key_id: str,
        verdict: ReviewDecision,
        codes: list[str],
    ) -> None:
        """That key and language are there, and that the caller may judge them."""
        project, tag = scope.project, verdict.language_code
        store = store_of(self._storage, scope)
        key = store.find_key(project.id, key_id) if is_id(key_id) else None
        if key is None:
            raise KeyNotFound
        check_plurals(verdict.revision, is_plural=key.is_plural)
        if tag not in codes:
            raise LanguageNotFound
        self._access.require_language(caller, scope_of(project), tag)
        require_writable(scope)
