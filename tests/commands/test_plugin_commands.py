"""Commands of plugins, as ``locframework <plugin name> …``."""

import json
import sys
from textwrap import dedent

import pytest

from locframework.commands import main
from locframework.plugins import OWN_COMMANDS

PLUGIN = """
import click
from msgspec import Struct
from locframework import hookimpl, json_option, open_framework, print_result
from locframework.ports import NotFound, SettingsError

class Settings(Struct):
    {setting}

class Plugin:
    settings_type = Settings

    def __init__(self, settings):
        self.settings = settings

    @hookimpl
    def loc_on_start(self, framework):
        self.framework = framework

    @hookimpl
    def loc_provide_commands(self):
        @click.command()
        @json_option
        def width():
            "Tell the width."
            with open_framework() as framework:
                assert framework is self.framework
                print_result("wide", {{"width": self.settings.width}})

        @click.command()
        @click.argument("kind")
        def fail(kind):
            "Fail."
            if kind == "found":
                raise NotFound("ferry")
            if kind == "set":
                raise SettingsError("width: is too wide", "plugins.wordy.width")
            raise RuntimeError("the flux\\ncapacitor is empty")
        return [width, fail]
"""


@pytest.fixture
def install(folder, monkeypatch):
    """Installs a plugin as pip does: a module, and a dist-info folder beside it."""
    made = []

    def install(name, source):
        module = f"plugin_{name}".replace("-", "_")
        made.append(module)
        site = folder / module
        site.mkdir()
        (site / f"{module}.py").write_text(dedent(source))
        info = site / f"loc_{name.replace('-', '_')}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: loc-{name}\nVersion: 1.2\n")
        entry = f"[locframework]\n{name} = {module}:Plugin\n"
        (info / "entry_points.txt").write_text(entry)
        monkeypatch.syspath_prepend(site)  # what was found before is asked again

    yield install
    for module in made:
        sys.modules.pop(module, None)


@pytest.fixture
def wordy(install, framework):
    install("wordy", PLUGIN.format(setting="width: int = 3"))


def test_the_plugin_has_the_settings_that_the_user_names(command, folder, wordy):
    (folder / "my.toml").write_text("[plugins.wordy]\nwidth = 7\n")

    width_9 = {"LOCFRAMEWORK_PLUGINS__WORDY__WIDTH": "9"}

    outs = [
        command("wordy", "width").stdout,
        command("wordy", "width", "--json").stdout,
        command("--settings", "my.toml", "wordy", "width", "--json").stdout,
        command("wordy", "--settings", "my.toml", "width", "--json").stdout,
        command("wordy", "width", "--json", LOCFRAMEWORK_SETTINGS="my.toml").stdout,
        command("wordy", "width", "--json", **width_9).stdout,
    ]

    assert outs == [
        "wide\n",
        *(f'{{\n  "width": {width}\n}}\n' for width in (3, 7, 7, 7, 9)),
    ]


def test_help_lists_the_plugins_with_commands_and_their_commands(command, wordy):
    whole, own = command("--help").stdout, command("wordy", "--help").stdout

    assert "Commands of plugins:\n  wordy  Commands of loc-wordy 1.2." in whole
    assert "  fail   Fail.\n  width  Tell the width.\n" in own
    assert command("wordy").stderr == own  # as groups of click do


@pytest.mark.parametrize(
    ("kind", "exit_code", "line"),
    [
        ("found", 1, "there is no such ferry"),
        ("set", 2, "width: is too wide"),
        (
            "bug",
            1,
            "RuntimeError: the flux capacitor is empty (--log-level debug shows more)",
        ),
    ],
)
def test_what_a_command_raises_is_one_line(command, wordy, kind, exit_code, line):
    failed = command("wordy", "fail", kind)

    assert (failed.exit_code, failed.stderr) == (exit_code, f"Error: {line}\n")


def test_a_plugin_that_lacks_settings_says_so_at_its_own_commands_only(
    command, folder, install
):
    install("wordy", PLUGIN.format(setting="width: int"))

    broken, whole = command("wordy", "width"), command("--help")

    assert broken.exit_code == 2
    assert "plugin 'wordy' (loc-wordy 1.2): settings: Object missing" in broken.stderr
    assert "wordy" in whole.stdout
    assert command("convert", "--help").exit_code == 0


def test_a_plugin_that_cannot_be_imported_breaks_no_help(command, install):
    install("wordy", "import no_such_module")

    broken, whole = command("wordy", "width"), command("--help")

    line = "plugin 'wordy' (loc-wordy 1.2): cannot be loaded: ModuleNotFoundError("
    assert (broken.exit_code, line in broken.stderr) == (2, True)
    assert "Traceback" not in broken.stderr
    traced = command("--log-level", "debug", "check-settings").stderr
    assert "Traceback" in traced
    assert "import no_such_module\nModuleNotFoundError" in traced
    assert (whole.exit_code, "Commands of plugins" in whole.stdout) == (0, False)


def test_a_blocked_plugin_has_no_commands(command, folder, wordy):
    (folder / "my.toml").write_text('blocked_plugins = ["wordy"]\n')

    blocked = command("wordy", "width", LOCFRAMEWORK_SETTINGS="my.toml")

    line = "plugin 'wordy' is not loaded: blocked_plugins names it"
    source = "(from my.toml, line 1)"
    assert (blocked.exit_code, blocked.stderr) == (2, f"Error: {line} {source}\n")


def test_a_plugin_without_commands_is_no_command(command):
    assert "No such command 'json'" in command("json").stderr


def test_a_plugin_with_commands_cannot_have_the_name_of_one(command, install):
    install("jobs", PLUGIN.format(setting="width: int = 3"))

    refused = command("check-settings")

    line = (
        "Error: plugin 'jobs' (loc-jobs 1.2): loc_provide_commands: `locframework jobs`"
        " is a command of the framework; give the plugin another name\n"
    )
    assert (refused.exit_code, refused.stderr) == (2, line)
    assert frozenset(main.commands) == OWN_COMMANDS


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("[print]", "<built-in function print> is not a command of click"),
        ("[click.Command('a'), click.Command('a')]", "'a' is provided twice"),
        ("None", "returns None; return a list"),
    ],
)
def test_what_is_no_command_is_refused(command, install, answer, reason):
    install(
        "wordy",
        f"""
        import click
        from locframework import hookimpl
        class Plugin:
            @hookimpl
            def loc_provide_commands(self): return {answer}
        """,
    )

    assert command("wordy", "a").stderr == (
        f"Error: plugin 'wordy' (loc-wordy 1.2): loc_provide_commands: {reason}\n"
    )


MUCH = """
import click
from locframework import hookimpl
from locframework.ports import EventType, Permission, operation

class Plugin:
    requires_ports = "1.0"

    @hookimpl
    def loc_on_event(self, event): pass

    @hookimpl
    def loc_provide_commands(self):
        return [click.Command("send")]

    @hookimpl
    def loc_provide_endpoints(self):
        return [self]

    @operation("GET", "/ferries", permission="much_read")
    def list_ferries(self) -> list[str]:
        "List them."

    @hookimpl
    def loc_provide_permissions(self):
        return [Permission("much_read", "Read much")]

    @hookimpl
    def loc_provide_event_types(self):
        schema = {"type": "object"}
        return [EventType("plugin.much.told", "It told", schema, ({},))]
"""


def test_plugins_lists_all_that_a_plugin_provides(command, folder, install):
    install("much", MUCH)
    (folder / "my.toml").write_text('blocked_plugins = ["php"]\n')

    listed = json.loads(command("--settings", "my.toml", "plugins", "--json").stdout)

    found = {each["name"]: each for each in listed["plugins"]}
    assert found["much"] == {
        "name": "much",
        "distribution": "loc-much",
        "version": "1.2",
        "requiresPorts": "1.0",
        "hooks": sorted(found["much"]["hooks"]),
        "settings": [],
        "projectSettings": [],
        "chosenBy": [],
        "provides": {
            "commands": ["send"],
            "endpoints": ["GET /plugins/much/ferries"],
            "event_types": ["plugin.much.told"],
            "permissions": ["much_read"],
        },
    }
    assert found["peewee"]["chosenBy"] == ["storage"]
    assert listed["blocked"] == [
        {"name": "php", "distribution": "locframework-formats-php 0.1.0"}
    ]
    [openai] = [each for each in listed["notConfigured"] if each["name"] == "openai"]
    assert "loc_provide_translators" in openai["hooks"]
    assert "required field `url`" in openai["fault"]
