"""Peewee models of the tables that management operations use.

They are bound to no database: ``tables.py`` runs their queries. The schema itself is in
``migrations/``. Fields are named as those of the records.
"""

from typing import Any

import msgspec
import peewee
from peewee import BooleanField, IntegerField, TextField

from locframework.ports import JobError, Penalties, Quota, ReleaseSnapshot, SealedSecret

from .columns import json_or_null


class JsonField(TextField):
    """JSON kept as text and decoded to ``type_``; None is NULL."""

    def __init__(self, type_: Any, **options: Any) -> None:
        super().__init__(**options)
        self._decoder = msgspec.json.Decoder(type_)

    def db_value(self, value: object) -> str | None:
        return json_or_null(value)

    def python_value(self, value: str | None) -> object:
        return None if value is None else self._decoder.decode(value)


class Texts(JsonField):
    """A list of texts."""

    def __init__(self, **options: Any) -> None:
        super().__init__(tuple[str, ...], **options)


class Row(peewee.Model):
    """A row with an id of its own."""

    id = TextField(primary_key=True)
    created_at = TextField()


class OrganizationRow(Row):
    slug = TextField()
    name = TextField()
    tm_enabled = BooleanField()
    delivery_quota = JsonField(Quota)
    updated_at = TextField()

    class Meta:
        table_name = "organizations"


class UserRow(Row):
    email = TextField()
    email_folded = TextField()
    is_active = BooleanField()

    class Meta:
        table_name = "users"


class MemberRow(Row):
    organization_id = TextField()
    user_id = TextField()
    name = TextField()
    role = TextField()
    assigned_languages = Texts()
    project_ids = Texts()

    class Meta:
        table_name = "members"


class TokenRow(Row):
    kind = TextField()
    name = TextField()
    prefix = TextField()
    permissions = Texts()
    project_id = TextField()
    assigned_languages = Texts()
    expires_at = TextField()
    last_used_at = TextField()
    sha256 = TextField()
    user_id = TextField()
    organization_id = TextField()
    revoked_at = TextField()

    class Meta:
        table_name = "tokens"


class ProjectRow(Row):
    slug = TextField()
    organization_id = TextField()
    name = TextField()
    description = TextField()
    source_language = TextField()
    key_separator = TextField()
    main_protected = BooleanField()
    tm_enabled = BooleanField()
    blocking_checks = Texts()
    check_severities = JsonField(dict[str, str])
    updated_at = TextField()
    deleted_at = TextField()

    class Meta:
        table_name = "projects"


class LineRow(peewee.Model):
    """Main or a branch of a project: what has keys of its own."""

    number = IntegerField(primary_key=True)
    id = TextField()
    project_id = TextField()
    key_count = IntegerField()

    class Meta:
        table_name = "lines"


class LanguageRow(Row):
    project_id = TextField()
    language_code = TextField()
    label = TextField()
    icon = TextField()
    direction = TextField()
    is_source = BooleanField()
    fallback_language_code = TextField()
    plural_forms = Texts()

    class Meta:
        table_name = "languages"


class FileRow(Row):
    project_id = TextField()
    content_type = TextField()
    byte_size = IntegerField()
    blob = TextField()
    store = TextField()
    unused_since = TextField()
    looked_at = TextField()

    class Meta:
        table_name = "files"


class DistributionRow(Row):
    project_id = TextField()
    public_key = TextField()
    name = TextField()
    channel = TextField()
    format = TextField()
    language_codes = Texts()
    branch = TextField()
    split_by_module = BooleanField()
    min_status = TextField()
    missing = TextField()
    auto_publish = BooleanField()
    storage = TextField()
    status = TextField()
    current_release_id = TextField()
    last_version = IntegerField()
    updated_at = TextField()
    deleted_at = TextField()

    class Meta:
        table_name = "distributions"


class ReleaseRow(Row):
    distribution_id = TextField()
    version = IntegerField()
    status = TextField()
    content_hash = TextField()
    file_count = IntegerField()
    byte_size = IntegerField()
    rolled_back_from = IntegerField()
    note = TextField()
    warnings = Texts()
    error = JsonField(JobError)
    created_by = TextField()
    published_at = TextField()
    storage = TextField()
    snapshot = JsonField(ReleaseSnapshot)

    class Meta:
        table_name = "releases"


class GlossaryRow(Row):
    slug = TextField()
    organization_id = TextField()
    name = TextField()
    folded = TextField()
    source_language = TextField()
    requires_approval = BooleanField()
    term_count = IntegerField()
    revision = IntegerField()
    updated_at = TextField()
    deleted_at = TextField()

    class Meta:
        table_name = "glossaries"


class GlossaryProjectRow(peewee.Model):
    glossary_id = TextField()
    project_id = TextField()

    class Meta:
        table_name = "glossary_projects"
        primary_key = peewee.CompositeKey("glossary_id", "project_id")


class MemoryRow(Row):
    number = IntegerField()
    organization_id = TextField()
    slug = TextField()
    name = TextField()
    folded = TextField()
    source_language = TextField()
    min_match_percentage = IntegerField()
    penalties = JsonField(Penalties)
    requires_approval = BooleanField()
    entry_count = IntegerField()
    updated_at = TextField()
    deleted_at = TextField()

    class Meta:
        table_name = "memories"


class MemoryProjectRow(peewee.Model):
    project_id = TextField()
    memory_id = TextField()
    is_read = BooleanField()
    write_mode = TextField()
    priority = IntegerField()
    penalty = IntegerField()

    class Meta:
        table_name = "memory_assignments"
        primary_key = peewee.CompositeKey("project_id", "memory_id")


class WebhookRow(Row):
    project_id = TextField()
    organization_id = TextField()
    url = TextField()
    description = TextField()
    event_types = Texts()
    language_codes = Texts()
    branches = Texts()
    is_active = BooleanField()
    disabled_reason = TextField()
    updated_at = TextField()
    last_delivery_at = TextField()
    secrets = JsonField(tuple[SealedSecret, ...])
    good_at = TextField()
    failing_since = TextField()
    failed_at = TextField()
    failed_delivery = TextField()
    failed_others = BooleanField()
    deleted_at = TextField()

    class Meta:
        table_name = "webhooks"
