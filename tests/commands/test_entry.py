"""What every command has in common: help, settings, and how faults are told."""

import json
import logging
import os
import pty
import re
import subprocess
import sys
import time
from contextlib import suppress

import click
import pytest

from locframework import OPERATOR
from locframework.commands import main
from locframework.commands.common import configure_logging, progress
from locframework.errors import PluginError, SettingsError
from locframework.glossaries.records import NewGlossary
from locframework.keys.records import NewKey
from locframework.memories.records import NewMemory


def commands_of(group, *above):
    for name, each in group.commands.items():
        below = (*above, name)
        yield from (
            commands_of(each, *below) if hasattr(each, "commands") else [(below, each)]
        )


COMMANDS = dict(commands_of(main))
for name in (("webhooks", "new-key"), ("new-plugin",)):  # which read no settings
    del COMMANDS[name]
of_every_command = pytest.mark.parametrize("name", COMMANDS, ids=" ".join)


def needed(parameter, file):
    """What a command does not run without."""
    if not parameter.required:
        return []
    kind = parameter.type
    value = kind.choices[0] if isinstance(kind, click.Choice) else "de"
    value = file if isinstance(kind, click.Path) else value
    return [*parameter.opts[:1], value] if parameter.opts[0][0] == "-" else [value]


def test_help_tells_how_to_begin(command):
    told = command("--help").stdout

    assert "locframework organization create" in told
    assert all(name[0] in told for name in COMMANDS)


@of_every_command
def test_every_command_has_help_with_an_example_and_the_common_options(command, name):
    result = command(*name, "--help")

    assert result.exit_code == 0
    assert re.search(r"\n  Examples?:\n    .*locframework", result.stdout)
    assert "--settings FILE" in result.stdout
    assert "--log-level" in result.stdout


WRITES_NO_DATA = [("serve",), ("worker",), ("export",), ("convert",)]
WRITES_NO_DATA += [("tm", "export"), ("glossary", "export")]
WORDS = {
    ("organization", "create"): "Another --owner bo@example.com",
    ("member", "add"): "bo@example.com --role viewer",
    ("member", "invite"): "ada@example.com",
    ("token", "create"): "ada@example.com",
    ("token", "revoke"): "--all ada@example.com",
    ("project", "create"): "Blog --source-language en",
    ("import",): "de.json --language de --format json-flat",
    ("tm", "import"): "tm.csv",
    ("glossary", "import"): "terms.csv",
    ("jobs", "show"): "{job}",
    ("jobs", "cancel"): "{job}",
    ("jobs", "retry"): "{cancelled}",
    ("listeners", "skip"): "digest",
}
"""What commands need to print data; the others need nothing."""


@pytest.mark.parametrize("name", [*COMMANDS, ("webhooks", "new-key")], ids=" ".join)
def test_every_command_that_prints_data_prints_one_json_document(
    command, folder, framework, project, name
):
    if name in WRITES_NO_DATA:
        assert "--json" not in command(*name, "--help").stdout
        return
    of = {"organization_id": project.organization_id}
    framework.memories.create_memory(OPERATOR, NewMemory("Main", "en", **of))
    framework.glossaries.create_glossary(OPERATOR, NewGlossary("Terms", "en", **of))
    (folder / "de.json").write_text('{"pay": "Zahlen"}')
    (folder / "tm.csv").write_text("en,de\npier,Anleger\n")
    (folder / "terms.csv").write_text("term,en,de\npier,pier,Anleger\n")
    start = framework.issues.start_recheck
    jobs = {each: start(OPERATOR, project.id).id for each in ("job", "cancelled")}
    framework.jobs.cancel_job(OPERATOR, project.id, jobs["cancelled"])
    framework.storage.listeners.register(["digest"], "2026-11-21T08:45:29.123Z")
    framework.keys.create_key(OPERATOR, project.id, NewKey("waits"))

    words = WORDS.get(name, "").format(**jobs).split()
    result = command(*name, *words, "--json")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)


def test_settings_may_be_named_before_and_after_the_command(command, folder):
    (folder / "my.toml").write_text('storage = "oracle"\n')

    before = command("--settings", "my.toml", "check-settings")
    after = command("check-settings", "--settings", "my.toml")
    variable = command("check-settings", LOCFRAMEWORK_SETTINGS="my.toml")

    assert before.stderr == after.stderr == variable.stderr
    assert "no installed plugin provides 'oracle'" in before.stderr


@of_every_command
def test_the_settings_nearest_to_the_user_are_obeyed(command, folder, name):
    (folder / "good.toml").write_text("")
    (folder / "bad.toml").write_text("job_workers = 0")
    (folder / "de.json").write_text("{}")
    rest = [each for p in COMMANDS[name].params for each in needed(p, "de.json")]

    def stderr_of(*arguments, variable):
        result = command(*arguments, LOCFRAMEWORK_SETTINGS=variable)
        assert result.exit_code == 2
        return result.stderr

    far = stderr_of("--settings", "bad.toml", *name, *rest, variable="good.toml")
    near = "--settings", "good.toml", *name, *rest, "--settings", "bad.toml"
    absent = stderr_of("--settings", "no.toml", *name, *rest, variable="good.toml")

    assert "`$.job_workers` (from bad.toml, line 1)\n" in far
    assert stderr_of(*near, variable="good.toml") == far
    assert stderr_of(*name, *rest, variable="bad.toml") == far
    assert absent == (
        "Error: settings: cannot read no.toml: No such file or directory\n"
    )


@pytest.mark.parametrize(
    ("environment", "toml", "line"),
    [
        (
            {"COLOUR": "red"},
            "",
            "unknown setting 'colour'; there are ai_currency, ",
        ),
        (
            {"BLOB_STORE": "tape"},
            "",
            "blob_store: no installed plugin provides 'tape'; available: disk",
        ),
        ({"JOB_WORKERS": "0"}, "", "Expected `int` >= 1 - at `$.job_workers`"),
        (
            {},
            "[server]\nprot = 1",
            "unknown setting 'server.prot'; did you mean 'port'",
        ),
        ({}, "base_url = 'x'", "base_url: 'x' is not an http or https address that"),
        ({}, "storage = \n", "my.toml: Invalid value (at line 1, "),
        (
            {},
            "blocked_plugins = ['jason']",
            "blocked_plugins: no installed plugin provides 'jason'; available: ",
        ),
        ({}, "rate_limit_storage = 'carrier://x'", "rate_limit_storage: "),
        ({}, "# yson\n[plugins.yson]", "plugins: no installed plugin provides"),
        ({}, "[plugins.json]\nindent = 99", "Expected `int` <= 8 - at `$.indent`"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_where_it_was_set(
    command, folder, environment, toml, line
):
    (folder / "my.toml").write_text(toml)
    variables = {f"LOCFRAMEWORK_{name}": text for name, text in environment.items()}

    result = command("--settings", "my.toml", "check-settings", **variables)

    assert (result.exit_code, result.stdout) == (2, "")
    assert f" settings: {line}" in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    if not line.startswith("my.toml"):
        source = f"my.toml, line {len(toml.splitlines())}"
        assert f"(from {next(iter(variables), source)})\n" in result.stderr


def test_a_settings_file_that_is_not_there_is_one_line(command):
    result = command("--settings", "nowhere.toml", "plugins")

    line = "Error: settings: cannot read nowhere.toml: No such file or directory\n"
    assert (result.exit_code, result.stderr) == (2, line)


def test_a_database_that_was_not_migrated_says_what_to_run(command):
    result = command("organization", "list")

    remedy = "run: locframework migrate, or use the folder and settings of the service"
    line = f"Error: the database lacks 0001_initial; {remedy}\n"
    assert (result.exit_code, result.stderr) == (2, line)


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


def test_a_bug_is_one_line_and_its_trace_is_for_debugging(command, monkeypatch):
    def fail(_):
        raise RuntimeError("the flux\ncapacitor is empty")

    monkeypatch.setattr("locframework.commands.common.Setup.settings", fail)

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


PUBLIC_KEY = "Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm8"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("(svc_pat_aM9OFdFuRFpjTEW0zvfZIoKlsrup8URyzfCX0ysgHy)", "(svc_pat_…)"),
        ("#invitation=svc_inv_aM9OFdFuRFpjTEW0zvfZIoKlsrup8", "#invitation=svc_inv_…"),
        ("svc_proj_04u8iorYGsjkZ9fJP1Q1PkFblMTH7mGHRHT00j952t is", "svc_proj_… is"),
        ("secret=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw/x+y=", "secret=whsec_…"),
        ("Authorization: Bearer my own scheme", "Authorization: …"),
        ("authorization: Basic dXNlcjpwYXNz\r\nHost: x", "authorization: …\r\nHost: x"),
        ("{'Authorization': 'Token abc', 'Host': 1}", "{'Authorization': '…', 'Host'"),
        ("sent Bearer abc.def-ghi", "sent Bearer …"),
        (f"/content/{PUBLIC_KEY}/manifest.json", "/content/Zm9v…/manifest.json"),
        ("postgresql://loc:s3cret@db:5432/loc", "postgresql://loc:…@db:5432/loc"),
        ("project web-shop; svc_other, whsec", "project web-shop; svc_other, whsec"),
    ],
)
def test_a_secret_is_cut_out_of_the_log_and_the_rest_stays(capsys, text, left):
    configure_logging("info")
    try:
        raise ValueError(text)
    except ValueError:
        logging.getLogger("some.plugin").info("%s", text, exc_info=True)

    told = capsys.readouterr().err
    assert f"INFO some.plugin: {left}" in told
    assert f"ValueError: {left}" in told


def test_no_text_that_a_client_may_send_is_looked_at_for_long(capsys):
    configure_logging("info")
    begun = time.process_time()

    logging.getLogger("some.plugin").info("a." * 32_000)

    assert time.process_time() - begun < 2.0  # it took 14 s
    assert "a." * 32_000 in capsys.readouterr().err


@pytest.mark.parametrize(
    "address",
    [
        "redis://:s3cret@h:1/0",
        "redis://s3cret@h",
        "postgresql://u:s3/c@r#s3cret@h/name",
    ],
)
def test_an_error_of_settings_or_plugins_shows_nobody_of_an_address(address):
    faults = [
        SettingsError(f"settings: {address!r} is wrong"),
        PluginError("p", "p 1.0", f"settings: {address!r} is wrong", "plugins.p"),
    ]

    for fault in map(str, faults):
        assert "s3cret" not in fault
        assert "://…@h" in fault
        assert fault.endswith("' is wrong")


def test_progress_is_a_bar_on_a_terminal_and_nothing_elsewhere(monkeypatch, capsys):
    with progress("importing") as report:
        report(1, 2)
    assert capsys.readouterr().err == ""

    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        with progress("importing") as report:
            report(0, 0)
            report(1, 4)
            report(4, 4)
    shown = b""
    with suppress(OSError):  # how a terminal that nobody writes to ends
        while part := os.read(ours, 10_000):
            shown += part
    os.close(ours)

    assert b"importing  [" in shown
    assert b"25%" in shown
    assert b"100%" in shown


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
