"""What values were before, as it is seen from a branch."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from locframework.ports import Page, PageRequest, Revision

from . import key_history
from .database import Database

Place = tuple[str, str, str | None]
_NEVER = 2**63


def joined(
    main: Sequence[Revision],
    own: Sequence[Revision],
    copies: Collection[str],
    mark: str,
) -> list[Revision]:
    """Main's revisions before those of the branch, and the branch's own.

    ``copies`` are the ids of the branch's copies; of a form that one never had, what
    main has written since it was cleared came after the copy.
    """
    mine = [replace(each, key_id=each.key_id.removesuffix(mark)) for each in own]
    copied = {each.key_id for each in mine} | {id_.removesuffix(mark) for id_ in copies}
    before = _ends(main, copied)
    for place, first in _firsts(mine).items():
        before[place] = first
    return [
        *(each for each in main if each.revision < before.get(_place(each), _NEVER)),
        *mine,
    ]


def _ends(main: Sequence[Revision], copied: Collection[str]) -> dict[Place, int]:
    """After the last clearing of values of copied keys."""
    found: dict[Place, int] = {}
    for each in main:
        if each.key_id in copied:
            ended = each.revision + 1 if each.status == "untranslated" else 0
            found[_place(each)] = max(found.get(_place(each), 0), ended)
    return found


def _firsts(own: Sequence[Revision]) -> dict[Place, int]:
    found: dict[Place, int] = {}
    for each in own:
        found[_place(each)] = min(found.get(_place(each), _NEVER), each.revision)
    return found


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
