"""Terms as CSV, for spreadsheets: a row a term, a column a language.

``term,doNotTranslate,caseSensitive,usageStatus,notes,de,fr,fr:status``; only ``term``
must be there. Text that a spreadsheet would take for a formula gets a quote mark in
front, which is taken away again when it is read (decisions 2.11).
"""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import get_args

from msgspec.structs import replace

from locframework.errors import mentioned
from locframework.languages import canonical_tag
from locframework.spreadsheet import fault, guarded, plain

from .file_records import FileTerm, FileText, ReadTerms
from .file_rules import Faults
from .records import Term, UsageStatus

CONTENT_TYPE = "text/csv; charset=utf-8"
STATUS = ":status"  # of a language's column: approved or draft

_OWN = ("term", "doNotTranslate", "caseSensitive", "usageStatus", "notes")
_BY_NAME = {name.lower(): name for name in _OWN}
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0", "")
_DELIMITERS = ",;\t"


def write_csv(terms: Sequence[Term]) -> bytes:
    """The terms with what counts in other languages, and drafts; no proposals.

    UTF-8 with a byte order mark, which spreadsheets go by. The same terms give the
    same bytes.
    """
    codes = sorted({each.language_code for term in terms for each in term.translations})
    drafts = {
        each.language_code
        for term in terms
        for each in term.translations
        if each.status == "draft"
    }
    columns = [
        name
        for code in codes
        for name in ((code, code + STATUS) if code in drafts else (code,))
    ]
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([*_OWN, *columns])
    for term in terms:
        texts = {each.language_code: each for each in term.translations}
        row = [
            term.term,
            _spelt(term.do_not_translate),
            _spelt(term.case_sensitive),
            term.usage_status,
            term.notes or "",
        ]
        for name in columns:
            text = texts.get(name.removesuffix(STATUS))
            if name.endswith(STATUS):
                row.append("draft" if text and text.status == "draft" else "")
            else:
                row.append(text.value if text else "")
        writer.writerow([guarded(cell) for cell in row])
    return out.getvalue().encode("utf-8-sig")


def read_csv(content: bytes, faults: Faults) -> ReadTerms:
    """The terms of a file; what is wrong with a line is added to ``faults``.

    Commas, semicolons or tabs part the columns, as its first line says. An empty cell
    says nothing. Raises UnreadableFile for what is no such file.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        faults.add(line, "encoding", "the file is not UTF-8")
        faults.settle()
        raise
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    numbered: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for row in rows:
            numbered.append((line, row))
            line = rows.line_num + 1
    except csv.Error as error:
        faults.add(line, "syntax", fault(error))
        faults.settle()
    columns = _columns(numbered[0][1] if numbered else [], faults)
    faults.settle()
    return ReadTerms(list(_terms(numbered[1:], columns, faults)))


def _columns(head: Sequence[str], faults: Faults) -> list[str]:
    """The columns: one of our own by its name, else a language with or without
    ``:status``."""
    columns: list[str] = []
    for cell in head:
        name = cell.strip()
        code, _, kind = name.partition(":")
        tag = canonical_tag(code)
        if own := _BY_NAME.get(name.lower()):
            name = own
        elif tag is not None and kind.lower() in ("", "status"):
            name = tag + (STATUS if kind else "")
        else:
            message = f"{mentioned(name)!r} is neither a language nor a known column"
            faults.add(1, "column", message)
        if name in columns:
            faults.add(1, "column", f"{mentioned(name)!r} is there twice")
        columns.append(name)
    if "term" not in columns:
        faults.add(1, "column", "there is no column 'term'")
    return columns


def _terms(
    rows: Iterable[tuple[int, list[str]]], columns: Sequence[str], faults: Faults
) -> Iterable[FileTerm]:
    for line, row in rows:
        if any(cell.strip() for cell in row):
            if len(row) > len(columns):
                faults.add(line, "column", "there are more cells than columns")
            cells = dict(zip(columns, map(plain, row), strict=False))
            yield _term(line, cells, faults)


def _term(line: int, cells: dict[str, str], faults: Faults) -> FileTerm:
    made = FileTerm(line, cells.pop("term", ""))
    if flag := cells.pop("doNotTranslate", ""):
        made = replace(made, do_not_translate=_flag(flag, line, faults))
    if flag := cells.pop("caseSensitive", ""):
        made = replace(made, case_sensitive=_flag(flag, line, faults))
    if status := cells.pop("usageStatus", "").strip().lower():
        if status in get_args(UsageStatus):
            made = replace(made, usage_status=status)
        else:
            known = ", ".join(get_args(UsageStatus))
            faults.add(line, "enum", f"usageStatus is none of {known}")
    made = replace(made, notes=cells.pop("notes", "") or None)
    return replace(made, texts=tuple(_texts(line, cells, faults)))


def _texts(line: int, cells: dict[str, str], faults: Faults) -> Iterable[FileText]:
    for name, cell in cells.items():
        if name.endswith(STATUS) or not cell:
            continue
        status = cells.get(name + STATUS, "").strip().lower()
        if status not in ("", "approved", "draft"):
            faults.add(line, "enum", f"{name}{STATUS} is neither approved nor draft")
        yield FileText(name, cell, status == "draft")


def _flag(cell: str, line: int, faults: Faults) -> bool:
    said = cell.strip().lower()
    if said not in (*_YES, *_NO):
        faults.add(line, "type", "what should be true or false is neither")
    return said in _YES


def _spelt(flag: bool) -> str:
    return "true" if flag else "false"
