"""The contract of the port BlobStore; clauses as in docs/internals/contracts.md."""

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from threading import Barrier, Event
from typing import ClassVar
from urllib.parse import urlsplit

import pytest

from locframework.blobs.blob_store import BlobStore
from locframework.errors import Unavailable

OpenStore = Callable[[], BlobStore]
Damage = Callable[[BlobStore, str], None]
ReadForeign = Callable[[], bytes | None]
PutForeign = Callable[[str, bytes], ReadForeign]

CONTENTS = {
    "nothing": b"",
    "one byte": b"\n",
    "a text": '{\n  "save": "Сохранить"\r\n}'.encode(),
    "every byte": bytes(range(256)),
    "three megabytes": b"locframework" * 262_144 + b"\0",
}
GOOD = sha256(b"good").hexdigest()
BAD_NAMES = {
    "empty": "",
    "short": GOOD[:-1],
    "long": GOOD + "0",
    "upper case": GOOD.upper(),
    "not hex": "g" + GOOD[1:],
    "final newline": GOOD + "\n",
    "full-width digit": GOOD[:-1] + "\uff11",
    "parent folder": "../" + GOOD[3:],
    "absolute path": "/" + GOOD[1:],
    "nul": GOOD[:-1] + "\0",
}
MANY = 1_050  # a page of a list of S3 has 1,000
FOREIGN_NAMES = {
    "a text": "README.txt",
    "upper case": GOOD.upper(),
    "longer": GOOD + ".part",
    "shorter": GOOD[:-1],
    "before a name": "x" + GOOD,
}
# "Input/output error" may stand in a message, "/srv/data" and "http://10.0.0.1" may not
PLACE = re.compile(r"(?<!\w)/\w|://")


def name_of(content: bytes) -> str:
    """The name that a blob of this content has."""
    return sha256(content).hexdigest()


def neighbours(start: str, number: int) -> list[bytes]:
    """Return contents whose names begin with ``start``, so that they may share a folder
    or a partition."""
    found: list[bytes] = []
    at = 0
    while len(found) < number:
        content = b"neighbour %d" % at
        if name_of(content).startswith(start):
            found.append(content)
        at += 1
    return found


def value_error() -> pytest.RaisesExc[ValueError]:
    """Expects a ValueError that says something."""
    return pytest.raises(ValueError, match=r"\w")


class BlobStoreContract:
    """Subclass it as ``Test…`` and give the fixtures; see docs/internals/contracts.md.

    ``open_store`` gives, at each call, another instance over one and the same place,
    which is empty when a test begins: as another process has it, or a restart.
    ``damage`` alters the kept bytes of a blob behind the store's back.
    ``broken_store`` is a store whose place cannot be reached.
    ``put_foreign`` puts an object of another program among the blobs, by its name and
    content, and gives a function that reads it.
    A store to which the last three cannot be done says why in ``undamageable``,
    ``unbreakable`` or ``unshared``; the clauses are then skipped with that reason.
    """

    undamageable: ClassVar[str | None] = None
    unbreakable: ClassVar[str | None] = None
    unshared: ClassVar[str | None] = None

    @pytest.fixture
    def open_store(self) -> OpenStore:
        """Give this one in every subclass."""
        raise NotImplementedError("give the fixture open_store")

    @pytest.fixture
    def damage(self) -> Damage:
        """Give this one, or set ``undamageable``."""
        if self.undamageable:
            pytest.skip(self.undamageable)
        raise NotImplementedError("give the fixture damage, or set undamageable")

    @pytest.fixture
    def broken_store(self) -> BlobStore:
        """Give this one, or set ``unbreakable``."""
        if self.unbreakable:
            pytest.skip(self.unbreakable)
        raise NotImplementedError("give the fixture broken_store, or set unbreakable")

    @pytest.fixture
    def put_foreign(self) -> PutForeign:
        """Give this one, or set ``unshared``."""
        if self.unshared:
            pytest.skip(self.unshared)
        raise NotImplementedError("give the fixture put_foreign, or set unshared")

    @pytest.fixture
    def store(self, open_store: OpenStore) -> BlobStore:
        """One instance, for the tests that need no second."""
        return open_store()

    def test_b1_the_store_has_a_plain_name(self, open_store: OpenStore) -> None:
        name = open_store().name

        assert re.fullmatch(r"[a-z][a-z0-9_-]*", name)
        assert open_store().name == name

    @pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())
    def test_b2_what_was_put_comes_back_byte_for_byte(
        self, store: BlobStore, content: bytes
    ) -> None:
        store.put(name_of(content), content)

        assert store.get(name_of(content)) == content
        assert store.get(name_of(content)) == content  # now perhaps from a cache

    def test_b3_an_unknown_name_gives_none(self, store: BlobStore) -> None:
        store.put(name_of(b"other"), b"other")

        assert store.has(name_of(b"other")) is True
        assert store.get(GOOD) is None
        assert store.has(GOOD) is False

    @pytest.mark.parametrize("name", BAD_NAMES.values(), ids=BAD_NAMES.keys())
    def test_b4_a_name_that_is_no_digest_is_a_value_error(
        self, store: BlobStore, name: str
    ) -> None:
        asked: list[Callable[[str], object]]
        asked = [store.get, store.has, store.delete, store.public_url]

        with value_error():
            store.put(name, b"good")
        for ask in asked:
            with value_error():
                ask(name)
        assert list(store.names()) == []

    def test_b5_content_of_another_name_is_refused(self, store: BlobStore) -> None:
        with value_error():
            store.put(GOOD, b"bad")
        assert store.get(GOOD) is None

        store.put(GOOD, b"good")
        with value_error():
            store.put(GOOD, b"bad")
        assert store.get(GOOD) == b"good"

    def test_b6_a_second_put_changes_nothing(self, open_store: OpenStore) -> None:
        store = open_store()
        store.put(GOOD, b"good")
        store.put(GOOD, b"good")
        open_store().put(GOOD, b"good")

        assert store.get(GOOD) == b"good"
        assert list(store.names()) == [GOOD]

    def test_b7_a_deleted_blob_is_gone_and_its_neighbours_are_not(
        self, store: BlobStore
    ) -> None:
        store.delete(GOOD)  # which is not there
        store.put(GOOD, b"good")
        [near] = neighbours(GOOD[:2], 1)
        others = {name_of(each): each for each in (b"other", near)}
        for name, content in others.items():
            store.put(name, content)
        store.get(GOOD)

        store.delete(GOOD)
        store.delete(GOOD)

        assert store.get(GOOD) is None
        assert store.has(GOOD) is False
        assert {*store.names()} == {*others}
        assert {name: store.get(name) for name in others} == others
        store.put(GOOD, b"good")
        assert store.get(GOOD) == b"good"

    def test_b8_names_tells_each_blob_once(self, store: BlobStore) -> None:
        assert list(store.names()) == []
        contents = [str(number).encode() for number in range(MANY)]

        with ThreadPoolExecutor(8) as pool:  # for a store that is far away
            list(pool.map(lambda each: store.put(name_of(each), each), contents))

        found = list(store.names())
        assert len(found) == MANY
        assert {*found} == {*map(name_of, contents)}

    def test_b9_another_process_finds_what_was_put_and_not_what_was_deleted(
        self, open_store: OpenStore
    ) -> None:
        first, second = open_store(), open_store()
        assert not second.has(GOOD)
        assert second.get(GOOD) is None
        assert list(second.names()) == []
        first.put(GOOD, b"good")

        assert first.has(GOOD)
        assert second.has(GOOD)
        assert second.get(GOOD) == b"good"
        assert list(second.names()) == [GOOD]

        second.delete(GOOD)

        assert not first.has(GOOD)
        assert first.get(GOOD) is None
        assert list(open_store().names()) == []

    def test_b10_many_may_put_one_blob_at_once(self, open_store: OpenStore) -> None:
        content = b"shared" * 20_000
        name = name_of(content)
        start = Barrier(16)

        def put_and_get() -> bytes | None:
            store = open_store()
            start.wait(timeout=30)
            store.put(name, content)
            return store.get(name)

        with ThreadPoolExecutor(16) as pool:
            tries = [pool.submit(put_and_get) for _ in range(16)]

        assert all(tried.result() == content for tried in tries)
        assert list(open_store().names()) == [name]

    def test_b10_many_may_put_and_delete_different_blobs_at_once(
        self, open_store: OpenStore
    ) -> None:
        shared, start = open_store(), Barrier(16)

        def put_and_get(content: bytes, is_shared: bool) -> None:
            store, name = shared if is_shared else open_store(), name_of(content)
            start.wait(timeout=30)
            for _ in range(3):
                store.put(name, content)
                assert store.get(name) == content
                store.delete(name)
                assert store.get(name) is None
            store.put(name, content)

        contents = neighbours("00", 16)
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(put_and_get, contents, [True, False] * 8))

        store = open_store()
        assert {*store.names()} == {*map(name_of, contents)}
        assert [store.get(name_of(each)) for each in contents] == contents

    def test_b11_a_reader_sees_a_blob_whole_or_not_at_all(
        self, open_store: OpenStore
    ) -> None:
        content = b"whole" * 100_000
        name = name_of(content)
        stop = Event()

        def read_on() -> set[bytes | None]:
            store, seen = open_store(), set[bytes | None]()
            while not stop.is_set():
                seen.add(store.get(name))
            return seen

        with ThreadPoolExecutor(3) as pool:
            readers = [pool.submit(read_on) for _ in range(3)]
            try:
                store = open_store()
                for _ in range(25):
                    store.put(name, content)
                    store.delete(name)
            finally:
                stop.set()

        assert all(reader.result() <= {None, content} for reader in readers)

    def test_b12_a_damaged_blob_is_unavailable_until_it_is_put_anew(
        self, open_store: OpenStore, damage: Damage
    ) -> None:
        store = open_store()
        store.put(GOOD, b"good")
        assert store.get(GOOD) == b"good"

        damage(store, GOOD)

        for reader in (store, open_store()):
            with pytest.raises(Unavailable) as refusal:
                reader.get(GOOD)
            assert not PLACE.search(refusal.value.message)
        assert list(store.names()) == [GOOD]  # so that a check can find it
        store.delete(GOOD)
        store.put(GOOD, b"good")
        assert store.get(GOOD) == b"good"

    def test_b13_a_public_url_is_absolute_and_never_changes(
        self, open_store: OpenStore
    ) -> None:
        store = open_store()
        before = store.public_url(GOOD)
        store.put(GOOD, b"good")
        if before is not None and "?" in before:
            time.sleep(1.1)  # it may be signed, for some time from now on

        assert store.public_url(GOOD) == before
        assert open_store().public_url(GOOD) == before
        if before is not None:
            assert urlsplit(before).scheme in ("http", "https")
            assert urlsplit(before).hostname
            [near] = neighbours(GOOD[:2], 1)
            assert before != store.public_url(name_of(near))

    def test_b14_a_store_out_of_reach_is_unavailable_and_does_not_tell_where_it_is(
        self, broken_store: BlobStore
    ) -> None:
        calls: list[Callable[[], object]] = [
            lambda: broken_store.put(GOOD, b"good"),
            lambda: broken_store.get(GOOD),
            lambda: broken_store.has(GOOD),
            lambda: broken_store.delete(GOOD),
            lambda: list(broken_store.names()),
        ]
        for call in calls:
            with pytest.raises(Unavailable) as refusal:
                call()
            assert not PLACE.search(refusal.value.message)

    @pytest.mark.parametrize("name", FOREIGN_NAMES.values(), ids=FOREIGN_NAMES.keys())
    def test_b15_objects_of_others_are_not_listed_and_not_touched(
        self, open_store: OpenStore, put_foreign: PutForeign, name: str
    ) -> None:
        store = open_store()
        store.put(GOOD, b"good")
        read = put_foreign(name, b"foreign")

        assert list(store.names()) == [GOOD], f"{name} is no blob"
        store.delete(GOOD)
        store.put(GOOD, b"good")
        assert store.get(GOOD) == b"good"
        assert list(open_store().names()) == [GOOD], f"{name} is no blob"
        store.delete(GOOD)

        assert list(store.names()) == [], f"{name} is no blob"
        assert read() == b"foreign"
