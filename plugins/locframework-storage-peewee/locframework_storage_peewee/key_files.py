"""Streams texts for files, and keeps what files say of keys beyond our model."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from locframework.ports import PLURAL_FORMS, ROOT_MODULE, FileDetail, Selection, TextRow

from .columns import json_text
from .database import Database, Store
from .engine import Row
from .key_columns import IN_PROJECT, OF_PROJECT, PROJECT
from .sql import SqlFragment, all_of, chunks, starts_with

_KEPT = "project, family, language_code, key_id, module, detail"

_object = msgspec.json.Decoder(dict[str, object])
_SEPARATOR = """(SELECT p.key_separator FROM projects p
    JOIN lines n ON n.project_id = p.id WHERE n.id = ?)"""
_APPROVED = "CASE WHEN v.status = 'approved' THEN v.value ELSE v.approved_value END"


class KeyFiles(Store):
    """Texts as files are made of them, and what files say of keys beyond our model."""

    def text_rows(
        self, project_id: str, language_code: str, which: Selection
    ) -> Iterator[TextRow]:
        approved = which.min_status == "approved"
        text = _APPROVED if approved else "v.value"
        where = all_of(
            (
                _of_project(project_id, which.module),
                *_of_module(project_id, which.module),
                *_of_tag(which.tag),
            )
        )
        rows = self._database.stream(
            f"""SELECT k.id, k.key, k.is_plural, k.description, v.plural_form, {text},
                    v.status
                FROM keys k LEFT JOIN key_values v
                    ON v.key_number = k.number AND v.language_code = ?
                WHERE {where.sql} ORDER BY k.key""",
            (language_code, *where.params),
        )
        return _text_rows(rows, all_approved=approved)

    def add_details(self, details: Sequence[FileDetail]) -> None:
        self._database.insert_many(
            "file_details", _KEPT, _detail_rows(self._database, details)
        )

    def put_details(self, details: Sequence[FileDetail]) -> None:
        self._database.run_many(
            f"""INSERT INTO file_details ({_KEPT}) VALUES (?,?,?,?,?,?)
                ON CONFLICT (project, family, language_code, key_id, module)
                DO UPDATE SET detail = excluded.detail""",
            _detail_rows(self._database, details),
        )

    def details_of(
        self,
        project_id: str,
        family: str,
        language_code: str,
        key_ids: Collection[str] | None = None,
    ) -> Mapping[str, FileDetail]:
        mine = f"""SELECT key_id, module, detail FROM file_details
            WHERE project = {PROJECT} AND family = ? AND language_code = ?"""
        place = project_id, family, language_code
        if key_ids is None:
            rows = self._database.rows(
                f"{mine} AND key_id > '' ORDER BY key_id, module", place
            )
        else:
            some = f"{mine} AND {self._database.among('key_id')}"
            rows = [
                row
                for ids in chunks(key_ids)
                for row in self._database.rows(
                    some, (*place, self._database.listed(ids))
                )
            ]
        return {
            key_id: FileDetail(
                project_id,
                family,
                key_id,
                module,
                language_code,
                _object.decode(detail),
            )
            for key_id, module, detail in rows
        }

    def file_detail(
        self, project_id: str, family: str, module: str, language_code: str
    ) -> FileDetail | None:
        row = self._database.row(
            f"""SELECT detail FROM file_details WHERE project = {PROJECT}
                AND family = ? AND language_code = ? AND key_id = '' AND module = ?""",
            (project_id, family, language_code, module),
        )
        if row is None:
            return None
        return FileDetail(
            project_id, family, "", module, language_code, _object.decode(row[0])
        )


def _of_project(project_id: str, module: str | None) -> SqlFragment:
    """Its keys, or at least those of the module. All are read as they lie, and sorted:
    by the index of names every key and text is looked up somewhere else."""
    if module is not None:
        return SqlFragment(
            f"k.project = {PROJECT} AND k.deleted_at IS NULL", (project_id,)
        )
    sql = f"k.{IN_PROJECT} AND k.number {OF_PROJECT} AND k.deleted_at IS NULL"
    return SqlFragment(sql, (project_id,) * 3)


def _of_module(project_id: str, module: str | None) -> Iterator[SqlFragment]:
    if module == ROOT_MODULE:
        # none of the separators means anything to LIKE
        yield SqlFragment(f"k.key NOT LIKE '%' || {_SEPARATOR} || '%'", (project_id,))
    elif module is not None:
        yield starts_with(
            "k.key", SqlFragment(f"(? || {_SEPARATOR})", (module, project_id))
        )


def _of_tag(tag: str | None) -> Iterator[SqlFragment]:
    if tag is not None:
        sql = """EXISTS (SELECT 1 FROM key_tags t
            WHERE t.key_number = k.number AND t.tag = ?)"""
        yield SqlFragment(sql, (tag,))


def _text_rows(rows: Iterable[Row], *, all_approved: bool) -> Iterator[TextRow]:
    ahead = iter(rows)
    row = next(ahead, None)
    while row is not None:
        key_id, key, is_plural, description, form, text, status = row
        texts: dict[str | None, str] = {}
        needs_review = False
        while True:
            if text:
                texts[form or None] = text
                needs_review |= not all_approved and status != "approved"
            row = next(ahead, None)
            if row is None or row[0] != key_id:
                break
            *_, form, text, status = row
        if len(texts) > 1:
            texts = {form: texts[form] for form in PLURAL_FORMS if form in texts}
        yield TextRow(key_id, key, is_plural, description, texts, needs_review)


def _detail_rows(database: Database, details: Sequence[FileDetail]) -> list[Row]:
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
