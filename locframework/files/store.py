"""How files are kept; their bytes are in a blob store."""

from collections.abc import Collection
from typing import Protocol

from locframework.fields import Timestamp

from .records import StoredFile


class FileStore(Protocol):
    """Which files a project has, and which of them no key names.

    A key names a file by ``screenshot_file_id``; keys in the trash and a branch's own
    copies count. The blob of a file does not expire while there is the file.
    """

    def add_file(self, file: StoredFile) -> None: ...

    def find_file(self, project_id: str, file_id: str) -> StoredFile | None: ...

    def use_files(self, project_id: str, file_ids: Collection[str]) -> set[str]:
        """In a transaction that makes keys name them: keep them from being purged.

        Answers those that there are. RuntimeError without a transaction.
        """
        ...

    def look_for_unused(self, now: Timestamp, before: Timestamp, rows: int) -> int:
        """Look at up to ``rows`` files, not looked at since ``before``: note which of
        them no key names, from ``now`` on. Answers how many were looked at."""
        ...

    def purge_files(self, before: Timestamp, rows: int) -> int:
        """Drop up to ``rows`` files that no key has named since ``before``.

        Answers how many went.
        """
        ...
