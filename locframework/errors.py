"""Every error that the API responds with, one class per case, and those of the start.

Codes and statuses are those of docs/spec/decisions.md 2.2. Services raise them and
``http`` responds with them; nothing in between catches them. A message is for people
and may change; a code may not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from msgspec import Struct

SHOWN_CHARACTERS = 200
MENTIONED_CHARACTERS = 60


def truncate(text: str) -> str:
    """``text`` as a message may repeat it: 200 characters at most (decisions 2.10)."""
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def abbreviate(text: str) -> str:
    """``text`` where an answer may repeat it thrice, as message, path and detail."""
    if len(text) <= MENTIONED_CHARACTERS:
        return text
    return text[: MENTIONED_CHARACTERS - 1] + "…"


class Problem(Struct, frozen=True, omit_defaults=True):
    """One fault in what was sent: where, which rule, and a sentence."""

    path: str  # "$.tags[3]", "query.page", or "line 12" of an imported file
    rule: str  # one word or two: "required", "type", "length", "syntax", …
    message: str


class LocError(Exception):
    """The base of every refusal. ``details`` is JSON-shaped, or None."""

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500

    def __init__(self, message: str, details: object = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


def code_meaning(refusal: LocError) -> str:
    """What a refusal's code means, in a sentence that repeats nothing."""
    lines = (type(refusal).__doc__ or refusal.code).splitlines()
    return lines[0].replace("`", "").rstrip(".")


class Repeats:
    """Counts what one answer with many refusals repeats of what was sent."""

    def __init__(self) -> None:
        self._left = SHOWN_CHARACTERS

    def allow(self, told: str, sent: Iterable[str]) -> bool:
        """Whether ``told`` may stand in the answer, that repeats some of ``sent``."""
        repeated = _repeated(told, {text for text in sent if text})
        if repeated > self._left:
            return False
        self._left -= repeated
        return True


def _repeated(told: str, sent: Iterable[str]) -> int:
    """At least as many characters of ``told`` as are of ``sent``."""
    count = 0
    for text in sent:
        short = abbreviate(text)
        ways = {short, repr(short)[1:-1], repr(repr(short))[1:-1]}
        count += max(len(way) * told.count(way) for way in ways)
    return count


# The start: settings and plugins that cannot be used


_USER = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^\s'\"]*@", re.I)


def without_user(text: str) -> str:
    """Return ``text`` with "…" for the user and password of each URL in it."""
    return _USER.sub(r"\1…@", text)


class PluginError(Exception):
    """A plugin that cannot be used; it stops the start with this one line.

    ``setting`` is the one at fault, from the top ("plugins.json.indent"), or "".
    """

    def __init__(
        self, plugin: str, origin: str, reason: str, setting: str = ""
    ) -> None:
        super().__init__(without_user(f"plugin {plugin!r} ({origin}): {reason}"))
        self.setting = setting


PLUGIN_EXCEPTIONS = (Exception, SystemExit)
"""What a plugin's code may raise at us; one that exits would end our thread."""


class SettingsError(Exception):
    """Settings that cannot be used; it stops the start with this one line.

    ``setting`` is the one at fault, from the top ("server.port"), or "".
    """

    def __init__(self, message: str, setting: str = "") -> None:
        super().__init__(without_user(message))
        self.setting = setting


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


class UseCursor(LocError):
    """A page beyond those that lists have by number; cursors reach every item."""

    code, status = "use_cursor", 400


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


class NotOnBranch(LocError):
    """A branch has no undo; it is closed, or a value is reverted in its history."""

    code, status = "not_on_branch", 409


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
        where = ", ".join(truncate(str(each)) for each in what.values() if each)
        super().__init__(
            f"{where}: {truncate(reason)}", {"plugin": plugin, "reason": reason, **what}
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


# 404: missing, or not visible to the caller. Both read alike to the last byte, so
# the message never repeats the id that was sent.


class NotFound(LocError):
    """An unknown route, and the base of every missing target."""

    code, status = "not_found", 404
    target: ClassVar[str] = "resource"

    def __init__(self, target: str = "") -> None:
        super().__init__(f"there is no such {target or self.target}")


class OrganizationNotFound(NotFound):
    """No such organization for this caller."""

    code, target = "organization_not_found", "organization"


class MemberNotFound(NotFound):
    """No such member in this organization."""

    code, target = "member_not_found", "member"


class TokenNotFound(NotFound):
    """No such token among those the caller manages."""

    code, target = "token_not_found", "token"


class ProjectNotFound(NotFound):
    """No such project for this caller."""

    code, target = "project_not_found", "project"


class LanguageNotFound(NotFound):
    """The project has no such language."""

    code, target = "language_not_found", "language"


class KeyNotFound(NotFound):
    """No such key in this project."""

    code, target = "key_not_found", "key"


class BranchNotFound(NotFound):
    """No such branch in this project."""

    code, target = "branch_not_found", "branch"


class FileNotFound(NotFound):
    """No such file in this project."""

    code, target = "file_not_found", "file"


class GlossaryNotFound(NotFound):
    """No such glossary for this caller."""

    code, target = "glossary_not_found", "glossary"


class TermNotFound(NotFound):
    """No such term in this glossary."""

    code, target = "term_not_found", "term"


class JobNotFound(NotFound):
    """No such job in this project."""

    code, target = "job_not_found", "job"


class DistributionNotFound(NotFound):
    """No such distribution in this project."""

    code, target = "distribution_not_found", "distribution"


class ReleaseNotFound(NotFound):
    """No such release of this distribution."""

    code, target = "release_not_found", "release"


class TmNotFound(NotFound):
    """No such translation memory for this caller."""

    code, target = "tm_not_found", "translation memory"


class EntryNotFound(NotFound):
    """No such entry in this translation memory."""

    code, target = "entry_not_found", "entry"


class WebhookNotFound(NotFound):
    """No such webhook in this project."""

    code, target = "webhook_not_found", "webhook"


class DeliveryNotFound(NotFound):
    """No such delivery of this webhook; deliveries are kept for 30 days."""

    code, target = "delivery_not_found", "delivery"
