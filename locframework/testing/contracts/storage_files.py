"""The contract of Storage, part SF: what files are made of, and what they say."""

from msgspec.structs import replace

from locframework.keys.file_records import FileDetail, Selection
from locframework.projects.records import Project
from locframework.storage import Storage

from .storage_records import add_keys_project, at, delete_language, draft, key, value


class StorageFilesContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sf1_texts_are_told_by_key_in_code_point_order(
        self, storage: Storage
    ) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        names = ["b", "a.b", "a-b", "B", "a", "a.B", "_"]
        made = [key(of, name, description=f"about {name}") for name in names]
        elsewhere = key(other)
        storage.keys.add_keys([*made, elsewhere], [value(elsewhere)])
        storage.keys.put_values([value(one, "de", one.key) for one in made[1:]])

        rows = [*storage.keys.text_rows(of.id, "de", Selection())]

        assert [row.key for row in rows] == sorted(names)
        for row in rows:
            texts = {} if row.key == "b" else {None: row.key}
            assert row.texts == texts
            assert row.description == f"about {row.key}"
            assert (row.is_plural, row.needs_review) == (False, False)
        assert {row.key_id for row in rows} == {one.id for one in made}

    def test_sf2_approved_texts_or_the_newest_ones_are_told(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        a, b, c, d, e = (key(of, name) for name in "abcde")
        plural = key(of, "f", is_plural=True)
        storage.keys.add_keys([a, b, c, d, e, plural])
        storage.keys.put_values(
            [
                value(a, "en", "A"),
                replace(value(b, "en", "B"), value="B2", status="pending_review"),
                draft(c, "en", "C"),
                replace(value(d, "en", "D"), value="", status="pending_review"),
                value(e, "de", "E"),
                draft(plural, "en", "n", plural_form="other"),
                value(plural, "en", "1", "one"),
                value(plural, "en", "0", "zero"),
            ]
        )

        def told(of_status: Selection) -> list[tuple[dict[str | None, str], bool]]:
            rows = storage.keys.text_rows(of.id, "en", of_status)
            return [(row.texts, row.needs_review) for row in rows]

        assert told(Selection("approved")) == [
            ({None: "A"}, False),
            ({None: "B"}, False),
            ({}, False),
            ({None: "D"}, False),
            ({}, False),
            ({"zero": "0", "one": "1"}, False),
        ]
        assert told(Selection("any")) == [
            ({None: "A"}, False),
            ({None: "B2"}, True),
            ({None: "C"}, True),
            ({}, False),
            ({}, False),
            ({"zero": "0", "one": "1", "other": "n"}, True),
        ]
        [*_, last] = storage.keys.text_rows(of.id, "en", Selection("any"))
        assert list(last.texts) == ["zero", "one", "other"]

    def test_sf3_texts_of_a_module_or_a_tag_are_told(self, storage: Storage) -> None:
        for separator in (".", ":", "/", "|"):
            of = add_keys_project(storage, key_separator=separator)
            names = ["a/b", "a/b/c", "a", "ab/c", "a-b", "A/b", "b/a"]
            made = [
                key(of, name.replace("/", separator), tags=("t",) * (number % 2))
                for number, name in enumerate(names)
            ]
            storage.keys.add_keys(made)

            told = {
                which: [row.key for row in storage.keys.text_rows(of.id, "en", which)]
                for which in (
                    Selection(module="a"),
                    Selection(module="@root"),
                    Selection(module="x"),
                    Selection(tag="t"),
                    Selection(tag="T"),
                    Selection(module="a", tag="t"),
                )
            }

            assert list(told.values()) == [
                [made[0].key, made[1].key],
                ["a", "a-b"],
                [],
                sorted(one.key for one in made[1::2]),
                [],
                [made[1].key],
            ]

    def test_sf4_texts_may_be_left_before_their_end(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made = [key(of, f"k{number:04}") for number in range(2500)]
        storage.keys.add_keys(made)
        rows = storage.keys.text_rows(of.id, "en", Selection())
        assert next(rows).key == "k0000"
        del rows

        storage.keys.put_values([value(made[0])])
        with storage.snapshot():
            first = storage.keys.text_rows(of.id, "en", Selection())
            second = storage.keys.text_rows(of.id, "de", Selection())
            pairs = [(a.key, b.key) for a, b in zip(first, second, strict=True)]

        assert pairs == [(one.key, one.key) for one in made]

    def test_sf5_a_detail_takes_the_place_of_the_one_before(
        self, storage: Storage
    ) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        made = key(of)
        storage.keys.add_keys([made])
        kept = [
            _detail(of, made.id),
            _detail(of, made.id, "de", note="de"),
            _detail(of, made.id, family="arb"),
            _detail(of, "", module="checkout", note="file"),
            _detail(of, "", note="whole"),
            _detail(other, made.id, note="other"),
        ]
        storage.keys.add_details([_detail(of, made.id, note="old"), *kept[1:]])

        storage.keys.put_details(kept[:1])

        def details(language_code: str, family: str = "gettext") -> object:
            return storage.keys.details_of(of.id, family, language_code)

        assert details("") == {made.id: kept[0]}
        assert details("de") == {made.id: kept[1]}
        assert details("", "arb") == {made.id: kept[2]}
        assert details("ja") == {}
        find = storage.keys.file_detail
        assert find(of.id, "gettext", "checkout", "") == kept[3]
        assert find(of.id, "gettext", "", "") == kept[4]
        assert find(of.id, "gettext", "", "de") is None
        assert find(other.id, "gettext", "", "") is None

    def test_sf6_details_leave_with_their_language_and_their_key(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        made, gone = key(of, "a"), key(of, "b")
        storage.keys.add_keys([made, gone])
        storage.keys.put_details(
            [_detail(of, made.id, "de"), _detail(of, made.id), _detail(of, gone.id)]
        )

        delete_language(storage, of.id, "de")
        storage.keys.trash_keys(of.id, [gone.id], at(1))
        storage.purge("keys", at(2), 10)

        assert storage.keys.details_of(of.id, "gettext", "de") == {}
        assert list(storage.keys.details_of(of.id, "gettext", "")) == [made.id]


def _detail(
    of: Project,
    key_id: str,
    language_code: str = "",
    *,
    module: str = "",
    family: str = "gettext",
    note: str = "key",
) -> FileDetail:
    detail = {"z": [1, None, {"é": 1.5}], "note": note, "a": "\u0001"}
    return FileDetail(of.id, family, key_id, module, language_code, detail)
