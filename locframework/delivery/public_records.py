"""What the public reads: the manifest and its parts, for the interface description."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from locframework.fields import Timestamp

from .records import ReleasedLanguage

_BLOB = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_KEY = "vFvDqG6nT1rP0cUx3Yw8ZkQ2mJ5sLhB7aEoRtIdXyWM"

PublicKey = Annotated[str, Meta(examples=[_KEY])]
BlobName = Annotated[str, Meta(examples=[_BLOB])]
Sha256 = Annotated[
    str, Meta(pattern=r"^sha256:[0-9a-f]{64}$", examples=[f"sha256:{_BLOB}"])
]


class ManifestDistribution(Struct, frozen=True):
    """Which distribution it is; ``name`` is informational."""

    key: PublicKey
    name: Annotated[str, Meta(examples=["Web"])]
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

    id: Annotated[str, Meta(examples=["json-nested"])]
    key_separator: Annotated[str, Meta(examples=["."])]
    extension: Annotated[str, Meta(examples=[".json"])]


class ManifestFile(Struct, frozen=True, rename="camel"):
    """One published file; a client keys on (language, module)."""

    language: Annotated[str, Meta(examples=["de"])]
    module: Annotated[str | None, Meta(examples=[None])]
    path: Annotated[str, Meta(examples=["de.json"])]
    url: Annotated[
        str,
        Meta(examples=[f"https://example.com/api/v1/content/{_KEY}/b/{_BLOB}"]),
    ]
    content_hash: Sha256
    byte_size: int
    content_type: str


class Manifest(Struct, frozen=True, rename="camel"):
    """The manifest (service.md, Distribution manifest)."""

    schema: Annotated[str, Meta(examples=["locframework.manifest/v1"])]
    distribution: ManifestDistribution
    release: ManifestRelease
    project: ManifestProject
    format: ManifestFormat
    languages: Annotated[list[str], Meta(examples=[["de"]])]
    language_details: list[ReleasedLanguage]
    files: list[ManifestFile]
    min_app_version: None
    max_app_version: None
    bundles: Annotated[list[str], Meta(max_length=0, examples=[[]])]


class BuildingStatus(Struct, frozen=True):
    """The answer while the first release is being built."""

    status: Literal["building"]


class NotThere(Struct, frozen=True):
    """A refusal outside the envelope: there is nothing to read there."""

    error: Literal["not_found"]


class TooMuch(Struct, frozen=True):
    """A refusal outside the envelope: too many requests, or over quota."""

    error: Literal["rate_limited", "quota_exceeded"]
