"""Streams the texts of a language, key by key, as files are made of them."""

from collections.abc import Iterable, Iterator

from locframework.ports import PLURAL_FORMS, ROOT_MODULE, Selection, TextRow

from .database import Database
from .engine import Row
from .key_columns import IN_PROJECT, OF_PROJECT, PROJECT
from .sql import SqlFragment, all_of, starts_with

_SEPARATOR = """(SELECT p.key_separator FROM projects p
    JOIN lines n ON n.project_id = p.id WHERE n.id = ?)"""
_APPROVED = "CASE WHEN v.status = 'approved' THEN v.value ELSE v.approved_value END"


def text_rows(
    database: Database, project_id: str, language_code: str, which: Selection
) -> Iterator[TextRow]:
    """See KeyStore.text_rows."""
    approved = which.min_status == "approved"
    text = _APPROVED if approved else "v.value"
    where = all_of(
        (
            _of_project(project_id, which.module),
            *_of_module(project_id, which.module),
            *_of_tag(which.tag),
        )
    )
    rows = database.stream(
        f"""SELECT k.id, k.key, k.is_plural, k.description, v.plural_form, {text},
                v.status
            FROM keys k LEFT JOIN key_values v
                ON v.key_number = k.number AND v.language_code = ?
            WHERE {where.sql} ORDER BY k.key""",
        (language_code, *where.params),
    )
    return _text_rows(rows, all_approved=approved)


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
