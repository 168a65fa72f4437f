"""Terms as CSV, for spreadsheets: a row a term, a column a language.

``term,doNotTranslate,caseSensitive,usageStatus,notes,de,fr,fr:status``; only ``term``
must be there. Text that a spreadsheet would take for a formula gets a quote mark in
front, which is taken away again when it is read (decisions 2.11).
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import BinaryIO, get_args

from msgspec.structs import replace

from locframework.file_import.csv_table import (
    CsvFault,
    columns_in,
    read_table,
    write_rows,
)
from locframework.languages import canonical_tag

from .file_records import FileTerm, FileText
from .file_rules import Faults
from .records import Term, UsageStatus

CONTENT_TYPE = "text/csv; charset=utf-8"
STATUS = ":status"  # of a language's column: approved or draft

_OWN = ("term", "doNotTranslate", "caseSensitive", "usageStatus", "notes")
_BY_NAME = {name.lower(): name for name in _OWN}
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0", "")


def write_csv(
    terms: Iterable[Term], codes: Iterable[str], drafts: Collection[str]
) -> Iterator[bytes]:
    """The terms with what counts in other languages, and drafts; no proposals.

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
        yield row


def read_csv(file: BinaryIO, faults: Faults) -> Iterator[FileTerm]:
    """The terms of a file, in its order; what is wrong with a line is added to
    ``faults``.

    An empty cell says nothing. Raises UnreadableFile for what is no such file.
    """

    def columns_of(line: int, head: Sequence[str]) -> Sequence[str]:
        return _columns(line, head, faults)

    try:
        for line, cells, has_surplus in read_table(file, columns_of):
            if has_surplus:
                faults.add(line, "column", "there are more cells than columns")
            yield _term(line, cells, faults)
    except CsvFault as fault:
        faults.add(fault.line, fault.rule, fault.message)
    faults.settle()


def _columns(line: int, head: Sequence[str], faults: Faults) -> list[str]:
    columns, wrong = columns_in(head, _known)
    if "term" not in columns:
        wrong.append("there is no column 'term'")
    for message in wrong:
        faults.add(line, "column", message)
    faults.settle()
    return columns


def _known(name: str) -> str | None:
    """One of our own by its name, else a language with or without ``:status``."""
    code, _, kind = name.partition(":")
    tag = canonical_tag(code)
    if tag is not None and kind.lower() in ("", "status"):
        tag += STATUS if kind else ""
    else:
        tag = None
    return _BY_NAME.get(name.lower(), tag)


def _term(line: int, cells: dict[str, str], faults: Faults) -> FileTerm:
    made = FileTerm(line, cells.pop("term", ""))
    if flag := cells.pop("doNotTranslate", ""):
        said = _flag("doNotTranslate", flag, line, faults)
        made = replace(made, do_not_translate=said)
    if flag := cells.pop("caseSensitive", ""):
        said = _flag("caseSensitive", flag, line, faults)
        made = replace(made, case_sensitive=said)
    if status := cells.pop("usageStatus", "").strip().lower():
        if status in get_args(UsageStatus):
            made = replace(made, usage_status=status)
        else:
            known = ", ".join(get_args(UsageStatus))
            faults.add(line, "enum", f"usageStatus is not one of {known}")
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


def _flag(name: str, cell: str, line: int, faults: Faults) -> bool:
    said = cell.strip().lower()
    if said not in (*_YES, *_NO):
        faults.add(line, "type", f"{name} is neither true nor false")
    return said in _YES


def _spelt(flag: bool) -> str:
    return "true" if flag else "false"
