"""Where a release keeps its files, and in how many commits."""

import pytest
from locframework_blobs_disk import DiskBlobStore, DiskSettings
from msgspec.structs import replace

from locframework import Framework, create_app, hookimpl
from locframework.delivery.builder import FILES_AT_ONCE, Spool
from locframework.errors import SettingsError
from locframework.http.records import Upload
from locframework.testing.workspace import open_workspace
from tests.databases import statements_of

PO = b'msgid "pay"\nmsgstr "Pay"\n'


class Attic(DiskBlobStore):
    """Another store, of another name."""

    name = "attic"


class AtticPlugin:
    """Gives the store ``attic``."""

    def __init__(self, folder):
        self._store = Attic(DiskSettings(folder=str(folder)))

    @hookimpl
    def loc_provide_blob_stores(self):
        return [self._store]


@pytest.fixture
def two_stores(tmp_path, migrated):
    """A workspace with the blob stores ``disk`` and ``attic``."""
    plugin = AtticPlugin(tmp_path / "attic")
    with (
        migrated.url("sqlite", tmp_path) as url,
        open_workspace(
            url, tmp_path, plugins=["json", "gettext", plugin], blob_store="disk"
        ) as workspace,
    ):
        yield workspace


def _ask(workspace, one):
    assert workspace.owner.post(f"{one}/releases", json={}).status == 202
    workspace.run_jobs()


def _patch_first(workspace, one, change):
    change()
    _ask(workspace, one)


def _ask_first(workspace, one, change):
    key = one.partition("/distributions")[0] + "/keys"
    workspace.owner.post(key, json={"key": "more", "values": {"en": "More"}})
    assert workspace.owner.post(f"{one}/releases", json={}).status == 202
    change()
    workspace.run_jobs()
    _ask(workspace, one)


@pytest.mark.parametrize("publish_anew", [_patch_first, _ask_first])
def test_another_store_is_moved_to_though_the_texts_stay(
    two_stores, tmp_path, publish_anew
):
    project = two_stores.project()
    two_stores.key(project, "title", values={"en": "Shop"})
    path = f"/projects/{project['id']}/distributions"
    body = {"name": "Web", "format": "json-nested"}
    made = two_stores.owner.post(path, json=body).data["distribution"]
    two_stores.run_jobs()
    one = f"{path}/{made['id']}"

    def change():
        assert two_stores.owner.patch(one, json={"storage": "attic"}).status == 200

    publish_anew(two_stores, one, change)

    head = two_stores.framework.storage.delivery.find_head(made["publicKey"])
    assert head is not None
    assert (head.storage, head.version > 1) == ("attic", True)
    manifest = two_stores.owner.get(f"/content/{made['publicKey']}/manifest.json").json
    [file] = manifest["files"]
    assert two_stores.owner.get(file["url"]).status == 200
    kept = [found.name for found in (tmp_path / "attic").rglob("*") if found.is_file()]
    assert any(file["contentHash"][7:] in name for name in kept)


def test_a_store_with_published_files_is_needed_and_formats_of_imports_are_missed(
    two_stores, caplog
):
    project = two_stores.project()
    path = f"/projects/{project['id']}"
    files = {"file": Upload("en.po", PO, "text/plain")}
    assert two_stores.owner.post(f"{path}/import", files=files).status == 202
    body = {"name": "Web", "format": "json-nested", "storage": "attic"}
    distributions = f"{path}/distributions"
    made = two_stores.owner.post(distributions, json=body).data["distribution"]
    two_stores.run_jobs()
    settings = replace(two_stores.framework.settings, blocked_plugins=("gettext",))

    def start():
        with Framework(settings) as framework:
            create_app(framework)

    refusal = "the blob store 'attic', which stored data needs ({}: 1, as {}: Web);"
    with pytest.raises(SettingsError) as next_release:
        start()
    one = f"{distributions}/{made['id']}"
    assert two_stores.owner.patch(one, json={"storage": "disk"}).status == 200
    with pytest.raises(SettingsError) as release:
        start()
    two_stores.run_jobs()
    assert two_stores.owner.post(f"{one}/releases", json={}).status == 202
    two_stores.run_jobs()
    start()

    slug = project["slug"]
    assert refusal.format("distributions", slug) in str(next_release.value)
    assert refusal.format("current releases", slug) in str(release.value)
    assert f"the gettext files that were imported last (projects: 1, as {slug})" in (
        caplog.text
    )


def test_many_small_files_are_noted_in_few_commits(two_stores):
    modules = 6 * FILES_AT_ONCE
    project = two_stores.project()
    path = f"/projects/{project['id']}"
    keys = [
        {"key": f"m{number}.key", "values": {"en": f"Text {number}"}}
        for number in range(modules)
    ]
    assert two_stores.owner.post(f"{path}/keys/bulk", json={"keys": keys}).status == 200
    body = {"name": "Web", "format": "json-nested", "splitByModule": True}
    made = two_stores.owner.post(f"{path}/distributions", json=body).data

    with statements_of(two_stores.framework.storage) as seen:
        two_stores.run_jobs()

    url = f"/content/{made['distribution']['publicKey']}/manifest.json"
    assert len(two_stores.owner.get(url).json["files"]) == modules
    noted = [sql for sql in seen if sql.startswith("INSERT INTO blob_notes ")]
    assert len(noted) == 6
    assert len(seen) < modules


def test_a_spool_yields_each_distinct_file_once_in_order(tmp_path):
    contents = [b"%d" % number for number in range(FILES_AT_ONCE + 2)]
    with (tmp_path / "spool").open("w+b") as file:
        spool = Spool(file)
        assert list(spool.contents()) == []
        for content in (*contents, contents[0]):
            spool.add(content)

        pieces = list(spool.contents())

    assert pieces == [contents[:FILES_AT_ONCE], contents[FILES_AT_ONCE:]]
