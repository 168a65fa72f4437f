"""Prints how much code the product has, and how much of it typical requests run.

Lines of Python and SQL with and without tests, and methods of the storage port; then
for each request: calls of functions in ``locframework/`` and ``plugins/``, distinct
files, depth of nested calls, and SQL statements on SQLite and PostgreSQL, without those
that begin or end transactions.
``functions`` leaves out the frames of comprehensions and generator expressions, which
Python 3.11 counts as calls. ``locframework/testing`` is left out: it sends the request.

Run it in a checkout: ``.venv/bin/python tests/benchmarks/complexity.py``.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from inspect import isfunction
from pathlib import Path
from types import FrameType
from typing import Any, get_origin, get_type_hints

import pytest

from locframework.storage import Storage
from locframework.testing.client import Answer
from locframework.testing.workspace import Workspace, open_workspace
from tests.empty_databases import KINDS, Kind, fresh_url

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.databases import statements_of  # noqa: E402

MEASURED = (f"{ROOT}/locframework/", f"{ROOT}/plugins/")
# encoding.py writes the request of the test client
NOT_MEASURED = (
    f"{ROOT}/locframework/testing/",
    f"{ROOT}/locframework/http/encoding.py",
)
TRANSACTIONS = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")
EXPRESSIONS = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")
# maxLength of a key, but not the keyword of JSON Schema and msgspec
KEY_FIELD = re.compile(
    r"""max_length: .*None|["']maxLength["'], \(|[a-z]\.max_length|"max_length"(?!:)"""
    r"|max_length INTEGER|max_length=self"
)
WARM_UP = 3  # requests that fill caches before one is measured
BRANCHES = 100


@dataclass
class Calls:
    """What one request ran."""

    calls: int = 0
    functions: int = 0
    depth: int = 0
    files: set[str] = field(default_factory=set)
    statements: list[str] = field(default_factory=list)


@contextmanager
def profiled(seen: Calls) -> Iterator[None]:
    """Count in ``seen`` what this thread calls until the block ends.

    A generator counts again each time it is resumed.
    """
    depth = 0

    def profile(frame: FrameType, event: str, _: Any) -> None:
        nonlocal depth
        if event not in ("call", "return"):
            return
        file = frame.f_code.co_filename
        if not file.startswith(MEASURED) or file.startswith(NOT_MEASURED):
            return
        if event == "return":
            depth -= 1
            return
        depth += 1
        seen.calls += 1
        seen.functions += frame.f_code.co_name not in EXPRESSIONS
        seen.depth = max(seen.depth, depth)
        seen.files.add(file)

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


class Project:
    """A project with one key, and what is asked of it."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.owner = workspace, workspace.owner
        self.translator = workspace.client("translator")
        project = workspace.project(languages=["de", "fr"])
        self.path = f"/projects/{project['id']}"
        values = {"en": "Pay now", "de": "Jetzt zahlen"}
        self.key = (
            f"{self.path}/keys/{workspace.key(project, 'pay', values=values)['id']}"
        )
        self._number = 0

    def next_text(self) -> str:
        self._number += 1
        return f"Bezahlen {self._number}"

    def put(self, client: Any = None, **query: str) -> Answer:
        """Write the German value, each time another text."""
        body = {"value": self.next_text()}
        path = f"{self.key}/values/de"
        answer: Answer = (client or self.translator).put(path, json=body, query=query)
        return answer

    def post_key(self) -> Answer:
        values = {"en": "Save", "de": "Sichern"}
        body = {"key": f"new.{self.next_text().split()[1]}", "values": values}
        return self.owner.post(f"{self.path}/keys", json=body)

    def open_branches(self, count: int, first: int = 0) -> None:
        """Branches that each write the German value of the key."""
        for number in range(first, count):
            name = f"branch-{number}"
            self._created(f"{self.path}/branches", {"name": name})
            assert self.put(self.owner, branch=name).status == 200

    def conflicting_branch(self) -> str:
        """A branch whose German value main has changed as well."""
        name = f"conflict-{self.next_text().split()[1]}"
        self._created(f"{self.path}/branches", {"name": name})
        assert self.put(self.owner, branch=name).status == 200
        assert self.put(self.owner).status == 200
        return f"{self.path}/branches/{name}/merge"

    def add_memory(self) -> None:
        """A memory with twenty entries that the project reads."""
        memory = self._created(
            "/translation-memories",
            {"name": "Main", "sourceLanguage": "en", "languageCodes": ["de", "fr"]},
        )["translationMemory"]["id"]
        for number in range(20):
            self._created(
                f"/translation-memories/{memory}/entries",
                {
                    "sourceText": f"Open the file {number}",
                    "translations": {"de": f"Öffne die Datei {number}"},
                },
            )
        path = f"{self.path}/translation-memories/{memory}"
        assert self.owner.put(path, json={"writeMode": "none"}).status == 200

    def matches(self) -> Answer:
        body = {"sourceTexts": ["Open the file 3 now"], "languageCodes": ["de"]}
        return self.translator.post(f"{self.path}/tm/matches", json=body)

    def protect_main(self, *, is_protected: bool = True) -> None:
        body = {"mainProtected": is_protected}
        assert self.owner.patch(self.path, json=body).status == 200

    def _created(self, path: str, body: object) -> Any:
        answer = self.owner.post(path, json=body)
        assert answer.status == 201, answer
        return answer.data


def measured(project: Project, ask: Callable[[], Answer], status: int) -> Calls:
    """Make the request ``WARM_UP`` times, then once counted."""
    framework = project.workspace.framework
    for _ in range(WARM_UP):
        answer = ask()
        assert answer.status == status, answer
    seen = Calls()
    with statements_of(framework.storage) as statements, profiled(seen):
        answer = ask()
    assert answer.status == status, answer
    seen.statements = [
        each
        for each in statements
        if not each.lstrip().upper().startswith(TRANSACTIONS)
    ]
    return seen


def requests(kind: Kind) -> dict[str, Calls]:
    """Each request's figures on one kind of database."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(fresh_url(kind, folder))
        workspace = stack.enter_context(open_workspace(url, folder))
        project = Project(workspace)
        found: dict[str, Calls] = {}

        def measure(name: str, ask: Callable[[], Answer], status: int = 200) -> None:
            found[name] = measured(project, ask, status)

        measure("PUT value, translator", project.put)
        measure("PUT value, owner", lambda: project.put(project.owner))
        measure("POST key with two values", project.post_key, 201)
        measure("GET key", lambda: project.owner.get(project.key))
        project.add_memory()
        measure("POST tm/matches", project.matches)
        merges = [project.conflicting_branch() for _ in range(WARM_UP + 1)]
        dry = {"dryRun": True}
        measure(
            "merge with one conflict, dry run",
            lambda: project.owner.post(merges[0], json=dry),
        )
        measure(
            "merge with one conflict, refused",
            lambda: project.owner.post(merges[0], json={}),
            409,
        )
        body = {"strategy": "use_branch"}
        measure(
            "merge with one conflict, use_branch",
            lambda: project.owner.post(merges.pop(), json=body),
        )
        project.protect_main()
        measure("PUT value, protected main", project.put, 409)
        measure("POST key, protected main", project.post_key, 409)
        project.protect_main(is_protected=False)
        project.open_branches(1)
        measure("PUT value, translator, 1 branch", project.put)
        project.open_branches(BRANCHES, 1)
        measure(f"PUT value, translator, {BRANCHES} branches", project.put)
        return found


def lines() -> Iterator[str]:
    """Lines of Python and SQL, and how many files mention one field of a key."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.sql"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    counts = {True: 0, False: 0}
    mentions = 0
    for name in listed.stdout.split():
        text = (ROOT / name).read_text("utf-8")
        is_test = "tests" in Path(name).parts
        counts[is_test] += text.count("\n")
        mentions += not is_test and KEY_FIELD.search(text) is not None
    yield f"lines that are not tests: {counts[False]:,}"
    yield f"lines of tests: {counts[True]:,}"
    yield f"files that a field of a key (maxLength) is in, tests apart: {mentions}"


def storage_methods(port: type = Storage, seen: set[type] | None = None) -> set[str]:
    """Return the methods of a Protocol and of all stores that it leads to.

    Those that several stores inherit, such as the methods of Repository, come once.
    """
    seen = set() if seen is None else seen
    found: set[str] = set()
    types = [*get_type_hints(port).values()]
    for base in port.__mro__:
        if not getattr(base, "_is_protocol", False) or base in seen:
            continue
        seen.add(base)
        for name, member in vars(base).items():
            if isinstance(member, property):
                types.append(get_type_hints(member.fget)["return"])
            elif isfunction(member) and not name.startswith("_"):
                found.add(f"{base.__name__}.{name}")
                types.append(get_type_hints(member).get("return"))
    for each in types:
        store = get_origin(each) or each
        if isinstance(store, type):
            found |= storage_methods(store, seen)
    return found


def report() -> Iterator[str]:
    """The lines of the whole report."""
    yield from lines()
    yield f"methods of the storage port: {len(storage_methods())}"
    yield ""
    by_kind: dict[str, dict[str, Calls]] = {}
    for kind in KINDS:
        try:
            by_kind[kind] = requests(kind)
        except pytest.skip.Exception as reason:  # no PostgreSQL here
            yield f"{kind}: {reason}"
    head = f"{'request':38}{'calls':>9}{'functions':>11}{'files':>7}{'depth':>7}"
    yield f"{head}{'statements':>12}  on"
    for name in by_kind["sqlite"]:
        for kind, found in by_kind.items():
            one = found[name]
            cells = f"{one.calls:9,}{one.functions:11,}{len(one.files):7}{one.depth:7}"
            yield f"{name:38}{cells}{len(one.statements):12,}  {kind}"


def main() -> None:
    for line in report():
        print(line)


if __name__ == "__main__":
    main()
