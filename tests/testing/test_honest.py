"""Honest plugins pass the contracts of their ports. They are small, and do what no
shipped plugin does; ``dev.py mutants`` makes mistakes in them."""

from tests.testing.honest.blob_store import TestBucketStore, TestFolderStore
from tests.testing.honest.check import TestDoubled, TestFields
from tests.testing.honest.format import TestLines, TestXml
from tests.testing.honest.translator import TestRemote, TestShouting

__all__ = [
    "TestBucketStore",
    "TestDoubled",
    "TestFields",
    "TestFolderStore",
    "TestLines",
    "TestRemote",
    "TestShouting",
    "TestXml",
]
