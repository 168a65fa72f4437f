"""The indexes of all memories below one folder."""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any, Generic
from uuid import UUID

from .folder import MemoryFolder
from .index import MemoryIndex, Source, V

log = logging.getLogger("locframework.matching")


class Indexes(Generic[V]):
    """Opens each with its first question."""

    def __init__(
        self, folder: Path, open_: Callable[..., Any], view_type: type[V], tail: int
    ) -> None:
        self._folder = Path(os.path.abspath(folder))
        self._open = open_
        self._view_type = view_type
        self._tail = tail
        self._indexes: dict[str, MemoryIndex[V]] = {}
        self._lock = Lock()

    def view(
        self, source: Source, memory_id: str, revision: int, patience: float
    ) -> V | None:
        """The memory at the revision or later; None when that takes too long.

        Raises OSError when the folder cannot be used.
        """
        view = self._index(memory_id).view
        try:
            try:
                return view(source, revision, patience)
            except FileNotFoundError:  # somebody removed it while we wrote
                return view(source, revision, patience)
        except OSError as error:
            log.error(
                "the index in %s cannot be used: %s", self._path_of(memory_id), error
            )
            raise

    def forget(self, memory_id: str) -> None:
        """Remove the index of the memory."""
        with self._lock:
            self._indexes.pop(memory_id, None)
        try:
            self._files_of(memory_id).remove()
        except OSError as error:
            log.warning(
                "the index of memory %s could not be removed: %s", memory_id, error
            )

    def _index(self, memory_id: str) -> MemoryIndex[V]:
        with self._lock:
            index = self._indexes.get(memory_id)
            if index is None:
                index = MemoryIndex(
                    f"the index of memory {memory_id}",
                    self._files_of(memory_id),
                    self._view_type,
                    self._tail,
                )
                self._indexes[memory_id] = index
        return index

    def _files_of(self, memory_id: str) -> MemoryFolder[Any]:
        return MemoryFolder(self._path_of(memory_id), self._open)

    def _path_of(self, memory_id: str) -> Path:
        return self._folder / str(UUID(memory_id))  # nothing but an id is a folder
