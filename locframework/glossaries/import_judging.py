"""Judges files of terms: whether they can be read, and what the caller may import.

The beginning of a file is judged before its import is accepted; most files have no
more. The job judges the rest before it writes anything. Of a file that was judged as a
whole each term is kept once, for the job to work from.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from datetime import timedelta
from typing import BinaryIO

from msgspec import Struct, field

from locframework.access.linked import LinkedAccess
from locframework.access.records import Caller
from locframework.blobs.service import Blobs
from locframework.file_import.csv_table import refuse_words
from locframework.file_import.large_files import Enough, begin_of, watched
from locframework.languages import match_languages

from .csv_file import read_csv
from .file_records import FileFormat, FileTerm, ImportResult, JudgedFile
from .file_rules import Faults, judged
from .records import StoredGlossary
from .store import GlossaryStorage
from .tbx_reading import read_tbx
from .term_piles import once

PERMISSION = "glossary_write"
KEPT_FOR = timedelta(days=7)  # what was sent or read, for the job that works from it


class Sent(Struct, frozen=True):
    """Who has sent a file of which format to which glossary."""

    caller: Caller
    stored: StoredGlossary
    format: FileFormat


class ImportJudge:
    """Knows what a caller may import into a glossary."""

    def __init__(
        self, storage: GlossaryStorage, linked: LinkedAccess, blobs: Blobs
    ) -> None:
        self._storage = storage
        self._linked = linked
        self._blobs = blobs

    def begin(self, sent: Sent, file: BinaryIO) -> JudgedFile | None:
        """Judge the first 2 MiB; None when there is more to judge.

        As ``whole``, for these 2 MiB. When there is more, the file stands at its
        beginning again.
        """
        looked = _Looked()
        try:
            return self._judged(sent, begin_of(file), looked)
        except Enough:
            looked.faults.settle()
            self._take(sent, looked)
            file.seek(0)
            return None

    def whole(
        self, sent: Sent, file: BinaryIO, at_chunk: Callable[[], None]
    ) -> JudgedFile:
        """Judge a file; ``at_chunk`` is called again and again meanwhile.

        Raises UnreadableFile (with a Problem a line), LanguageNotAssigned.
        """
        return self._judged(sent, watched(file, at_chunk), _Looked())

    def _judged(self, sent: Sent, file: BinaryIO, looked: _Looked) -> JudgedFile:
        with tempfile.TemporaryFile() as kept:
            count = once(_terms(sent, file, looked), kept, looked.result)
            self._take(sent, looked)
            kept.seek(0)
            parts = self._blobs.put_parts(kept, keep_for=KEPT_FOR)
        return JudgedFile(parts, count, looked.result)

    def _take(self, sent: Sent, looked: _Looked) -> None:
        """Say which languages are taken as others, and which are new; all must be the
        caller's."""
        codes, id_ = looked.codes, sent.stored.id
        of_terms = self._storage.terms.languages(id_) if codes else set[str]()
        there = self._meant(sent, codes, of_terms)
        if sent.format == "csv":
            refuse_words(codes - there.keys(), "translate a term into it first")
        meant = {code: code for code in codes} | there
        taken = {code: as_ for code, as_ in sorted(meant.items()) if code != as_}
        looked.result.languages_taken_as = taken
        looked.result.languages_added = sorted({*meant.values()} - of_terms)
        reach = sent.stored.reach
        for code in sorted(meant.values()):
            self._linked.require_language(sent.caller, PERMISSION, reach, code)

    def _meant(
        self, sent: Sent, codes: Collection[str], of_terms: Collection[str]
    ) -> dict[str, str]:
        """Which of the languages of the terms, and of projects, the codes mean."""
        there = set(of_terms)
        for project_id in self._linked.seen(sent.caller, sent.stored.reach):
            languages = self._storage.projects.list_languages(project_id)
            there |= {each.language_code for each in languages}
        return match_languages(codes, there - {sent.stored.glossary.source_language})


class _Looked(Struct):
    """What a look at a file has found beside its terms."""

    faults: Faults = field(default_factory=Faults)
    result: ImportResult = field(default_factory=ImportResult)
    codes: set[str] = field(default_factory=set)  # of translations


def _terms(sent: Sent, file: BinaryIO, looked: _Looked) -> Iterator[FileTerm]:
    """Raises UnreadableFile."""
    language = sent.stored.glossary.source_language
    faults, result = looked.faults, looked.result
    if sent.format == "csv":
        said = read_csv(file, faults)
    else:
        said = read_tbx(file, language, faults, result.warn)
    return judged(said, language, faults, result, looked.codes)
