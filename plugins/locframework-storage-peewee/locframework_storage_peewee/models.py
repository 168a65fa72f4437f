"""Peewee models of the tables that management operations use.

They are bound to no database: ``tables.py`` runs their queries. The schema itself is in
``migrations/``. Columns are named as the fields of the records; the drivers convert
their values, but for JSON.
"""

from typing import Any

import msgspec
import peewee

from locframework.ports import (
    AiSettings,
    JobError,
    Penalties,
    Quota,
    ReleaseSnapshot,
    SealedSecret,
)

from .database import json_or_null


class JsonField(peewee.BareField):
    """JSON kept as text and decoded to ``type_``; None is NULL."""

    def __init__(self, type_: Any) -> None:
        super().__init__()
        self._decoder = msgspec.json.Decoder(type_)

    def db_value(self, value: object) -> str | None:
        return json_or_null(value)

    def python_value(self, value: str | None) -> object:
        return None if value is None else self._decoder.decode(value)


def table(name: str, columns: str, **json: Any) -> Any:
    """Return the model of a table: its columns, and those with JSON by their type."""
    fields: dict[str, object] = {
        column: peewee.BareField(primary_key=column == "id")
        for column in columns.split()
    }
    fields |= {column: JsonField(type_) for column, type_ in json.items()}
    has_id = {} if "id" in fields else {"primary_key": False}
    meta = type("Meta", (), {"table_name": name, **has_id})
    return type(name, (peewee.Model,), {**fields, "Meta": meta})


TEXTS = tuple[str, ...]

OrganizationRow = table(
    "organizations",
    "id slug name folded tm_enabled ai_monthly_budget created_at updated_at",
    delivery_quota=Quota,
)
UserRow = table("users", "id email email_folded is_active created_at")
MemberRow = table(
    "members",
    "id organization_id user_id name role created_at",
    assigned_languages=TEXTS,
    project_ids=TEXTS,
)
TokenRow = table(
    "tokens",
    """id kind name prefix project_id expires_at last_used_at created_at parent_id
    last_used_address last_used_agent sha256 user_id organization_id revoked_at use""",
    permissions=TEXTS,
    assigned_languages=TEXTS,
)
ProjectRow = table(
    "projects",
    """id slug organization_id name folded description source_language key_separator
    main_protected tm_enabled created_at updated_at deleted_at""",
    blocking_checks=TEXTS,
    check_severities=dict[str, str],
    disabled_checks=TEXTS,
    ai=AiSettings,
)
LineRow = table("lines", "id project_id key_count")  # main or a branch
LanguageRow = table(
    "languages",
    """id project_id language_code label icon direction is_source
    fallback_language_code created_at""",
    plural_forms=TEXTS,
)
FileRow = table(
    "files",
    """id project_id content_type byte_size blob store created_at unused_since
    looked_at""",
)
DistributionRow = table(
    "distributions",
    """id project_id public_key name channel format branch split_by_module min_status
    missing auto_publish storage status current_release_id last_version created_at
    updated_at deleted_at""",
    language_codes=TEXTS,
)
ReleaseRow = table(
    "releases",
    """id distribution_id version status content_hash file_count byte_size
    rolled_back_from note created_by created_at published_at storage""",
    warnings=TEXTS,
    error=JobError,
    snapshot=ReleaseSnapshot,
)
GlossaryRow = table(
    "glossaries",
    """id slug organization_id name folded source_language requires_approval term_count
    revision created_at updated_at deleted_at""",
)
GlossaryProjectRow = table("glossary_projects", "glossary_id project_id")
MemoryRow = table(
    "memories",
    """number id organization_id slug name folded source_language min_match_percentage
    requires_approval entry_count created_at updated_at deleted_at""",
    penalties=Penalties,
)
MemoryProjectRow = table(
    "memory_assignments", "project_id memory_id is_read write_mode priority penalty"
)
WebhookRow = table(
    "webhooks",
    """id project_id organization_id url description is_active disabled_reason
    created_at updated_at last_delivery_at good_at failing_since failed_at
    failed_delivery failed_others deleted_at""",
    event_types=TEXTS,
    language_codes=TEXTS,
    branches=TEXTS,
    secrets=tuple[SealedSecret, ...],
)
