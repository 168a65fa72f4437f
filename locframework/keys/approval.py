"""The one place where an approval is refused for what the checks find."""

from collections.abc import Mapping, Sequence

from locframework.projects.records import Project

from .records import Key, StoredValue


def require_approvable(
    project: Project,
    key: Key,
    values: Mapping[tuple[str, str | None], StoredValue],
    waiting: Sequence[StoredValue],
) -> None:
    """Let the texts ``waiting`` be approved, or refuse all of them.

    ``waiting`` are of one language; ``values`` are all of the key, by language code
    and plural form, the source texts among them. No check stops an approval yet.
    """
