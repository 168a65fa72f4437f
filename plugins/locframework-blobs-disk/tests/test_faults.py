"""Damage, a full disk and traps in the folder: refused, told, and not followed."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from locframework_blobs_disk import DiskBlobStore, DiskSettings
from locframework_blobs_disk import store as store_module

from locframework.ports import Unavailable

StartChild = Callable[..., subprocess.Popen[str]]

CONTENT = b"as it was put"
NAME = sha256(CONTENT).hexdigest()

# a mount of its own, gone with the process; no root needed where users may do so
IN_A_NAMESPACE = ("unshare", "--map-root-user", "--mount")


@pytest.fixture
def file(folder: Path, store: DiskBlobStore) -> Path:
    """The file of a blob that was put and read."""
    store.put(NAME, CONTENT)
    assert store.get(NAME) == CONTENT
    return folder / NAME[:2] / NAME


@pytest.fixture
def hot_file(file: Path, store: DiskBlobStore, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, and the store will not hash it again unless it has changed."""
    monkeypatch.setattr(store_module, "SETTLED_NANOSECONDS", 0)
    assert store.get(NAME) == CONTENT
    time.sleep(0.02)  # a file system's clock ticks every few milliseconds
    return file


def change_a_byte(file: Path) -> None:
    file.write_bytes(CONTENT.replace(b"put", b"pat"))


def truncate(file: Path) -> None:
    os.truncate(file, 5)


def empty(file: Path) -> None:
    os.truncate(file, 0)


def append(file: Path) -> None:
    file.write_bytes(CONTENT + b"!")


def swap_for_another(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(CONTENT.upper())
    os.replace(other, file)


def change_and_set_the_time_back(file: Path) -> None:
    before = file.stat()
    change_a_byte(file)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


DAMAGES = (
    change_a_byte,
    truncate,
    empty,
    append,
    swap_for_another,
    change_and_set_the_time_back,
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_told_and_logged_with_its_place(
    file: Path,
    store: DiskBlobStore,
    damage: Callable[[Path], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    damage(file)

    with pytest.raises(Unavailable) as refusal:
        store.get(NAME)

    message = f"the blob {NAME} cannot be read: its content is damaged"
    assert refusal.value.message == message
    assert str(file.parent.parent) in caplog.text


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_to_a_hot_blob_is_seen_too(
    hot_file: Path, store: DiskBlobStore, damage: Callable[[Path], None]
) -> None:
    damage(hot_file)

    with pytest.raises(Unavailable):
        store.get(NAME)


def test_a_blob_that_changed_a_moment_ago_is_hashed_at_every_read(
    file: Path, store: DiskBlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    # its times may stay the same when it changes again within a tick of the clock
    monkeypatch.setattr(store_module, "SETTLED_NANOSECONDS", 3600 * 10**9)
    hashed: list[bytes] = []

    def counting(content: bytes) -> object:
        hashed.append(content)
        return sha256(content)

    monkeypatch.setattr(store_module, "sha256", counting)

    assert [store.get(NAME) for _ in range(3)] == [CONTENT] * 3
    assert hashed == [CONTENT] * 3


def test_a_hot_blob_is_hashed_once(
    hot_file: Path, store: DiskBlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[bytes] = []
    monkeypatch.setattr(store_module, "sha256", hashed.append)

    assert [store.get(NAME) for _ in range(3)] == [CONTENT] * 3
    assert hashed == []


@pytest.mark.parametrize("damage", DAMAGES)
def test_putting_the_content_again_mends_the_damage(
    file: Path, store: DiskBlobStore, damage: Callable[[Path], None]
) -> None:
    damage(file)

    store.put(NAME, CONTENT)

    assert store.get(NAME) == CONTENT


def test_putting_a_whole_blob_again_does_not_write_it_anew(
    file: Path, store: DiskBlobStore
) -> None:
    before = file.stat()

    store.put(NAME, CONTENT)

    assert file.stat() == before


def test_a_symbolic_link_is_not_followed(
    folder: Path, file: Path, store: DiskBlobStore, tmp_path: Path
) -> None:
    file.rename(tmp_path / "outside")
    file.symlink_to(tmp_path / "outside")

    with pytest.raises(Unavailable):
        store.get(NAME)
    assert not store.has(NAME)
    assert list(store.names()) == []

    store.put(NAME, CONTENT)
    assert not file.is_symlink()
    assert store.get(NAME) == CONTENT


def test_a_shard_that_is_a_symbolic_link_is_not_followed(
    file: Path, store: DiskBlobStore, tmp_path: Path
) -> None:
    shard = file.parent
    shard.rename(tmp_path / "outside")
    shard.symlink_to(tmp_path / "outside")

    with pytest.raises(Unavailable):
        store.get(NAME)
    with pytest.raises(Unavailable):
        store.has(NAME)
    with pytest.raises(Unavailable):
        store.delete(NAME)
    with pytest.raises(Unavailable):
        list(store.names())
    with pytest.raises(Unavailable):
        store.put(NAME, CONTENT)
    assert (tmp_path / "outside" / NAME).read_bytes() == CONTENT


def test_a_link_in_place_of_the_incoming_folder_is_not_written_through(
    folder: Path, file: Path, store: DiskBlobStore, tmp_path: Path
) -> None:
    (folder / "incoming").rmdir()
    (folder / "incoming").symlink_to(tmp_path)

    with pytest.raises(Unavailable):
        store.put(sha256(b"new").hexdigest(), b"new")


def test_a_pipe_or_folder_in_place_of_a_blob_neither_hangs_nor_leaks(
    file: Path, store: DiskBlobStore
) -> None:
    file.unlink()
    for plant in (os.mkfifo, os.mkdir):
        plant(file)
        open_before = len(os.listdir("/dev/fd"))
        for _ in range(3):
            with pytest.raises(Unavailable, match="not a regular file"):
                store.get(NAME)
        assert len(os.listdir("/dev/fd")) == open_before
        assert not store.has(NAME)
        shutil.rmtree(file) if file.is_dir() else file.unlink()


def test_orphans_of_killed_processes_are_swept_at_the_first_put(
    folder: Path, file: Path
) -> None:
    old, young = (folder / "incoming" / f"{NAME}.{age}" for age in ("old", "young"))
    for orphan in (old, young):
        orphan.write_bytes(b"as it")
    hour_ago = time.time() - 3601
    os.utime(old, (hour_ago, hour_ago))

    later = DiskBlobStore(DiskSettings(str(folder)))
    assert later.get(NAME) == CONTENT
    assert old.exists()
    later.put(sha256(b"new").hexdigest(), b"new")

    assert not old.exists()
    assert young.exists()


def test_strangers_in_the_folder_are_not_taken_for_blobs(
    folder: Path, file: Path, store: DiskBlobStore
) -> None:
    (folder / "index.html").touch()
    (file.parent / ".listing").touch()
    (file.parent / f"{NAME}.old").touch()
    elsewhere = "00" if file.parent.name != "00" else "01"
    (folder / elsewhere / NAME).touch()

    assert list(store.names()) == [NAME]


def test_folders_that_were_tidied_away_come_back(
    folder: Path, file: Path, store: DiskBlobStore
) -> None:
    shutil.rmtree(folder)
    assert store.get(NAME) is None

    store.put(NAME, CONTENT)

    assert store.get(NAME) == CONTENT


def in_a_small_file_system(folder: Path, prepared: str = "") -> tuple[str, ...]:
    """Runs a command with a tmpfs of 300 kB at ``folder``, after it was prepared."""
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare to mount a small file system with")
    folder.mkdir(parents=True)
    mount = f'mount -t tmpfs -o size=300k none "{folder}"'
    command = (*IN_A_NAMESPACE, "sh", "-c", f'{mount} && {prepared} exec "$@"', "sh")
    tried = subprocess.run([*command, "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"no small file system can be mounted: {tried.stderr.strip()}")
    return command


def test_a_full_disk_refuses_keeps_what_it_has_and_goes_on_when_there_is_room(
    start_child: StartChild, folder: Path
) -> None:
    command = in_a_small_file_system(folder)

    told = start_child("fill_up", folder, under=command).communicate(timeout=30)[0]

    refusal, kept, names_right, contents_right, afterwards = told.splitlines()
    assert refusal.endswith("cannot be kept: No space left on device")
    assert str(folder) not in refusal
    assert int(kept) >= 13
    assert (names_right, contents_right) == ("True", "True")
    assert afterwards == "kept"


def test_a_read_only_folder_can_be_read_and_keeps_nothing_new(
    start_child: StartChild, folder: Path
) -> None:
    # "$@" is: python child.py TASK FOLDER
    put_then_remount = (
        f'"$1" "$2" put_two "$4" >/dev/null && mount -o remount,ro "{folder}" &&'
    )
    command = in_a_small_file_system(folder, put_then_remount)

    told = start_child("use_read_only", folder, under=command)

    assert told.communicate(timeout=30)[0].splitlines() == [
        "True",
        f"the blob {NAME} cannot be kept: Read-only file system",
        "kept",
        "2",
    ]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")
def test_a_folder_where_none_can_be_made_is_unavailable() -> None:
    store = DiskBlobStore(DiskSettings(folder="/proc/locframework/blobs"))

    with pytest.raises(Unavailable) as refusal:
        store.put(NAME, CONTENT)

    assert refusal.value.message == (
        f"the blob {NAME} cannot be kept: No such file or directory"
    )
