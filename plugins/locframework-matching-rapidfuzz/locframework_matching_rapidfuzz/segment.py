"""The texts of a memory in one file, sorted by length and indexed by pairs."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from .building import BLOCK, Arrays, Noted
from .entries import Entries, Numbers
from .stored import Damaged, read_arrays, write_arrays
from .tokens import TOKENS, Codes

FORMAT = 3
AT_ONCE = 4096  # texts that are decoded together


class Segment(Entries[Noted]):
    """Folded texts of a memory with their notes, immutable."""

    def __init__(self, arrays: Arrays, revision: int, name: str = "") -> None:
        super().__init__(arrays.ids, arrays.by_id, arrays.removed, revision, name)
        self._arrays = arrays
        self.alphabet = arrays.alphabet
        self.codes = arrays.codes
        self.offsets = arrays.offsets
        self.lists = arrays.lists
        self.ends = arrays.ends
        self.bases = arrays.bases
        self._notes, self._note_ends = arrays.notes.data, arrays.note_ends
        self._check()
        lengths = np.diff(self.offsets).astype(np.int64)
        self.longest = int(lengths[-1]) if self.count else 0
        every = np.arange(self.longest + 2)
        self.starts = np.searchsorted(lengths, every).astype(np.uint64)

    def _check(self) -> None:
        """Raise Damaged unless every offset stays inside: the kernel trusts them."""
        blocks = -(-len(self.ids) // BLOCK)
        ends = self.ends.reshape(-1, TOKENS + 1)
        lengths = np.diff(self.offsets.astype(np.int64))
        is_whole = (
            len(self.offsets) == len(self.ids) + 1
            and len(self.bases) == blocks + 1
            and len(ends) == blocks
            and self.offsets[0] == 0
            and self.offsets[-1] == len(self.codes)
            and bool((lengths >= 0).all())
            and bool((np.diff(lengths) >= 0).all())
            and self.bases[0] == 0
            and self.bases[-1] == len(self.lists)
            and not ends[:, 0].any()
            and bool((ends[:, :-1] <= ends[:, 1:]).all())
            and bool((ends[:, -1] == np.diff(self.bases)).all())
            and len(self._note_ends) == len(self.ids) + 1
            and self._note_ends[-1] == len(self._notes)
        )
        if not is_whole:
            raise Damaged("its offsets do not fit")

    def coded(self, text: str) -> Codes:
        """The text in this segment's numbers; 0 for a character that it has not."""
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        places = np.searchsorted(self.alphabet, points)
        places[places == len(self.alphabet)] = 0
        known = self.alphabet[places] == points if len(self.alphabet) else places < 0
        codes = np.where(known, places + 1, 0)
        is_narrow = self.codes.dtype == np.uint16
        return codes.astype(np.uint16) if is_narrow else codes.astype(np.uint32)

    def told(self, docs: Sequence[int]) -> list[Noted]:
        """The texts with these numbers, with their notes."""
        notes = self.notes_of(np.asarray(docs, np.int64))
        return list(zip(self.texts_of(docs), notes, strict=True))

    def notes_of(self, docs: Numbers) -> list[bytes]:
        """What is kept with these texts."""
        begins, ends = self._note_ends[docs], self._note_ends[docs + 1]
        places = zip(begins.tolist(), ends.tolist(), strict=True)
        return [self._notes[begin:end].tobytes() for begin, end in places]

    def texts_of(self, docs: Sequence[int]) -> list[str]:
        """The texts with these numbers."""
        found: list[str] = []
        for first in range(0, len(docs), AT_ONCE):
            found += self._decoded(np.asarray(docs[first : first + AT_ONCE], np.int64))
        return found

    def _decoded(self, docs: Numbers) -> list[str]:
        """Decoded as one text: one by one takes twenty times as long."""
        begins = self.offsets[docs].astype(np.int64)
        lengths = self.offsets[docs + 1].astype(np.int64) - begins
        ends = np.cumsum(lengths)
        places = np.repeat(begins - ends + lengths, lengths)
        places += np.arange(len(places))
        points = self.alphabet[self.codes[places] - 1]
        text = points.tobytes().decode("utf-32-le", "surrogatepass")
        return [text[i:j] for i, j in pairwise([0, *ends.tolist()])]

    def write(self, path: Path) -> None:
        """Write it to a file, durably."""
        write_arrays(path, FORMAT, self._arrays._asdict(), self.revision)

    @classmethod
    def open(cls, path: Path, *, whole: bool = False) -> "Segment":
        """Map one into memory. Raises Damaged, and OSError when it is not there."""
        arrays, revision = read_arrays(path, FORMAT, whole=whole)
        return cls(Arrays(**arrays), revision, path.name)
