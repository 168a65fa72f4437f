"""How long a file is kept: 30 days after the last key that names it."""

from datetime import timedelta

import pytest

from locframework.fields import system_clock
from locframework.testing.workspace import open_workspace

from .shots import Shots


class Later:
    """A workspace whose clock the test puts forward."""

    def __init__(self):
        self.late = timedelta(0)

    def __call__(self):
        return system_clock() + self.late

    def days(self, workspace, days):
        """So many days of housekeeping."""
        framework = workspace.framework
        for _ in range(days):
            self.late += timedelta(days=1, seconds=1)
            for chore in (framework._purge, framework.files.purge):
                chore()
            framework.blobs.prune()


@pytest.fixture
def later():
    return Later()


@pytest.fixture
def old_shots(database_url, tmp_path, later):
    with open_workspace(database_url, tmp_path, clock=later) as workspace:
        yield Shots(workspace)


def is_there(shots, file):
    """Whether the file can be read, and then that its bytes are kept."""
    project_id, file_id = shots.project["id"], file["id"]
    framework = shots.workspace.framework
    stored = framework.storage.files.find(file_id, project_id)
    if stored is None:
        return False
    assert framework.blobs.get(stored.blob) is not None
    return True


def test_a_file_that_no_key_names_goes_after_30_days(old_shots, later):
    workspace = old_shots.workspace
    disk = workspace.framework.plugins.blob_stores["disk"]
    named, unnamed = old_shots.file(1), old_shots.file(2)
    old_shots.patch(named["id"])
    before = len(list(disk.names()))

    later.days(workspace, 29)
    assert is_there(old_shots, unnamed)
    later.days(workspace, 2)

    assert not is_there(old_shots, unnamed)
    assert is_there(old_shots, named)
    assert (before, len(list(disk.names()))) == (2, 1)


def test_the_30_days_begin_when_the_last_key_lets_go(old_shots, later):
    file = old_shots.file()
    old_shots.patch(file["id"])
    later.days(old_shots.workspace, 60)
    old_shots.patch(None)

    later.days(old_shots.workspace, 29)
    assert is_there(old_shots, file)
    assert old_shots.patch(file["id"], old_shots.title).status == 200
    later.days(old_shots.workspace, 40)
    assert is_there(old_shots, file)


def test_keys_in_the_trash_and_on_branches_keep_their_file(old_shots, later):
    trashed, branched = old_shots.file(1), old_shots.file(2)
    old_shots.owner.post(f"{old_shots.path}/branches", json={"name": "spring"})
    old_shots.patch(branched["id"], branch="spring")
    old_shots.patch(trashed["id"], old_shots.title)
    later.days(old_shots.workspace, 40)
    path = f"{old_shots.path}/keys/{old_shots.title['id']}"
    old_shots.owner.delete(path)

    later.days(old_shots.workspace, 28)
    old_shots.owner.post(f"{path}/restore", json={})

    assert is_there(old_shots, trashed)
    assert is_there(old_shots, branched)
    assert old_shots.key(old_shots.title)["screenshotFileId"] == trashed["id"]


def test_two_files_of_one_content_are_kept_apart(old_shots, later):
    first, second = old_shots.file(), old_shots.file()
    assert first["id"] != second["id"]
    old_shots.patch(second["id"])

    later.days(old_shots.workspace, 31)

    assert not is_there(old_shots, first)
    assert is_there(old_shots, second)


def test_files_go_with_their_project(old_shots, later):
    file = old_shots.file()
    old_shots.patch(file["id"])
    old_shots.owner.delete(old_shots.path)

    later.days(old_shots.workspace, 32)

    assert not is_there(old_shots, file)
    stores = old_shots.workspace.framework.plugins.blob_stores
    assert list(stores["disk"].names()) == []
