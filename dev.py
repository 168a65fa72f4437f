#!/usr/bin/env python3
"""Every task of this repository: python3 dev.py TASK [ARGUMENT …]

install install everything into .venv, for: . .venv/bin/activate
run     serve the demo; dev.py run --help lists its options
test    run the tests; arguments go to pytest: dev.py test tests/keys -k plural
        without -m, tests marked browser, judge, kill or hosts are left out
check   run ruff, mypy and the import rules, and build the documentation
fix     let ruff correct and format what it can
bench   run the benchmarks; bench tm: those of translation memories;
        bench complexity: lines, calls, files and SQL statements of typical requests
docs    build the documentation into docs/_build
mutants run the contract of each port against plugins with mistakes; with names of
        ports, such as check or blob_store, only those

Needs Python 3.11 with pip, and git. Everything else is installed into .venv, and
updated when a pyproject.toml or constraints.txt has changed.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - for older versions
    sys.exit(f"dev.py: needs Python 3.11; this is {sys.version.split()[0]}")

import hashlib
import os
import subprocess
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / "bin"
PIP = [BIN / "python", "-m", "pip"]
DISTRIBUTIONS = [ROOT, *sorted(p.parent for p in ROOT.glob("plugins/*/pyproject.toml"))]
DOCS = ["sphinx-build", "-q", "-W", "-b", "html", "docs", "docs/_build/html"]
DEFAULT_TESTS = "not (browser or judge or kill or hosts)"  # a later -m replaces it
COMPLEXITY = ["python", "tests/benchmarks/complexity.py"]
TASKS: dict[str, list[list[str]]] = {
    "install": [],
    "run": [["python", "-m", "example_app"]],
    "test": [["pytest", "-n", "auto", "--dist", "worksteal", "-m", DEFAULT_TESTS]],
    "check": [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["lint-imports"],
        *([DOCS] if (ROOT / "docs/conf.py").is_file() else []),
    ],
    "fix": [["ruff", "check", "--fix", "."], ["ruff", "format", "."]],
    "bench": [COMPLEXITY, ["pytest", "tests/benchmarks"]],
    "docs": [DOCS],
    "mutants": [["python", "tests/testing/mutants/run.py"]],
}
BENCHMARKS = {"tm": ["matching", "concordance"]}


def main() -> int:
    task, *rest = sys.argv[1:] or [""]
    if task in ("-h", "--help"):
        print(__doc__)
        return 0
    if task not in TASKS:
        unknown = f"dev.py: there is no task {task!r}\n\n" if task else ""
        print(f"{unknown}{__doc__}", file=sys.stderr)
        return 2
    try:
        prepare(["app"] if task in ("install", "run") else ["app", "tools"])
    except subprocess.CalledProcessError as error:
        print(f"dev.py: pip failed with {error.returncode}", file=sys.stderr)
        return 1
    commands = TASKS[task]
    if not commands:
        return 0
    if task == "bench" and rest:
        commands = commands[1:]  # the rest is for pytest
        if rest == ["complexity"]:
            commands, rest = [COMPLEXITY], []
        elif rest[0] in BENCHMARKS:
            names = BENCHMARKS[rest.pop(0)]
            files = [f"tests/benchmarks/test_{name}.py" for name in names]
            commands = [["pytest", *files]]
    if task != "run":
        os.chdir(ROOT)
    # What was compiled is kept: the tests start Python hundreds of times.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    *first, last = ([BIN / name, *options, *rest] for name, *options in commands)
    for command in first:
        if status := subprocess.call(command):
            return 128 - status if status < 0 else status
    return os.execv(last[0], last)  # so that it gets each signal, and gets it once


def prepare(parts: list[str]) -> None:
    """Install the parts that are not there as the project files ask for them.

    A part's stamp is written last, so an install that was cut off is done again.
    """
    files = [d / "pyproject.toml" for d in DISTRIBUTIONS] + [ROOT / "constraints.txt"]
    files += sorted(ROOT.glob("plugins/*/*/*.c"))  # compiled by the installation
    seen = [sys.version, str(ROOT), *(file.read_text("utf-8") for file in files)]
    wanted = hashlib.sha256("\0".join(seen).encode()).hexdigest()
    stamps = {part: VENV / f"{part}.stamp" for part in parts}
    for part, stamp in stamps.items():
        if not stamp.is_file() or stamp.read_text() != wanted:
            print(f"dev.py: installing the {part} into {VENV}", file=sys.stderr)
            install(part)
            stamp.write_text(wanted)


def install(part: str) -> None:
    if part == "tools":
        pip("--group", "dev")
        return
    # Debian's Python has no ensurepip: its pip fills the new environment.
    venv.create(VENV, with_pip=False, clear=not (VENV / "app.stamp").is_file())
    pip("-U", "pip", by=[sys.executable, "-m", "pip", "--python", BIN / "python"])
    pip("hatchling", "editables")  # once, not in an environment of its own for each
    editable = [arg for path in DISTRIBUTIONS for arg in ("-e", with_extras(path))]
    pip("--no-build-isolation", *editable)


def pip(*wanted: str, by: list[str | Path] = PIP) -> None:
    options = ["-q", "--disable-pip-version-check", "-c", "constraints.txt"]
    subprocess.run([*by, "install", *options, *wanted], check=True, cwd=ROOT)


def with_extras(path: Path) -> str:
    project = tomllib.loads((path / "pyproject.toml").read_text("utf-8"))["project"]
    extras = set(project.get("optional-dependencies", {})) - {"testing"}
    return f"{path}[{','.join(sorted(extras))}]" if extras else str(path)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
