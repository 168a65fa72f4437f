"""The settings of one application: TOML file and environment into one struct."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import fields, force_setattr

from .errors import SettingsError
from .validation import suggestion

ENVIRONMENT_PREFIX = "LOCFRAMEWORK_"

_NAMES_A_USER = re.compile(r"https?://[^\s/?#]*@")
_BASE_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s/?#]+)*/api/v1")

_PLACE = re.compile(r"at `\$\.([^`\[]+)")
_UNKNOWN = re.compile(r"unknown field `([^`]+)`")

Port = Annotated[int, Meta(ge=0, le=65535)]


class ServerSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """``[server]``: how ``locframework serve`` listens. Embedders need none of it."""

    host: str = "127.0.0.1"
    port: Port = 8080
    threads: Annotated[int, Meta(ge=1, le=64)] = 4
    trusted_proxy: str | None = None  # whose X-Forwarded-* headers are believed

    def __post_init__(self) -> None:
        """Raise SettingsError for a proxy that is no address: none would be believed.
        An address is kept as connections show theirs."""
        if self.trusted_proxy is None or self.trusted_proxy == "*":
            return
        try:
            shown = str(ip_address(self.trusted_proxy))
        except ValueError:
            setting, wrong = "server.trusted_proxy", 'is not an IP address or "*"'
            message = f"settings: {setting}: {self.trusted_proxy!r} {wrong}"
            raise SettingsError(message, setting) from None
        force_setattr(self, "trusted_proxy", shown)


class WebhookSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """``[webhooks]``: how signing secrets are kept, and deliveries sent."""

    secret_key: str | None = None  # 32 bytes, base64; without it there are no webhooks
    old_secret_keys: tuple[str, ...] = ()  # that sealed what is kept; they seal no more
    senders: Annotated[int, Meta(ge=1, le=128)] = 16  # attempts at once, a process


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings. docs/reference/settings.md has an example of each."""

    storage: str = "peewee"  # who keeps the data: a name of loc_provide_storages
    blob_store: str = "disk"  # who keeps files: a name of loc_provide_blob_stores
    webhook_transport: str = "https"  # who sends: a name of loc_provide_transports
    matcher: str = "rapidfuzz"  # who finds similar texts: of loc_provide_matchers
    translator: str = "pseudo"  # the engine of runs: of loc_provide_translators
    ai_currency: str = "EUR"  # of all prices and budgets of machine translation
    base_url: str | None = None  # "https://l10n.example.com/api/v1"; else as asked
    trust_host: bool = False  # without base_url: any Host, else only loopback ones
    rate_limit_storage: str = "memory://"  # or redis://host:6379/0: shared
    content_requests_per_minute: Annotated[int, Meta(ge=1)] = 6000  # per address
    quota_refuses: bool = False  # over quota: false serves on, true answers 429
    start_scheduler: bool = True  # False: ``locframework worker`` does the work
    job_workers: Annotated[int, Meta(ge=1, le=32)] = 2  # jobs at once, a process
    blocked_plugins: tuple[str, ...] = ()  # installed, and not to be loaded
    server: ServerSettings = ServerSettings()
    webhooks: WebhookSettings = WebhookSettings()
    plugins: dict[str, dict[str, object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise SettingsError for a base URL that no answer could name."""
        if self.base_url is not None and not _BASE_URL.fullmatch(self.base_url):
            wrong = "is not an http or https address that ends with /api/v1"
            if _NAMES_A_USER.match(self.base_url):
                wrong = "may not name a user: manifests would show it to everybody"
            message = f"settings: base_url: {self.base_url!r} {wrong}"
            raise SettingsError(message, "base_url")

    @classmethod
    def load(
        cls, path: Path | str | None = None, environ: Mapping[str, str] | None = None
    ) -> Settings:
        """Return the settings of a TOML file and of the environment, which wins.

        ``LOCFRAMEWORK_BASE_URL`` sets ``base_url``; two underscores go one table
        down: ``LOCFRAMEWORK_PLUGINS__PEEWEE__DATABASE``. Numbers and booleans are
        read from their text. Raises SettingsError, naming the setting.
        """
        tree: dict[str, object] = {}
        if path is not None:
            tree = _read_toml(path)
        for name, text in sorted((os.environ if environ is None else environ).items()):
            if name.startswith(ENVIRONMENT_PREFIX):
                _put(tree, _setting_of(name), text)
        return cls.of(tree)

    @classmethod
    def of(cls, tree: Mapping[str, object]) -> Settings:
        """Return settings from plain mappings. Raises SettingsError."""
        try:
            return msgspec.convert(tree, cls, strict=False)
        except msgspec.ValidationError as error:
            message = f"settings: {fault_in(error, cls)}"
            raise SettingsError(message, setting_in(error)) from error


def as_settings(given: object) -> Settings:
    """Return the settings. Raises SettingsError for anything else."""
    if not isinstance(given, Settings):
        kind = type(given).__name__
        message = f"settings: got {kind}; convert it with Settings.of(…)"
        raise SettingsError(message)
    return given


def fault_in(error: msgspec.ValidationError, type_: type[Struct]) -> str:
    """Return what is wrong with settings of the type; of an unknown one, the nearest
    that there is."""
    unknown = _UNKNOWN.search(str(error))
    if unknown is None:
        return str(error)
    place = _PLACE.search(str(error))
    known = _types_of(type_)
    for table in place[1].split(".") if place else ():
        known = _types_of(known.get(table))
    told = suggestion(unknown[1], known)
    if not place and (below := _below(unknown[1], known)):
        variable = ENVIRONMENT_PREFIX + below.replace(".", "__").upper()
        told = f"; did you mean {below!r} ({variable})?"
    return f"unknown setting {setting_in(error)!r}{told}"


def _below(name: str, known: Mapping[str, Any]) -> str:
    """Return the setting in a table that a name at the top is meant for: "server.port"
    for "port" and "server_port"; or ""."""
    if "plugins" in known and name.startswith("plugins_"):
        return name.replace("_", ".", 2)
    for table, type_ in known.items():
        for inner in _types_of(type_):
            if name in (inner, f"{table}_{inner}"):
                return f"{table}.{inner}"
    return ""


def _types_of(table: Any) -> dict[str, Any]:
    """Return the types of a table's settings; of what is no plain table none."""
    if not isinstance(table, type) or not issubclass(table, Struct):
        return {}
    return {each.encode_name: each.type for each in fields(table)}


def setting_in(error: msgspec.ValidationError, below: str = "") -> str:
    """Return the setting that an error is about, below the table ``below``, or ""."""
    found = _PLACE.search(str(error))
    unknown = _UNKNOWN.search(str(error))
    named = (below, found and found[1], unknown and unknown[1])
    return ".".join(part for part in named if part)


def source_of(setting: str, path: Path | str | None, environ: Mapping[str, str]) -> str:
    """Return where a setting, or one below it, was set: variables, else ``FILE, line
    N``, or "". ``path`` and ``environ`` are those of ``Settings.load``."""
    wanted = setting.split(".")
    names = [
        name
        for name in sorted(environ)
        if name.startswith(ENVIRONMENT_PREFIX)
        and _setting_of(name).split("__")[: len(wanted)] == wanted
    ]
    if names:
        return ", ".join(names)
    found: object = {} if path is None else _read_toml(path)
    for table in wanted:
        found = found.get(table) if isinstance(found, dict) else None
    if path is None or found is None:
        return ""
    return f"{path}, line {_line(path, wanted)}"


def _line(path: Path | str, setting: Sequence[str]) -> int:
    """Return the line of a TOML file that names a setting, below its tables."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    at = 0
    for name in setting:
        named = re.compile(rf"[^#]*(?<![\w-]){re.escape(name)}['\"]?\s*[.=\]]")
        at = next((n for n in range(at, len(lines)) if named.match(lines[n])), at)
    return at + 1


def _setting_of(variable: str) -> str:
    return variable.removeprefix(ENVIRONMENT_PREFIX).lower()


def _read_toml(path: Path | str) -> dict[str, object]:
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        message = f"settings: cannot read {path}: {error.strerror}"
        raise SettingsError(message) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"settings: {path}: {error}") from error


# Variables with the prefix that are read elsewhere, by the project's own tests.
_NOT_SETTINGS = ("test_", "bench_", "require_", "crash_at", "long", "settings")


def _put(tree: dict[str, object], name: str, text: str) -> None:
    if name.startswith(_NOT_SETTINGS):
        return
    *tables, last = name.split("__")
    for table in tables:
        below = tree.setdefault(table, {})
        if not isinstance(below, dict):
            variable = ENVIRONMENT_PREFIX + name.upper()
            raise SettingsError(f"settings: {variable}: {table} is not a table")
        tree = below
    tree[last] = text
