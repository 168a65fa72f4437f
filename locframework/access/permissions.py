"""Permission keys of the core and of plugins, and the roles that are made of them."""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from locframework.fields import identifier

from .records import Role

KEY_LENGTH = 64  # characters of a plugin's permission
_REST = re.compile("[a-z0-9_]+")


class Permission(Struct, frozen=True):
    """A permission key, as ``GET /permissions`` lists it. No key implies another."""

    key: Annotated[str, Meta(examples=["key_create"])]
    description: Annotated[str, Meta(examples=["Create keys"])]
    roles: tuple[Role, ...] = ()
    """The roles that include it. A plugin names those below manager: managers and
    owners have every permission of a plugin."""
    plugin: str | None = None
    """None: the core's own. Set by the framework."""


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

APPROVALS = frozenset({"translation_approve", "glossary_approve", "tm_approve"})
"""What makes a text count at once. Without them, texts are written as proposals."""

_VIEWER = frozenset(
    {"project_read", "translation_read", "glossary_read", "tm_read", "statistics_read"}
)
_TRANSLATOR = _VIEWER | {
    "translation_write",
    "glossary_write",
    "tm_write",
    "ai_suggest",
}
_REVIEWER = _TRANSLATOR | APPROVALS
_DEVELOPER = (
    _REVIEWER
    | {"import_run", "export_run", "ai_run"}
    | {
        key
        for key in _DESCRIPTIONS
        if key.startswith(("key_", "branch_", "webhook_", "distribution_"))
    }
)
_OWNER = frozenset(_DESCRIPTIONS)

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
"""What each role may do (decisions 2.6, default roles), without plugins."""

PERMISSIONS: Mapping[str, Permission] = {
    key: Permission(
        key, description, tuple(role for role, keys in ROLES.items() if key in keys)
    )
    for key, description in _DESCRIPTIONS.items()
}


class Permissions:
    """All permissions of one application, with those of its plugins."""

    def __init__(self, of_plugins: Iterable[Permission] = ()) -> None:
        self.by_key = {**PERMISSIONS, **{each.key: each for each in of_plugins}}
        self.roles: Mapping[Role, frozenset[str]] = {
            role: frozenset(
                each.key for each in self.by_key.values() if role in each.roles
            )
            for role in ROLES
        }


def fault_of(item: Permission, plugin: str) -> str | None:
    """Return what is wrong with a permission that a plugin provides, or None."""
    try:
        msgspec.convert(msgspec.to_builtins(item), Permission)
    except msgspec.ValidationError as error:
        return str(error)
    prefix = f"{identifier(plugin)}_"
    before, rest = item.key[: len(prefix)], item.key[len(prefix) :]
    if before != prefix or not _REST.fullmatch(rest) or len(item.key) > KEY_LENGTH:
        rule = f"{prefix!r} and then a-z, 0-9 and _, at most {KEY_LENGTH} characters"
        return f"permission {item.key!r} is not {rule}"
    if not item.description.strip():
        return f"permission {item.key!r} has no description"
    return None


def permission_of_plugin(item: Permission, plugin: str) -> Permission:
    """Return it with its plugin, and with all roles that include it."""
    roles = tuple(role for role in ROLES if role in (*item.roles, "manager", "owner"))
    return replace(item, plugin=plugin, roles=roles)
