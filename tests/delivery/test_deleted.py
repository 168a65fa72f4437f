"""What becomes of a deleted distribution, however many files its releases had."""

from datetime import timedelta

import pytest

from locframework.fields import system_clock
from locframework.testing.workspace import open_workspace
from tests.databases import statements_of


class Later:
    """A clock that the test puts forward."""

    def __init__(self):
        self.late = timedelta(0)

    def __call__(self):
        return system_clock() + self.late


class Published:
    """A distribution with a release of two files."""

    def __init__(self, workspace):
        self.workspace, owner = workspace, workspace.owner
        project = workspace.project()
        for name in ("cart.pay", "home.title"):
            workspace.key(project, name, values={"en": name})
        path = f"/projects/{project['id']}/distributions"
        body = {"name": "Web", "format": "json-nested", "splitByModule": True}
        made = owner.post(path, json=body).data["distribution"]
        self.one = f"{path}/{made['id']}"
        workspace.run_jobs()
        manifest = owner.get(f"/content/{made['publicKey']}/manifest.json").json
        self.files = [file["contentHash"][7:] for file in manifest["files"]]

    def kept(self):
        """How many of its files the blob store has."""
        blobs = self.workspace.framework.blobs
        return sum(blobs.get(name) is not None for name in self.files)

    def keep_house(self):
        self.workspace.framework._purge()
        self.workspace.framework.blobs.prune()


@pytest.fixture
def later():
    return Later()


@pytest.fixture
def published(database_url, tmp_path, later):
    with open_workspace(database_url, tmp_path, clock=later) as workspace:
        yield Published(workspace)


def test_files_stay_for_30_days(published, later):
    later.late = timedelta(days=40)  # since the release was made
    published.workspace.owner.delete(published.one)

    published.keep_house()
    assert published.kept() == 2
    later.late += timedelta(days=29)
    published.keep_house()
    assert published.kept() == 2
    later.late += timedelta(days=2)
    published.keep_house()

    assert published.kept() == 0


def test_its_files_are_not_dropped_one_by_one_while_it_is_deleted(published):
    """A million rows in one transaction kept every other writer of SQLite out."""
    with statements_of(published.workspace.framework.storage) as seen:
        assert published.workspace.owner.delete(published.one).status == 200

    assert not [sql for sql in seen if "release_files" in sql or "DELETE" in sql]
    assert len([sql for sql in seen if sql.startswith('UPDATE "distributions" ')]) == 1
