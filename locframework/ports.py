"""The front door for plugin authors: every port, its records and its errors."""

from locframework.access.records import (
    Caller,
    Grant,
    Holder,
    Member,
    Membership,
    Organization,
    Quota,
    Scope,
    StoredToken,
    Token,
    User,
)
from locframework.access.store import AccessStore
from locframework.blobs.blob_store import BlobStore
from locframework.blobs.records import BlobNote
from locframework.blobs.store import BlobIndex
from locframework.branches.records import Branch
from locframework.branches.store import BranchStore
from locframework.clock import Timestamp
from locframework.delivery.records import (
    Distribution,
    PublicHead,
    Release,
    ReleasedLanguage,
    ReleaseFile,
    ReleaseSnapshot,
    StoredRelease,
    Usage,
)
from locframework.delivery.store import DeliveryStore
from locframework.errors import (
    LocError,
    PluginError,
    Problem,
    SettingsError,
    Unauthorized,
    Unavailable,
    UnreadableFile,
    UrlNotAllowed,
    mentioned,
    shown,
)
from locframework.events import (
    Actor,
    Event,
    EventFilter,
    EventLine,
    EventStore,
    Touch,
    Trace,
    Traces,
)
from locframework.files.records import StoredFile
from locframework.files.store import FileStore
from locframework.folding import fold
from locframework.formats.format import Format
from locframework.formats.records import (
    PLURAL_FORMS,
    Catalogue,
    Detail,
    Entry,
    FileOptions,
    FormatInfo,
    SourceFile,
    Text,
    WrittenFile,
)
from locframework.glossaries.records import (
    Glossary,
    StoredGlossary,
    Term,
    TermFilter,
    TermWrite,
    TranslationRow,
)
from locframework.glossaries.rules import spelling
from locframework.glossaries.store import GlossaryStore, TermStore
from locframework.http.kept_posts import IdempotencyStore, KeptPost
from locframework.jobs.records import Job, JobError, JobFilter, Progress, StoredJob
from locframework.jobs.store import JobStore
from locframework.keys.records import (
    BranchKey,
    FileDetail,
    FindingFilter,
    Key,
    KeyFilter,
    KeyFinding,
    KeyState,
    KeyValue,
    Selection,
    Spot,
    StoredValue,
    TextRow,
    TrashedKey,
)
from locframework.keys.revisions import Revision
from locframework.keys.rules import ROOT_MODULE
from locframework.keys.store import BranchKeyStore, KeyStore
from locframework.keys.value_changes import ValueChange, WriteNote, WriteRefusal
from locframework.memories.folding import folded, match_fold
from locframework.memories.matcher import (
    Found,
    Hit,
    Matcher,
    SegmentChange,
    Segments,
    Wanted,
)
from locframework.memories.records import (
    AssignedMemory,
    Assignment,
    EntryFilter,
    KeptMemory,
    MemoryEntry,
    MemoryLanguage,
    MemoryWriting,
    Penalties,
    StoredTranslation,
    Texts,
    TranslationMemory,
)
from locframework.memories.store import MemoryStore
from locframework.paging import Page, PageRequest, SortedRequest
from locframework.projects.records import Language, Project, Severity
from locframework.projects.store import ProjectStore
from locframework.proposals.records import TermTranslation
from locframework.quality.check import Check
from locframework.quality.records import Finding, Subject
from locframework.statistics.records import LanguageCounts, LineCounts
from locframework.statistics.rules import complete_languages, count_words
from locframework.statistics.store import StatisticsStore
from locframework.storage import Storage, StorageProvider, Transactions
from locframework.webhooks.records import (
    ATTEMPT_SECONDS,
    KEPT_BYTES,
    Answer,
    Post,
    SendError,
)
from locframework.webhooks.transport import Transport

__all__ = [
    "ATTEMPT_SECONDS",
    "KEPT_BYTES",
    "PLURAL_FORMS",
    "ROOT_MODULE",
    "AccessStore",
    "Actor",
    "Answer",
    "AssignedMemory",
    "Assignment",
    "BlobIndex",
    "BlobNote",
    "BlobStore",
    "Branch",
    "BranchKey",
    "BranchKeyStore",
    "BranchStore",
    "Caller",
    "Catalogue",
    "Check",
    "DeliveryStore",
    "Detail",
    "Distribution",
    "Entry",
    "EntryFilter",
    "Event",
    "EventFilter",
    "EventLine",
    "EventStore",
    "FileDetail",
    "FileOptions",
    "FileStore",
    "Finding",
    "FindingFilter",
    "Format",
    "FormatInfo",
    "Found",
    "Glossary",
    "GlossaryStore",
    "Grant",
    "Hit",
    "Holder",
    "IdempotencyStore",
    "Job",
    "JobError",
    "JobFilter",
    "JobStore",
    "KeptMemory",
    "KeptPost",
    "Key",
    "KeyFilter",
    "KeyFinding",
    "KeyState",
    "KeyStore",
    "KeyValue",
    "Language",
    "LanguageCounts",
    "LineCounts",
    "LocError",
    "Matcher",
    "Member",
    "Membership",
    "MemoryEntry",
    "MemoryLanguage",
    "MemoryStore",
    "MemoryWriting",
    "Organization",
    "Page",
    "PageRequest",
    "Penalties",
    "PluginError",
    "Post",
    "Problem",
    "Progress",
    "Project",
    "ProjectStore",
    "PublicHead",
    "Quota",
    "Release",
    "ReleaseFile",
    "ReleaseSnapshot",
    "ReleasedLanguage",
    "Revision",
    "Scope",
    "SegmentChange",
    "Segments",
    "Selection",
    "SendError",
    "SettingsError",
    "Severity",
    "SortedRequest",
    "SourceFile",
    "Spot",
    "StatisticsStore",
    "Storage",
    "StorageProvider",
    "StoredFile",
    "StoredGlossary",
    "StoredJob",
    "StoredRelease",
    "StoredToken",
    "StoredTranslation",
    "StoredValue",
    "Subject",
    "Term",
    "TermFilter",
    "TermStore",
    "TermTranslation",
    "TermWrite",
    "Text",
    "TextRow",
    "Texts",
    "Timestamp",
    "Token",
    "Touch",
    "Trace",
    "Traces",
    "Transactions",
    "TranslationMemory",
    "TranslationRow",
    "Transport",
    "TrashedKey",
    "Unauthorized",
    "Unavailable",
    "UnreadableFile",
    "UrlNotAllowed",
    "Usage",
    "User",
    "ValueChange",
    "Wanted",
    "WriteNote",
    "WriteRefusal",
    "WrittenFile",
    "complete_languages",
    "count_words",
    "fold",
    "folded",
    "match_fold",
    "mentioned",
    "shown",
    "spelling",
]
