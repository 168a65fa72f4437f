"""What every command has in common: help, settings, and how faults are told."""

import logging
import re
import subprocess
import sys

import pytest

from locframework.access.rules import new_token_text
from locframework.commands import main
from locframework.commands.options import configure_logging

COMMANDS = [
    ["serve"],
    ["worker"],
    ["plugins"],
    ["check-settings"],
    ["migrate"],
    ["recheck"],
    ["verify"],
    ["import"],
    ["export"],
    ["tm", "import"],
    ["tm", "export"],
    ["glossary", "import"],
    ["glossary", "export"],
    ["organization", "create"],
    ["organization", "list"],
    ["token", "create"],
    ["project", "create"],
    ["project", "list"],
    ["webhooks", "listen"],
]


def test_help_tells_how_to_begin(command):
    told = command("--help").stdout

    assert "locframework organization create" in told
    assert all(name[0] in told for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example_and_the_common_options(command, name):
    result = command(*name, "--help")

    assert result.exit_code == 0
    assert re.search(r"\n  Examples?:\n    .*locframework", result.stdout)
    assert "--settings FILE" in result.stdout
    assert "--log-level" in result.stdout


def test_every_command_is_tested_here():
    assert set(main.commands) == {name[0] for name in COMMANDS}


def test_no_short_help_is_cut_off(command):
    told = command("--help").stdout.partition("Commands:")[2]

    assert "migrate" in told
    assert "..." not in told


def test_settings_may_be_named_before_and_after_the_command(command, folder):
    (folder / "my.toml").write_text('storage = "oracle"\n')

    before = command("--settings", "my.toml", "check-settings")
    after = command("check-settings", "--settings", "my.toml")
    variable = command("check-settings", LOCFRAMEWORK_SETTINGS="my.toml")

    assert before.stderr == after.stderr == variable.stderr
    assert "no installed plugin provides 'oracle'" in before.stderr


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        (
            {"LOCFRAMEWORK_COLOUR": "red"},
            (
                "Error: settings: Object contains unknown field `colour`"
                " (from LOCFRAMEWORK_COLOUR)\n"
            ),
        ),
        (
            {"LOCFRAMEWORK_BLOB_STORE": "tape"},
            (
                "Error: settings: blob_store: no installed plugin provides 'tape';"
                " available: disk (from LOCFRAMEWORK_BLOB_STORE)\n"
            ),
        ),
        (
            {"LOCFRAMEWORK_PLUGINS__JSON__INDENT": "99"},
            (
                "Error: plugin 'json' (locframework-formats-json 0.1.0): settings:"
                " Expected `int` <= 8 - at `$.indent`"
                " (from LOCFRAMEWORK_PLUGINS__JSON__INDENT)\n"
            ),
        ),
        (
            {"LOCFRAMEWORK_PLUGINS__YSON__INDENT": "2"},
            (
                "Error: settings: plugins: no installed plugin provides 'yson';"
                " available: disk, gettext, https, json, peewee, postgres, rapidfuzz"
                " (from LOCFRAMEWORK_PLUGINS__YSON__INDENT)\n"
            ),
        ),
    ],
)
def test_wrong_settings_are_one_line_and_exit_code_2(command, environment, line):
    result = command("check-settings", **environment)

    assert (result.exit_code, result.stdout, result.stderr) == (2, "", line)


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("job_workers = 99", "at `$.job_workers` (from my.toml)"),
        ("[server]\nprot = 1", "at `$.server` (from my.toml)"),
        ("[plugins.json]\nindent = 99", "at `$.indent` (from my.toml)"),
        (
            "blocked_plugins = ['jason']",
            "available: disk, gettext, https, json, peewee, postgres, rapidfuzz",
        ),
        ("rate_limit_storage = 'carrier://x'", "(from my.toml)"),
        ("base_url = 'x'", "(from my.toml)"),
    ],
)
def test_what_a_file_says_wrong_is_told_with_its_name(command, folder, toml, said):
    (folder / "my.toml").write_text(toml)

    result = command("--settings", "my.toml", "check-settings")

    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.endswith(" (from my.toml)\n")


def test_a_variable_that_overrules_the_file_is_the_one_that_is_named(command, folder):
    (folder / "my.toml").write_text("job_workers = 2")

    result = command(
        "--settings", "my.toml", "check-settings", LOCFRAMEWORK_JOB_WORKERS="0"
    )

    assert result.stderr.endswith(" (from LOCFRAMEWORK_JOB_WORKERS)\n")


def test_a_settings_file_that_is_not_there_is_one_line(command):
    result = command("--settings", "nowhere.toml", "plugins")

    line = "Error: settings: cannot read nowhere.toml: No such file or directory\n"
    assert (result.exit_code, result.stderr) == (2, line)


def test_a_settings_file_that_is_no_toml_names_file_and_line(command, folder):
    (folder / "my.toml").write_text("storage = \n")

    result = command("--settings", "my.toml", "plugins")

    assert result.exit_code == 2
    assert result.stderr.startswith("Error: settings: my.toml: ")
    assert "line 1" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_database_that_was_not_migrated_says_what_to_run(command):
    result = command("organization", "list")

    assert result.exit_code == 2
    assert result.stderr.endswith("run: locframework migrate\n")
    assert result.stderr.count("\n") == 1


def test_a_database_that_does_not_answer_is_one_line_and_exit_code_1(command):
    address = "postgresql://127.0.0.1:1/nothing"

    result = command(
        "--log-level",
        "error",
        "migrate",
        LOCFRAMEWORK_PLUGINS__PEEWEE__DATABASE=address,
    )

    line = "Error: the database does not answer; try again\n"
    assert (result.exit_code, result.stderr) == (1, line)


def test_a_fault_of_our_own_is_one_line_and_its_trace_is_for_debugging(
    command, monkeypatch
):
    def fail(_: object) -> None:
        raise RuntimeError("the flux\ncapacitor is empty")

    monkeypatch.setattr("locframework.commands.options.Setup.settings", fail)

    short, long = command("plugins"), command("--log-level", "debug", "plugins")

    line = (
        "Error: RuntimeError: the flux capacitor is empty"
        " (--log-level debug shows more)\n"
    )
    assert (short.exit_code, short.stderr) == (1, line)
    assert "Traceback" in long.stderr


def test_a_reader_that_leaves_ends_the_command_quietly(start):
    process = start("--help")
    process.stdout.close()

    assert "Traceback" not in process.stderr.read()


def test_no_token_gets_into_the_log(capsys):
    token = new_token_text("personal")

    configure_logging("info")
    logging.getLogger("some.plugin").info("using %s", token)

    told = capsys.readouterr().err
    assert token not in told
    assert "INFO some.plugin: using svc_pat_…" in told


def test_a_command_imports_nothing_that_only_serving_needs():
    names = subprocess.run(
        [
            sys.executable,
            "-c",
            "import locframework.commands, sys; print('waitress' in sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )

    assert names.stdout == "False\n"
