"""The contract of Storage, part SL: lists of keys."""

import pytest
from msgspec.structs import replace

from locframework.fields import new_id
from locframework.keys.query import position_of
from locframework.keys.records import KeyFilter, StoredKey
from locframework.languages import fold
from locframework.pagination import TOTAL_LIMIT, BoundedList, Position
from locframework.projects.records import Project
from locframework.storage import Storage

from .storage_records import add_keys_project, at, draft, key, value

SORTS = ("key", "-key", "createdAt", "-createdAt", "updatedAt", "-updatedAt")


class StorageKeyListsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    @pytest.mark.parametrize("sort", SORTS)
    def test_sl1_keys_are_sorted_by_code_point_or_by_time_then_id(
        self, storage: Storage, sort: str
    ) -> None:
        of = add_keys_project(storage)
        names = ["b", "B", "a.b", "a-b", "ab", "a", "_a", "Z", "0", "a_b"]
        made = [
            key(of, name, created_at=at(number % 3), updated_at=at(number % 4))
            for number, name in enumerate(names)
        ]
        storage.keys.add_keys(made)
        in_order = {
            "key": sorted(made, key=lambda one: one.key),
            "createdAt": sorted(made, key=lambda one: (one.created_at, one.id)),
            "updatedAt": sorted(made, key=lambda one: (one.updated_at, one.id)),
        }[sort.removeprefix("-")]

        found = storage.keys.list_keys(of.id, KeyFilter(), sort, limit=200)

        assert found.items == (in_order[::-1] if sort.startswith("-") else in_order)

    @pytest.mark.parametrize("sort", SORTS)
    @pytest.mark.parametrize("tags", [(), ("t",)])
    def test_sl2_pages_part_a_list_without_gap_or_repeat(
        self, storage: Storage, sort: str, tags: tuple[str, ...]
    ) -> None:
        of = add_keys_project(storage)
        storage.keys.add_keys([key(of, f"k{n}", tags=("t",)) for n in range(11)])
        where = KeyFilter(tags=tags)

        pages = [
            storage.keys.list_keys(of.id, where, sort, limit=3, offset=offset)
            for offset in (0, 3, 6, 9, 12, 3_000_000)
        ]

        assert [len(page.items) for page in pages] == [3, 3, 3, 2, 0, 0]
        assert {(page.total, page.total_is_exact) for page in pages} == {(11, True)}
        whole = storage.keys.list_keys(of.id, where, sort, limit=200)
        assert [one for page in pages for one in page.items] == whole.items

    def test_sl3_a_prefix_is_meant_letter_by_letter(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        add_named(storage, of, "a.b", "a.c", "a_b", "a", "A.b", "ab")

        assert names(storage, of, prefix="a.") == ["a.b", "a.c"]
        assert names(storage, of, prefix="a_") == ["a_b"]
        assert names(storage, of, prefix="A") == ["A.b"]
        assert names(storage, of, prefix="%") == []
        assert names(storage, of, prefix="b") == []

    def test_sl4_a_key_must_have_every_tag(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        storage.keys.add_keys(
            [
                key(of, "a", tags=("x", "y")),
                key(of, "b", tags=("y",)),
                key(of, "c", tags=("X", "en/approved")),
                key(of, "d"),
            ]
        )

        assert names(storage, of, tags=("x",)) == ["a"]
        assert names(storage, of, tags=("y",)) == ["a", "b"]
        assert names(storage, of, tags=("y", "x")) == ["a"]
        assert names(storage, of, tags=("X",)) == ["c"]
        assert names(storage, of, tags=("z",)) == []
        assert names(storage, of, tags=("en/approved",)) == ["c"]

    def test_sl5_a_state_is_that_of_any_form_in_the_language(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        a, b, c, plural = (key(of, name) for name in "abcd")
        storage.keys.add_keys([a, b, c, plural])
        storage.keys.put_values(
            [
                value(a, "en"),
                value(a, "de"),
                draft(b, "de"),
                draft(c, "en", status="pending_review"),
                value(plural, "en", "1", "one"),
                value(plural, "en", "2", "two"),
                draft(plural, "en", plural_form="other"),
            ]
        )

        def of_state(state: str, code: str | None = None) -> list[str]:
            return names(storage, of, status=state, language_code=code)

        assert of_state("approved", "en") == ["a", "d"]
        assert of_state("approved", "de") == ["a"]
        assert of_state("draft", "en") == ["d"]
        assert of_state("pending_review", "en") == ["c"]
        assert of_state("approved") == ["a", "d"]
        assert of_state("draft") == ["b", "d"]
        assert of_state("approved", "ja") == []
        assert names(storage, of, language_code="ja") == ["a", "b", "c", "d"]

    def test_sl6_a_key_is_untranslated_when_it_has_no_form_of_it(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage, "en", "de")
        a, b, plural = key(of, "a"), key(of, "b"), key(of, "c")
        storage.keys.add_keys([a, b, plural], [value(a, "en"), value(a, "de")])
        storage.keys.put_values([draft(plural, "de", plural_form="one")])

        def untranslated(code: str | None = None) -> list[str]:
            return names(storage, of, status="untranslated", language_code=code)

        assert untranslated("en") == ["b", "c"]
        assert untranslated("de") == ["b"]
        assert untranslated() == ["b", "c"]

    def test_sl7_outdated_and_its_state_speak_of_one_value(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        a, b, c, d = (key(of, name) for name in "abcd")
        storage.keys.add_keys([a, b, c, d])
        storage.keys.put_values(
            [
                value(a, "de", is_outdated=True),
                value(b, "de"),
                value(c, "de", "1", "one", is_outdated=True),
                draft(c, "de", plural_form="other"),
                value(d, "ja", is_outdated=True),
            ]
        )

        assert names(storage, of, is_outdated=True, language_code="de") == ["a", "c"]
        assert names(storage, of, is_outdated=False, language_code="de") == ["b", "d"]
        assert names(storage, of, is_outdated=True) == ["a", "c", "d"]
        assert names(storage, of, is_outdated=False) == ["b"]
        outdated_draft = {"is_outdated": True, "status": "draft"}
        assert names(storage, of, language_code="de", **outdated_draft) == []
        assert names(storage, of, **outdated_draft) == []
        fresh_draft = {"is_outdated": False, "status": "draft"}
        assert names(storage, of, language_code="de", **fresh_draft) == ["c"]
        assert names(storage, of, language_code="ja", **fresh_draft) == []
        fresh = {"is_outdated": False, "status": "approved"}
        assert names(storage, of, language_code="de", **fresh) == ["b"]

    def test_sl7_a_state_parts_into_the_outdated_and_the_others(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        a, b = key(of, "a"), key(of, "b")
        waiting = replace(draft(a, "ja", is_outdated=True), status="pending_review")
        storage.keys.add_keys([a, b], [value(a, "de"), waiting, value(b, "de")])

        for code in (None, "de", "ja"):
            for status in ("approved", "pending_review", "untranslated"):
                asked = {"language_code": code, "status": status}
                outdated = names(storage, of, is_outdated=True, **asked)
                others = names(storage, of, is_outdated=False, **asked)
                assert sorted(outdated + others) == names(storage, of, **asked)
                is_stale = status == "pending_review" and code != "de"
                assert outdated == (["a"] if is_stale else [])

    def test_sl8_keys_with_plurals_and_those_without(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        storage.keys.add_keys([key(of, "a", is_plural=True), key(of, "b")])

        assert names(storage, of, is_plural=True) == ["a"]
        assert names(storage, of, is_plural=False) == ["b"]

    def test_sl9_updated_since_counts_the_moment_itself(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        storage.keys.add_keys([key(of, f"k{n}", updated_at=at(n)) for n in range(3)])

        assert names(storage, of, updated_since=at(1)) == ["k1", "k2"]
        assert names(storage, of, updated_since=at(3)) == []

    @pytest.mark.parametrize(
        ("search", "found"),
        [
            ("PAY", ["checkout.pay", "d"]),
            ("checkout.p", ["checkout.pay"]),
            ("größe", ["a"]),
            ("GRÖSSE", ["a"]),
            ("o\u0308", ["a"]),
            ("設定", ["b"]),
            ("定", ["b"]),
            ("100%", ["c"]),
            ("0%_", ["c"]),
            ("0%!", []),
            ("%", ["c"]),
            ("_", ["c"]),
            ("?", ["d"]),
            ("l\nb", ["b"]),
            ("alt", ["d"]),
            ("nowhere", []),
        ],
    )
    def test_sl10_a_search_finds_folded_text_letter_by_letter(
        self, storage: Storage, search: str, found: list[str]
    ) -> None:
        of = add_keys_project(storage)
        a, b, c = key(of, "a"), key(of, "b", description="l\nb"), key(of, "c")
        d, pay = key(of, "d"), key(of, "checkout.pay", description="The button")
        texts = [
            value(a, "de", "Gro\u0308ße"),
            value(b, "ja", "設定", "other"),
            value(c, "en", "100%_off"),
            value(d, "de", "Pay now?", "one"),
            replace(value(d, "en", "Alt"), status="draft"),
        ]
        storage.keys.add_keys([a, b, c, d, pay], texts)

        assert names(storage, of, search=fold(search)) == found

    def test_sl11_nothing_means_no_key(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        add_named(storage, of, "a")

        assert names(storage, of, nothing=True) == []

    def test_sl12_every_condition_must_hold(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        hit = key(of, "a.hit", tags=("t", "u"), is_plural=True, updated_at=at(5))
        misses = [
            replace(hit, id=new_id(), key="b.prefix"),
            replace(hit, id=new_id(), key="a.tag", tags=("t",)),
            replace(hit, id=new_id(), key="a.plural", is_plural=False),
            replace(hit, id=new_id(), key="a.time", updated_at=at(4)),
        ]
        german, status = (replace(hit, id=new_id(), key=f"a.{n}") for n in ("d", "s"))
        rest = [hit, *misses, german, status]
        texts = [
            value(one, "de", "Zahlen", "other", is_outdated=True)
            for one in (hit, *misses)
        ]
        texts += [
            value(german, "ja", "Zahlen", "other", is_outdated=True),
            draft(status, "de", "Zahlen", plural_form="other", is_outdated=True),
        ]
        storage.keys.add_keys(rest, texts)
        where = KeyFilter(
            search="zahl",
            prefix="a.",
            tags=("t", "u"),
            language_code="de",
            status="approved",
            is_outdated=True,
            is_plural=True,
            updated_since=at(5),
        )

        for sort in SORTS:
            found = storage.keys.list_keys(of.id, where, sort, limit=200)
            assert (found.items, found.total) == ([hit], 1)

    def test_sl13_lists_follow_every_change(self, storage: Storage) -> None:
        of = add_keys_project(storage, "en", "de")
        one = key(of, "a", tags=("x",))
        text = draft(one, "de")
        storage.keys.add_keys([one], [text])

        storage.keys.put_values([value(one, "de")])
        assert names(storage, of, status="approved", language_code="de") == ["a"]
        assert names(storage, of, status="draft", language_code="de") == []
        storage.keys.mark_outdated([one.id], "en")
        assert names(storage, of, is_outdated=True, language_code="de") == ["a"]
        storage.keys.save_keys([replace(one, key="b", tags=("y",), is_plural=True)])
        assert names(storage, of, is_outdated=True) == ["b"]
        assert names(storage, of, tags=("y",), is_plural=True) == ["b"]
        assert names(storage, of, tags=("x",)) == []
        assert names(storage, of, is_plural=False) == []
        storage.keys.remove_values([text])
        assert names(storage, of, status="untranslated", language_code="de") == ["b"]
        assert names(storage, of, is_outdated=True) == []

    def test_sl14_keys_of_other_projects_are_on_no_list(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        theirs = key(other, "a", tags=("t",))
        storage.keys.add_keys([theirs], [value(theirs, is_outdated=True)])

        for where in (
            KeyFilter(),
            KeyFilter(tags=("t",)),
            KeyFilter(status="approved"),
            KeyFilter(status="untranslated"),
            KeyFilter(is_outdated=True),
            KeyFilter(is_plural=False),
            KeyFilter(search="pay"),
        ):
            assert storage.keys.list_keys(of.id, where, "key", limit=200).total == 0
            assert storage.keys.list_keys(other.id, where, "key", limit=200).total == 1
            assert storage.keys.list_keys(new_id(), where, "key", limit=200).total == 0

    @pytest.mark.parametrize("sort", SORTS)
    @pytest.mark.parametrize("tags", [(), ("t",)])
    def test_sl16_behind_a_place_comes_what_follows_it_whether_a_key_is_there_or_not(
        self, storage: Storage, sort: str, tags: tuple[str, ...]
    ) -> None:
        of = add_keys_project(storage)
        made = [
            key(of, f"k{n}", tags=("t",), created_at=at(n // 4), updated_at=at(n // 3))
            for n in range(11)
        ]
        storage.keys.add_keys(made)
        where = KeyFilter(tags=tags)
        whole = storage.keys.list_keys(of.id, where, sort, limit=200).items
        gone = whole[5]
        storage.keys.trash_keys(of.id, [gone.id], at(60))

        def after(one: StoredKey) -> BoundedList[StoredKey]:
            position = position_of(one, sort)
            return storage.keys.list_keys(of.id, where, sort, limit=3, after=position)

        found = [after(whole[n]).items for n in (4, 5, 9, 10)]

        assert found == [whole[6:9], whole[6:9], whole[10:], []]
        assert after(whole[0]).items == whole[1:4]
        assert {after(one).total for one in whole} == {10}

    def test_sl16_a_place_may_be_where_no_key_ever_was(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        add_named(storage, of, "B", "a", "c")

        def behind(name: str, sort: str = "key") -> list[str]:
            found = storage.keys.list_keys(
                of.id, KeyFilter(), sort, limit=200, after=Position(name, "")
            )
            return [one.key for one in found.items]

        assert behind("") == ["B", "a", "c"]
        assert behind("b") == ["c"]
        assert behind("b", "-key") == ["a", "B"]
        assert behind("c\U0010ffff") == []
        assert behind(at(0), "createdAt") == ["B", "a", "c"]
        assert behind(at(1), "createdAt") == []

    @pytest.mark.parametrize("tags", [(), ("t",)])
    def test_sl17_totals_are_exact_up_to_the_limit(
        self, storage: Storage, tags: tuple[str, ...]
    ) -> None:
        of = add_keys_project(storage)
        made = [key(of, f"k{n:05}", tags=("t",)) for n in range(TOTAL_LIMIT + 1)]
        storage.keys.add_keys(made[:-1])
        where = KeyFilter(tags=tags)

        exact = storage.keys.list_keys(of.id, where, "key", limit=2, offset=9_999)
        storage.keys.add_keys(made[-1:])
        bounded = storage.keys.list_keys(of.id, where, "key", limit=2, offset=9_999)
        beyond = storage.keys.list_keys(
            of.id, where, "key", limit=2, offset=TOTAL_LIMIT
        )
        after = storage.keys.list_keys(
            of.id, where, "key", limit=2, after=position_of(made[-2], "key")
        )

        assert exact == BoundedList(made[9_999:10_000], TOTAL_LIMIT, True)
        assert bounded == BoundedList(made[9_999:], TOTAL_LIMIT, False)
        assert beyond == BoundedList([], TOTAL_LIMIT, False)
        assert after == BoundedList(made[-1:], TOTAL_LIMIT, False)


def add_named(storage: Storage, of: Project, *named: str) -> None:
    storage.keys.add_keys([key(of, name) for name in named])


def names(storage: Storage, of: Project, **conditions: object) -> list[str]:
    """The names of the keys that meet the conditions of a KeyFilter, in order."""
    where = replace(KeyFilter(), **conditions)
    found = storage.keys.list_keys(of.id, where, "key", limit=200)
    assert found.total == len(found.items)
    return [one.key for one in found.items]
