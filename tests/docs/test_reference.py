"""Tables of errors, permissions, checks, settings and formats match the code."""

import inspect
import json
import tomllib
from collections.abc import Mapping
from importlib.metadata import entry_points

import click
import msgspec
import pytest

from locframework import errors
from locframework.access.permissions import PERMISSIONS, ROLES
from locframework.commands import main
from locframework.errors import LocError
from locframework.formats.records import FileOptions, SourceFile
from locframework.plugins import PluginHost
from locframework.quality.checks import BUILT_IN
from locframework.settings import (
    ENVIRONMENT_PREFIX,
    ServerSettings,
    Settings,
    WebhookSettings,
)

ERRORS = [
    each
    for each in vars(errors).values()
    if inspect.isclass(each) and issubclass(each, LocError)
]


def test_every_error_is_in_the_table_once_with_its_status(open_page):
    rows = [(int(status), code) for status, code, *_ in open_page("errors.md").rows()]
    codes = [each.code for each in ERRORS]

    assert sorted(rows) == sorted({(each.status, each.code) for each in ERRORS})
    assert rows == sorted(rows, key=lambda row: row[0])
    assert len(set(codes)) == len(codes)


def test_errors_that_no_operation_declares_are_marked(open_page, sqlite_workspace):
    document = json.dumps(sqlite_workspace.owner.get("/openapi.json").json)
    rows = open_page("errors.md").rows()

    marked = {
        code
        for _, code, when, _ in rows
        if "no operation" in when or "of an import job" in when
    }
    undeclared = {each.code for each in ERRORS if f'"{each.code}"' not in document}
    assert undeclared == marked


def test_the_example_of_an_error_is_what_is_returned(open_page, sqlite_workspace):
    [example] = open_page("errors.md").blocks("json")
    project = sqlite_workspace.project()
    viewer = sqlite_workspace.client("viewer")

    answer = viewer.post(f"/projects/{project['id']}/keys", json={"key": "a"})

    expected = json.loads(example)
    expected["error"]["message"] = answer.error["message"]
    assert answer.json == expected


def test_the_details_of_errors_are_named(open_page):
    details = {code: cell for _, code, _, cell in open_page("errors.md").rows()}

    for error in (
        errors.PermissionDenied("key_create"),
        errors.LanguageNotAssigned("de"),
    ):
        assert isinstance(error.details, dict)
        [name] = error.details
        assert details[error.code] == f"{{ {name} }}"
    assert details["validation_failed"].startswith("a list of")
    assert not details["key_exists"]


def commands_of(group, *above):
    """Return the rows of all commands below a group."""
    rows = []
    for name, each in sorted(group.commands.items()):
        if isinstance(each, click.Group):
            rows += commands_of(each, *above, name)
        else:
            rows.append([" ".join((*above, name)), each.get_short_help_str(200)])
    return rows


def test_the_table_of_commands_has_the_first_sentence_of_their_help(open_page):
    rows = open_page("commands.md").rows()

    assert [row for row in rows if not row[0].isdigit()] == commands_of(main)


def test_every_permission_is_in_the_table_with_its_roles(open_page):
    page = open_page("permissions.md")
    rows = {key: cells for key, _, *cells in page.rows()}
    [head] = [line for line in page.text.splitlines() if line[:12] == "| permission"]

    assert rows == {
        key: ["✓" if key in ROLES[role] else "" for role in ROLES]
        for key in PERMISSIONS
    }
    assert [cell.strip() for cell in head.split("|")[3:-1]] == list(ROLES)


def test_every_built_in_check_is_in_the_table_with_its_severity(open_page):
    rows = open_page("quality.md").rows()[: len(BUILT_IN)]

    assert [(name, severity) for name, _, severity in rows] == [
        (check.name, check.severity) for check in BUILT_IN
    ]


def settings_types():
    """Return every shipped settings type, by its heading on the page."""
    found = {
        "The application": Settings,
        "[server]": ServerSettings,
        "[webhooks]": WebhookSettings,
    }
    for entry in entry_points(group="locframework"):
        if entry.dist is not None and entry.dist.name.startswith("locframework-"):
            plugin = entry.load()
            if hasattr(plugin, "settings_type"):
                found[f"[plugins.{entry.name}]"] = plugin.settings_type
    return found


SETTINGS = settings_types()
PLUGINS = {name[9:-1] for name in SETTINGS if name.startswith("[plugins.")}


def defaults_of(struct):
    tables = ("server", "webhooks", "plugins") if struct is Settings else ()
    return {
        field.name: default_of(field)
        for field in msgspec.structs.fields(struct)
        if field.name not in tables
    }


def default_of(field):
    """As TOML reads it; None where there is none."""
    if field.required:
        return None
    made = field.default_factory
    default = field.default if made is msgspec.NODEFAULT else made()
    return list(default) if isinstance(default, tuple) else default


def test_every_settings_table_has_a_section(open_page):
    sections = [name for name in open_page("settings.md").sections() if name[0] == "["]

    assert {"The application", *sections} == set(SETTINGS)


@pytest.mark.parametrize("section", SETTINGS)
def test_every_setting_is_listed_with_its_default_and_in_an_example(open_page, section):
    page, defaults = open_page("settings.md"), defaults_of(SETTINGS[section])
    rows = page.rows(page.sections()[section])
    [example] = page.blocks("toml", page.sections()[section])

    listed = {
        name: tomllib.loads(f"x = {default}")["x"] if default else None
        for name, default, _ in rows
    }
    assert listed == defaults
    assert len(rows) == len(listed)
    tree = tomllib.loads(example)
    settings = Settings.of(tree)
    for table in section.strip("[]").split(".") if section[0] == "[" else []:
        tree = tree[table]
    assert set(tree) == set(defaults)
    if section.startswith("[plugins."):
        given = settings.plugins[section[9:-1]]
        msgspec.convert(given, SETTINGS[section], strict=False)


def test_the_examples_of_settings_are_accepted(open_page, tmp_path):
    page = open_page("settings.md")
    [example] = [each for each in page.blocks("") if ENVIRONMENT_PREFIX in each]
    environ = dict(line.split("=", 1) for line in example.splitlines())
    file = tmp_path / "settings.toml"
    file.write_text("\n".join(page.blocks("toml")))

    settings = Settings.load(environ=environ)

    assert settings.base_url == "https://l10n.example.com/api/v1"
    assert settings.server.port == 80
    assert settings.plugins["peewee"]["database"].startswith("postgresql://")
    assert set(Settings.load(file, environ={}).plugins) == PLUGINS


HOST = PluginHost.discover({})
FORMATS = HOST.formats
SHIPPED = ("android", "apple", "dotnet", "fluent", "gettext", "json", "php")
SHIPPED += ("properties", "qt", "table", "xliff", "yaml")
EXAMPLES = dict.fromkeys(("json-nested", "json-flat", "json-i18next"), "json.md")
EXAMPLES |= {
    f"json-{name}": "json-libraries.md"
    for name in ("go-i18n", "i18next-v3", "laravel", "nextcloud", "vue-i18n")
}
UNSURE = {"json-go-i18n": "json-flat", "json-laravel": "json-nested"}
OPTIONS = FileOptions(key_separator=".", source_language="en", language_code="de")


def test_the_table_of_formats_is_what_is_installed(open_page):
    page = open_page("formats.md")
    rows = [row for row in page.rows(page.sections()["File formats"]) if len(row) == 7]
    shipped = {
        id_: each.info
        for id_, each in FORMATS.items()
        if HOST.plugin_of_format(id_) in SHIPPED
    }

    assert {id_: row for id_, *row in rows} == {
        id_: [
            info.name,
            info.extension,
            "✓" if info.plurals else "",
            "✓" if info.comments else "",
            "✓" if info.source_texts else "",
            HOST.plugin_of_format(id_),
        ]
        for id_, info in shipped.items()
    }
    assert all(info.can_import and info.can_export for info in shipped.values())


def test_the_table_of_limits_is_what_formats_say(open_page):
    page = open_page("formats.md")
    rows = page.rows(page.sections()["What formats cannot express"])

    assert dict(rows) == {
        id_: "; ".join(each.info.all_limits) or "–"
        for id_, each in FORMATS.items()
        if HOST.plugin_of_format(id_) in SHIPPED
    }


@pytest.mark.parametrize("id_", EXAMPLES)
def test_the_example_of_a_format_is_recognized_read_and_written(open_page, id_):
    page = open_page(EXAMPLES[id_])
    text, format_ = page.sections()[id_], FORMATS[id_]
    [example] = page.blocks("json", text)
    file = SourceFile(f"de{format_.info.extension}", example.encode())

    recognized = [name for name, each in FORMATS.items() if each.recognizes(file)]
    [catalogue] = format_.read(file, OPTIONS)
    written = format_.write([catalogue], OPTIONS)

    assert recognized == [UNSURE.get(id_, id_)]
    assert texts_of(catalogue) == [
        (key, *form_of(cell)) for key, cell in page.rows(text)
    ]
    assert (written.content.decode(), written.warnings) == (example, [])


def texts_of(catalogue):
    """Return (key, plural form, text) of each entry; the form may be empty."""
    found = []
    for entry in catalogue.entries:
        value = entry.value
        forms = value if isinstance(value, Mapping) else {"": value}
        found += [(entry.key, form, text) for form, text in forms.items()]
    return found


def form_of(cell):
    """Return plural form and text of a cell: ``one: `…` ``, or the text alone."""
    form, found, text = cell.partition(": `")
    return (form, text) if found else ("", cell)
