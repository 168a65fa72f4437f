"""The disk store keeps the contract of the port."""

from pathlib import Path

import pytest
from locframework_blobs_disk import DiskBlobStore, DiskSettings

from locframework.testing.contracts.blobs import BlobStoreContract, Damage, OpenStore


class TestDiskBlobStore(BlobStoreContract):
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return tmp_path / "data" / "blobs"

    @pytest.fixture
    def open_store(self, folder: Path) -> OpenStore:
        settings = DiskSettings(str(folder), "https://cdn.example.com/l10n/")
        return lambda: DiskBlobStore(settings)

    @pytest.fixture
    def damage(self, folder: Path) -> Damage:
        def flip_a_bit(_store: object, name: str) -> None:
            file = folder / name[:2] / name
            first, *others = file.read_bytes()
            with file.open("r+b") as opened:  # in place: the same inode and size
                opened.write(bytes([first ^ 1, *others]))

        return flip_a_bit

    @pytest.fixture
    def broken_store(self, tmp_path: Path) -> DiskBlobStore:
        (tmp_path / "file").write_text("where a folder should be")
        return DiskBlobStore(DiskSettings(str(tmp_path / "file" / "blobs")))
