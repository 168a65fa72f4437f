"""Static pages of plugins, below their names, with strict headers."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from locframework import Framework, PluginError, Settings, hookimpl
from locframework.ports import Pages, Raw, operation
from locframework.testing.client import Client
from locframework.testing.workspace import open_workspace

POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'"
)
HTML, TEXT = "text/html; charset=utf-8", "text/plain; charset=utf-8"


def page_plugin(folder, name="desk", **how):
    provide = hookimpl(lambda: Pages(folder, **how))
    return SimpleNamespace(name=name, loc_provide_pages=provide)


@pytest.fixture
def folder(tmp_path):
    """Files that may be seen, and some that may not."""
    folder = tmp_path / "pages"
    (folder / "docs").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "index.html").write_text("<h1>Desk</h1>")
    (folder / "docs" / "index.html").write_text("<h1>Docs</h1>")
    (folder / "app-1f3a9c20.js").write_text("go()")
    (folder / "my-component.js").write_text("go()")
    (folder / "Grüße.TXT").write_text("Hallo")
    (folder / "data.bin").write_bytes(b"\0")
    (folder / ".env").write_text("secret")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "up").symlink_to(tmp_path)
    (folder / "in.txt").symlink_to(folder / "index.html")
    return folder


@pytest.fixture
def ask(folder, database_url, tmp_path):
    """Asks for a path of the app, without a token."""
    plugins = [page_plugin(folder)]
    with open_workspace(database_url, tmp_path, plugins=plugins) as workspace:
        client = Client(workspace.app)

        def ask(path, method="GET", **headers):
            sent = {name.replace("_", "-"): each for name, each in headers.items()}
            return client.request(method, f"http://localhost{path}", headers=sent)

        yield ask


@pytest.mark.parametrize(
    ("path", "content", "content_type"),
    [
        ("/desk/", b"<h1>Desk</h1>", HTML),
        ("/desk/index.html", b"<h1>Desk</h1>", HTML),
        ("/desk/docs/", b"<h1>Docs</h1>", HTML),
        ("/desk/in.txt", b"<h1>Desk</h1>", TEXT),
        ("/desk/app-1f3a9c20.js", b"go()", "text/javascript; charset=utf-8"),
        ("/desk/Gr%C3%BC%C3%9Fe.TXT", b"Hallo", TEXT),
        ("/desk/data.bin", b"\0", "application/octet-stream"),
    ],
)
def test_files_are_served_without_a_token(ask, path, content, content_type):
    answer = ask(path)

    assert (answer.status, answer.content) == (200, content)
    assert answer.headers["Content-Type"] == content_type


def test_headers_are_strict_and_requests_are_not_counted(ask):
    headers = ask("/desk/").headers

    assert headers["Content-Security-Policy"] == POLICY
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["X-Request-Id"]
    assert headers["X-RateLimit-Limit"] is None
    for _ in range(300):
        assert [ask("/desk/").status, ask("/desk/no").status] == [200, 404]
    assert ask("/api/v1/docs").status == 200  # none of these 600 was of the API


def test_an_etag_gives_304_and_only_names_with_a_hash_are_kept(ask, folder):
    first = ask("/desk/")
    etag = first.headers["ETag"]
    again = ask("/desk/", If_None_Match=etag)
    (folder / "index.html").write_text("<h1>New</h1>")
    changed = ask("/desk/", If_None_Match=etag)

    assert first.headers["Cache-Control"] == "no-cache"
    assert (again.status, again.content, again.headers["ETag"]) == (304, b"", etag)
    assert again.headers["Content-Security-Policy"] == POLICY
    assert (changed.status, changed.content) == (200, b"<h1>New</h1>")
    kept = ask("/desk/app-1f3a9c20.js").headers["Cache-Control"]
    assert kept == "public, max-age=31536000, immutable"
    assert ask("/desk/my-component.js").headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "/desk/../secret.txt",
        "/desk/%2e%2e/secret.txt",
        "/desk/docs/../../secret.txt",
        "/desk/..%2fsecret.txt",
        "/desk/..%5csecret.txt",
        "/desk//etc/passwd",
        "/desk/%2fetc/passwd",
        "/desk/.env",
        "/desk/%2eenv",
        "/desk/./index.html",
        "/desk/out.txt",
        "/desk/up/secret.txt",
        "/desk/empty/",
        "/desk/empty",
        "/desk/index.html/",
        "/desk/index.html%00.js",
        "/desk/%ff",
        "/desk/" + "x" * 5000,
        "/desks/",
        "/Desk/",
        "//desk/",
    ],
)
def test_nothing_else_is_served(ask, path):
    answer = ask(path)

    assert (answer.status, answer.error["code"]) == (404, "not_found")
    assert b"secret" not in answer.content


def test_what_is_not_there_is_a_page_for_browsers(ask):
    answer = ask("/desk/no", Accept="text/html")

    assert answer.status == 404
    assert b"There is no such page" in answer.content


def test_folders_have_a_slash_so_that_relative_links_work(ask):
    for path, target in [
        ("/desk", "./desk/"),
        ("/desk?a=b", "./desk/?a=b"),
        ("/desk/docs", "./docs/"),
    ]:
        answer = ask(path)
        assert (answer.status, answer.headers["Location"]) == (308, target)


def test_only_get_and_head_are_allowed(ask):
    head, posted = ask("/desk/", "HEAD"), ask("/desk/", "POST")

    assert (head.status, head.content) == (200, b"")
    assert head.headers["Content-Length"] == str(len(b"<h1>Desk</h1>"))
    assert (posted.status, posted.error["code"]) == (405, "method_not_allowed")
    assert posted.headers["Allow"] == "GET, HEAD"


def test_a_single_page_app_has_its_own_paths(folder, database_url, tmp_path):
    plugins = [page_plugin(folder, single_page=True)]
    with open_workspace(database_url, tmp_path, plugins=plugins) as workspace:
        client = Client(workspace.app)
        paths = ("projects/7", "a/b/c/", "no.js", ".env", "../x", "a/.git/b")
        found = [client.get(f"http://localhost/desk/{path}") for path in paths]
        api = client.get("/unknown")

    assert [each.status for each in found] == [200, 200, 404, 404, 404, 404]
    assert found[0].content == b"<h1>Desk</h1>"
    assert api.error["code"] == "not_found"


def test_a_plugin_may_add_sources_by_directive(folder, database_url, tmp_path):
    sources = {
        "img-src": ["data:", "https://img.example.com"],
        "frame-ancestors": ["https://portal.example.com"],
        "default-src": ["https://cdn.example.com"],
    }
    plugins = [page_plugin(folder, sources=sources)]
    with open_workspace(database_url, tmp_path, plugins=plugins) as workspace:
        headers = Client(workspace.app).get("http://localhost/desk/").headers

    assert headers["Content-Security-Policy"] == (
        "default-src 'self' https://cdn.example.com; base-uri 'none'; "
        "form-action 'self'; frame-ancestors https://portal.example.com; "
        "img-src 'self' data: https://img.example.com; object-src 'none'"
    )


class Short:
    """Has a short path that is the name of the plugin with the pages."""

    name = "another"

    @hookimpl
    def loc_provide_endpoints(self) -> list[object]:
        return [self]

    @operation("GET", "/talk", permission=None, short_path="/desk")
    def talk(self) -> Raw:
        """Talk."""
        return Raw(b"", None)


def refusal_of(*plugins):
    with pytest.raises(PluginError) as caught:
        Framework(Settings(), plugins)
    return str(caught.value)


def test_pages_that_cannot_be_served_stop_the_start(folder, tmp_path):
    wrong = SimpleNamespace(name="a", loc_provide_pages=hookimpl(lambda: "folder"))

    assert "'folder' is no Pages" in refusal_of(wrong)
    assert "is no folder with index.html" in refusal_of(page_plugin(tmp_path))
    assert "/api is taken" in refusal_of(page_plugin(folder, "api"))
    for sources, said in [
        ({"img": ["data:"]}, "sources: 'img' is not one of default-src, base-uri"),
        ({"img-src": "data:"}, "sources: img-src: 'd' is no source"),
        ({"img-src": ["a; b"]}, "sources: img-src: 'a; b' is no source"),
    ]:
        assert said in refusal_of(page_plugin(folder, sources=sources))
    line = refusal_of(page_plugin(folder), Short())
    assert "short_path='/desk' is that of the pages of plugin 'desk'" in line
