"""The small parts of dev.py; that the whole works is seen in every run of it."""

import os
import signal
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

FILE = Path(__file__).parent.parent / "dev.py"


@pytest.fixture
def dev(tmp_path):
    """dev.py over an environment of its own; installing is only noted."""
    spec = spec_from_file_location("dev", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    project = tmp_path / "pyproject.toml"
    project.write_text('[project]\nname = "x"\n')
    (tmp_path / "constraints.txt").write_text("")
    module.ROOT, module.VENV = tmp_path, tmp_path / ".venv"
    module.DISTRIBUTIONS = [tmp_path]
    module.VENV.mkdir()
    module.installed = []
    module.install = module.installed.append
    return module


OLDER = (
    "import runpy, sys; sys.modules['tomllib'] = None;"
    "sys.version, sys.version_info = '3.10.2 (main)', (3, 10, 2);"
    f"runpy.run_path({str(FILE)!r}, run_name='__main__')"
)


@pytest.mark.parametrize(
    ("arguments", "status", "printed", "told"),
    [
        ([FILE, "tset"], 2, "", "dev.py: there is no task 'tset'\n"),
        ([FILE, "--help"], 0, "Every task of this repository", ""),
        (["-c", OLDER], 1, "", "dev.py: needs Python 3.11; this is 3.10.2\n"),
    ],
)
def test_dev_py_tells_its_tasks_and_what_it_needs(arguments, status, printed, told):
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False
    )

    assert done.returncode == status
    assert done.stdout.startswith(printed)
    assert done.stderr.startswith(told)
    assert (done.stderr == "") == (told == "")
    for task in (
        ("install", "run", "test", "check", "fix", "bench", "docs", "mutants")
        if status != 1
        else ()
    ):
        assert f"\n{task} " in done.stdout + done.stderr


@pytest.fixture
def main(dev, monkeypatch):
    """Runs dev.py with arguments; the commands that it would run."""

    def main(*arguments, status=0):
        ran = []

        def note(command):
            program, *options = command
            ran.append([Path(program).name, *options])
            return status

        monkeypatch.setattr(os, "chdir", lambda folder: None)
        monkeypatch.setattr(subprocess, "call", note)
        monkeypatch.setattr(os, "execv", lambda program, command: note(command))
        monkeypatch.setattr(sys, "argv", ["dev.py", *arguments])
        assert dev.main() == status
        return ran

    return main


def test_running_needs_the_app_and_testing_the_tools_too(dev, main):
    assert main("install") == []
    main("run")
    for_running = list(dev.installed)
    main("test")

    assert for_running == ["app"]
    assert dev.installed == ["app", "tools"]


def test_what_follows_the_task_is_the_commands(main):
    [command] = main("test", "tests/keys", "-k", "plural")
    complexity, benchmarks = main("bench")
    [[_, *files, option, words]] = main("bench", "tm", "-k", "sqlite")

    assert (command[0], command[-3:]) == ("pytest", ["tests/keys", "-k", "plural"])
    assert benchmarks == ["pytest", "tests/benchmarks"]
    assert main("bench", "-k", "tm") == [[*benchmarks, "-k", "tm"]]
    assert complexity == ["python", "tests/benchmarks/complexity.py"]
    assert main("bench", "complexity") == [complexity]
    assert (option, words) == ("-k", "sqlite")
    assert "tests/benchmarks/test_matching.py" in files
    assert all((FILE.parent / file).is_file() for file in files)


def test_checking_runs_no_tests_and_ends_with_the_first_command_that_fails(dev, main):
    assert len(main("check", status=7)) == 1
    assert not any("pytest" in command for command in dev.TASKS["check"])


def test_a_part_is_installed_again_when_a_project_file_changed_or_it_failed(
    dev, tmp_path
):
    def fail(part):
        raise subprocess.CalledProcessError(1, ["pip"])

    noted, dev.install = dev.install, fail
    with pytest.raises(subprocess.CalledProcessError):
        dev.prepare(["app"])
    dev.install = noted

    dev.prepare(["app", "tools"])
    dev.prepare(["app", "tools"])
    assert dev.installed == ["app", "tools"]
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_text('[project]\nname = "changed"\n')
        dev.prepare(["app"])
    assert dev.installed == ["app", "tools", "app", "app"]


def test_every_extra_is_installed_but_that_for_testing(dev, tmp_path):
    assert dev.with_extras(tmp_path) == str(tmp_path)
    extras = "serve = []\nmetrics = []\ntesting = []\n"
    project = tmp_path / "pyproject.toml"
    project.write_text(f"[project]\n[project.optional-dependencies]\n{extras}")

    assert dev.with_extras(tmp_path) == f"{tmp_path}[metrics,serve]"


SERVE = (
    "import importlib.util, sys; from pathlib import Path;"
    f"s = importlib.util.spec_from_file_location('dev', {str(FILE)!r});"
    "dev = importlib.util.module_from_spec(s); s.loader.exec_module(dev);"
    "dev.BIN = Path(sys.executable).parent; dev.prepare = lambda parts: None;"
    "dev.TASKS['run'] = [['python', '-c', sys.argv[1]]];"
    "sys.argv[1:] = ['run']; dev.main()"
)
# It fetches its signals: a handler can miss the one that comes as a sleep begins.
CHILD = (
    "import signal, time;"
    "wanted = {signal.SIGTERM, signal.SIGINT};"
    "signal.pthread_sigmask(signal.SIG_BLOCK, wanted);"
    "time.sleep(0.2);"  # until dev.py waits for us
    "print('ready', flush=True);"
    "asked = signal.sigtimedwait(wanted, 30) and 'asked';"
    "print(asked, flush=True);"
    "again = signal.sigtimedwait(wanted, 0.3) and 'asked again';"
    "print(again or 'ended', flush=True)"
)


@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["kill", "killpg"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_reaches_the_command_once_and_ends_it(send, number):
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, CHILD],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "ready\n"

    send(process.pid, number)
    out, told = process.communicate(timeout=20)

    assert (process.returncode, out, told) == (0, "asked\nended\n", "")
