"""Terms as CSV, for spreadsheets: a row for each term, a column for each language.

``term,doNotTranslate,caseSensitive,usageStatus,notes,de,fr,fr:status``; only ``term``
is required. For formulas see file_import/csv_table.py.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import BinaryIO, get_args

from locframework.errors import UnreadableFile
from locframework.file_import.csv_table import read_table, write_rows
from locframework.file_import.problems import Problems
from locframework.languages import canonical_tag

from .records import FileTerm, FileText, Term, UsageStatus

CONTENT_TYPE = "text/csv; charset=utf-8"
STATUS = ":status"  # of a language's column: approved or draft

_OWN = ("term", "doNotTranslate", "caseSensitive", "usageStatus", "notes")
_BY_NAME = {name.lower(): name for name in _OWN}
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0", "")


def write_csv(
    terms: Iterable[Term], codes: Iterable[str], drafts: Collection[str]
) -> Iterator[bytes]:
    """Write the terms with approved translations and drafts; no proposals.

    ``codes`` are the languages of their translations, ``drafts`` those in which some
    are drafts. The same terms give the same bytes.
    """
    columns = [
        name
        for code in sorted(codes)
        for name in ((code, code + STATUS) if code in drafts else (code,))
    ]
    return write_rows(_rows(terms, columns))


def _rows(terms: Iterable[Term], columns: Sequence[str]) -> Iterator[Sequence[str]]:
    yield *_OWN, *columns
    for term in terms:
        texts = {each.language_code: each for each in term.translations}
        row = [
            term.term,
            "true" if term.do_not_translate else "false",
            "true" if term.case_sensitive else "false",
            term.usage_status,
            term.notes or "",
        ]
        for name in columns:
            text = texts.get(name.removesuffix(STATUS))
            if name.endswith(STATUS):
                row.append("draft" if text and text.status == "draft" else "")
            else:
                row.append(text.value if text else "")
        yield row


def read_csv(file: BinaryIO, problems: Problems) -> Iterator[FileTerm]:
    """Yield the terms of a file, in its order; an empty cell leaves a field unset.

    What is wrong with a line is added to ``problems``. Raises UnreadableFile.
    """
    try:
        for line, cells, has_surplus in read_table(file, _column_of, _problem_of):
            if has_surplus:
                problems.add(line, "column", "there are more cells than columns")
            yield _term(line, cells, problems)
    except UnreadableFile as refusal:
        problems.add_refusal(refusal)
    problems.raise_any()


def _problem_of(columns: list[str]) -> str | None:
    return None if "term" in columns else "there is no column 'term'"


def _column_of(name: str) -> str | None:
    """Return one of our own columns, or a language with or without ``:status``."""
    code, _, kind = name.partition(":")
    tag = canonical_tag(code) if kind.lower() in ("", "status") else None
    if tag is not None and kind:
        tag += STATUS
    return _BY_NAME.get(name.lower(), tag)


def _term(line: int, cells: dict[str, str], problems: Problems) -> FileTerm:
    def flag(name: str) -> bool | None:
        cell = cells.pop(name, "")
        value = cell.strip().lower()
        if value not in (*_YES, *_NO):
            problems.add(line, "type", f"{name} is neither true nor false")
        return value in _YES if cell else None

    do_not_translate, case_sensitive = flag("doNotTranslate"), flag("caseSensitive")
    usage: UsageStatus | None = None
    if status := cells.pop("usageStatus", "").strip().lower():
        known = get_args(UsageStatus)
        usage = next((each for each in known if each == status), None)
        if usage is None:
            message = f"usageStatus is not one of {', '.join(known)}"
            problems.add(line, "enum", message)
    return FileTerm(
        line=line,
        term=cells.pop("term", ""),
        do_not_translate=do_not_translate,
        case_sensitive=case_sensitive or False,
        usage_status=usage,
        notes=cells.pop("notes", "") or None,
        texts=tuple(_texts(line, cells, problems)),
    )


def _texts(line: int, cells: dict[str, str], problems: Problems) -> Iterable[FileText]:
    for name, cell in cells.items():
        if name.endswith(STATUS) or not cell:
            continue
        status = cells.get(name + STATUS, "").strip().lower()
        if status not in ("", "approved", "draft"):
            problems.add(line, "enum", f"{name}{STATUS} is neither approved nor draft")
        yield FileText(name, cell, status == "draft")
