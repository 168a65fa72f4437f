"""Several processes share the jobs of one database, and none is done twice."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from locframework.http.records import Upload
from locframework.testing.processes import Process
from locframework.testing.workspace import Workspace, open_workspace

CHILD = Path(__file__).with_name("import_child.py")
JOBS = 24


class Shared:
    """A workspace, and processes that work for it."""

    def __init__(self, workspace: Workspace, url: str, folder: Path) -> None:
        self.workspace = workspace
        self.child = (CHILD, url, folder)


@pytest.fixture
def shared(database_url: str, tmp_path: Path) -> Iterator[Shared]:
    with open_workspace(database_url, tmp_path) as workspace:
        yield Shared(workspace, database_url, tmp_path)


def test_each_job_is_claimed_once_by_three_processes(shared: Shared) -> None:
    workspace = shared.workspace
    project = workspace.project()
    job_ids = []
    for number in range(JOBS):
        file = Upload("en.json", b'{"k%d": "x"}' % number, "application/json")
        path = f"/projects/{project['id']}/import"
        accepted = workspace.owner.post(path, files={"file": file})
        job_ids.append(accepted.data["job"]["id"])

    with ExitStack() as stack:
        children = [stack.enter_context(Process(*shared.child)) for _ in range(3)]
        for child in children:
            child.go()
        assert [child.rest() for child in children] == [["done"]] * 3

    store = workspace.framework.storage.jobs
    stored = [store.find(project["id"], job_id) for job_id in job_ids]
    assert [each and each.attempt for each in stored] == [1] * JOBS
    assert {each and each.job.status for each in stored} == {"succeeded"}
    assert workspace.framework.storage.keys.names_of(project["id"]).keys() == {
        f"k{number}" for number in range(JOBS)
    }
