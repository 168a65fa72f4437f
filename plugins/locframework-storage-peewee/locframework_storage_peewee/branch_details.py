"""Keeps what files say of keys on a branch: its own, and main's for the rest."""

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from locframework.ports import FileDetail

from . import key_details
from .database import Database
from .keys import KeyTables


class BranchDetails:
    """The file details' part of the keys seen from a branch."""

    def __init__(self, database: Database, project_id: str, branch_id: str) -> None:
        self._database = database
        self._tables = KeyTables(database)  # of any line
        self._project_id = project_id
        self._branch_id = branch_id

    def details_of(
        self,
        project_id: str,
        family: str,
        language_code: str,
        key_ids: Collection[str] | None = None,
    ) -> Mapping[str, FileDetail]:
        place = family, language_code, key_ids
        main = self._tables.details_of(project_id, *place)
        own = self._tables.details_of(self._branch_id, *place)
        return {**main, **{id_: self._of_project(each) for id_, each in own.items()}}

    def file_detail(
        self, project_id: str, family: str, module: str, language_code: str
    ) -> FileDetail | None:
        own = self._tables.file_detail(self._branch_id, family, module, language_code)
        if own is not None:
            return self._of_project(own)
        return self._tables.file_detail(project_id, family, module, language_code)

    def add_details(self, details: Sequence[FileDetail]) -> None:
        mine = [replace(each, project_id=self._branch_id) for each in details]
        self._tables.add_details(mine)

    def put_details(self, details: Sequence[FileDetail]) -> None:
        mine = [replace(each, project_id=self._branch_id) for each in details]
        self._tables.put_details(mine)

    def own_details(self) -> list[FileDetail]:
        found = key_details.all_details(self._database, self._branch_id)
        return [self._of_project(each) for each in found]

    def _of_project(self, detail: FileDetail) -> FileDetail:
        return replace(detail, project_id=self._project_id)
