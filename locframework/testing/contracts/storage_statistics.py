"""The contract of Storage, part SC: counts of keys and words."""

from msgspec.structs import replace

from locframework.statistics.records import LanguageCounts, LineCounts
from locframework.storage import Storage

from .storage_records import (
    add_branch,
    add_keys_project,
    at,
    delete_language,
    draft,
    key,
    language,
    value,
)


def counted(counts: LineCounts) -> tuple[int, list[LanguageCounts]]:
    """The same of what is kept, times apart."""
    bare = [replace(each, changed_at=None) for each in counts.languages]
    return counts.key_count, bare


class StorageStatisticsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sc1_what_is_counted_of_an_empty_line_is_nothing(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage, "en", "de")
        branch = add_branch(storage, of)

        for branch_id in (None, branch.id):
            found = storage.statistics.counts_of(of.id, branch_id)

            assert found == LineCounts(
                0, None, (LanguageCounts("en"), LanguageCounts("de"))
            )

    def test_sc2_a_plural_key_counts_once_in_the_worst_state_of_its_forms(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage, "en", "de")
        files = key(of, "files", is_plural=True)
        texts = [
            value(files, "en", "one file", "one"),
            value(files, "en", "{n} files", "other"),
            value(files, "de", "eine", "one", is_outdated=True),
            draft(files, "de", plural_form="other"),
        ]

        storage.keys.add_keys([files], texts)

        assert counted(storage.statistics.counts_of(of.id)) == (
            1,
            [
                LanguageCounts("en", approved=1, words=4, approved_words=4),
                LanguageCounts("de", draft=1, outdated=1, words=4),
            ],
        )

    def test_sc3_words_are_those_of_the_source_text_that_is_approved(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage, "en", "de")
        one, other = key(of, "a"), key(of, "b")
        proposal = value(one, "en", "Pay at once", approved_value="Pay")
        texts = [
            replace(proposal, status="pending_review"),
            value(one, "de", "Jetzt gleich zahlen"),
            draft(other, "en", "Two words"),
        ]
        storage.keys.add_keys([one, other], texts)

        [english, german] = storage.statistics.counts_of(of.id).languages

        assert (english.words, english.approved_words) == (3, 0)
        assert (german.words, german.approved_words) == (1, 1)

    def test_sc4_the_last_change_of_a_language_is_told(self, storage: Storage) -> None:
        of = add_keys_project(storage, "en", "de")
        one = key(of, "a")
        text = value(one, "de", updated_at=at(3))

        def last() -> list[str | None]:
            found = storage.statistics.counts_of(of.id)
            return [each.changed_at for each in found.languages]

        storage.keys.add_keys([one], [text])
        assert last() == [None, at(3)]
        storage.keys.put_values([value(one, "de", updated_at=at(5))])
        assert last() == [None, at(5)]
        storage.keys.put_values([value(one, "de", updated_at=at(4))])
        assert last() == [None, at(5)]
        storage.keys.remove_values([text], at(6))
        assert last() == [None, at(6)]
        delete_language(storage, of.id, "de")
        storage.projects.languages.insert(language(of, "de"))
        assert last() == [None, None]

    def test_sc5_the_last_change_of_a_line_is_told(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        branch = add_branch(storage, of)
        on_branch = storage.branch_keys(of.id, branch.id)
        one, other = key(of, "a", updated_at=at(1)), key(of, "b", updated_at=at(2))

        def last(branch_id: str | None = None) -> str | None:
            return storage.statistics.counts_of(of.id, branch_id).updated_at

        storage.keys.add_keys([one, other])
        assert (last(), last(branch.id)) == (at(2), at(2))
        storage.keys.touch_keys([one.id], at(3))
        assert last() == at(3)
        storage.keys.trash_keys(of.id, [one.id], at(4))
        assert last() == at(4)
        storage.keys.restore_keys(of.id, [one.id], at(5))
        assert last() == at(5)
        on_branch.touch_keys([other.id], at(6))
        assert (last(), last(branch.id)) == (at(5), at(6))

    def test_sc6_projects_are_counted_apart(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        one = key(of, "a")
        storage.keys.add_keys([one], [value(one)])

        assert storage.statistics.counts_of(of.id).languages[0].approved == 1
        assert storage.statistics.counts_of(other.id).languages[0].approved == 0

    def test_sc8_what_main_deleted_is_counted_where_a_branch_has_it(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage, "en", "de")
        branch = add_branch(storage, of)
        on_branch = storage.branch_keys(of.id, branch.id)
        one, other = key(of, "a"), key(of, "b")
        storage.keys.add_keys([one, other], [value(one), value(other)])
        on_branch.put_values([value(one, "de")])

        storage.keys.trash_keys(of.id, [one.id], at(1))

        assert counted(storage.statistics.counts_of(of.id, branch.id)) == (
            2,
            [
                LanguageCounts("en", approved=2, words=2, approved_words=2),
                LanguageCounts("de", approved=1, words=1, approved_words=1),
            ],
        )

    def test_sc9_complete_is_a_language_without_a_key_that_lacks_a_text(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage, "en", "de")
        branch = add_branch(storage, of)
        on_branch = storage.branch_keys(of.id, branch.id)
        complete = storage.statistics.complete_languages
        one, other, own = key(of, "a"), key(of, "b"), key(of, "c")
        assert complete(of.id) == complete(of.id, branch.id) == {"en", "de"}

        storage.keys.add_keys(
            [one, other], [value(one), draft(other), draft(one, "de")]
        )
        assert complete(of.id) == complete(of.id, branch.id) == {"en"}
        on_branch.put_values([value(other, "de")])
        assert (complete(of.id), complete(of.id, branch.id)) == ({"en"}, {"en", "de"})
        on_branch.add_keys([own], [value(own, "de")])
        assert complete(of.id, branch.id) == {"de"}
        on_branch.trash_keys(of.id, [one.id, other.id, own.id], at(1))
        assert complete(of.id, branch.id) == {"en", "de"}
