"""The contract of Storage, part SV: values."""

from msgspec.structs import replace

from locframework.fields import new_id
from locframework.keys.records import KeyFilter, StoredState, StoredValue
from locframework.keys.revisions import revision_of
from locframework.quality.records import Finding
from locframework.storage import Storage

from .storage_records import (
    LANGUAGES,
    TEXTS,
    add_keys_project,
    at,
    delete_language,
    draft,
    key,
    value,
)


class StorageValuesContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sv1_a_value_comes_back_as_it_was(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        one, two, bare = key(of, "a"), key(of, "b", is_plural=True), key(of, "c")
        storage.keys.add_keys([one, two, bare])
        pending = replace(
            value(one, "de", "Alt"),
            value="Neu",
            status="pending_review",
            is_outdated=True,
            revision=2**31,
            origin="import",
            approved_by="u2",
            updated_at=at(3),
            updated_by="t1",
            approved_outdated=True,
            keeps_fresh=True,
        )
        forms = [value(two, "en", form, form) for form in ("one", "other")]

        storage.keys.put_values([pending, draft(one, "ja"), *forms])

        found = storage.keys.values_of([one.id, two.id, bare.id, new_id()])
        assert set(found) == {one.id, two.id}
        assert _sorted(found[one.id]) == [pending, draft(one, "ja")]
        assert _sorted(found[two.id]) == forms
        assert storage.keys.values_of([one.id], ["de", "xx"]) == {one.id: [pending]}
        assert storage.keys.values_of([one.id], []) == {}
        assert storage.keys.values_of([]) == {}

    def test_sv2_a_value_takes_the_place_of_the_one_before(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        made = key(of)
        storage.keys.add_keys([made], [draft(made), value(made, "de")])
        new = value(made, "en", "New", revision=2, updated_at=at(1))

        storage.keys.put_values([new])

        found = storage.keys.values_of([made.id])[made.id]
        assert _sorted(found) == [value(made, "de"), new]

    def test_sv3_a_removed_value_is_gone_and_no_other(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made = key(of, is_plural=True)
        one, other, german = (
            value(made, "en", "1", "one"),
            value(made, "en", "2", "other"),
            value(made, "de", "1", "one"),
        )
        storage.keys.add_keys([made], [one, other, german])

        storage.keys.remove_values([one, value(made, "ja")])

        assert _sorted(storage.keys.values_of([made.id])[made.id]) == [german, other]

    def test_sv4_first_texts_are_like_texts_put_afterwards(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        made = [key(of, f"k{number:04}") for number in range(601)]
        texts = [value(one, code) for one in made for code in ("en", "de")]
        texts += [draft(one, "ja") for one in made[:100]]

        storage.keys.add_keys(made[:600], [v for v in texts if v.key_id != made[-1].id])
        storage.keys.add_keys(made[600:])
        storage.keys.put_values([v for v in texts if v.key_id == made[-1].id])

        found = storage.keys.values_of([one.id for one in made])
        assert sum(map(len, found.values())) == len(texts)
        for where, count in (
            (KeyFilter(status="approved", language_code="de"), 601),
            (KeyFilter(status="draft", language_code="ja"), 100),
            (KeyFilter(status="untranslated", language_code="ja"), 501),
        ):
            page = storage.keys.list_keys(of.id, where, "key", limit=200)
            assert (page.total, len(page.items)) == (count, min(count, 200))

    def test_sv5_texts_come_back_byte_for_byte(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made = [key(of, f"k{number}") for number in range(len(TEXTS))]
        texts = {
            one.id: [value(one, "en", text)]
            for one, text in zip(made, TEXTS.values(), strict=True)
        }
        storage.keys.add_keys(made)

        storage.keys.put_values([text for [text] in texts.values()])

        assert storage.keys.values_of([one.id for one in made]) == texts

    def test_sv6_values_in_other_languages_become_outdated_once(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        one, two = key(of, "a", is_plural=True), key(of, "b")
        source, old = value(one, "en", "2", "other"), value(one, "ja", is_outdated=True)
        waiting = value(one, "de", "new", "other", status="pending_review")
        fresh = [value(one, "de", "one", "one"), waiting]
        storage.keys.add_keys([one, two], [source, old, *fresh, value(two, "de")])

        turned = storage.keys.mark_outdated([one.id, new_id()], "en")
        again = storage.keys.mark_outdated([one.id], "en")

        now = [
            replace(text, is_outdated=True, approved_outdated=text == waiting)
            for text in fresh
        ]
        assert _sorted(turned) == now
        assert again == []
        found = storage.keys.values_of([one.id, two.id])
        assert _sorted(found[one.id]) == [*now, source, old]
        assert found[two.id] == [value(two, "de")]

    def test_sv7_a_language_leaves_with_its_values(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made, gone = key(of, "a"), key(of, "b")
        storage.keys.add_keys(
            [made, gone],
            [value(one, code) for one in (made, gone) for code in LANGUAGES],
        )
        storage.keys.trash_keys(of.id, [gone.id], at(1))
        languages = storage.projects.list_languages(of.id)

        delete_language(storage, of.id, "de")
        [german] = [one for one in languages if one.language_code == "de"]
        storage.projects.languages.insert(german)
        storage.keys.restore_keys(of.id, [gone.id], at(2))

        for one in (made, gone):
            left = _sorted(storage.keys.values_of([one.id])[one.id])
            assert left == [value(one, "en"), value(one, "ja")]
        where = KeyFilter(status="untranslated", language_code="de")
        assert storage.keys.list_keys(of.id, where, "key", limit=200).total == 2

    def test_sv8_a_purged_project_leaves_no_key(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        made, gone, kept = key(of, tags=("t",)), key(of, "b"), key(other)
        storage.keys.add_keys(
            [made, gone, kept], [value(one, revision=2) for one in (made, gone, kept)]
        )
        storage.keys.add_revisions([revision_of(value(one)) for one in (made, gone)])
        storage.keys.trash_keys(of.id, [gone.id], at(0))
        storage.projects.delete(of.id, at(1))

        while storage.purge("projects", at(2), 3):
            pass

        assert storage.keys.names_of(of.id) == {}
        assert storage.keys.trashed(of.id, [gone.id]) == {}
        found = storage.keys.values_of([made.id, gone.id, kept.id])
        assert found == {kept.id: [value(kept, revision=2)]}
        assert storage.keys.revisions_of([made.id, gone.id]) == []

    def test_sv9_a_key_is_read_with_its_values(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        one, bare, gone = key(of, max_length=9), key(of, "b"), key(of, "c")
        texts = [value(one, "de", "Alt"), value(one)]
        storage.keys.add_keys([one, bare, gone], texts)
        storage.keys.trash_keys(of.id, [gone.id], at(1))

        state = storage.keys.find_state(of.id, one.id)

        assert state is not None
        assert (state.key, _sorted([*state.values])) == (one, texts)
        assert storage.keys.find_state(of.id, bare.id) == StoredState(
            bare, (), has_findings=False
        )
        storage.keys.put_findings({(bare.id, "en"): [Finding("wrong", 0, 1)]})
        found = storage.keys.find_state(of.id, bare.id)
        assert found == StoredState(bare, (), has_findings=True)
        assert storage.keys.find_state(of.id, gone.id) is None
        assert storage.keys.find_state(other.id, one.id) is None

    def test_sv10_a_key_is_touched_only_if_it_is_as_it_was_read(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        made = key(of)
        storage.keys.add_keys([made])

        assert storage.keys.touch_unchanged(made, at(1))
        assert not storage.keys.touch_unchanged(made, at(2))
        assert not storage.keys.touch_unchanged(key(of, "b"), at(2))

        assert storage.keys.find_key(of.id, made.id) == replace(made, updated_at=at(1))


def _sorted(values: list[StoredValue]) -> list[StoredValue]:
    return sorted(values, key=lambda text: (text.language_code, text.plural_form or ""))
