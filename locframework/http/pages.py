"""Static pages of plugins: the files of a folder, with strict headers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from falcon import HTTP_304, HTTP_308, Request, Response
from msgspec import Struct

from locframework.errors import MethodNotAllowed

from .responses import etag_of, if_none_match_matches

INDEX = "index.html"
DIRECTIVES: Mapping[str, str] = {
    "default-src": "'self'",
    "base-uri": "'none'",
    "connect-src": "",
    "font-src": "",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "frame-src": "",
    "img-src": "",
    "manifest-src": "",
    "media-src": "",
    "object-src": "'none'",
    "script-src": "",
    "style-src": "",
    "worker-src": "",
}
"""Of the Content-Security-Policy, with what each allows without a plugin's own sources.
Where that is "", ``default-src`` decides."""

_NO_CACHE = "no-cache"
_IMMUTABLE = "public, max-age=31536000, immutable"
_HASHED = re.compile(r"[.-](?=[a-f]*[0-9])[0-9a-f]{8,}\.")  # "app-1f3a9c20.js"
_SOURCE = re.compile(r"[!-+\--:<-~]+")  # visible ASCII without , and ;
_BYTES = "application/octet-stream"
_TYPES = {
    ".avif": "image/avif",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".gif": "image/gif",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".otf": "font/otf",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
}
"""By suffix, and not asked of the system, whose types differ."""


class Pages(Struct, frozen=True):
    """Static files of a plugin, below ``/<the plugin's name>/``."""

    folder: Path
    """It has an ``index.html``. Names that begin with a dot are not served, nor links
    that lead out of it."""
    single_page: bool = False
    """Whether paths that are not there get ``index.html``, for programs that have their
    own paths. A path whose last part has a dot is still 404."""
    sources: Mapping[str, Sequence[str]] = {}
    """More sources by directive of the Content-Security-Policy:
    ``{"img-src": ["data:"]}``."""


def require_pages(pages: Pages) -> None:
    """Raise ValueError for pages that cannot be served."""
    if not isinstance(pages, Pages):
        raise ValueError(f"{pages!r} is no Pages")
    if not (Path(pages.folder) / INDEX).is_file():
        raise ValueError(f"{pages.folder} is no folder with {INDEX}")
    for directive, sources in pages.sources.items():
        if directive not in DIRECTIVES:
            known = ", ".join(DIRECTIVES)
            raise ValueError(f"sources: {directive!r} is not one of {known}")
        for each in sources:
            if isinstance(sources, str) or not _SOURCE.fullmatch(each):
                raise ValueError(f"sources: {directive}: {each!r} is no source")


def policy_of(pages: Pages) -> str:
    """Return the Content-Security-Policy of the pages."""
    written = []
    for directive, base in DIRECTIVES.items():
        more = " ".join(pages.sources.get(directive, ()))
        if more and base != "'none'":
            more = f"{base or DIRECTIVES['default-src']} {more}"
        if more or base:
            written.append(f"{directive} {more or base}")
    return "; ".join(written)


class PageResponder:
    """Serves the pages of one plugin."""

    def __init__(
        self, name: str, pages: Pages, missing: Callable[[Request, Response], None]
    ) -> None:
        """``missing`` responds where no file is."""
        self._root = f"/{name}/"
        self._folder = Path(pages.folder).resolve()
        self._single_page = pages.single_page
        self._missing = missing
        self._headers = {
            "Content-Security-Policy": policy_of(pages),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Referrer-Policy": "same-origin",
        }

    def __call__(self, request: Request, response: Response, /, **_: str) -> None:
        """Respond to any method."""
        if request.method not in ("GET", "HEAD"):
            response.set_header("Allow", "GET, HEAD")
            raise MethodNotAllowed("pages allow GET, HEAD")
        parts = request.path.split("/")[2:]  # none: the name without a slash
        file = self._file(parts) if parts else self._folder
        if file is None:
            self._missing(request, response)
        elif file.is_dir():
            _redirect(request, response)
        else:
            self._send(file, request, response)

    def _file(self, parts: Sequence[str]) -> Path | None:
        """Return the file or folder, or None. Nothing outside of the folder, also where
        a link leads."""
        *folders, last = parts
        if any(_is_hidden(each) for each in folders) or (last and _is_hidden(last)):
            return None
        found = self._folder.joinpath(*folders, last or INDEX)
        if self._is_there(found):
            return found
        if last and self._is_there(found / INDEX):
            return found
        if self._single_page and "." not in last:
            return self._folder / INDEX
        return None

    def _is_there(self, path: Path) -> bool:
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):  # also of names that are too long
            return False
        return real.is_relative_to(self._folder) and real.is_file()

    def _send(self, file: Path, request: Request, response: Response) -> None:
        content = file.read_bytes()
        etag = etag_of(content)
        response.set_headers(self._headers)
        response.set_header("ETag", etag)
        is_hashed = _HASHED.search(file.name) is not None
        response.set_header("Cache-Control", _IMMUTABLE if is_hashed else _NO_CACHE)
        if if_none_match_matches(request.get_header("If-None-Match"), etag):
            response.status = HTTP_304
            return
        response.content_type = _TYPES.get(file.suffix.lower(), _BYTES)
        response.data = content


def _is_hidden(name: str) -> bool:
    return name[:1] in ("", ".") or "\\" in name or "\0" in name


def _redirect(request: Request, response: Response) -> None:
    """Add the slash that relative links need. The target is relative: the app may be
    mounted anywhere."""
    last = quote(request.path.rpartition("/")[2])
    asked = request.query_string
    response.status = HTTP_308
    response.set_header("Location", f"./{last}/" + (f"?{asked}" if asked else ""))
