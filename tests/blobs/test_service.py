"""Files are noted, kept, and cleared away when nobody needs them any more."""

import hashlib
import threading
from datetime import timedelta

import pytest

from locframework.blobs.service import PRUNED_AT_ONCE, Blobs
from locframework.errors import Unavailable
from locframework.fields import timestamp
from locframework.testing.workspace import open_workspace

DAY = timedelta(days=1)


@pytest.fixture
def workspace(database_url, tmp_path, clock):
    with open_workspace(database_url, tmp_path, clock=clock) as workspace:
        yield workspace


@pytest.fixture
def blobs(workspace):
    return workspace.framework.blobs


def name_of(content):
    return hashlib.sha256(content).hexdigest()


def test_each_content_is_stored_once_by_its_hash(blobs):
    notes = blobs.put_all([b"one", b"three", b"one"], keep_for=DAY)

    assert [(note.name, note.byte_size) for note in notes] == [
        (name_of(b"one"), 3),
        (name_of(b"three"), 5),
    ]
    assert blobs.get(notes[0].name) == b"one"
    assert blobs.get(name_of(b"other")) is None


def test_a_file_goes_when_its_time_is_over(blobs, clock):
    short, long = (
        blobs.put(b"short", keep_for=DAY),
        blobs.put(b"long", keep_for=5 * DAY),
    )

    clock.now += 2 * DAY

    assert blobs.prune() == 1
    assert blobs.get(short.name) is None
    assert blobs.get(long.name) == b"long"
    assert blobs.prune() == 0


def test_who_puts_it_again_makes_it_stay_longer(blobs, clock):
    note = blobs.put(b"one", keep_for=DAY)
    blobs.put(b"one", keep_for=5 * DAY)
    blobs.put(b"one", keep_for=DAY)

    clock.now += 2 * DAY

    assert blobs.prune() == 0
    assert blobs.get(note.name) == b"one"


def test_a_bounded_number_goes_at_once(blobs, clock):
    blobs.put_all((b"%d" % n for n in range(PRUNED_AT_ONCE + 1)), keep_for=DAY)

    clock.now += 2 * DAY

    assert [blobs.prune() for _ in range(3)] == [PRUNED_AT_ONCE, 1, 0]


def test_a_file_that_could_not_be_put_leaves_no_file_without_a_note(
    workspace, clock, monkeypatch
):
    blobs = workspace.framework.blobs
    store = workspace.framework.plugins.blob_stores["disk"]

    def refuse(name, content):
        raise Unavailable("the disk is full")

    monkeypatch.setattr(store, "put", refuse)
    with pytest.raises(Unavailable):
        blobs.put(b"one", keep_for=DAY)
    clock.now += 2 * DAY

    assert blobs.prune() == 1


def test_a_store_that_is_not_installed_is_unavailable(blobs):
    with pytest.raises(Unavailable, match="'tape' is not installed"):
        blobs.put(b"one", keep_for=DAY, store="tape")


def test_files_of_a_store_that_is_gone_keep_no_others_from_going(workspace, clock):
    framework = workspace.framework
    store, index = framework.plugins.blob_stores["disk"], framework.storage.blobs
    before = Blobs(index, {"tape": store}, "tape", framework.storage, clock)
    before.put_all((b"%d" % n for n in range(PRUNED_AT_ONCE)), keep_for=DAY)
    clock.now += DAY
    note = framework.blobs.put(b"one", keep_for=DAY)
    clock.now += 2 * DAY

    assert framework.blobs.prune() == 1
    assert framework.blobs.get(note.name) is None
    assert before.prune() == PRUNED_AT_ONCE  # installed again


def test_a_file_that_cannot_be_deleted_keeps_no_others_from_going(
    workspace, clock, monkeypatch
):
    blobs = workspace.framework.blobs
    store = workspace.framework.plugins.blob_stores["disk"]
    first, second = blobs.put_all([b"one", b"two"], keep_for=DAY)
    clock.now += 2 * DAY
    stuck, *_ = workspace.framework.storage.blobs.list_expired(
        timestamp(clock.now), 1, ["disk"], look_again="9999"
    )
    delete = store.delete

    def refuse(name):
        if name == stuck.name:
            raise Unavailable("the file is not ours")
        delete(name)

    monkeypatch.setattr(store, "delete", refuse)
    with pytest.raises(Unavailable):
        blobs.prune()

    assert blobs.prune() == 1
    assert [store.has(note.name) for note in (first, second)].count(True) == 1

    monkeypatch.undo()
    clock.now += timedelta(hours=2)

    assert blobs.prune() == 1
    assert not store.has(stuck.name)


def test_content_put_while_it_is_pruned_is_there_afterwards(blobs, clock):
    for number in range(10):
        content = b"%d" % number
        blobs.put(content, keep_for=DAY)
        clock.now += 2 * DAY
        pruner = threading.Thread(target=blobs.prune)
        pruner.start()
        note = blobs.put(content, keep_for=DAY)
        pruner.join()

        assert blobs.get(note.name) == content
