"""The disk store keeps the contract of the port."""

import pytest
from locframework_blobs_disk import DiskBlobStore, DiskSettings

from locframework.testing.contracts.blobs import BlobStoreContract


class TestDiskBlobStore(BlobStoreContract):
    @pytest.fixture
    def folder(self, tmp_path):
        return tmp_path / "data" / "blobs"

    @pytest.fixture
    def open_store(self, folder):
        settings = DiskSettings(str(folder), "https://cdn.example.com/l10n/")
        return lambda: DiskBlobStore(settings)

    @pytest.fixture
    def damage(self, folder):
        def flip_a_bit(_store, name):
            file = folder / name[:2] / name
            first, *others = file.read_bytes()
            with file.open("r+b") as opened:  # in place: the same inode and size
                opened.write(bytes([first ^ 1, *others]))

        return flip_a_bit

    @pytest.fixture
    def broken_store(self, tmp_path):
        (tmp_path / "file").write_text("where a folder should be")
        return DiskBlobStore(DiskSettings(str(tmp_path / "file" / "blobs")))

    @pytest.fixture
    def put_foreign(self, folder):
        def put(name, content):
            files = [folder / name, folder / name[:2] / name]
            for file in files:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            return lambda: files[0].read_bytes() and files[1].read_bytes()

        return put
