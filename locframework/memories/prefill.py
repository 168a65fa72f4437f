"""What one can ask: have texts that are missing filled from memories."""

from collections.abc import Sequence

import msgspec

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.service import Branches, require_writable
from locframework.errors import LanguageNotInProject, ValidationFailed
from locframework.jobs.records import Job
from locframework.jobs.service import Jobs
from locframework.languages import require_tag
from locframework.projects.records import Project
from locframework.projects.service import Projects, scope_of
from locframework.validation import check_record

from .prefill_job import PERMISSION, TYPE
from .prefill_records import PrefillParams, PrefillRequest
from .store import MemoryStorage


class Prefill:
    """Pre-translation: a job that takes the best matches as drafts."""

    def __init__(
        self,
        storage: MemoryStorage,
        access: Access,
        projects: Projects,
        branches: Branches,
        jobs: Jobs,
    ) -> None:
        self._storage = storage
        self._access = access
        self._projects = projects
        self._branches = branches
        self._jobs = jobs

    def start_prefill(
        self,
        caller: Caller,
        project_id: str,
        asked: PrefillRequest,
        *,
        branch: str | None = None,
    ) -> Job:
        """Queue it. Needs tm_write and the languages.

        Texts land as drafts of the origin ``tm``; an approved text beside one stays
        the delivered one. Raises ProjectNotFound, ValidationFailed,
        LanguageNotInProject, LanguageNotAssigned, BranchNotFound, BranchNotOpen,
        BranchProtected.
        """
        project = self._projects.require(caller, PERMISSION, project_id)
        check_record(asked)
        codes = self._codes(project, asked.language_codes)
        scope = self._branches.scope(project, branch)
        for code in codes:
            self._access.require_language(caller, scope_of(project), code)
        require_writable(scope)
        params = PrefillParams(
            language_codes=codes,
            min_match_percentage=asked.min_match_percentage,
            only_missing=asked.only_missing,
            key_ids=asked.key_ids,
            filter=asked.filter,
            branch=scope.branch_id,
        )
        given = msgspec.to_builtins(params)
        with self._storage.transaction():
            return self._jobs.start(caller, project, TYPE, PERMISSION, given).job

    def _codes(self, project: Project, codes: Sequence[str]) -> list[str]:
        languages = self._storage.projects.list_languages(project.id)
        there = {language.language_code for language in languages}
        found: list[str] = []
        for at, code in enumerate(codes):
            path = f"$.languageCodes[{at}]"
            tag = require_tag(code, path)
            if tag not in there:
                raise LanguageNotInProject(f"the project has no language {tag}")
            if tag == project.source_language:
                message = f"{tag} is the source language"
                raise ValidationFailed.at(path, "language", message)
            found.append(tag)
        return list(dict.fromkeys(found))
