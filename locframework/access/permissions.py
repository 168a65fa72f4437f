"""Every permission key of the core, and the roles that are made of them."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from .records import Role


class Permission(Struct, frozen=True):
    """A permission key, as ``GET /permissions`` lists it. No key implies another."""

    key: Annotated[str, Meta(examples=["key_create"])]
    description: Annotated[str, Meta(examples=["Create keys"])]
    plugin: str | None = None  # None: the core's own


_DESCRIPTIONS = {
    "ai_run": "Run machine translation",
    "ai_suggest": "Ask for machine translations of single texts",
    "audit_read": "Read who changed what",
    "branch_manage": "Create and close branches",
    "branch_merge": "Merge branches",
    "distribution_manage": "Create, change, pause and delete distributions",
    "distribution_publish": "Publish releases and roll back",
    "distribution_read": "Read distributions and releases",
    "export_run": "Export files",
    "glossary_approve": "Approve and reject term translations",
    "glossary_manage": "Create, change and delete glossaries",
    "glossary_read": "Read glossaries",
    "glossary_write": "Write terms and their translations",
    "import_run": "Import files",
    "key_create": "Create keys",
    "key_delete": "Delete and restore keys",
    "key_update": "Rename, describe, tag and illustrate keys; turn plurals on or off",
    "language_manage": "Add, change and remove languages",
    "member_manage": "Manage members and their tokens",
    "organization_manage": "Change the organization",
    "project_create": "Create projects",
    "project_delete": "Delete projects",
    "project_read": "Read projects, languages and the organization",
    "project_update": "Change projects",
    "statistics_read": "Read statistics",
    "tm_approve": "Approve and reject TM translations",
    "tm_manage": "Create, change and delete translation memories",
    "tm_read": "Read translation memories",
    "tm_write": "Write TM entries",
    "token_manage": "Manage project tokens",
    "translation_approve": "Write approved values; approve and reject",
    "translation_read": "Read keys and values",
    "translation_write": "Write values",
    "webhook_manage": "Create, change and delete webhooks",
    "webhook_read": "Read webhooks and their deliveries",
}

PERMISSIONS: Mapping[str, Permission] = {
    key: Permission(key, description) for key, description in _DESCRIPTIONS.items()
}

_VIEWER = frozenset(
    {"project_read", "translation_read", "glossary_read", "tm_read", "statistics_read"}
)
_TRANSLATOR = _VIEWER | {
    "translation_write",
    "glossary_write",
    "tm_write",
    "ai_suggest",
}
_REVIEWER = _TRANSLATOR | {"translation_approve", "glossary_approve", "tm_approve"}
_DEVELOPER = (
    _REVIEWER
    | {"import_run", "export_run", "ai_run"}
    | {
        key
        for key in PERMISSIONS
        if key.startswith(("key_", "branch_", "webhook_", "distribution_"))
    }
)
_OWNER = frozenset(PERMISSIONS)

ORGANIZATION_WIDE = frozenset(
    {"member_manage", "organization_manage", "project_create"}
)
"""What no project can give: asked for in an organization, never in a project."""

OF_THE_WHOLE = frozenset({"glossary_manage", "tm_manage"})
"""What one project alone cannot give for what several use: asked for in all of them."""

ROLES: Mapping[Role, frozenset[str]] = {
    "viewer": _VIEWER,
    "translator": _TRANSLATOR,
    "reviewer": _REVIEWER,
    "developer": _DEVELOPER,
    "manager": _OWNER - {"organization_manage", "member_manage"},
    "owner": _OWNER,
}
"""What each role may do (decisions 2.6, default roles)."""
