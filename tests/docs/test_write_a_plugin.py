"""docs/how-to/write-a-plugin.md: the plugin of the page is built and used."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from locframework.commands.new_plugin import new_files
from locframework.errors import PluginError
from locframework.plugins import PluginHost
from locframework.ports import Catalogue, Entry, FileOptions
from locframework.testing.client import Upload
from locframework.testing.contracts.formats import FormatContract, Sample
from locframework.testing.workspace import open_workspace
from tests.empty_databases import fresh_url

PAGE = "write-a-plugin.md"
DISTRIBUTION = "locframework-formats-cfg"
MODULE = "locframework_formats_cfg"
LINES_MOST = 72
FILES = new_files("cfg", "format")
CFG = "; On the button\ncheckout.pay = Zahlen: 50 % \\\\ jetzt\\n…\n".encode()
TEXT = "Zahlen: 50 % \\ jetzt\n…"


@pytest.fixture
def workspace(beside, tmp_path):
    with (
        fresh_url("sqlite", tmp_path) as url,
        open_workspace(url, tmp_path, plugins=["cfg"]) as workspace,
    ):
        yield workspace


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """What the command that the page shows writes."""
    folder = tmp_path_factory.mktemp("source") / DISTRIBUTION
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def test_the_page_shows_the_command_and_what_it_writes(page):
    [command, tree] = page.blocks("")[:2]

    assert command.startswith("locframework new-plugin cfg --port format\n")
    assert f"cd {DISTRIBUTION}\n" in command
    assert page.files() == {f"{MODULE}.py": FILES[f"{MODULE}.py"]}
    listed = [line.strip() for line in tree.splitlines()[1:]]
    assert sorted([*listed, ".gitignore"]) == sorted(FILES)
    assert page.blocks("toml")[0] in FILES["pyproject.toml"]


def test_the_other_test_on_the_page_passes(page, workspace):
    names = {}
    exec(page.blocks("python")[-1], names)

    names["test_a_key_is_exported"](workspace, workspace.owner)


def test_the_plugin_is_short_and_imports_only_public_modules(page):
    plugin = page.files()[f"{MODULE}.py"]

    lines = [line for line in plugin.splitlines() if line[:5] in ("from ", "impor")]
    imports = [line for line in lines if "locframework" in line]
    assert len(plugin.splitlines()) < LINES_MOST
    assert all(len(line) <= 88 for line in plugin.splitlines())
    assert imports == ["from locframework import hookimpl, ports"]


def test_its_tests_pass_with_only_its_extra_installed(run_its_tests):
    said = run_its_tests()

    passed = int(said.rpartition(" passed")[0].split()[-1])
    assert passed > 70
    assert "failed" not in said


def test_the_host_finds_it_by_its_entry_point(beside):
    host = PluginHost.discover({"cfg": {"comment": "#"}})

    found = next(each for each in host.loaded if each.name == "cfg")
    assert (found.distribution, found.version) == ("locframework-formats-cfg", "0.1.0")
    assert found.hooks == ["loc_provide_formats"]
    assert Path(sys.modules[MODULE].__file__ or "").parent == beside


def test_an_invalid_setting_prints_the_line_on_the_page(page, beside):
    with pytest.raises(PluginError) as caught:
        PluginHost.discover({"cfg": {"comment": "//"}})

    assert str(caught.value) in " ".join(page.text.split())


def test_the_format_imports_exports_and_publishes(workspace):
    owner, project = workspace.owner, workspace.project(sourceLanguage="de")
    path = f"/projects/{project['id']}"
    formats = owner.get("/formats").data["formats"]
    assert [each["plugin"] for each in formats if each["id"] == "cfg"] == ["cfg"]

    files = {"file": Upload("de.cfg", CFG, "text/plain")}
    job = workspace.job_of(owner.post(f"{path}/import", files=files))
    assert job["status"] == "succeeded", job

    [key] = owner.get(f"{path}/keys", query={"include": "values"}).data["items"]
    assert (key["key"], key["description"]) == ("checkout.pay", "On the button")
    assert [value["value"] for value in key["values"]] == [TEXT]

    query = {"format": "cfg", "languageCodes": "de"}
    assert owner.get(f"{path}/export", query=query).content == CFG

    body = {"name": "App", "format": "cfg", "languageCodes": ["de"]}
    made = owner.post(f"{path}/distributions", json=body).data["distribution"]
    workspace.run_jobs()
    manifest = owner.get(f"/content/{made['publicKey']}/manifest.json").json
    [file] = manifest["files"]
    assert (file["path"], manifest["format"]["extension"]) == ("de.cfg", ".cfg")
    assert owner.get(file["url"]).content == CFG


def example(more=""):
    """What the page defines, after the first module also in more code."""
    names: dict[str, Any] = {}
    exec(FILES[f"{MODULE}.py"] + more, names)
    return names


@pytest.mark.parametrize(
    ("description", "lines"),
    [
        ("", ""),
        ("a\nb", "; a\n; b\n"),
        ("a\u2028b\x0bc", "; a\u2028b\x0bc\n"),
    ],
)
def test_a_description_is_written_line_by_line(description, lines):
    catalogue = Catalogue("en", [Entry("a", "b", description=description)])

    written = example()["CfgFormat"](";").write([catalogue], FileOptions(".", "en"))

    assert written.content.decode() == f"{lines}a = b\n"


class TestTheLayout(FormatContract):
    """The second step of the page keeps the contract, with its layout."""

    samples: ClassVar[Mapping[str, Sample]] = {
        "comments and blank lines": Sample(
            b"# about all\n\n; A button\n; to pay\npay=Pay\\nnow\n\n\na  =  b\n# end",
            [
                Entry("pay", "Pay\nnow", description="A button\nto pay", line=5),
                Entry("a", " b", line=8),
            ],
            b"; A button\n; to pay\npay = Pay\\nnow\na =  b\n",
        ),
        "windows": Sample(
            b"\xef\xbb\xbfa = x\r\n\r\nb = y",
            [Entry("a", "x", line=1), Entry("b", "y", line=3)],
            b"a = x\nb = y\n",
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = {
        "a key twice": (b"a = 1\na = 2\n", 2)
    }

    @pytest.fixture
    def format(self, page):
        [layout] = page.blocks("python", page.sections()["Keep the layout"])
        return example(f"\n{layout}")["CfgWithLayout"](";")
