"""Honest plugins pass the contracts of their ports. They are small, and do what no
shipped plugin does; ``dev.py mutants`` makes mistakes in them."""

from tests.testing.honest.blob_store import TestBucketStore, TestFolderStore
from tests.testing.honest.check import TestDoubled, TestFields
from tests.testing.honest.format import TestLines, TestXml
from tests.testing.honest.matcher import TestCopying
from tests.testing.honest.translator import TestRemote, TestShouting
from tests.testing.honest.transport import TestQueue

__all__ = [
    "TestBucketStore",
    "TestCopying",
    "TestDoubled",
    "TestFields",
    "TestFolderStore",
    "TestLines",
    "TestQueue",
    "TestRemote",
    "TestShouting",
    "TestXml",
]
