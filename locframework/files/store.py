"""The store of files; their content is in a blob store."""

from collections.abc import Collection
from typing import Literal, Protocol

from locframework.fields import Timestamp
from locframework.transactions import Repository, Transactions

from .records import StoredFile


class FileStore(Repository[StoredFile], Protocol):
    """Files of projects, and which of them no key names. A key names a file by
    ``screenshot_file_id``; keys in the trash and copies on branches count. The blob of
    a file does not expire while the file exists."""

    def use_files(self, project_id: str, file_ids: Collection[str]) -> set[str]:
        """Keep files from being purged in a transaction that lets keys name them;
        return those that exist."""

    def look_for_unused(self, now: Timestamp, before: Timestamp, rows: int) -> int:
        """Note from ``now`` on which of up to ``rows`` files, not looked at since
        ``before``, no key names; return how many were looked at."""


class FileStorage(Transactions, Protocol):
    """The part of the storage that this area uses."""

    files: FileStore

    def purge(self, table: Literal["files"], before: Timestamp, rows: int) -> int: ...
