"""Every error that the API responds with, one class per case, and those of the start.

Codes and statuses are those of docs/spec/decisions.md 2.2. Services raise them and
``http`` responds with them; nothing in between catches them. A message is for people
and may change; a code may not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from msgspec import Struct

SHOWN_CHARACTERS = 200
MENTIONED_CHARACTERS = 60


def truncate(text: str) -> str:
    """``text`` as a message may repeat it: 200 characters at most."""
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

    def __init_subclass__(cls, status: int | None = None) -> None:
        """``status`` makes a case of its own, whose code is the name of the class."""
        if status is not None:
            cls.code = re.sub(r"\B[A-Z]", r"_\g<0>", cls.__name__).lower()
            cls.status = status

    def __init__(self, message: str, details: object = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> Self:
        """Return the refusal for problems: the message names the first, ``details``
        list a hundred."""
        first, others = problems[0], len(problems) - 1
        more = f" (and {others} more {'fault' if others == 1 else 'faults'})"
        told = f"{first.path}: {first.message}"
        message = truncate(told + more if others else told)
        return cls(message, list(problems[:PROBLEMS_LIMIT]))


# The start: settings and plugins that cannot be used


_USER = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^\s'\"]*@", re.I)


def without_user(text: str) -> str:
    """Return ``text`` with "…" for the user and password of each URL in it."""
    return _USER.sub(r"\1…@", text)


class PluginError(Exception):
    """A plugin that cannot be used; it stops the start with this one line. ``setting``
    is the one at fault, from the top ("plugins.json.indent"), or ""."""

    def __init__(
        self, plugin: str, origin: str, reason: str, setting: str = ""
    ) -> None:
        super().__init__(without_user(f"plugin {plugin!r} ({origin}): {reason}"))
        self.reason = reason
        self.setting = setting


PLUGIN_EXCEPTIONS = (Exception, SystemExit)
"""What a plugin's code may raise at us; one that exits would end our thread."""


class SettingsError(Exception):
    """Settings that cannot be used; it stops the start with this one line. ``setting``
    is the one at fault, from the top ("server.port"), or ""."""

    def __init__(self, message: str, setting: str = "") -> None:
        super().__init__(without_user(message))
        self.setting = setting


# 400: the request is wrong


class InvalidJson(LocError, status=400):
    """The body is not JSON as decisions 2.10 allows it."""


class ValidationFailed(LocError, status=400):
    """The request does not fit the schema; ``details`` lists a Problem each."""

    @classmethod
    def at(cls, path: str, rule: str, message: str) -> ValidationFailed:
        """One problem, told as message and detail alike."""
        return cls.of([Problem(path, rule, message)])


class InvalidKey(LocError, status=400):
    """A key with an empty segment or a character that keys may not have."""


class LanguageNotInProject(LocError, status=400):
    """``values`` names a language that the project does not have."""


class PluralMismatch(LocError, status=400):
    """A string for a plural key, or an object for a singular one."""


class InvalidPluralForm(LocError, status=400):
    """A form that is not zero, one, two, few, many or other."""


class UnknownPermission(LocError, status=400):
    """A permission key that nobody provides."""


class UnknownFormat(LocError, status=400):
    """A file format that no plugin provides, or that cannot do what is asked."""


class UnknownProvider(LocError, status=400):
    """An engine of machine translation that no plugin provides."""


class UnknownHost(LocError, status=400):
    """A request by a host name that absolute URLs may not have (decisions 2.12)."""


class UrlNotAllowed(LocError, status=400):
    """A webhook URL that nothing may be sent to; the message says why."""


class UnknownEventType(LocError, status=400):
    """An event type that nobody provides, or that cannot be subscribed to."""


class UseCursor(LocError, status=400):
    """A page beyond those that lists have by number; cursors reach every item."""


class UnreadableFile(LocError, status=400):
    """A file that cannot be read; ``details`` lists a Problem each, by line."""


PROBLEMS_LIMIT = 100  # that one answer lists


# 401, 403: who


class Unauthorized(LocError, status=401):
    """No valid token; one body for every reason, so that nothing can be probed."""

    def __init__(self) -> None:
        super().__init__("a valid bearer token is required")


class PermissionDenied(LocError, status=403):
    """The caller may see the target, and may not do this."""

    def __init__(self, required: str, reason: str | None = None) -> None:
        message = reason or f"the permission {required} is required"
        super().__init__(message, {"required": required})


class LanguageNotAssigned(LocError, status=403):
    """The language is outside the caller's assigned languages."""

    def __init__(self, language_code: str | None) -> None:
        """None: to have all languages is more than the caller has."""
        what = f"the language {language_code} is not"
        if language_code is None:
            what = "not every language is"
        super().__init__(
            f"{what} assigned to the caller", {"languageCode": language_code}
        )


# 405 to 415


class MethodNotAllowed(LocError, status=405):
    """The path exists, and not with this method."""


class NotAcceptable(LocError, status=406):
    """The answer cannot be given in the media type that Accept asks for."""


class PayloadTooLarge(LocError, status=413):
    """JSON over 1 MiB, or an upload over 50 MiB."""


class UnsupportedMediaType(LocError, status=415):
    """A body that is not in the one media type that the endpoint reads."""


# 409: the state of the target refuses


class KeyExists(LocError, status=409):
    """A key of this name is in the project already."""


class EntryExists(LocError, status=409):
    """An entry with this source text and context is in the memory already."""


class IdempotencyConflict(LocError, status=409):
    """The ``Idempotency-Key`` was used, and its answer cannot be given again."""


class LanguageExists(LocError, status=409):
    """The project has this language already."""


class BranchExists(LocError, status=409):
    """An open branch of the project has this name."""


class NameExists(LocError, status=409):
    """Another project, glossary or memory of the organization has this name."""

    def __init__(self, name: str = "") -> None:
        super().__init__(
            f"the name {truncate(name)!r} is taken, letter case and white space apart;"
            " choose another one"
        )


class TermExists(LocError, status=409):
    """The glossary has this term with the same case rule."""


class TermNotTranslatable(LocError, status=409):
    """A value other than the term, of a term that stays untranslated."""

    def __init__(self, language_code: str) -> None:
        super().__init__(
            f"doNotTranslate: the term stays as it is in {language_code} too; clear the"
            " translation that differs, or turn doNotTranslate off"
        )


class MemberExists(LocError, status=409):
    """The person is a member of the organization already."""


class LastOwner(LocError, status=409):
    """An organization keeps at least one owner (decisions 2.9)."""


class SourceLanguageRequired(LocError, status=409):
    """The source language cannot be taken out of its project."""


class MemoriesAssigned(LocError, status=409):
    """The project uses memories of another source language than the one wanted."""


class SeparatorFixed(LocError, status=409):
    """The key separator is fixed once keys exist, on any line (decisions 2.6)."""


class BranchProtected(LocError, status=409):
    """A direct write to a protected main."""

    def __init__(
        self, message: str = "main is protected: `branch` must name an open branch"
    ) -> None:
        super().__init__(message)


class NotOnBranch(LocError, status=409):
    """A branch has no undo; it is closed, or a value is reverted in its history. What
    main dismisses is withdrawn on main."""


class BranchNotOpen(LocError, status=409):
    """The branch was merged or closed: nothing is read or written there any more."""


class MergeConflict(LocError, status=409):
    """Main and the branch changed the same; ``details`` lists the ``conflicts``."""


class NothingPending(LocError, status=409):
    """No text waits for review, or another than was asked for."""


class QualityCheckFailed(LocError, status=409):
    """A blocking check found something; ``details`` lists the ``issues``."""


class WriteRefused(LocError, status=409):
    """A plugin refuses the change of a key or value; ``details`` names the plugin, its
    reason, the ``key``, and of a value ``languageCode`` and ``pluralForm``."""

    def __init__(self, plugin: str, reason: str, what: Mapping[str, object]) -> None:
        where = ", ".join(truncate(str(each)) for each in what.values() if each)
        super().__init__(
            f"{where}: {truncate(reason)}", {"plugin": plugin, "reason": reason, **what}
        )


class JobNotCancellable(LocError, status=409):
    """The job has ended already."""


class JobNotRetryable(LocError, status=409):
    """The job has not failed, or its type does not allow to start it again."""


class ImportConflict(LocError, status=409):
    """``onConflict: fail`` met values that differ; nothing was changed."""


class ReleaseInProgress(LocError, status=409):
    """A release of this distribution is being built."""


class NotPaused(LocError, status=409):
    """Resume of a distribution that is not paused."""


class AlreadyPaused(LocError, status=409):
    """Pause of a distribution that is paused."""


class PluginDataFull(LocError, status=409):
    """A plugin keeps as many values for the project or organization as it may."""


class BudgetExceeded(LocError, status=409):
    """A monthly budget of machine translation has not enough left."""


class WebhooksNotSetUp(LocError, status=409):
    """The operator has given no key for signing secrets."""


# 412, 422, 429, 5xx


class PreconditionFailed(LocError, status=412):
    """``If-Match`` names another state than the stored one."""


class FormatFailed(LocError, status=422):
    """The plugin of a file format failed: neither the request nor the file need be
    wrong. ``details`` has ``format`` and ``plugin``; the log has the trace."""

    def __init__(self, format_: str, plugin: str, what: str) -> None:
        super().__init__(
            f"the format {format_} (plugin {plugin}) failed to {what}; the log of the"
            " service says why",
            {"format": format_, "plugin": plugin},
        )


class RateLimited(LocError, status=429):
    """Over the request rate (service.md, Limits)."""

    def __init__(self, retry_after_seconds: int, of: str = "requests") -> None:
        super().__init__(f"too many {of}; retry in {retry_after_seconds} s")
        self.retry_after_seconds = retry_after_seconds


class Unavailable(LocError, status=503):
    """A part that the request needs does not answer just now; retry later."""

    retry_after_seconds = 5


# 404: missing, or not visible to the caller. Both read alike to the last byte, so
# the message never repeats the id that was sent.


class NotFound(LocError, status=404):
    """An unknown route, and the base of every missing target."""

    target: ClassVar[str] = "resource"
    by_parameter: ClassVar[dict[str, type[NotFound]]] = {}
    """What is raised for a parameter of a path that names nothing: "projectId", …"""

    def __init_subclass__(cls, target: str = "", parameter: str = "") -> None:
        super().__init_subclass__(status=404 if target else None)
        cls.target = target or cls.target
        if parameter:
            cls.by_parameter[parameter] = cls

    def __init__(self, target: str = "") -> None:
        super().__init__(f"there is no such {target or self.target}")


class OrganizationNotFound(NotFound, target="organization", parameter="organizationId"):
    """No such organization for this caller."""


class MemberNotFound(NotFound, target="member", parameter="memberId"):
    """No such member in this organization."""


class TokenNotFound(NotFound, target="token", parameter="tokenId"):
    """No such token among those the caller manages."""


class ProjectNotFound(NotFound, target="project", parameter="projectId"):
    """No such project for this caller."""


class LanguageNotFound(NotFound, target="language", parameter="lang"):
    """The project has no such language."""


class KeyNotFound(NotFound, target="key", parameter="keyId"):
    """No such key in this project."""


class BranchNotFound(NotFound, target="branch", parameter="branch"):
    """No such branch in this project."""


class FileNotFound(NotFound, target="file", parameter="fileId"):
    """No such file in this project."""


class GlossaryNotFound(NotFound, target="glossary", parameter="glossaryId"):
    """No such glossary for this caller."""


class TermNotFound(NotFound, target="term", parameter="termId"):
    """No such term in this glossary."""


class PluginNotFound(NotFound, target="plugin", parameter="name"):
    """No such plugin, or one without settings for projects."""


class JobNotFound(NotFound, target="job", parameter="jobId"):
    """No such job in this project."""


class DistributionNotFound(NotFound, target="distribution", parameter="distributionId"):
    """No such distribution in this project."""


class ReleaseNotFound(NotFound, target="release", parameter="version"):
    """No such release of this distribution."""


class TmNotFound(NotFound, target="translation memory", parameter="tmId"):
    """No such translation memory for this caller."""


class EntryNotFound(NotFound, target="entry", parameter="entryId"):
    """No such entry in this translation memory."""


class WebhookNotFound(NotFound, target="webhook", parameter="webhookId"):
    """No such webhook in this project."""


class DeliveryNotFound(NotFound, target="delivery", parameter="deliveryId"):
    """No such delivery of this webhook; deliveries are kept for 30 days."""
