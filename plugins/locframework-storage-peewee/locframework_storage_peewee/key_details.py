"""Keeps what files say of keys beyond our model."""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from locframework.ports import FileDetail

from .columns import json_text
from .database import Database
from .engine import Row
from .key_columns import PROJECT
from .sql import chunks

_KEPT = "project, family, language_code, key_id, module, detail"

_object = msgspec.json.Decoder(dict[str, object])


def add_details(database: Database, details: Sequence[FileDetail]) -> None:
    """See KeyStore.add_details."""
    database.insert_many("file_details", _KEPT, _rows(database, details))


def put_details(database: Database, details: Sequence[FileDetail]) -> None:
    """See KeyStore.put_details."""
    database.run_many(
        f"""INSERT INTO file_details ({_KEPT}) VALUES (?,?,?,?,?,?)
            ON CONFLICT (project, family, language_code, key_id, module)
            DO UPDATE SET detail = excluded.detail""",
        _rows(database, details),
    )


def _rows(database: Database, details: Sequence[FileDetail]) -> list[Row]:
    """Next to each other in the index."""
    lines = list({each.project_id for each in details})
    numbers: dict[str, int] = dict(
        database.rows(
            f"SELECT id, number FROM lines WHERE {database.among('id')}",
            (database.listed(lines),),
        )
    )
    return sorted(
        (
            numbers[each.project_id],
            each.family,
            each.language_code,
            each.key_id,
            each.module,
            json_text(each.detail),
        )
        for each in details
    )


def details_of(
    database: Database,
    project_id: str,
    family: str,
    language_code: str,
    key_ids: Collection[str] | None,
) -> Mapping[str, FileDetail]:
    """See KeyStore.details_of."""
    mine = f"""SELECT key_id, module, detail FROM file_details
        WHERE project = {PROJECT} AND family = ? AND language_code = ?"""
    place = project_id, family, language_code
    if key_ids is None:
        rows = database.rows(f"{mine} AND key_id > '' ORDER BY key_id, module", place)
    else:
        some = f"{mine} AND {database.among('key_id')}"
        rows = [
            row
            for ids in chunks(key_ids)
            for row in database.rows(some, (*place, database.listed(ids)))
        ]
    return {
        key_id: FileDetail(
            project_id, family, key_id, module, language_code, _object.decode(detail)
        )
        for key_id, module, detail in rows
    }


def all_details(database: Database, line_id: str) -> list[FileDetail]:
    """Every detail that a line has for itself."""
    rows = database.rows(
        f"""SELECT family, key_id, module, language_code, detail FROM file_details
            WHERE project = {PROJECT}""",
        (line_id,),
    )
    return [
        FileDetail(line_id, family, key_id, module, code, _object.decode(detail))
        for family, key_id, module, code, detail in rows
    ]


def file_detail(
    database: Database, project_id: str, family: str, module: str, language_code: str
) -> FileDetail | None:
    """See KeyStore.file_detail."""
    row = database.row(
        f"""SELECT detail FROM file_details WHERE project = {PROJECT}
            AND family = ? AND language_code = ? AND key_id = '' AND module = ?""",
        (project_id, family, language_code, module),
    )
    if row is None:
        return None
    return FileDetail(
        project_id, family, "", module, language_code, _object.decode(row[0])
    )
