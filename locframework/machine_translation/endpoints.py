"""Machine translation over HTTP (decisions 2.6)."""

from locframework.access.records import Caller
from locframework.errors import (
    BranchNotOpen,
    BranchProtected,
    BudgetExceeded,
    KeyNotFound,
    LanguageNotAssigned,
    LanguageNotInProject,
    UnknownProvider,
)
from locframework.http.operation import operation
from locframework.http.records import Accepted, BranchQuery
from locframework.jobs.endpoints import accepted
from locframework.jobs.records import JobAnswer
from locframework.keys.bulk_review import PERMISSION as APPROVE
from locframework.pagination import Page, PageRequest

from .approval import RunApprovals
from .records import (
    MonthsQuery,
    ProvidersAnswer,
    QualityAnswer,
    RunOutcome,
    SuggestionAnswer,
    SuggestRequest,
    TranslateRequest,
    UsageAnswer,
)
from .run import PERMISSION
from .service import SUGGEST, MachineTranslation


class MachineTranslationEndpoints:
    """``/projects/{projectId}/ai``."""

    tag = "Machine translation"

    def __init__(
        self, translation: MachineTranslation, approvals: RunApprovals
    ) -> None:
        self._translation = translation
        self._approvals = approvals

    @operation(
        "POST",
        "/projects/{projectId}/ai/translate",
        permission=PERMISSION,
        errors=(
            UnknownProvider,
            LanguageNotInProject,
            LanguageNotAssigned,
            BranchNotOpen,
            BranchProtected,
        ),
    )
    def start_translation(
        self,
        caller: Caller,
        project_id: str,
        query: BranchQuery,
        body: TranslateRequest,
    ) -> Accepted[JobAnswer]:
        """Translate texts by machine.

        A job writes drafts of the origin `ai`; texts that a memory has wholly are taken
        from there, with the origin `tm`. Placeholders, tags and the forms of ICU
        messages never reach the engine, and an answer that lacks one fails. Each
        selected text has one outcome, in `GET …/jobs/{jobId}/outcomes`. What people
        wrote or approved stays. `maxCost` is never exceeded; `dryRun` counts, and says
        what a run may cost at most.
        """
        job = self._translation.start_run(caller, project_id, body, branch=query.branch)
        return accepted(job)

    @operation("GET", "/projects/{projectId}/jobs/{jobId}/outcomes", permission=None)
    def list_outcomes(
        self, caller: Caller, project_id: str, job_id: str, query: PageRequest
    ) -> Page[RunOutcome]:
        """List what came of the texts of a run.

        In the order of keys, of 500 at most in one language after the other.
        """
        return self._translation.list_outcomes(caller, project_id, job_id, query)

    @operation(
        "POST",
        "/projects/{projectId}/ai/runs/{jobId}/approve",
        permission=APPROVE,
        errors=(LanguageNotAssigned, BranchNotOpen, BranchProtected),
    )
    def approve_translation(
        self, caller: Caller, project_id: str, job_id: str
    ) -> Accepted[JobAnswer]:
        """Approve what a run made and nobody changed since.

        A job approves all plural forms of a key at once; its result lists what it left
        alone: texts that were changed, and those that checks block.
        """
        return accepted(self._approvals.start_approval(caller, project_id, job_id))

    @operation("GET", "/projects/{projectId}/ai/providers", permission=SUGGEST)
    def list_providers(self, caller: Caller, project_id: str) -> ProvidersAnswer:
        """List the engines of machine translation.

        With their languages, limits and prices; the default one comes first.
        """
        return ProvidersAnswer(self._translation.list_providers(caller, project_id))

    @operation("GET", "/projects/{projectId}/ai/usage", permission=PERMISSION)
    def get_usage(
        self, caller: Caller, project_id: str, query: MonthsQuery
    ) -> UsageAnswer:
        """Get what machine translation costs.

        By month, engine and language; and what is left of the monthly budget.
        """
        return self._translation.get_usage(caller, project_id, query)

    @operation("GET", "/projects/{projectId}/ai/quality", permission=PERMISSION)
    def get_quality(
        self, caller: Caller, project_id: str, query: MonthsQuery
    ) -> QualityAnswer:
        """Get how good engines were.

        By engine and language: how many drafts reviewers approved as they were,
        approved after an edit, or rejected. Each draft counts once, in the month of the
        decision.
        """
        return QualityAnswer(self._translation.get_quality(caller, project_id, query))

    @operation(
        "POST",
        "/projects/{projectId}/ai/suggest",
        permission=SUGGEST,
        errors=(
            UnknownProvider,
            LanguageNotInProject,
            KeyNotFound,
            BranchNotOpen,
            BudgetExceeded,
        ),
        dry_run="it asks a translation engine",
    )
    def suggest_translation(
        self, caller: Caller, project_id: str, query: BranchQuery, body: SuggestRequest
    ) -> SuggestionAnswer:
        """Suggest a translation.

        Of a key, which needs `translation_read` too, or of a text, in 20 seconds at
        most. Nothing is stored. If others wait for suggestions already, 503 with
        `Retry-After`.
        """
        found = self._translation.suggest(caller, project_id, body, branch=query.branch)
        return SuggestionAnswer(found)
