"""A call of a service, and all that it may be asked about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from msgspec import Struct

from locframework.access.permissions import PERMISSIONS
from locframework.access.records import Caller, NewToken
from locframework.branches.records import NewBranch
from locframework.errors import LocError
from locframework.keys.records import ItemError, Key, NewKey, NewValue
from locframework.projects.records import NewLanguage, NewProject
from locframework.testing.images import png
from locframework.testing.workspace import Workspace


class World:
    """A project with one of everything, and those who ask about it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.framework = f = workspace.framework
        self.owner = self._caller(workspace.owner.token)
        self.project = self.new_project(self.owner)
        for code in ("de", "fr", "nl"):
            new = NewLanguage(code)
            f.languages.add_language(self.owner, self.project, new)
        self.pay = self._key("pay", en="Pay {n}", fr="Payer")  # a mark is missing
        self.approvable, self.rejectable = self._key("one"), self._key("two")
        for key in (self.approvable, self.rejectable):
            self.write(self.member("translator"), key, "Attendre")
        self.turned = self._key("turned", fr="Un")
        self.doomed, self.gone = self._key("doomed"), self._key("gone")
        f.keys.delete_key(self.owner, self.project, self.gone)
        for name in ("spring", "autumn"):
            f.branches.create_branch(self.owner, self.project, NewBranch(name))
        self.write(self.owner, self.pay, "Régler {n}", branch="spring")
        self.file = f.files.add_file(self.owner, self.project, png()).id
        job = f.issues.start_recheck(self.owner, self.project)
        self.job = job.id  # of one that nobody runs
        new_token = NewToken("ci", ["project_read"])
        token, _ = f.projects.create_token(self.owner, self.project, new_token)
        self.token = token.id

    def new_project(self, owner: Caller) -> str:
        new = NewProject("Web shop", "en")
        return self.framework.projects.create_project(owner, new).id

    def stranger(self) -> Caller:
        """The owner of another organization."""
        return self._caller(self._workspace.organization("Other")[1].token)

    def member(self, role: Any, **narrowed: Any) -> Caller:
        return self._caller(self._workspace.client(role, **narrowed).token)

    def member_without(self, permission: str) -> Caller:
        """One who has every other permission."""
        others = sorted(set(PERMISSIONS) - {permission})
        return self.member("owner", permissions=others)

    def _caller(self, token: str | None) -> Caller:
        caller = self.framework.authenticate(token)
        assert caller is not None
        return caller

    def _key(self, name: str, **values: str) -> str:
        new = NewKey(name, values=values)
        return self.framework.keys.create_key(self.owner, self.project, new).id

    def write(
        self, caller: Caller, key: str, text: str, lang: str = "fr", **where: str
    ) -> None:
        new = NewValue(text)
        self.framework.keys.set_value(caller, self.project, key, lang, new, **where)


class Row(Struct, frozen=True):
    """A call, ``keys.get_key``, and what it needs, takes and answers."""

    name: str
    needs: str  # permissions, with spaces between; "": any
    gives: Callable[[World], Iterable[object]]  # after the caller and the project
    answers: type
    fits: Callable[[Any], bool]  # the answer that the owner has
    writes: str = ""  # the language whose text it writes
    lacks: type[LocError] | None = None  # told where another project's part is named

    def ask(self, world: World, caller: Caller, project: str | None = None) -> Any:
        method = attrgetter(self.name)(world.framework)
        return method(caller, project or world.project, *self.gives(world))

    def refusal(
        self, world: World, caller: Caller, project: str | None = None
    ) -> LocError | ItemError | None:
        """Why it is not done, or the first item of a batch is not."""
        try:
            answer = self.ask(world, caller, project)
        except LocError as error:
            return error
        first = answer[0] if isinstance(answer, list) and answer else None
        return getattr(first, "error", None)


def french(key: Key) -> list[tuple[str, str]]:
    return [(v.value, v.status) for v in key.values or () if v.language_code == "fr"]
