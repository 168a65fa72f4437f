"""What a batch does to the names of keys, which may change places among each other."""

from collections.abc import Iterable, Sequence

from msgspec import UNSET

from locframework.errors import LocError

from .records import KeyWrite, KeyWritten
from .unit_of_work import UnitOfWork


def names_in(writes: Iterable[KeyWrite]) -> Iterable[str]:
    """The names that keys of the batch are to have."""
    for write in writes:
        if write.key_id is None:
            yield write.name
        if write.rename is not UNSET:
            yield write.rename


def leaving(writes: Iterable[KeyWrite], keys: UnitOfWork) -> set[str]:
    """The ids of keys that are to be renamed: others may have their names."""
    found = set()
    for write in writes:
        old = keys.key(write.key_id) if write.key_id is not None else None
        if old is not None and write.rename not in (UNSET, old.key):
            found.add(old.id)
    return found


def robbed(
    writes: Sequence[KeyWrite],
    results: Sequence[KeyWritten | LocError],
    keys: UnitOfWork,
) -> set[str]:
    """The ids of keys that keep their names, and whose names others were given."""
    found = set()
    for write, result in zip(writes, results, strict=False):  # it may have stopped
        old = keys.key(write.key_id) if write.key_id is not None else None
        if old is not None and isinstance(result, LocError):
            holder = keys.named(old.key)
            if holder is not None and holder.id != old.id:
                found.add(old.id)
    return found
