"""The plugin offers one store, by its settings, and touches nothing too early."""

import stat
from hashlib import sha256

import msgspec
import pytest
from locframework_blobs_disk import DiskPlugin, DiskSettings

from locframework.ports import Settings, SettingsError

NAME = sha256(b"good").hexdigest()


def settings(**given):
    return msgspec.convert(given, DiskSettings)


def test_nothing_is_made_before_the_first_put(tmp_path):
    folder = tmp_path / "data" / "blobs"
    [store] = DiskPlugin(settings(folder=str(folder))).loc_provide_blob_stores()
    assert store.name == "disk"
    assert store.get(NAME) is None
    assert not store.has(NAME)
    assert list(store.names()) == []
    store.delete(NAME)
    assert list(tmp_path.iterdir()) == []

    store.put(NAME, b"good")

    assert (folder / NAME[:2] / NAME).read_bytes() == b"good"


def test_others_may_not_read_and_nobody_but_the_owner_may_write(tmp_path):
    folder = tmp_path / "data" / "blobs"
    [store] = DiskPlugin(settings(folder=str(folder))).loc_provide_blob_stores()

    store.put(NAME, b"good")

    for made in (folder, *folder.rglob("*")):
        mode = stat.S_IMODE(made.stat().st_mode)
        assert mode & ~(0o750 if made.is_dir() else 0o640) == 0


def test_a_relative_folder_stays_where_it_was_at_the_start(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [store] = DiskPlugin(settings()).loc_provide_blob_stores()
    monkeypatch.chdir("/")

    store.put(NAME, b"good")

    assert (tmp_path / "data" / "blobs" / NAME[:2] / NAME).is_file()


def test_without_a_base_url_the_public_comes_to_us():
    [store] = DiskPlugin(settings()).loc_provide_blob_stores()

    assert store.public_url(NAME) is None


@pytest.mark.parametrize("base", ["https://cdn.example.com", "http://[::1]:8/a/b/"])
def test_the_public_url_is_the_path_of_the_file_under_the_base(base):
    given = settings(public_base_url=base)
    [store] = DiskPlugin(given).loc_provide_blob_stores()

    assert store.public_url(NAME) == f"{base.rstrip('/')}/{NAME[:2]}/{NAME}"


@pytest.mark.parametrize(
    "base",
    [
        "",
        "//cdn.example.com",
        "ftp://cdn.example.com",
        "https://",
        "https://cdn.example.com/?",
        "https://cdn.example.com/#x",
        "https://user:word@cdn.example.com/",
        "https://cdn.example.com/a b",
        "https://cdn.example.com/\r\nX-Header: 1",
        "https://[::1",
    ],
)
def test_a_base_url_that_blobs_cannot_be_under_is_refused(base):
    with pytest.raises(msgspec.ValidationError):
        settings(public_base_url=base)


@pytest.mark.parametrize("given", [{"folder": "data\0blobs"}, {"directory": "data"}])
def test_settings_that_cannot_be_meant_are_refused(given):
    with pytest.raises(msgspec.ValidationError):
        settings(**given)


def test_a_folder_is_refused_only_where_new_files_go_there(tmp_path):
    (tmp_path / "text").write_text("")
    plugin = DiskPlugin(settings(folder=str(tmp_path / "text")))

    plugin.loc_decide_settings(Settings(blob_store="other"))
    with pytest.raises(SettingsError, match=f"^folder: {tmp_path}/text: ") as refused:
        plugin.loc_decide_settings(Settings())

    assert refused.value.setting == "folder"
