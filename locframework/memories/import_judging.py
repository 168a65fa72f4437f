"""Judges files of entries: whether they can be read, and which languages are imported.

The beginning of a file is judged before its import is accepted; most files have no
more. The job judges the rest before it writes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import BinaryIO

from msgspec import Struct, field

from locframework.access.linked import LinkedAccess
from locframework.access.records import Caller, Reach
from locframework.errors import UnreadableFile
from locframework.file_import.csv_table import refuse_words
from locframework.file_import.large_files import Enough, begin_of, watched
from locframework.languages import match_languages

from .csv_file import read_csv
from .file_records import FileFormat, Judged, Unit
from .records import KeptMemory
from .rules import check_targets
from .store import MemoryStore
from .tmx_reading import Reader, read_tmx

PERMISSION = "tm_write"
READERS: dict[FileFormat, Reader] = {"tmx": read_tmx, "csv": read_csv}
LANGUAGES_MOST = 500  # of a file


class Sent(Struct, frozen=True):
    """Who has sent a file of which format to which memory."""

    caller: Caller
    kept: KeptMemory
    format: FileFormat
    wanted: Sequence[str]  # only these of the target languages; none named: all


class ImportJudge:
    """Knows what a caller may import into a memory."""

    def __init__(
        self,
        store: MemoryStore,
        linked: LinkedAccess,
        reach: Callable[[Caller, KeptMemory], Reach],
    ) -> None:
        """``reach`` tells where a memory is, as far as it matters to a caller."""
        self._store = store
        self._linked = linked
        self._reach = reach

    def begin(self, sent: Sent, file: BinaryIO) -> Judged | None:
        """Judge the first 2 MiB; None when there is more to judge.

        As ``whole``, for these 2 MiB. The file stands at its beginning again.
        """
        looked, is_whole = _Looked(), True
        try:
            _look(sent, begin_of(file), looked)
        except Enough:
            is_whole = False
        file.seek(0)
        judged = self._judged(sent, looked)
        return judged if is_whole else None

    def whole(self, sent: Sent, file: BinaryIO, at_chunk: Callable[[], None]) -> Judged:
        """Judge a file; ``at_chunk`` is called again and again meanwhile.

        Raises UnreadableFile (with the line), LanguageNotAssigned.
        """
        looked = _Looked()
        _look(sent, watched(file, at_chunk), looked)
        return self._judged(sent, looked)

    def missing(
        self, caller: Caller, kept: KeptMemory, codes: Sequence[str]
    ) -> list[str]:
        """Those of the target languages that the memory lacks, and is to have.

        For a step of what was judged before: the caller must still be let write all of
        them, and add these. Raises LanguageNotAssigned, LanguageNotInProject.
        """
        reach = self._reach(caller, kept)
        for code in codes:
            self._linked.require_language(caller, PERMISSION, reach, code)
        languages = self._store.list_languages(kept.memory.id)
        there = {each.language_code for each in languages}
        missing = [code for code in codes if code not in there]
        if missing and not self._linked.may(caller, "tm_manage", reach):
            check_targets(kept.memory, there, dict.fromkeys(missing, "form.file"))
        return missing

    def _judged(self, sent: Sent, looked: _Looked) -> Judged:
        """The source language is none of the targets. A language that the memory lacks
        is taken as the one that it means there, unless it is wanted by its name; else
        it is added, where the caller may tm_manage."""
        caller, wanted, memory = sent.caller, sent.wanted, sent.kept.memory
        there = {each.language_code for each in self._store.list_languages(memory.id)}
        reach, own = self._reach(caller, sent.kept), memory.source_language
        may_add = self._linked.may(caller, "tm_manage", reach)
        apart = looked.codes.intersection(wanted) if may_add else set()
        meant = match_languages(looked.codes - {own}, (there | apart) - {own})
        taken, left_out = dict[str, str](), dict[str, str]()
        for code in sorted(looked.codes):
            target = meant.get(code, code)
            if code == own:
                left_out[code] = "it is the memory's source language"
            elif wanted and code not in wanted and target not in wanted:
                left_out[code] = "it is not one of the requested languages"
            elif code not in meant and not may_add:
                left_out[code] = "the memory lacks it, and adding it takes tm_manage"
            else:
                self._linked.require_language(caller, PERMISSION, reach, target)
                taken[code] = target
        if sent.format == "csv":
            refuse_words(taken.keys() - meant.keys(), "name it in languageCodes")
        return Judged(
            language_codes=sorted(taken.values()),
            languages_left_out=list(left_out),
            units=looked.units,
            languages_taken_as={c: as_ for c, as_ in taken.items() if c != as_},
            warnings=[f"{code} is left out: {why}" for code, why in left_out.items()],
        )


class _Looked(Struct):
    """What a look at a file has found."""

    units: int = 0  # those with a fault too
    codes: set[str] = field(default_factory=set)  # of translations


def _look(sent: Sent, file: BinaryIO, looked: _Looked) -> None:
    """Raises UnreadableFile, so that what writes will not."""
    source_language = sent.kept.memory.source_language
    for each in READERS[sent.format](file, source_language):
        looked.units += 1
        if isinstance(each, Unit):
            looked.codes.update(each.values)
            if len(looked.codes) > LANGUAGES_MOST:
                message = f"there are more than {LANGUAGES_MOST} languages"
                raise UnreadableFile(f"line {each.line}: {message}")
