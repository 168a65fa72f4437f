"""The contract of Storage, part SH: what values were before."""

from msgspec.structs import replace

from locframework.keys.records import StoredValue
from locframework.keys.revisions import Revision, revision_of
from locframework.keys.store import KeyStore
from locframework.pagination import PageRequest
from locframework.storage import Storage

from .storage_records import (
    add_branch,
    add_keys_project,
    at,
    delete_language,
    key,
    value,
)


class StorageHistoryContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sh1_a_revision_comes_back_as_it_was(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made = key(of, is_plural=True)
        now = value(made, "de", "Neu", "other", revision=2**31)
        storage.keys.add_keys([made], [now])
        old = replace(
            revision_of(value(made, "de", "Alt", "other", revision=2)),
            status="pending_review",
            is_outdated=True,
            origin="import",
            actor_type="token",
            reason="too long\n😀",
            note="seen by a plugin",
            approved_outdated=True,
            keeps_fresh=True,
        )
        end = _end(value(made, "de", "", "one", revision=3))

        storage.keys.add_revisions([old, end])

        found = storage.keys.revisions_of([made.id])
        assert _sorted(found) == [end, old, revision_of(now)]
        assert storage.keys.revisions_of([made.id], ["en"]) == []
        assert storage.keys.revisions_of([]) == []
        assert storage.keys.cleared_of([made.id], ["de"]) == [end]
        assert storage.keys.cleared_of([made.id], ["en"]) == []

    def test_sh2_a_value_keeps_who_changed_it_and_why(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made = key(of)
        given = value(made, actor_type="system", reason="why", note="what")
        storage.keys.add_keys([made], [replace(given, actor_type="token")])

        storage.keys.put_values([given])

        assert storage.keys.values_of([made.id]) == {made.id: [given]}

    def test_sh3_a_history_is_listed_newest_first(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made, other = key(of, "a", is_plural=True), key(of, "b")
        now = value(made, "de", "3", "one", revision=3, updated_at=at(3))
        storage.keys.add_keys([made, other], [now, value(other, "de")])
        olds = [
            value(made, "de", "1", "one", revision=1, updated_at=at(1)),
            value(made, "de", "2", "one", revision=2, updated_at=at(1)),
            value(made, "de", "n", "other", revision=1, updated_at=at(2)),
            value(made, "en", "1", "one", revision=1, updated_at=at(9)),
        ]
        storage.keys.add_revisions([revision_of(old) for old in olds])

        def page(number: int, limit: int) -> list[str]:
            request = PageRequest(number, limit)
            found = storage.keys.list_revisions(of.id, made.id, "de", request)
            assert found.total == 4
            return [each.value for each in found.items]

        assert page(1, 50) == ["3", "n", "2", "1"]
        assert [page(number, 3) for number in (1, 2, 3)] == [["3", "n", "2"], ["1"], []]

    def test_sh4_many_revisions_are_kept_at_once(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made = [key(of, f"k{number:04}") for number in range(1201)]
        storage.keys.add_keys(made, [value(one, revision=2) for one in made])

        storage.keys.add_revisions([revision_of(value(one)) for one in made])

        assert len(storage.keys.revisions_of([one.id for one in made])) == 2 * len(made)

    def test_sh5_a_history_stays_in_the_trash_and_goes_with_the_key(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        kept, gone = key(of, "a"), key(of, "b")
        storage.keys.add_keys([kept, gone])
        olds = [revision_of(value(one)) for one in (kept, gone)]
        storage.keys.add_revisions(olds)

        storage.keys.trash_keys(of.id, [kept.id, gone.id], at(1))
        storage.keys.restore_keys(of.id, [kept.id], at(2))
        storage.purge("keys", at(3), 10)

        assert storage.keys.revisions_of([kept.id, gone.id]) == olds[:1]

    def test_sh6_a_history_goes_with_its_language(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made = key(of)
        storage.keys.add_keys([made])
        olds = [revision_of(value(made, code)) for code in ("de", "en")]
        storage.keys.add_revisions(olds)

        delete_language(storage, of.id, "de")

        assert storage.keys.revisions_of([made.id]) == olds[1:]

    def test_sh7_a_branch_tells_mains_history_before_its_own(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        store = storage.branch_keys(of.id, add_branch(storage, of).id)
        made = key(of)
        second = value(made, text="2", revision=2, updated_at=at(2))
        storage.keys.add_keys([made], [second])
        storage.keys.add_revisions([revision_of(value(made, text="1"))])
        copied = _texts(store, made.id)

        third = replace(second, value="b3", revision=3, updated_at=at(3))
        store.add_revisions([revision_of(second)])
        store.put_values([third])
        storage.keys.put_values([replace(second, value="m3", revision=3)])
        storage.keys.add_revisions([revision_of(second)])

        assert copied == ["2", "1"]
        assert _texts(store, made.id) == ["b3", "2", "1"]
        assert _texts(storage.keys, made.id) == ["m3", "2", "1"]
        found = store.revisions_of([made.id])
        assert sorted(each.value for each in found) == ["1", "2", "b3"]
        store.drop_overlay([made.id])
        assert _texts(store, made.id) == ["m3", "2", "1"]


def _texts(store: KeyStore, key_id: str) -> list[str]:
    found = store.list_revisions("", key_id, "en", PageRequest())
    assert found.total == len(found.items)
    return [each.value for each in found.items]


def _end(row: StoredValue) -> Revision:
    nothing = {"approved_value": None, "approved_at": None, "approved_by": None}
    return replace(revision_of(row), status="untranslated", **nothing)


def _sorted(revisions: list[Revision]) -> list[Revision]:
    return sorted(revisions, key=lambda each: (each.plural_form or "", each.revision))
