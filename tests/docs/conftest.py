"""Parse pages of the documentation, and run what they show."""

import importlib
import os
import re
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from locframework.testing.workspace import Workspace, open_workspace
from tests.databases import Migrated

ROOT = Path(__file__).parents[2]
START_SECONDS = 60
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_FILE = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", re.M | re.S)
_SECTION = re.compile(r"^(#+) (.+)$", re.M)

Example = Callable[[str], dict[str, Any]]
Open = Callable[..., Any]


class Page:
    """One page of docs/, in any folder, or README.md."""

    def __init__(self, name: str) -> None:
        [path] = [ROOT / name] if name == "README.md" else ROOT.glob(f"docs/**/{name}")
        self.text = path.read_text(encoding="utf-8")

    def blocks(self, language: str, text: str | None = None) -> list[str]:
        """Return the code blocks of a language, in order."""
        found = _BLOCK.findall(self.text if text is None else text)
        return [code for name, code in found if name == language]

    def files(self) -> dict[str, str]:
        """Return the code blocks below lines that are only the name of a file."""
        return dict(_FILE.findall(self.text))

    def sections(self) -> dict[str, str]:
        """Return the text below each heading."""
        plain = _BLOCK.sub(lambda found: "\0" * len(found[0]), self.text)
        heads = list(_SECTION.finditer(plain))
        ends = [head.start() for head in heads[1:]] + [len(self.text)]
        return {
            head[2].strip("`"): self.text[head.end() : end]
            for head, end in zip(heads, ends, strict=True)
        }

    def rows(self, text: str | None = None) -> list[list[str]]:
        """Return the rows of all tables without heads, cells without backticks."""
        lines = (self.text if text is None else text).split("\n")
        rows = []
        for at, line in enumerate(lines):
            is_head = at + 1 < len(lines) and lines[at + 1].startswith("|---")
            if line.startswith("|") and not line.startswith("|---") and not is_head:
                cells = re.split(r"(?<!\\)\|", line)[1:-1]
                rows.append([cell.strip().strip("`") for cell in cells])
        return rows


@pytest.fixture(scope="module")
def page(request: pytest.FixtureRequest) -> Page:
    """The page that the test module names in PAGE."""
    return Page(request.module.PAGE)


@pytest.fixture(scope="session")
def open_page() -> type[Page]:
    """Opens any page by its name."""
    return Page


@pytest.fixture
def example(page: Page, request: pytest.FixtureRequest) -> Example:
    """Run the example of a hook and return its names."""

    def run(hook: str) -> dict[str, Any]:
        *_, code = page.blocks("python", page.sections()[hook])
        names: dict[str, Any] = {"__file__": __file__}
        exec(compile(code, f"{request.module.PAGE}, {hook}", "exec"), names)
        return names

    return run


@pytest.fixture
def open_with(tmp_path: Path, migrated: Migrated) -> Open:
    """Open a whole application with a plugin, and that of the JSON formats."""

    @contextmanager
    def open_with(plugin: object, **settings: Any) -> Iterator[Workspace]:
        with (
            migrated.url("sqlite", tmp_path) as url,
            open_workspace(
                url, tmp_path, plugins=["json", plugin], **settings
            ) as workspace,
        ):
            yield workspace

    return open_with


@pytest.fixture(scope="module")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with ``data/demo.json`` of a running example app."""
    folder = tmp_path_factory.mktemp("demo")
    (folder / ".venv/bin").mkdir(parents=True)
    programs = f"PATH={Path(sys.executable).parent}:$PATH"
    (folder / ".venv/bin/activate").write_text(programs)
    demo = folder / "data" / "demo.json"
    process = subprocess.Popen(
        [sys.executable, "-m", "example_app", "--port", "0", "--data-dir", demo.parent],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )
    deadline = time.monotonic() + START_SECONDS
    while not demo.is_file():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    yield folder
    process.terminate()
    process.wait(timeout=20)


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Keep the test's output to itself."""


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Serve an application over HTTP; yield its host and port."""
    server = make_server("127.0.0.1", 0, app, handler_class=Quiet)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def run_commands(folder: Path, commands: list[str]) -> list[str]:
    """Run blocks of commands in one shell and return what each printed."""
    slowly = [body.replace("sleep 1", "sleep 3") for body in commands]  # slow CI
    script = "\necho; echo =====\n".join(["set -euo pipefail", *slowly])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("=====\n")[1:]


def shows(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed; "…" stands for any text."""
    parts = [re.escape(part) for part in re.split("…|\n", shown) if part]
    return re.search(".*?".join(parts), printed, re.DOTALL) is not None


@pytest.fixture(scope="module")
def source(
    page: Page, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder of the DISTRIBUTION that the page shows, with its files."""
    folder = tmp_path_factory.mktemp("source") / request.module.DISTRIBUTION
    folder.mkdir()
    for name, content in page.files().items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def installed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip put the wheel that it built of the folder."""
    target = tmp_path_factory.mktemp("site-packages")
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation"]
    _run([*pip, "--no-index", "-q", "--target", str(target), str(source)])
    return target


@pytest.fixture
def beside(
    installed: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """The plugin is installed beside the others, for as long as the test takes."""
    monkeypatch.syspath_prepend(installed)
    importlib.invalidate_caches()
    yield installed
    sys.modules.pop(request.module.MODULE, None)


_ONLY_ASKED_FOR = """
from importlib.metadata import EntryPoints
from locframework import plugins as finding

every = finding.installed_entries
finding.installed_entries = lambda: EntryPoints(
    each for each in every() if each.dist.name in {names!r}
)
"""


@pytest.fixture
def run_its_tests(source: Path, installed: Path, tmp_path: Path) -> Callable[[], str]:
    """Runs the tests of the plugin without plugins that its extra does not name, and
    returns what pytest printed."""

    def run_its_tests() -> str:
        project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
        asked_for = [project["name"], *project["optional-dependencies"]["test"]]
        (tmp_path / "only.py").write_text(_ONLY_ASKED_FOR.format(names=asked_for))
        pytest_here = [sys.executable, "-W", "error", "-m", "pytest", "-W", "error"]
        plugins = ["-q", "-p", "no:cacheprovider", "-p", "only"]
        tests = ["--rootdir", str(source), *map(str, source.glob("test_*.py"))]
        path = f"{installed}{os.pathsep}{tmp_path}"
        return _run([*pytest_here, *plugins, *tests], PYTHONPATH=path)

    return run_its_tests


def _run(command: list[str], **environ: str) -> str:
    done = subprocess.run(
        command,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
