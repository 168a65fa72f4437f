"""The contract of Storage, part SQ: what checks found in texts."""

from typing import Any

from msgspec.structs import replace

from locframework.fields import new_id
from locframework.keys.records import FindingFilter, KeyFinding, KeyLanguage
from locframework.keys.store import BranchKeyStore
from locframework.pagination import PageRequest
from locframework.projects.records import Project
from locframework.quality.records import Finding
from locframework.storage import Storage

from .storage_records import (
    ALL,
    LANGUAGES,
    TEXTS,
    add_keys_project,
    at,
    branch,
    delete_language,
    key,
    value,
)

CHECKS = ("length", "markup", "numbers")


class StorageFindingsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sq1_findings_come_back_as_they_were_and_in_their_order(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        one, two = key(of, "a"), key(of, "b")
        storage.keys.add_keys([one, two])
        found = [
            found_by(check, message=text[:300] or "x", start=n, end=2**31 + n)
            for n, (check, text) in enumerate(
                zip(CHECKS * 4, TEXTS.values(), strict=False)
            )
        ]
        other = [found_by("length", plural_form="few")]

        storage.keys.put_findings({(one.id, "de"): found[::-1], (one.id, "en"): other})
        storage.keys.put_findings({(two.id, "de"): other, (new_id(), "de"): other})

        assert storage.keys.findings_of([one.id, two.id, new_id()]) == {
            (one.id, "de"): found[::-1],
            (one.id, "en"): other,
            (two.id, "de"): other,
        }

    def test_sq2_findings_take_the_place_of_those_before(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        one = key(of)
        storage.keys.add_keys([one])
        first = [found_by("length"), found_by("markup")]
        storage.keys.put_findings({(one.id, code): first for code in LANGUAGES})

        storage.keys.put_findings(
            {(one.id, "de"): [found_by("numbers")], (one.id, "ja"): []}
        )

        assert storage.keys.findings_of([one.id]) == {
            (one.id, "en"): first,
            (one.id, "de"): [found_by("numbers")],
        }

    def test_sq3_a_list_goes_by_key_and_language_in_the_order_of_the_project(
        self, storage: Storage
    ) -> None:
        of, other = (
            add_keys_project(storage, "en", "ja", "de"),
            add_keys_project(storage),
        )
        names = ["b", "B", "a.b", "_", "0"]
        made = [key(of, name) for name in names]
        storage.keys.add_keys([*made, key(other, "a")])
        two = [found_by("markup"), found_by("length")]
        storage.keys.put_findings(
            {(one.id, code): two for one in made for code in ("de", "en", "ja")}
        )

        whole = storage.keys.list_findings(of.id, FindingFilter(CHECKS), ALL)
        pages = [
            storage.keys.list_findings(of.id, FindingFilter(CHECKS), PageRequest(n, 7))
            for n in (1, 2, 3, 4, 5, 6, 1_000_000)
        ]

        assert whole.items == [
            KeyFinding(one.id, one.key, code, each)
            for one in sorted(made, key=lambda one: one.key)
            for code in ("en", "ja", "de")
            for each in two
        ]
        assert [one for page in pages for one in page.items] == whole.items
        assert {page.total for page in pages} == {30}

    def test_sq4_a_list_meets_every_condition(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        one, two = key(of, "a"), key(of, "b")
        storage.keys.add_keys([one, two])
        both = [found_by("length"), found_by("markup")]
        storage.keys.put_findings({(one.id, "en"): both, (two.id, "de"): both})

        def spots(*checks: str, **where: Any) -> list[tuple[str, str, str]]:
            asked = FindingFilter(checks, **where)
            page = storage.keys.list_findings(of.id, asked, ALL)
            assert page.total == len(page.items)
            return [(e.key, e.language_code, e.finding.check) for e in page.items]

        assert spots("length") == [("a", "en", "length"), ("b", "de", "length")]
        assert spots("markup", language_code="de") == [("b", "de", "markup")]
        assert spots(*CHECKS, key_id=one.id, language_code="de") == []
        assert spots("length", key_id=two.id) == [("b", "de", "length")]
        assert spots(*CHECKS, key_id=new_id()) == spots("numbers") == spots() == []

    def test_sq5_findings_follow_their_key_to_another_name(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        one, two = key(of, "a"), key(of, "b")
        storage.keys.add_keys([one, two])
        storage.keys.put_findings({(one.id, "de"): [found_by("length")]})

        storage.keys.save_keys([replace(one, key="b"), replace(two, key="a")])

        [found] = listed(storage, of)
        assert (found.key_id, found.key) == (one.id, "b")

    def test_sq6_a_key_in_the_trash_has_none_also_when_it_is_back(
        self, storage: Storage
    ) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        one, kept, foreign = key(of, "a"), key(of, "b"), key(other, "a")
        storage.keys.add_keys([one, kept, foreign])
        some = [found_by("length")]
        storage.keys.put_findings(
            {(each.id, "de"): some for each in (one, kept, foreign)}
        )

        storage.keys.trash_keys(of.id, [one.id, foreign.id], at(1))
        storage.keys.put_findings({(one.id, "en"): some})
        storage.keys.restore_keys(of.id, [one.id], at(2))

        assert [found.key for found in listed(storage, of)] == ["b"]
        assert [found.key for found in listed(storage, other)] == ["a"]

    def test_sq7_a_language_leaves_with_its_findings(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        one, foreign = key(of), key(other)
        storage.keys.add_keys([one, foreign])
        spots = [(each.id, code) for each in (one, foreign) for code in LANGUAGES]
        storage.keys.put_findings({spot: [found_by("length")] for spot in spots})

        delete_language(storage, of.id, "de")

        assert [found.language_code for found in listed(storage, of)] == ["en", "ja"]
        assert len(listed(storage, other)) == 3

    def test_sq8_a_purged_project_leaves_none(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        one = key(of)
        storage.keys.add_keys([one])
        storage.keys.put_findings({(one.id, "de"): [found_by("length")]})
        storage.projects.delete(of.id, at(1))

        while storage.purge("projects", at(2), 2):
            pass

        assert storage.keys.findings_of([one.id]) == {}

    def test_sq9_a_branch_sees_mains_findings_but_for_the_keys_it_has_itself(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        one, two, own = key(of, "a"), key(of, "b"), key(of, "c")
        storage.keys.add_keys([one, two], [value(one), value(two)])
        some, others = [found_by("length")], [found_by("markup")]
        storage.keys.put_findings({(one.id, "en"): some, (two.id, "en"): some})
        line = open_branch(storage, of)

        line.put_values([value(one, "de")])
        line.add_keys([own])
        line.put_findings({(one.id, "de"): others, (own.id, "de"): others})

        seen = line.list_findings(of.id, FindingFilter(CHECKS), ALL)
        spots: list[KeyLanguage] = [(e.key_id, e.language_code) for e in seen.items]
        assert spots == [(one.id, "en"), (one.id, "de"), (two.id, "en"), (own.id, "de")]
        assert seen.total == 4
        assert line.findings_of([one.id, two.id, own.id]) == {
            (one.id, "en"): some,
            (one.id, "de"): others,
            (two.id, "en"): some,
            (own.id, "de"): others,
        }
        asked = FindingFilter(CHECKS, key_id=one.id)
        assert line.list_findings(of.id, asked, ALL).total == 2
        assert [found.key for found in listed(storage, of)] == ["a", "b"]

    def test_sq10_what_a_branch_deletes_or_forgets_is_seen_so(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        one, two = key(of, "a"), key(of, "b")
        storage.keys.add_keys([one, two], [value(one), value(two)])
        some = [found_by("length")]
        storage.keys.put_findings({(one.id, "en"): some, (two.id, "en"): some})
        line = open_branch(storage, of)
        line.trash_keys(of.id, [one.id], at(1))
        line.touch_keys([two.id], at(1))
        line.put_findings({(two.id, "en"): []})

        nothing = line.list_findings(of.id, FindingFilter(CHECKS), ALL)
        line.drop_overlay([two.id])
        mains = line.list_findings(of.id, FindingFilter(CHECKS), ALL)

        assert (nothing.items, nothing.total) == ([], 0)
        assert [found.key for found in mains.items] == ["b"]
        assert len(listed(storage, of)) == 2


def found_by(check: str, **changes: Any) -> Finding:
    return replace(Finding("is wrong", 0, 1, None, check), **changes)


def listed(storage: Storage, of: Project) -> list[KeyFinding]:
    return storage.keys.list_findings(of.id, FindingFilter(CHECKS), ALL).items


def open_branch(storage: Storage, of: Project) -> BranchKeyStore:
    made = branch(of)
    storage.branches.add_branch(made)
    return storage.branch_keys(of.id, made.id)
