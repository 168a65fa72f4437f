"""What values were before, as it is seen from a branch."""

from collections.abc import Sequence

from msgspec.structs import replace

from locframework.ports import Page, PageRequest, Revision

from . import key_history
from .database import Database

Place = tuple[str, str, str | None]


def joined(
    main: Sequence[Revision], own: Sequence[Revision], mark: str
) -> list[Revision]:
    """Main's revisions before those of the branch, and the branch's own."""
    mine = [replace(each, key_id=each.key_id.removesuffix(mark)) for each in own]
    first: dict[Place, int] = {}
    for each in mine:
        known = first.setdefault(_place(each), each.revision)
        first[_place(each)] = min(known, each.revision)
    before = [
        each
        for each in main
        if _place(each) not in first or each.revision < first[_place(each)]
    ]
    return [*before, *mine]


def list_revisions(
    database: Database,
    key_id: str,
    mark: str,
    language_code: str,
    page: PageRequest,
) -> Page[Revision]:
    """See KeyStore.list_revisions; ``mark`` "": the branch reads the key from main."""
    seen, base = (key_id + mark, key_id) if mark else (key_id, "")
    found = key_history.list_revisions(database, seen, base, language_code, page)
    items = [replace(each, key_id=key_id) for each in found.items]
    return replace(found, items=items)


def _place(revision: Revision) -> Place:
    return revision.key_id, revision.language_code, revision.plural_form
