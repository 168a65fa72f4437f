"""docs/tutorial.md: the commands run in order, and the page shows the German texts."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

from .conftest import run_commands, shows

PAGE = "tutorial.md"
SERVE = "locframework serve &"
# What a browser does with the page, as far as the page asks for it.
BROWSER = """
import { readFileSync } from "node:fs";
const [file, search] = process.argv.slice(2);
const html = readFileSync(file, "utf8");
const keys = [...html.matchAll(/data-key="([^"]+)"/g)].map((found) => found[1]);
const elements = keys.map((key) => ({ dataset: { key } }));
globalThis.document = { querySelectorAll: () => elements };
globalThis.location = { search };
await (0, eval)(html.match(/<script>(.*)<\\/script>/s)[1]);
console.log(elements.map((element) => element.textContent).join("|"));
"""


@pytest.fixture(scope="module")
def ran(page, tmp_path_factory):
    """What each block printed, and the folder of the shop; the service still runs."""
    folder = tmp_path_factory.mktemp("tutorial")
    (folder / "locframework").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    start = f"locframework serve --port {port} >log 2>&1 & echo $! >pid"
    start += f"; until curl -so answer http://127.0.0.1:{port}; do sleep 0.1; done"
    blocks = [block.replace("8080", port) for block in page.blocks("sh")]
    assert SERVE in blocks[0]
    blocks[0] = blocks[0].replace(SERVE, start)
    with pytest.MonkeyPatch.context() as patch:
        for name in [each for each in os.environ if each.startswith("LOCFRAMEWORK_")]:
            patch.delenv(name)
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        patch.setenv("PATH", programs)
        try:
            yield run_commands(folder / "locframework", blocks), folder / "shop"
        finally:
            os.kill(int((folder / "shop/pid").read_text()), signal.SIGTERM)


def test_the_commands_print_what_the_page_shows(page, ran):
    printed, shop = ran
    shown = page.blocks("text")

    assert len(shown) == 3
    for block, text in zip(shown, [printed[1], printed[3], printed[4]], strict=True):
        assert shows(block, text), text
    assert printed[6].strip() == f"file://{shop}/shop.html"


@pytest.mark.node
@pytest.mark.parametrize(
    ("search", "texts"),
    [("", "Ihr Warenkorb|Jetzt kaufen"), ("?language=en", "Your cart|Pay now")],
)
def test_the_page_shows_the_texts_of_a_language(ran, search, texts):
    if shutil.which("node") is None:
        if os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1":
            pytest.fail("node is required")
        pytest.skip("node is not installed")
    _, shop = ran
    (shop / "browser.mjs").write_text(BROWSER)
    manifest = re.search(r'"(http://[^"]+)"', (shop / "shop.html").read_text())[1]
    deadline = time.monotonic() + 30
    while b'"version":2' not in urlopen(manifest).read():
        assert time.monotonic() < deadline
        time.sleep(0.1)

    command = ["node", "browser.mjs", "shop.html", search]
    shown = subprocess.run(command, cwd=shop, capture_output=True, text=True)

    assert shown.stdout.strip() == texts, shown.stderr
