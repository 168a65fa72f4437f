"""What a reviewer can do with texts that wait: approve them, or reject them."""

from locframework.access.records import Caller
from locframework.branches.service import Branches
from locframework.errors import KeyNotFound
from locframework.fields import is_id
from locframework.languages import tag_from_path
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.validation import check_record

from .records import Approval, Key, KeyWrite, Rejection, ReviewDecision
from .review_rules import check_forms
from .writing.writer import KeyWriter


class Review:
    """Approvals and rejections: all plural forms of a language at once."""

    def __init__(
        self,
        projects: Projects,
        branches: Branches,
        writer: KeyWriter,
    ) -> None:
        self._projects = projects
        self._branches = branches
        self._writer = writer

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
        decision = ReviewDecision(
            tag_from_path(lang), approves=True, revision=asked.revision
        )
        return self._decide(caller, project, key_id, decision, branch)

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
        decision = ReviewDecision(
            tag_from_path(lang),
            approves=False,
            revision=asked.revision,
            reason=asked.reason or None,
        )
        return self._decide(caller, project, key_id, decision, branch)

    def _project(
        self, caller: Caller, project_id: str, asked: Approval | Rejection
    ) -> Project:
        project = self._projects.require(caller, "translation_approve", project_id)
        check_record(asked)
        check_forms(asked.revision)
        return project

    def _decide(
        self,
        caller: Caller,
        project: Project,
        key_id: str,
        decision: ReviewDecision,
        branch: str | None,
    ) -> Key:
        write = KeyWrite(name=key_id, key_id=key_id, verdict=decision)
        if not is_id(key_id):
            raise KeyNotFound
        scope = self._branches.scope(project, branch)
        return self._writer.write_key(caller, scope, write)
