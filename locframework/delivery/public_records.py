"""What the public reads: the manifest and its parts, for the interface description."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from locframework.clock import Timestamp

from .records import ReleasedLanguage

Sha256 = Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}$")]


class ManifestDistribution(Struct, frozen=True):
    """Which distribution it is; ``name`` is informational."""

    key: str
    name: str
    channel: Literal["stable", "prerelease"]


class ManifestRelease(Struct, frozen=True, rename="camel"):
    """Which release it is."""

    id: str
    version: int
    content_hash: Sha256
    published_at: Timestamp


class ManifestProject(Struct, frozen=True, rename="camel"):
    """Whose texts they are; the source language is meant as the fallback."""

    id: str
    source_language: str | None


class ManifestFormat(Struct, frozen=True, rename="camel"):
    """What the files are."""

    id: str
    key_separator: str
    extension: str


class ManifestFile(Struct, frozen=True, rename="camel"):
    """One published file; a client keys on (language, module)."""

    language: str
    module: str | None
    path: str
    url: str
    content_hash: Sha256
    byte_size: int
    content_type: str


class Manifest(Struct, frozen=True, rename="camel"):
    """The manifest (service.md, Distribution manifest)."""

    schema: str
    distribution: ManifestDistribution
    release: ManifestRelease
    project: ManifestProject
    format: ManifestFormat
    languages: list[str]
    language_details: list[ReleasedLanguage]
    files: list[ManifestFile]
    min_app_version: None
    max_app_version: None
    bundles: Annotated[list[str], Meta(max_length=0)]


class BuildingStatus(Struct, frozen=True):
    """The answer while the first release is being built."""

    status: Literal["building"]


class ContentError(Struct, frozen=True):
    """A refusal outside the envelope."""

    error: str
