"""Operations of plugins: below paths of their own, named after them, and guarded."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from msgspec import structs

from locframework.fields import id_from_reference, identifier

from .dispatch import (
    PermissionCheck,
    Router,
    VisibilityCheck,
    guard_of,
    require_servable,
)
from .openapi import Document
from .operation import DeclarationError, Operation, operations_of, require_distinct
from .records import Principal

C = TypeVar("C", bound=Principal)

_SHORT_PATH = re.compile(r"/[a-z0-9]+(-[a-z0-9]+)*")
_TAKEN = "/api"


def operations_of_plugin(
    plugin: str,
    endpoints: Collection[object],
    permissions: Collection[str],
    permission_checks: Mapping[str, PermissionCheck[C]],
    visibility_checks: Mapping[str, VisibilityCheck[C]],
) -> list[Operation]:
    """Return the operations of a plugin's endpoints objects, in the order in which they
    are written. Raises DeclarationError for one that cannot be served.

    ``plugin`` is its name, and ``permissions`` are all that exist. The checks are those
    of ``build_wsgi``.
    """
    found = []
    for each in endpoints:
        own = list(operations_of(each))
        if not own:
            made_of = type(each).__name__
            raise DeclarationError(f"{made_of} has no method marked @operation")
        found += own
    for each in found:
        _check(each, permissions)
    found = [
        _guarded(_below(plugin, each), permission_checks, visibility_checks)
        for each in found
    ]
    _require_describable(found)
    return found


def _check(operation: Operation, permissions: Collection[str]) -> None:
    path, short = operation.path, operation.short_path
    faults = {
        f"its path {path!r} must begin with / and not end with it": (
            path[:1] != "/" or path[-1:] == "/"
        ),
        f"the permission {operation.permission!r} is unknown": (
            bool(operation.permission) and operation.permission not in permissions
        ),
        "parameters of a path are texts: annotate them with str": any(
            getattr(each.type, "__origin__", each.type) is not str
            for each in operation.parameters
        ),
        'rate="content" is for the published content of the core': (
            operation.rate == "content"
        ),
        f"short_path={short!r} must be one segment of a-z, 0-9, -; not {_TAKEN}": (
            short != "" and (not _SHORT_PATH.fullmatch(short) or short == _TAKEN)
        ),
        "short_path is for paths without parameters": (
            short != "" and bool(operation.parameters)
        ),
    }
    for fault, is_there in faults.items():
        if is_there:
            raise DeclarationError(f"operation {operation.name}: {fault}")


def _below(plugin: str, operation: Operation) -> Operation:
    below, etag = f"/plugins/{plugin}", operation.etag
    return structs.replace(
        operation,
        plugin=plugin,
        name=f"{identifier(plugin)}_{operation.name}",
        tag=operation.tag or plugin,
        path=below + operation.path,
        template=below + operation.template,
        etag=below + etag if isinstance(etag, str) else etag,
    )


def _guarded(
    operation: Operation,
    permission_checks: Mapping[str, PermissionCheck[C]],
    visibility_checks: Mapping[str, VisibilityCheck[C]],
) -> Operation:
    """Return the operation with a ``call`` that checks its caller first, as services of
    the core do. The first path parameter becomes an id, also if it came as a slug."""
    require_servable(operation, permission_checks)
    guard = guard_of(operation, permission_checks, visibility_checks)
    root = operation.parameters[0] if operation.parameters else None
    if guard is None:
        if root and root.wire in permission_checks and not operation.public:
            raise DeclarationError(
                f"operation {operation.name}: it needs a permission, as nothing else "
                f"keeps callers from another {root.wire}"
            )
        return operation
    call, wants_caller = operation.call, operation.wants_caller

    def checked(*, caller: C, **given: Any) -> object:
        guard(caller, given)
        if root is not None:
            given[root.name] = id_from_reference(given[root.name])
        if wants_caller:
            given["caller"] = caller
        return call(**given)

    return structs.replace(operation, call=checked, wants_caller=True)


def _require_describable(operations: Collection[Operation]) -> None:
    """Raise DeclarationError for what would fail later: when the app is made, or with
    the first request for the description."""
    require_distinct(operations)
    try:
        Router([each.template for each in operations], lambda _: {})
    except ValueError as error:
        raise DeclarationError(f"no such path can be served: {error}") from error
    try:
        Document([*operations]).write()
    except KeyError as error:
        raise DeclarationError(f"two types have the same name: {error}") from error
