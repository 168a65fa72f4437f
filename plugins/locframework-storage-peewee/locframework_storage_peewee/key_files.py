"""Streams texts for files, and keeps what files say of keys beyond our model."""

import heapq
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import attrgetter

import msgspec

from locframework.ports import PLURAL_FORMS, ROOT_MODULE, FileDetail, Selection, TextRow

from .database import SqlFragment, all_of, fields, insert_one, json_text, starts_with
from .engine import Row
from .key_columns import (
    IN_PROJECT,
    OF_PROJECT,
    PROJECT,
    ScopedStore,
    Source,
    plain_id,
    tags_in,
)

_KEY = "project, family, language_code, key_id, module"
_KEPT = f"{_KEY}, detail"

_object = msgspec.json.Decoder(dict[str, object])
_SEPARATOR = """(SELECT p.key_separator FROM projects p
    JOIN lines n ON n.project_id = p.id WHERE n.id = ?)"""
_place = fields("family, language_code, key_id, module")
_DETAILS = "SELECT family, language_code, key_id, module, detail FROM file_details"
_by_name = attrgetter("key")
_APPROVED = "CASE WHEN v.status = 'approved' THEN v.value ELSE v.approved_value END"
_TEXTS = {
    "approved": _APPROVED,
    "best": "coalesce(v.approved_value, v.value)",
    "any": "v.value",
}


class KeyFiles(ScopedStore):
    """Texts as files are made of them, and what files say of keys beyond our model."""

    def text_rows(
        self, project_id: str, language_code: str, which: Selection
    ) -> Iterator[TextRow]:
        approved = which.min_status == "approved"
        text, status = _TEXTS[which.min_status], "v.status"
        if which.min_status == "best":
            status = f"CASE WHEN {_APPROVED} IS NULL THEN v.status ELSE 'approved' END"
        with self._database.snapshot():  # the stream that ends first must not end it
            streams = []
            for source in self._sources(project_id):
                where = all_of(_conditions(source, which))
                rows = self._database.stream(
                    f"""SELECT k.id, k.key, k.file_key, k.is_plural, k.description,
                            k.max_length, k.format_flags, v.plural_form,
                            {text}, {status}
                        FROM keys k LEFT JOIN key_values v
                            ON v.key_number = k.number AND v.language_code = ?
                        WHERE {where.sql} ORDER BY k.key""",
                    (language_code, *where.params),
                )
                streams.append(_text_rows(rows, all_approved=approved))
            if len(streams) == 1:
                yield from streams[0]
            else:
                yield from heapq.merge(*streams, key=_by_name)

    def put_details(
        self, details: Sequence[FileDetail], *, are_new: bool = False
    ) -> None:
        rows = self._detail_rows(details)
        if are_new:
            self._database.insert_many("file_details", _KEPT, rows)
            return
        self._database.run_many(insert_one("file_details", _KEPT, key=_KEY), rows)

    def details_of(
        self,
        project_id: str,
        family: str | None,
        language_code: str | None,
        key_ids: Collection[str] | None = None,
        *,
        own: bool = False,
    ) -> list[FileDetail]:
        found: dict[object, FileDetail] = {}
        mine, place = f"project = {PROJECT}", []
        for column, value in (("language_code", language_code), ("family", family)):
            if value is not None:
                mine += f" AND {column} = ?"
                place.append(value)
        lines = [source.line_id for source in self._sources(project_id)]
        if own:
            lines = [self._own_line(project_id)]
        for line in lines:  # the branch's replace those of main
            if key_ids is None:
                of_keys = "" if own else "AND key_id > ''"
                select = f"{_DETAILS} WHERE {mine} {of_keys}"
                rows = self._database.rows(select, (line, *place))
            else:
                among = self._database.among("key_id")
                select = f"{_DETAILS} WHERE {among} AND {mine}"
                rows = self._database.rows_of(key_ids, select, line, *place)
            for *at, detail in rows:
                of, code, key_id, module = at
                found[tuple(at)] = FileDetail(
                    project_id, of, key_id, module, code, _object.decode(detail)
                )
        return list(found.values())

    def _detail_rows(self, details: Sequence[FileDetail]) -> list[Row]:
        """Return the rows in the order of their index."""
        lines = list({self._own_line(each.project_id) for each in details})
        numbers: dict[str, int] = dict(
            self._database.rows(
                f"SELECT id, number FROM lines WHERE {self._database.among('id')}",
                (self._database.listed(lines),),
            )
        )
        return sorted(
            (
                numbers[self._own_line(each.project_id)],
                *_place(each),
                json_text(each.detail),
            )
            for each in details
        )


def _conditions(source: Source, which: Selection) -> Iterator[SqlFragment]:
    if which.module is None:
        # all keys are read as they lie, and sorted: by the index of names every key
        # and text would be looked up somewhere else
        yield source.shows("k", IN_PROJECT)
        yield SqlFragment(f"k.number {OF_PROJECT}", (source.line_id,) * 2)
    else:
        yield source.shows("k")
    if which.module == ROOT_MODULE:
        # none of the separators means anything to LIKE
        root = f"k.key NOT LIKE '%' || {_SEPARATOR} || '%'"
        yield SqlFragment(root, (source.line_id,))
    elif which.module is not None:
        start = SqlFragment(f"(? || {_SEPARATOR})", (which.module, source.line_id))
        yield starts_with("k.key", start)
    if which.tag is not None:
        tagged = """EXISTS (SELECT 1 FROM key_tags t
            WHERE t.key_number = k.number AND t.tag = ?)"""
        yield SqlFragment(tagged, (which.tag,))


def _text_rows(rows: Iterable[Row], *, all_approved: bool) -> Iterator[TextRow]:
    ahead = iter(rows)
    row = next(ahead, None)
    while row is not None:
        row_id, key, file_key, is_plural, *notes, form, text, status = row
        description, max_length, flags = notes
        texts: dict[str | None, str] = {}
        needs_review = False
        while True:
            if text:
                texts[form or None] = text
                needs_review |= not all_approved and status != "approved"
            row = next(ahead, None)
            if row is None or row[0] != row_id:
                break
            *_, form, text, status = row
        if len(texts) > 1:
            texts = {form: texts[form] for form in PLURAL_FORMS if form in texts}
        yield TextRow(
            plain_id(row_id),
            key,
            is_plural,
            description,
            texts,
            needs_review,
            file_key,
            max_length,
            tags_in(flags),
        )
