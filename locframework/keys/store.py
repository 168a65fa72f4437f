"""How keys and values are kept."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from locframework.branches.service import BranchScope
from locframework.branches.store import BranchStore
from locframework.fields import Timestamp
from locframework.pagination import BoundedList, Page, PageRequest, Position
from locframework.projects.store import ProjectStore
from locframework.quality.check import Finding
from locframework.statistics.store import StatisticsStore
from locframework.transactions import Transactions

from .records import (
    BranchKey,
    Dismissal,
    FileDetail,
    FindingFilter,
    Key,
    KeyFilter,
    KeyFinding,
    KeyLanguage,
    Revision,
    Selection,
    StoredKey,
    StoredState,
    StoredValue,
    TextRow,
    TrashedKey,
)


class KeyStore(Protocol):
    """Keys, values and findings of main. Keys in the trash are only read by
    ``page_of_trash`` and by ``find_keys`` with ``in_trash``.

    Batches of any size take a number of statements that grows with size / 500 at
    most, never one a row. Keys are unique per project among those not in the trash.
    """

    def add_keys(
        self, keys: Sequence[StoredKey], values: Sequence[StoredValue] = ()
    ) -> None:
        """New keys, with their first texts: cheaper than to put these afterwards.

        ``values`` of the records are ignored.
        """

    def find_key_with_values(self, project_id: str, key_id: str) -> Key | None:
        """As it is shown: its values by language, in the order of the project.

        Plural forms of one language come in no order. One statement on main.
        """

    def find_state(self, project_id: str, key_id: str) -> StoredState | None:
        """Return a key with its values, in no order. One statement on main."""

    def find_keys(
        self,
        project_id: str,
        key_ids: Collection[str] = (),
        *,
        names: Collection[str] = (),
        file_keys: Collection[str] = (),
        in_trash: bool = False,
    ) -> dict[str, StoredKey]:
        """Return the keys with these ids, names or file keys, by id; unknown ones are
        left out.

        ``in_trash``: those in the trash instead, by their ids.
        """

    def page_of_trash(
        self, project_id: str, search: str | None, page: PageRequest
    ) -> Page[TrashedKey]:
        """By deletedAt or key; if neither is asked for, deleted last first. Ties by id.

        ``search``: folded (rules.fold), a part of key or description. Two statements.
        """

    def save_keys(self, keys: Sequence[StoredKey]) -> None: ...

    def trash_keys(
        self,
        project_id: str,
        key_ids: Collection[str],
        at: Timestamp,
        by: str | None = None,
    ) -> None:
        """``by``: id of the actor, for who looks into the trash."""

    def restore_keys(
        self, project_id: str, key_ids: Collection[str], at: Timestamp
    ) -> None:
        """Out of the trash, with their values; ``at`` is their ``updated_at``."""

    def names_of(self, project_id: str, *, prefix: str = "") -> dict[str, str]:
        """Key name to id of every key whose name starts with ``prefix``."""

    def list_keys(
        self,
        project_id: str,
        where: KeyFilter,
        sort: str,
        *,
        limit: int,
        offset: int = 0,
        after: Position | None = None,
    ) -> BoundedList[StoredKey]:
        """Return at most ``limit`` keys, in order, from ``offset`` or a position on.

        ``sort`` is key, createdAt or updatedAt, with ``-`` before it for descending.
        Keys compare by code point, equal times by id. ``after``: whether a key is at
        that position or not. ``total`` is that of the whole list up to TOTAL_LIMIT; no
        key is returned from that offset on. Three statements; each filter is an indexed
        query bounded by the project.
        """

    def values_of(
        self, key_ids: Collection[str], language_codes: Collection[str] | None = None
    ) -> dict[str, list[StoredValue]]:
        """By key id, in no order; None is all languages."""

    def write_values(
        self,
        key_ids: Collection[str],
        at: Timestamp,
        values: Sequence[StoredValue] = (),
        cleared: Sequence[StoredValue] = (),
        revisions: Sequence[Revision] = (),
        *,
        counted: Collection[str] | None = None,
        read: StoredKey | None = None,
    ) -> bool:
        """Write values of keys, and set ``updated_at`` of these keys to ``at``.

        ``values`` are inserted, or replace those of the same key, language and form;
        ``cleared`` are removed. ``revisions``: what the values were before, and that
        they were cleared; no revision of a value comes twice. ``counted``: the keys
        whose statistics may change; None: all. ``read``: the only key of ``key_ids``,
        as it was read. Returns whether its ``updated_at`` is still that; else nothing
        is written.
        """

    def mark_outdated(
        self, key_ids: Collection[str], source_language: str
    ) -> list[StoredValue]:
        """Turn ``is_outdated`` on in all other languages; answers the turned ones."""

    def revisions_of(
        self,
        key_ids: Collection[str],
        language_codes: Collection[str] | None = None,
        *,
        cleared: bool = False,
    ) -> list[Revision]:
        """Return all revisions, the newest ones too, or those that cleared a value.

        In no order. On a branch: main's before the branch had the value for itself,
        then its own.
        """

    def list_revisions(
        self, key_id: str, language_code: str, page: PageRequest
    ) -> Page[Revision]:
        """Return the revisions of a value, newest first, with those of all its forms.

        Equal times by revision, the higher first, then by form. On a branch as
        ``revisions_of``; there, a revision of main is no older than those of its form
        before it. Three statements at most.
        """

    def text_rows(
        self, project_id: str, language_code: str, which: Selection
    ) -> Iterator[TextRow]:
        """Every key of the selection, by key in code point order, streamed.

        ``approved`` gives the approved text of each value (not ``draft``, not the
        pending one beside it); ``any`` the newest one, drafts included. Constant
        number of statements, memory flat.
        """

    def put_details(
        self, details: Sequence[FileDetail], *, are_new: bool = False
    ) -> None:
        """Insert, or replace the same family, key, module and language.

        ``are_new``: there are none of these yet, which is faster.
        """

    def details_of(
        self,
        project_id: str,
        family: str | None,
        language_code: str | None,
        key_ids: Collection[str] | None = None,
        *,
        own: bool = False,
    ) -> list[FileDetail]:
        """Return the details of keys in one language, or those of "" (all languages).

        None means every family, every language, or every key; the key id "" means files
        as a whole. ``own``: only what was put on the branch itself, files included. In
        no order.
        """

    def findings_of(self, key_ids: Collection[str]) -> dict[KeyLanguage, list[Finding]]:
        """What was put, in that order; without the places where nothing was found.

        Kept until it is put anew, whatever becomes of the texts; but a key in the trash
        has none, also when it comes back, nor has a language that left the project.
        """

    def put_findings(self, found: Mapping[KeyLanguage, Sequence[Finding]]) -> None:
        """Replace what is kept of these keys in these languages; none clears it.

        Of keys that are not there nothing is kept. Two statements.
        """

    def list_findings(
        self, project_id: str, where: FindingFilter, page: PageRequest
    ) -> Page[KeyFinding]:
        """By key in code point order, project language order, then as put.

        Without those that are dismissed. Two statements.
        """

    def dismissals_of(
        self, project_id: str, key_ids: Collection[str] | None = None
    ) -> list[Dismissal]:
        """Return the dismissals of these keys, in no order; on a branch main's, too.

        None: those that were made on the branch itself, or on main. A dismissal is kept
        whatever becomes of the texts, until the key is purged or the language leaves.
        """

    def put_dismissals(
        self,
        project_id: str,
        dismissals: Collection[Dismissal],
        dropped: Collection[Dismissal] = (),
    ) -> None:
        """Drop dismissals that were made here, then insert or replace others.

        There is one for each hash and check.
        """


class BranchKeyStore(KeyStore, Protocol):
    """The keys that are seen from a branch: main's, overlaid with its own.

    A write copies what it touches from main first, so main is never changed; a read
    finds the copy from then on. Keys keep their id; ``key_source`` of a copy or an own
    key is ``branch``. Batches cost a constant number of statements more than main's.
    """

    def overlay(self, key_ids: Collection[str] | None = None) -> list[BranchKey]:
        """What the branch has for itself, of these keys or all of it, by key id."""

    def put_overlay(
        self, keys: Sequence[BranchKey], at: Timestamp | None = None
    ) -> None:
        """Insert, or replace, what is noted about keys; the copies stay as they are.

        ``at``: the branch's ``updated_at`` from now on.
        """

    def drop_overlay(self, key_ids: Collection[str]) -> None:
        """Forget the copies, deleted ones too, and what is noted: main shows again."""


class KeyStores(Protocol):
    """The keys of main, and those of each branch."""

    keys: KeyStore

    def branch_keys(self, project_id: str, branch_id: str) -> BranchKeyStore: ...


class KeyStorage(KeyStores, Transactions, Protocol):
    """The part of the storage that this area uses."""

    branches: BranchStore
    statistics: StatisticsStore
    projects: ProjectStore


def store_of(storage: KeyStores, scope: BranchScope) -> KeyStore:
    """The keys as they are seen, and written, on a line."""
    if scope.branch is None:
        return storage.keys
    return storage.branch_keys(scope.project.id, scope.branch.id)
