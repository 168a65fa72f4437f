"""Every refusal that the API can answer: one class a case, its code is API.

Codes and statuses are decisions 2.2. A service raises, ``http`` answers, nothing
between catches. The message is for people and may change; the code may not.
"""

from __future__ import annotations

from collections.abc import Mapping

from .faults import PLUGIN_FAULTS as PLUGIN_FAULTS
from .faults import PluginError as PluginError
from .faults import SettingsError as SettingsError
from .missing import BranchNotFound as BranchNotFound
from .missing import DeliveryNotFound as DeliveryNotFound
from .missing import DistributionNotFound as DistributionNotFound
from .missing import EntryNotFound as EntryNotFound
from .missing import FileNotFound as FileNotFound
from .missing import GlossaryNotFound as GlossaryNotFound
from .missing import JobNotFound as JobNotFound
from .missing import KeyNotFound as KeyNotFound
from .missing import LanguageNotFound as LanguageNotFound
from .missing import MemberNotFound as MemberNotFound
from .missing import NotFound as NotFound
from .missing import OrganizationNotFound as OrganizationNotFound
from .missing import ProjectNotFound as ProjectNotFound
from .missing import ReleaseNotFound as ReleaseNotFound
from .missing import TermNotFound as TermNotFound
from .missing import TmNotFound as TmNotFound
from .missing import TokenNotFound as TokenNotFound
from .missing import WebhookNotFound as WebhookNotFound
from .refusal import SHOWN_CHARACTERS as SHOWN_CHARACTERS
from .refusal import LocError as LocError
from .refusal import Problem as Problem
from .refusal import Repeats as Repeats
from .refusal import brief as brief
from .refusal import mentioned as mentioned
from .refusal import shown as shown

# 400: the request is wrong


class InvalidJson(LocError):
    """The body is not JSON as decisions 2.10 allows it."""

    code, status = "invalid_json", 400


class ValidationFailed(LocError):
    """The request does not fit the schema; ``details`` lists a Problem each."""

    code, status = "validation_failed", 400

    @classmethod
    def at(cls, path: str, rule: str, message: str) -> ValidationFailed:
        """One problem, told as message and detail alike."""
        return cls(f"{path}: {message}", [Problem(path, rule, message)])


class InvalidKey(LocError):
    """A key with an empty segment or a character that keys may not have."""

    code, status = "invalid_key", 400


class LanguageNotInProject(LocError):
    """``values`` names a language that the project does not have."""

    code, status = "language_not_in_project", 400


class PluralMismatch(LocError):
    """A string for a plural key, or an object for a singular one."""

    code, status = "plural_mismatch", 400


class InvalidPluralForm(LocError):
    """A form that is not zero, one, two, few, many or other."""

    code, status = "invalid_plural_form", 400


class UnknownPermission(LocError):
    """A permission key that nobody provides."""

    code, status = "unknown_permission", 400


class UnknownFormat(LocError):
    """A file format that no plugin provides, or that cannot do what is asked."""

    code, status = "unknown_format", 400


class UrlNotAllowed(LocError):
    """A webhook URL that nothing may be sent to; the message says why."""

    code, status = "url_not_allowed", 400


class UnknownEventType(LocError):
    """An event type that nobody provides, or that cannot be subscribed to."""

    code, status = "unknown_event_type", 400


class UnreadableFile(LocError):
    """A file that cannot be read; ``details`` lists a Problem each, by line."""

    code, status = "unreadable_file", 400


# 401, 403: who


class Unauthorized(LocError):
    """No valid token; one body for every reason, so that nothing can be probed."""

    code, status = "unauthorized", 401

    def __init__(self) -> None:
        super().__init__("a valid bearer token is required")


class PermissionDenied(LocError):
    """The caller may see the target, and may not do this."""

    code, status = "permission_denied", 403

    def __init__(self, required: str, reason: str | None = None) -> None:
        message = reason or f"the permission {required} is required"
        super().__init__(message, {"required": required})


class LanguageNotAssigned(LocError):
    """The language is outside the caller's assigned languages."""

    code, status = "language_not_assigned", 403

    def __init__(self, language_code: str | None) -> None:
        """None: to have all languages is more than the caller has."""
        what = f"the language {language_code} is not"
        if language_code is None:
            what = "not every language is"
        super().__init__(
            f"{what} assigned to the caller", {"languageCode": language_code}
        )


# 405 to 415


class MethodNotAllowed(LocError):
    """The path exists, and not with this method."""

    code, status = "method_not_allowed", 405


class NotAcceptable(LocError):
    """The answer cannot be given in the media type that Accept asks for."""

    code, status = "not_acceptable", 406


class PayloadTooLarge(LocError):
    """JSON over 1 MiB, or an upload over 50 MiB."""

    code, status = "payload_too_large", 413


class UnsupportedMediaType(LocError):
    """A body that is not in the one media type that the endpoint reads."""

    code, status = "unsupported_media_type", 415


# 409: the state of the target refuses


class KeyExists(LocError):
    """A key of this name is in the project already."""

    code, status = "key_exists", 409


class EntryExists(LocError):
    """An entry with this source text and context is in the memory already."""

    code, status = "entry_exists", 409


class IdempotencyConflict(LocError):
    """The ``Idempotency-Key`` was used, and its answer cannot be given again."""

    code, status = "idempotency_conflict", 409


class LanguageExists(LocError):
    """The project has this language already."""

    code, status = "language_exists", 409


class BranchExists(LocError):
    """An open branch of the project has this name."""

    code, status = "branch_exists", 409


class NameExists(LocError):
    """Another record of the same kind has this name."""

    code, status = "name_exists", 409


class TermExists(LocError):
    """The glossary has this term with the same case rule."""

    code, status = "term_exists", 409


class TermNotTranslatable(LocError):
    """A value other than the term, of a term that stays untranslated."""

    code, status = "term_not_translatable", 409

    def __init__(self, language_code: str) -> None:
        super().__init__(
            f"doNotTranslate: the term stays as it is in {language_code} too; clear the"
            " translation that differs, or turn doNotTranslate off"
        )


class MemberExists(LocError):
    """The person is a member of the organization already."""

    code, status = "member_exists", 409


class LastOwner(LocError):
    """An organization keeps at least one owner (decisions 2.9)."""

    code, status = "last_owner", 409


class SourceLanguageRequired(LocError):
    """The source language cannot be taken out of its project."""

    code, status = "source_language_required", 409


class MemoriesAssigned(LocError):
    """The project uses memories of another source language than the one wanted."""

    code, status = "memories_assigned", 409


class SeparatorFixed(LocError):
    """The key separator is fixed once keys exist, on any line (decisions 2.6)."""

    code, status = "separator_fixed", 409


class BranchProtected(LocError):
    """A direct write to a protected main."""

    code, status = "branch_protected", 409

    def __init__(
        self,
        message: str = "main is protected: `branch` must name an open branch",
    ) -> None:
        super().__init__(message)


class BranchNotOpen(LocError):
    """The branch was merged or closed: nothing is read or written there any more."""

    code, status = "branch_not_open", 409


class MergeConflict(LocError):
    """Main and the branch changed the same; ``details`` lists the ``conflicts``."""

    code, status = "merge_conflict", 409


class NothingPending(LocError):
    """No text waits for review, or another than was asked for."""

    code, status = "nothing_pending", 409


class QualityCheckFailed(LocError):
    """A blocking check found something; ``details`` lists the ``issues``."""

    code, status = "quality_check_failed", 409


class WriteRefused(LocError):
    """A plugin refuses the change of a key or value; ``details`` names the plugin, its
    reason, the ``key``, and of a value ``languageCode`` and ``pluralForm``."""

    code, status = "write_refused", 409

    def __init__(self, plugin: str, reason: str, what: Mapping[str, object]) -> None:
        where = ", ".join(shown(str(each)) for each in what.values() if each)
        super().__init__(
            f"{where}: {shown(reason)}", {"plugin": plugin, "reason": reason, **what}
        )


class JobNotCancellable(LocError):
    """The job has ended already."""

    code, status = "job_not_cancellable", 409


class ImportConflict(LocError):
    """``onConflict: fail`` met values that differ; nothing was changed."""

    code, status = "import_conflict", 409


class ReleaseInProgress(LocError):
    """A release of this distribution is being built."""

    code, status = "release_in_progress", 409


class NotPaused(LocError):
    """Resume of a distribution that is not paused."""

    code, status = "not_paused", 409


class AlreadyPaused(LocError):
    """Pause of a distribution that is paused."""

    code, status = "already_paused", 409


class WebhooksNotSetUp(LocError):
    """The operator has given no key for signing secrets."""

    code, status = "webhooks_not_set_up", 409


# 412, 429, 5xx


class PreconditionFailed(LocError):
    """``If-Match`` names another state than the stored one."""

    code, status = "precondition_failed", 412


class RateLimited(LocError):
    """Over the request rate (service.md, Limits)."""

    code, status = "rate_limited", 429

    def __init__(self, retry_after_seconds: int, of: str = "requests") -> None:
        super().__init__(f"too many {of}; retry in {retry_after_seconds} s")
        self.retry_after_seconds = retry_after_seconds


class Unavailable(LocError):
    """A part that the request needs does not answer just now; retry later."""

    code, status = "unavailable", 503
    retry_after_seconds = 5
