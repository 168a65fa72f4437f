"""Two honest blob stores, on files and in a bucket; mutants/blob_store.py makes
mistakes in them."""

import os
import re
from contextlib import contextmanager
from hashlib import sha256
from itertools import islice

import pytest

from locframework.ports import Unavailable
from locframework.testing.contracts.blobs import BlobStoreContract

NAME = re.compile("[0-9a-f]{64}")
PAGE = 1000


class FolderStore:
    """A file for each blob, in folders by the first two digits."""

    name = "folder"

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a SHA-256")
        return self.folder / name[:2] / name

    def put(self, name, content):
        path = self.path(name)
        if sha256(content).hexdigest() != name:
            raise ValueError("the content has another name")
        with reporting():
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f"{os.urandom(8).hex()}.part")
            part.write_bytes(content)
            part.rename(path)

    def get(self, name):
        path = self.path(name)
        with reporting():
            try:
                content = path.read_bytes()
            except FileNotFoundError:
                return None
        if sha256(content).hexdigest() != name:
            raise Unavailable(f"the blob {name} is damaged")
        return content

    def has(self, name):
        path = self.path(name)
        with reporting():
            try:
                path.stat()
            except FileNotFoundError:
                return False
        return True

    def delete(self, name):
        path = self.path(name)
        with reporting():
            path.unlink(missing_ok=True)

    def names(self):
        with reporting():
            try:
                folders = [*self.folder.iterdir()]
            except FileNotFoundError:
                return
            for folder in folders:
                for file in folder.iterdir():
                    if NAME.fullmatch(file.name):
                        yield file.name

    def public_url(self, name):
        self.path(name)
        return f"https://cdn.example/{name[:2]}/{name}"


@contextmanager
def reporting():
    try:
        yield
    except OSError as error:
        raise Unavailable(f"the folder of blobs: {error.strerror}") from error


class TestFolderStore(BlobStoreContract):
    @pytest.fixture
    def open_store(self, tmp_path):
        return lambda: FolderStore(tmp_path / "blobs")

    @pytest.fixture
    def damage(self):
        def damage(store, name):
            file = store.folder / name[:2] / name
            file.write_bytes(b"x" * file.stat().st_size)

        return damage

    @pytest.fixture
    def broken_store(self, tmp_path):
        (tmp_path / "file").write_text("no folder")
        return FolderStore(tmp_path / "file" / "blobs")

    @pytest.fixture
    def put_foreign(self, tmp_path):
        def put(name, content):
            file = tmp_path / "blobs" / name[:2] / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            return file.read_bytes

        return put


class Bucket:
    """What a service as S3 does with objects, as far as a store of blobs asks it."""

    def __init__(self):
        self.objects = {}
        self.is_broken = False

    def require(self):
        if self.is_broken:
            raise OSError("http://10.0.0.1:9000/bucket: connection refused")

    def put_object(self, key, content):
        self.require()
        self.objects[key] = content

    def get_object(self, key):
        """Raises KeyError."""
        self.require()
        return self.objects[key]

    def delete_object(self, key):
        """Raises nothing if there is none."""
        self.require()
        self.objects.pop(key, None)

    def list_objects(self, prefix, after=""):
        """The next keys with the prefix after one, 1,000 at most."""
        self.require()
        keys = sorted(key for key in [*self.objects] if key.startswith(prefix))
        return list(islice((key for key in keys if key > after), PAGE))


class BucketStore:
    """An object ``blobs/NAME`` for each blob."""

    name = "bucket"
    prefix = "blobs/"

    def __init__(self, bucket):
        self.bucket = bucket

    def key(self, name):
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a SHA-256")
        return self.prefix + name

    @contextmanager
    def reporting(self):
        try:
            yield
        except OSError as error:
            raise Unavailable("the bucket of blobs does not answer") from error

    def put(self, name, content):
        key = self.key(name)
        if sha256(content).hexdigest() != name:
            raise ValueError("the content has another name")
        with self.reporting():
            self.bucket.put_object(key, content)

    def get(self, name):
        key = self.key(name)
        with self.reporting():
            try:
                content = self.bucket.get_object(key)
            except KeyError:
                return None
        if sha256(content).hexdigest() != name:
            raise Unavailable(f"the blob {name} is damaged")
        return content

    def has(self, name):
        key = self.key(name)
        with self.reporting():
            try:
                self.bucket.get_object(key)
            except KeyError:
                return False
        return True

    def delete(self, name):
        key = self.key(name)
        with self.reporting():
            self.bucket.delete_object(key)

    def names(self):
        after = ""
        while True:
            with self.reporting():
                keys = self.bucket.list_objects(self.prefix, after)
            for key in keys:
                name = key.removeprefix(self.prefix)
                if NAME.fullmatch(name):
                    yield name
            if len(keys) < PAGE:
                return
            after = keys[-1]

    def public_url(self, name):
        return f"https://bucket.example/{self.key(name)}"


class TestBucketStore(BlobStoreContract):
    @pytest.fixture
    def bucket(self):
        return Bucket()

    @pytest.fixture
    def open_store(self, bucket):
        return lambda: BucketStore(bucket)

    @pytest.fixture
    def damage(self, bucket):
        def damage(_store, name):
            bucket.objects["blobs/" + name] = b"baad"

        return damage

    @pytest.fixture
    def broken_store(self):
        broken = Bucket()
        broken.is_broken = True
        return BucketStore(broken)

    @pytest.fixture
    def put_foreign(self, bucket):
        def put(name, content):
            keys = [f"blobs/{name}", name, f"blobs/2026/{name}"]
            for key in keys:
                bucket.objects[key] = content
            return lambda: bucket.objects[keys[0]] and bucket.objects[keys[2]]

        return put
