"""The refusals that say 404: missing, or not visible to the caller.

The two read alike to the last byte, so the message never repeats what was asked for.
"""

from __future__ import annotations

from typing import ClassVar

from .refusal import LocError


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
