"""What every segment knows of its entries: which they are, and what one says."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from .stored import Damaged

T = TypeVar("T")  # what an entry says
Numbers = NDArray[np.int64]
Bits = NDArray[np.uint8]
Ids = NDArray[np.uint8]  # 16 bytes a row
_SPELLED = 36
_DIGITS = [at for at in range(_SPELLED) if at not in (8, 13, 18, 23)]


class Entries(Generic[T]):
    """Immutable: entries of a memory up to a revision; ``name`` is that of the file.

    ``removed`` are entries of earlier segments that are gone.
    """

    def __init__(
        self,
        ids: Ids,
        by_id: NDArray[np.uint32],
        removed: Ids,
        revision: int,
        name: str,
    ) -> None:
        self.revision, self.name = revision, name
        self.ids = ids.reshape(-1, 16)
        self.removed = removed.reshape(-1, 16)
        self.count = len(self.ids)
        self._by_id = by_id
        if len(by_id) != self.count or not (by_id < max(self.count, 1)).all():
            raise Damaged("its ids do not fit")

    @abstractmethod
    def told(self, docs: Sequence[int]) -> list[T]:
        """What the entries with these numbers say."""

    @abstractmethod
    def write(self, path: Path) -> None:
        """Write them to a file, durably."""

    def none_gone(self) -> Bits:
        """A bit for each entry, none set."""
        return np.zeros(self.count // 8 + 1, np.uint8)

    def with_gone(self, gone: Bits, ids: Iterable[bytes]) -> Bits:
        """A copy of the bits, with those of the entries set that are here."""
        asked = _as_text(packed(ids))
        marked = gone.copy()
        if not self.count or not len(asked):
            return marked
        mine = _as_text(self.ids)
        places = np.searchsorted(mine, asked, sorter=self._by_id)
        docs = self._by_id[np.minimum(places, self.count - 1)].astype(np.int64)
        docs = docs[mine[docs] == asked]
        np.bitwise_or.at(marked, docs >> 3, (1 << (docs & 7)).astype(np.uint8))
        return marked

    def there(self, gone: Bits) -> Numbers:
        """The numbers of the entries whose bit is not set."""
        bits = np.unpackbits(gone, bitorder="little")[: self.count]
        return np.flatnonzero(bits == 0)

    def id_of(self, doc: int) -> bytes:
        """The 16 bytes of the entry's id."""
        return bytes(self.ids[doc])


S = TypeVar("S", bound=Entries[Any])


def packed(ids: Iterable[bytes]) -> Ids:
    """Ids as rows of 16 bytes."""
    return np.frombuffer(b"".join(ids), np.uint8).reshape(-1, 16)


def order_of(ids: Ids) -> NDArray[np.uint32]:
    """The numbers of the rows, by id."""
    halves = ids.view(">u8")
    return np.lexsort((halves[:, 1], halves[:, 0])).astype(np.uint32)


def id_bytes(id_: str) -> bytes:
    """An entry's id, a UUID, as 16 bytes."""
    return bytes.fromhex(id_.replace("-", ""))  # a third of what UUID(id_).bytes takes


def spelled(ids: Ids) -> list[str]:
    """Entries' ids as text."""
    digits = np.frombuffer(ids.tobytes().hex().encode(), np.uint8)
    marked = np.full((len(ids), _SPELLED), ord("-"), np.uint8)
    marked[:, _DIGITS] = digits.reshape(-1, 32)
    text = marked.tobytes().decode()  # str(UUID(…)) takes 4 to 14 times as long
    return [text[i : i + _SPELLED] for i in range(0, len(text), _SPELLED)]


def _as_text(ids: Ids) -> NDArray[np.bytes_]:
    """Ids as something that sorts: of one length each, so that no NUL is lost."""
    return np.ascontiguousarray(ids).view("S16").ravel()
