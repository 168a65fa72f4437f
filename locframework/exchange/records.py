"""Requests and results of imports and exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from locframework.formats.records import (
    Catalogue,
    Detail,
    FormatInfo,
    SourceFile,
    Text,
)
from locframework.http.records import Upload
from locframework.keys.imported_files import Layouts
from locframework.keys.records import KEY_LENGTH, TAG_LENGTH, TAGS_MOST
from locframework.projects.records import LanguageTag

ImportMode = Literal["merge", "replace"]
OnConflict = Literal["auto", "keep", "overwrite", "fail"]
Renames = Literal["list", "carry"]
Modules = Literal["auto", "always", "never"]
FormatId = Annotated[str, Meta(max_length=100, examples=["json-nested"])]


class ImportOptions(Struct, frozen=True, rename="camel"):
    """How a file is imported (decisions 2.6)."""

    format: FormatId | None = None  # left out: detected
    language_code: LanguageTag | None = None  # left out: that of the file or its path
    mode: ImportMode = "merge"  # replace: keys that are not in the file are removed
    on_conflict: OnConflict = "auto"  # where a text is there that differs
    on_unreadable: Literal["fail", "skip"] = "fail"  # of files in an archive
    add_languages: bool = False  # true: languages that the project lacks are added
    modules: Modules = "auto"  # whether the names of files are modules
    renames: Renames = "list"  # carry: renamed keys keep their translations
    dry_run: bool = False  # true: reports the result, changes nothing
    tags: Annotated[
        list[str],
        Meta(
            max_length=TAGS_MOST,
            description=(
                "Put on every key. A field each, or several in one with commas; "
                f"at most {TAGS_MOST} tags of at most {TAG_LENGTH} characters"
            ),
            examples=[["web", "checkout"]],
        ),
    ] = []
    module: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=KEY_LENGTH,
                description="Keys that are not yet below this segment are put there",
            ),
        ]
        | None
    ) = None
    keep_fresh: bool = False  # true: new source texts make no translation outdated
    branch: str | None = None  # left out: main


class ImportForm(ImportOptions, frozen=True, rename="camel", kw_only=True):
    """The form that imports a file, or a ZIP archive of files."""

    file: Upload
    resolutions: Upload | None = None  # JSON: a list of ImportResolution
    seen: Upload | None = None  # JSON: what the client saw last, see Seen


class ImportResolution(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Which text one conflict of an import takes."""

    key: str
    language_code: LanguageTag
    use: Literal["imported", "existing"]
    plural_form: Literal["zero", "one", "two", "few", "many", "other"] | None = None


Seen = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Path to file key to plural form (or "") to the SHA-256, in hex, of the text in UTF-8:
the base of a three-way import, instead of what the file brought last. A file key is
the ``name`` of an Entry, or its ``key``."""


class ImportDecisions(Struct, frozen=True):
    """What the client knows of the texts of an import."""

    resolutions: tuple[ImportResolution, ...] = ()
    seen: Seen = {}


NO_DECISIONS = ImportDecisions()


class ExportQuery(Struct, frozen=True, rename="camel"):
    """What is exported (decisions 2.6)."""

    format: FormatId
    language_codes: Annotated[
        list[str], Meta(max_length=500, description="Default: all of the project's")
    ] = []
    min_status: Literal["approved", "any"] = "approved"
    module: Annotated[str, Meta(max_length=KEY_LENGTH)] | None = None
    tag: Annotated[str, Meta(max_length=100)] | None = None
    layout: Literal["original", "canonical"] = "original"
    """original: in the layout of the files that were last imported."""
    branch: str | None = None  # left out: main


class ExportedFile(Struct, frozen=True):
    """A file that was exported: one of the format, or a ZIP archive of several."""

    name: str
    content: bytes
    content_type: str
    warnings: list[str]


class ImportParams(Struct, frozen=True, rename="camel"):
    """What an import job is given."""

    blob: str  # the ImportBatch, msgpack; unless it is checked, the ImportUpload
    store: str
    is_checked: bool
    options: ImportOptions  # with the tags one by one, and the id of the branch


class Conflict(Struct, frozen=True, rename="camel"):
    """A text that is there and differs from the file's; whole texts.

    ``base`` is what the file brought last, or what the client saw last; null where
    nobody knows it.
    """

    key: str
    language_code: str
    plural_form: str | None
    base: str | None
    existing: str
    imported: str
    kept: Literal["existing", "imported"]


class Rename(Struct, frozen=True, rename="camel"):
    """A key that went and one that came, with the same source text."""

    old: str
    new: str


class SkippedFile(Struct, frozen=True, rename="camel"):
    """A file of an archive that was left out."""

    path: str
    message: str


class ImportedFile(Struct, frozen=True, rename="camel"):
    """One language of one file, and what was read of it."""

    path: str  # in the archive, or the name of the file; cut to 200 characters
    format: str
    language_code: str  # of the project
    keys: int
    texts: int  # not empty; of a plural key one a form
    module: str | None = None


class ImportResult(Struct, rename="camel"):
    """The result of an import job; of a dry run, what it would have been.

    A key is counted once: as created, updated (any of it changed) or unchanged.
    ``conflicts``: of texts that both sides changed; ``kept`` says which one stands.
    This and the other lists hold the first hundred; the conflicts are all at
    ``/jobs/{jobId}/conflicts``.
    """

    dry_run: bool
    keys_created: int = 0
    keys_updated: int = 0
    keys_unchanged: int = 0
    keys_removed: int = 0
    values_written: int = 0  # texts: one a language, of a plural key one a form
    conflict_count: int = 0
    texts_not_taken: int = (
        0  # of the conflicts, those in which the project's text stays
    )
    conflicts: list[Conflict] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    files: list[ImportedFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    renames: list[Rename] = field(default_factory=list)


class ReadFile(Struct, frozen=True):
    """One language of one file that came in."""

    path: str  # inside its archive; "" for a file that came alone
    format: FormatInfo
    language_code: str  # of the project
    catalogue: Catalogue
    file: SourceFile
    module: str | None = None
    module_is_given: bool = False  # by the request: keys may begin with it already
    kept_as: str = ""
    """The path of a file that came without folders, by the files imported before."""
    own_names: Mapping[str, str] = {}
    """Keys of names that another file without a module has for different texts."""


class ImportedDetail(Struct, frozen=True, gc=False, array_like=True):
    """What a file has beyond our model, for a key or for the file as a whole."""

    family: str
    language_code: str  # "": the same in every language
    detail: Detail
    module: str = ""


class ImportedKey(Struct, gc=False, array_like=True):
    """One key with all that the files have of it, in every language."""

    name: str
    is_plural: bool = False
    description: str = ""
    values: dict[str, Text] = field(default_factory=dict)
    """By language; none of them empty."""
    source: Text | None = None  # a source text beside a translation
    review: tuple[str, ...] = ()  # languages whose text is marked for review
    details: tuple[ImportedDetail, ...] = ()
    file_key: str | None = None
    prefix: str = ""  # the module, with its separator
    base: dict[str, Text] = field(default_factory=dict)
    """What the file last brought, by language."""
    seen: dict[str, dict[str, str]] = field(default_factory=dict)
    """What the client saw last instead: hashes by language and form."""
    format_flags: tuple[str, ...] = ()
    is_in_source: bool = False  # a file of the source language has it
    other_base: dict[str, Text] = field(default_factory=dict)
    """What the file of the other side of a merge brought, by language."""
    decided: dict[str, dict[str, Literal["imported", "existing"]]] = field(
        default_factory=dict
    )
    """What resolutions take: by language and form, "" is none."""
    max_length: int | None = None


class ImportBatch(Struct, frozen=True, array_like=True):
    """The checked content of an upload, for the job."""

    keys: list[ImportedKey]
    files: list[ImportedDetail]
    warnings: list[str]
    left_out: list[str] = field(default_factory=list)
    """Keys that only languages name which are not imported: ``replace`` keeps them."""
    sources: list[ImportedFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    layouts: dict[str, dict[str, Layouts]] = field(default_factory=dict)
    """By family and language."""
    languages: list[str] = field(default_factory=list)
    """To be added to the project."""
    replaced: list[str] | None = None
    """The modules whose other keys ``replace`` removes, "" is none; None: nothing."""
    known_modules: list[str] = field(default_factory=list)  # of the project
    last_import: str = ""  # the job whose files were there when this was read
    seen: Seen = {}
    resolutions: tuple[ImportResolution, ...] = ()
    own_names: dict[str, dict[str, str]] = {}  # as ImportedModules has them
