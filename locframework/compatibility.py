"""The version of the ports: what plugins were written for, and what will go.

docs/reference/ports.md has the policy, and what each version changed.
"""

import re

PORTS_VERSION = "1.0"
"""The version of ``locframework.ports`` and of the hooks: major and minor."""

DEPRECATED: dict[str, str] = {}
"""What still works, and what to use in its place. Keys are hooks (``loc_on_event``),
their arguments (``loc_on_event(event)``), and members of ports (``Format.read``)."""

RENAMED: dict[str, str] = {}
"""Old names in ``locframework.ports`` that still work, and the new ones."""

_VERSION = re.compile(r"(\d+)(?:\.(\d+))?")


def version_fault(wanted: object, distribution: str) -> str | None:
    """Return why a plugin that was written for this version of the ports does not fit,
    with the remedy; None if it does. ``wanted`` is its ``requires_ports``."""
    found = _VERSION.fullmatch(wanted) if isinstance(wanted, str) else None
    if found is None:
        return f"requires_ports = {wanted!r} is not a version such as '1' or '1.2'"
    major, minor = int(found[1]), int(found[2] or 0)
    here = tuple(map(int, PORTS_VERSION.split(".")))
    if major == here[0] and minor <= here[1]:
        return None
    remedy = f"install a version of {distribution} for ports {here[0]}"
    if (major, minor) > here:
        remedy = "install a newer locframework"
    return f"it was written for ports {wanted}, these are {PORTS_VERSION}; {remedy}"
