"""Mistakes that the contract of blob stores has to catch."""

from tests.testing.honest.blob_store import (
    BucketStore,
    FolderStore,
    TestBucketStore,
    TestFolderStore,
    reporting,
)

from .mutation import Mutant

CHECK = "if not NAME.fullmatch(name):"
DAMAGED = """    if sha256(content).hexdigest() != name:
        raise Unavailable(f"the blob {name} is damaged")
"""

MUTANTS = {
    TestFolderStore: [
        Mutant(
            "a name with a dot", FolderStore, 'name = "folder"', 'name = "my.folder"'
        ),
        Mutant("any name is a path", FolderStore.path, CHECK, "if not name:"),
        Mutant("names by their length", FolderStore.path, CHECK, "if len(name) != 64:"),
        Mutant("names by search", FolderStore.path, ".fullmatch(", ".search("),
        Mutant(
            "names by match and $",
            FolderStore.path,
            CHECK,
            'if not re.match("[0-9a-f]{64}$", name):',
        ),
        Mutant(
            "names in capitals",
            FolderStore.path,
            CHECK,
            "if not NAME.fullmatch(name.lower()):",
        ),
        Mutant(
            "names by isalnum",
            FolderStore.path,
            CHECK,
            "if len(name) != 64 or not name.isalnum():",
        ),
        Mutant(
            "writes in place",
            FolderStore.put,
            "part.write_bytes(content)\n        part.rename(path)",
            "path.write_bytes(content)",
        ),
        Mutant(
            "one name for parts",
            FolderStore.put,
            'f"{os.urandom(8).hex()}.part"',
            'name + ".part"',
        ),
        Mutant(
            "writes text",
            FolderStore.put,
            "part.write_bytes(content)",
            'part.write_text(content.decode("latin-1"))',
        ),
        Mutant(
            "trusts the content",
            FolderStore.put,
            "sha256(content).hexdigest() != name",
            "not content and False",
        ),
        Mutant(
            "refuses no bytes",
            FolderStore.put,
            "sha256(content).hexdigest() != name",
            "not content or sha256(content).hexdigest() != name",
        ),
        Mutant(
            "the content is checked once it is there",
            FolderStore.put,
            '    if sha256(content).hexdigest() != name:\n        raise ValueError("the content has another name")\n',
            "",
        ),
        Mutant(
            "a second put fails",
            FolderStore.put,
            "part = path",
            "path.open('x').close(); part = path",
        ),
        Mutant(
            "no folder",
            FolderStore.put,
            "path.parent.mkdir(parents=True, exist_ok=True)",
            "self.folder.mkdir(exist_ok=True)",
        ),
        Mutant("folders are made once", FolderStore.put, ", exist_ok=True", ""),
        Mutant(
            "reads one part",
            FolderStore.get,
            "path.read_bytes()",
            "path.open('rb').read(1 << 20)",
        ),
        Mutant(
            "reads text",
            FolderStore.get,
            "path.read_bytes()",
            "path.read_text('latin-1').encode('latin-1')",
        ),
        Mutant("does not see damage", FolderStore.get, DAMAGED, ""),
        Mutant(
            "sees damage by length",
            FolderStore.get,
            "sha256(content).hexdigest() != name",
            "len(content) == 0 and name not in sha256(b'').hexdigest()",
        ),
        Mutant(
            "a damaged blob is none",
            FolderStore.get,
            'raise Unavailable(f"the blob {name} is damaged")',
            "return None",
        ),
        Mutant(
            "a damaged blob is deleted",
            FolderStore.get,
            "raise Unavailable(f",
            "path.unlink(); raise Unavailable(f",
        ),
        Mutant(
            "an error for an unknown name",
            FolderStore.get,
            "return None",
            "raise Unavailable('none') from None",
        ),
        Mutant(
            "no bytes for an unknown name", FolderStore.get, "return None", "return b''"
        ),
        Mutant(
            "an OSError for a broken disk",
            FolderStore.get,
            "with reporting():",
            "if True:",
        ),
        Mutant(
            "none for a broken disk",
            FolderStore.get,
            "except FileNotFoundError",
            "except OSError",
        ),
        Mutant(
            "does not have it on a broken disk",
            FolderStore.has,
            "except FileNotFoundError",
            "except OSError",
        ),
        Mutant("has by listing", FolderStore.has, "path.stat()", "path.parent.stat()"),
        Mutant("has gives no boolean", FolderStore.has, "return True", "return path"),
        Mutant(
            "an error when there is none to delete",
            FolderStore.delete,
            "missing_ok=True",
            "",
        ),
        Mutant(
            "deletes its folder",
            FolderStore.delete,
            "path.unlink(missing_ok=True)",
            "__import__('shutil').rmtree(path.parent, ignore_errors=True)",
        ),
        Mutant(
            "deletes empty folders",
            FolderStore.delete,
            "path.unlink(missing_ok=True)",
            "path.unlink(missing_ok=True)\n        if path.parent.exists() and not any(path.parent.iterdir()):\n            path.parent.rmdir()",
        ),
        Mutant(
            "deletes silently",
            FolderStore.delete,
            "path.unlink(missing_ok=True)",
            "\n        try: path.unlink(missing_ok=True)\n        except OSError: pass",
        ),
        Mutant(
            "lists every file",
            FolderStore.names,
            "NAME.fullmatch(file.name)",
            "file.is_file()",
        ),
        Mutant(
            "lists parts",
            FolderStore.names,
            "NAME.fullmatch(file.name)",
            "NAME.match(file.name)",
        ),
        Mutant("lists paths", FolderStore.names, "yield file.name", "yield str(file)"),
        Mutant(
            "lists what is whole",
            FolderStore.names,
            "yield file.name",
            "\n                    if self.has(file.name) and sha256(file.read_bytes()).hexdigest() == file.name: yield file.name",
        ),
        Mutant("a list fails without a folder", FolderStore.names, "return", "raise"),
        Mutant("shows the folder", reporting, "{error.strerror}", "{error}"),
        Mutant(
            "a URL without a host", FolderStore.public_url, "https://cdn.example", ""
        ),
        Mutant(
            "a URL of the folder",
            FolderStore.public_url,
            "/{name[:2]}/{name}",
            "/{name[:2]}/",
        ),
        Mutant("a URL for any name", FolderStore.public_url, "self.path(name)", "pass"),
        Mutant(
            "a URL only once it is there",
            FolderStore.public_url,
            "self.path(name)",
            "if not self.has(name): return None",
        ),
    ],
    TestBucketStore: [
        Mutant("the first page", BucketStore.names, "if len(keys) < PAGE:", "if True:"),
        Mutant(
            "pages begin again",
            BucketStore.names,
            "after = keys[-1]",
            "after = keys[-2]",
        ),
        Mutant(
            "lists foreign objects",
            BucketStore.names,
            "if NAME.fullmatch(name):",
            "if True:",
        ),
        Mutant(
            "lists foreign objects of its length",
            BucketStore.names,
            "if NAME.fullmatch(name):",
            "if len(name) == 64:",
        ),
        Mutant(
            "finds names in keys",
            BucketStore.names,
            "name = key.removeprefix(self.prefix)",
            'name = key.split("/")[-1].lower()',
        ),
        Mutant("a list of keys", BucketStore.names, "yield name", "yield key"),
        Mutant(
            "the error of a list comes as it is",
            BucketStore.names,
            "with self.reporting():",
            "if True:",
        ),
        Mutant(
            "an empty list for a broken bucket",
            BucketStore.names,
            "with self.reporting():",
            "if self.bucket.is_broken: return\n        with self.reporting():",
        ),
        Mutant(
            "deletes foreign objects",
            BucketStore.names,
            "yield name",
            "yield name\n            else:\n                self.bucket.delete_object(key)",
        ),
        Mutant(
            "deletes by prefix",
            BucketStore.delete,
            "self.bucket.delete_object(key)",
            "\n            for key in self.bucket.list_objects(key[:8]): self.bucket.delete_object(key)",
        ),
        Mutant(
            "deletes all that begins so",
            BucketStore.delete,
            "self.bucket.delete_object(key)",
            "\n            for key in self.bucket.list_objects(key): self.bucket.delete_object(key)",
        ),
        Mutant(
            "keeps content",
            BucketStore.get,
            "content = self.bucket.get_object(key)",
            "content = self.__dict__.setdefault(key, self.bucket.objects.get(key)) or self.bucket.get_object(key)",
        ),
        Mutant(
            "remembers what is not there",
            BucketStore.has,
            "key = self.key(name)",
            "key = self.key(name); gone = self.__dict__.setdefault('gone', set())\n    if key in gone: return False\n    if key not in self.bucket.objects: gone.add(key)",
        ),
        Mutant(
            "remembers what is there",
            BucketStore.has,
            "key = self.key(name)",
            "key = self.key(name); there = self.__dict__.setdefault('there', set())\n    if key in there: return True\n    if key in self.bucket.objects: there.add(key)",
        ),
        Mutant(
            "remembers the list",
            BucketStore.names,
            "keys = self.bucket.list_objects(self.prefix, after)",
            "keys = self.__dict__.setdefault('k' + after, self.bucket.list_objects(self.prefix, after))",
        ),
        Mutant(
            "remembers what it has put",
            BucketStore.put,
            "self.bucket.put_object(key, content)",
            "\n            if key not in self.__dict__.setdefault('done', set()): self.bucket.put_object(key, content)\n            self.done.add(key)",
        ),
        Mutant(
            "a place of its own for each process",
            BucketStore.__init__,
            "self.bucket = bucket",
            "self.bucket = bucket; self.prefix = f'blobs/{id(self)}/'",
        ),
        Mutant(
            "shows the address",
            BucketStore.reporting,
            '"the bucket of blobs does not answer"',
            "str(error)",
        ),
        Mutant(
            "has nothing when broken",
            BucketStore.has,
            "except KeyError",
            "except (KeyError, OSError)",
        ),
        Mutant(
            "a KeyError for an unknown name",
            BucketStore.get,
            "except KeyError",
            "except FileNotFoundError",
        ),
        Mutant(
            "a signed URL",
            BucketStore.public_url,
            "{self.key(name)}",
            "{self.key(name)}?at={__import__('time').time()}",
        ),
        Mutant(
            "a URL signed by the second",
            BucketStore.public_url,
            "{self.key(name)}",
            "{self.key(name)}?expires={int(__import__('time').time()) + 3600}",
        ),
        Mutant(
            "one call at a time",
            BucketStore.put,
            "self.bucket.put_object(key, content)",
            "self.now = key, content; __import__('time').sleep(0.001); self.bucket.put_object(*self.now)",
        ),
        Mutant(
            "a put in two steps",
            BucketStore.put,
            "self.bucket.put_object(key, content)",
            "self.bucket.put_object(key, content[:9]); __import__('time').sleep(0.001); self.bucket.put_object(key, content)",
        ),
    ],
}
