"""What plugins import: every port, its records, its errors, and helpers.

``help(locframework.ports.Format)`` describes one name; docs/reference/ports has all of
them, by kind. A port is a class whose methods a plugin has in a class of its own:

- Format: a file format. It reads a SourceFile into Catalogues of Entry, and writes
  them into a WrittenFile; FormatInfo says what it can do.
- Check: a quality check. It finds a Finding in the texts of a Subject.
- BlobStore: a store for files.
- Matcher: finds similar texts in translation memories. It reads Segments, and gives
  Found with Hits.
- Translator: an engine of machine translation, from a TranslationBatch to Translations.
- Transport: sends webhooks, each a Post, and gives an Answer.
- StorageProvider: opens a Storage, which has a store for each kind of data.

Hooks also get and give these:

- Event, EventType, EventEmitter: what happened, and events of a plugin's own
- Caller, Grant, Scope, Permission: who may do what
- Change (KeyChange, ValueChange), WriteRefusal, WriteNote: deciding about writes
- operation, Raw, RawBody, RequestInfo, Accepted, Wrapped: operations of the API
- PluginJob, Work, PluginServices, PluginData: jobs, data and settings of projects
- Pages: static pages

Errors are LocError and its subclasses, PluginError and SettingsError. Helpers are for
files of text (TextFile, Faults, Block), JSON (parse_json, JsonLayout), XML (XmlFile),
trees (TreeLayout, TreeUpdate), plural rules, and requests to other servers (HttpClient,
EngineServer).
"""

import warnings
from typing import TYPE_CHECKING

from locframework.keys.rules import public_key as public_key

from .access.permissions import Permission as Permission
from .access.records import Caller as Caller
from .access.records import Grant as Grant
from .access.records import Holder as Holder
from .access.records import Member as Member
from .access.records import Membership as Membership
from .access.records import Organization as Organization
from .access.records import Quota as Quota
from .access.records import Scope as Scope
from .access.records import StoredToken as StoredToken
from .access.records import Token as Token
from .access.records import User as User
from .access.store import AccessStore as AccessStore
from .blobs.blob_store import BlobStore as BlobStore
from .blobs.store import BlobIndex as BlobIndex
from .blobs.store import BlobNote as BlobNote
from .branches.records import Branch as Branch
from .branches.records import BranchStatus as BranchStatus
from .branches.store import BranchStore as BranchStore
from .compatibility import PORTS_VERSION as PORTS_VERSION
from .compatibility import RENAMED as _RENAMED
from .delivery.records import Distribution as Distribution
from .delivery.records import PublicHead as PublicHead
from .delivery.records import Release as Release
from .delivery.records import ReleaseFile as ReleaseFile
from .delivery.records import ReleaseSnapshot as ReleaseSnapshot
from .delivery.records import StoredRelease as StoredRelease
from .delivery.records import Usage as Usage
from .delivery.store import DeliveryStore as DeliveryStore
from .errors import LocError as LocError
from .errors import NameExists as NameExists
from .errors import NotFound as NotFound
from .errors import PermissionDenied as PermissionDenied
from .errors import PluginDataFull as PluginDataFull
from .errors import PluginError as PluginError
from .errors import Problem as Problem
from .errors import ProjectNotFound as ProjectNotFound
from .errors import SettingsError as SettingsError
from .errors import Unauthorized as Unauthorized
from .errors import Unavailable as Unavailable
from .errors import UnreadableFile as UnreadableFile
from .errors import UrlNotAllowed as UrlNotAllowed
from .errors import ValidationFailed as ValidationFailed
from .errors import abbreviate as abbreviate
from .errors import truncate as truncate
from .events import Actor as Actor
from .events import Event as Event
from .events import EventFilter as EventFilter
from .events import EventScope as EventScope
from .events import EventStore as EventStore
from .events import Subscribers as Subscribers
from .events import Touch as Touch
from .events import UndoLog as UndoLog
from .fields import Timestamp as Timestamp
from .files.records import StoredFile as StoredFile
from .files.store import FileStore as FileStore
from .formats.archive import unpacked_bytes as unpacked_bytes
from .formats.archive import write_archive as write_archive
from .formats.converting import plural_argument as plural_argument
from .formats.format import Format as Format
from .formats.json_files import Json as Json
from .formats.json_files import JsonDocument as JsonDocument
from .formats.json_files import JsonLayout as JsonLayout
from .formats.json_files import JsonObject as JsonObject
from .formats.json_files import JsonUnreadable as JsonUnreadable
from .formats.json_files import encoded_json as encoded_json
from .formats.json_files import parse_json as parse_json
from .formats.piped_plurals import PipedPlurals as PipedPlurals
from .formats.piped_plurals import fitted_forms as fitted_forms
from .formats.piped_plurals import laravel_forms as laravel_forms
from .formats.piped_plurals import whole_forms as whole_forms
from .formats.placeholders import icu_message as icu_message
from .formats.placeholders import icu_plural as icu_plural
from .formats.plural_forms import NO_PLURAL_RULE as NO_PLURAL_RULE
from .formats.plural_forms import forms_of_rule as forms_of_rule
from .formats.plural_forms import gettext_forms as gettext_forms
from .formats.plural_forms import main_forms as main_forms
from .formats.plural_forms import parse_plural_rule as parse_plural_rule
from .formats.plural_forms import rule_from_cldr as rule_from_cldr
from .formats.plural_forms import rule_instead as rule_instead
from .formats.plural_forms import with_spares as with_spares
from .formats.records import PLURAL_FORMS as PLURAL_FORMS
from .formats.records import Catalogue as Catalogue
from .formats.records import Detail as Detail
from .formats.records import Entry as Entry
from .formats.records import FileOptions as FileOptions
from .formats.records import FormatInfo as FormatInfo
from .formats.records import SourceFile as SourceFile
from .formats.records import Text as Text
from .formats.records import WrittenFile as WrittenFile
from .formats.text_files import Block as Block
from .formats.text_files import Faults as Faults
from .formats.text_files import TextFile as TextFile
from .formats.text_files import fill_template as fill_template
from .formats.text_files import fill_texts as fill_texts
from .formats.text_files import one_text as one_text
from .formats.text_files import quoted as quoted
from .formats.text_files import unreadable as unreadable
from .formats.tree_files import HIDDEN as HIDDEN
from .formats.tree_files import MOST_POSITIONS as MOST_POSITIONS
from .formats.tree_files import TREE_DEPTH as TREE_DEPTH
from .formats.tree_files import TreeContainer as TreeContainer
from .formats.tree_files import TreeFile as TreeFile
from .formats.tree_files import TreeItem as TreeItem
from .formats.tree_files import TreeLayout as TreeLayout
from .formats.tree_files import TreePath as TreePath
from .formats.tree_files import TreeValue as TreeValue
from .formats.tree_files import is_forbidden as is_forbidden
from .formats.tree_files import tree_position as tree_position
from .formats.tree_updates import PLAIN_PART as PLAIN_PART
from .formats.tree_updates import TREE_PATH as TREE_PATH
from .formats.tree_updates import TreeUpdate as TreeUpdate
from .formats.tree_updates import has_to_keep_path as has_to_keep_path
from .formats.tree_updates import in_order as in_order
from .formats.tree_updates import kept_in as kept_in
from .formats.tree_updates import known_path as known_path
from .formats.tree_updates import tree_entries as tree_entries
from .formats.tree_updates import tree_key as tree_key
from .formats.tree_updates import tree_place as tree_place
from .formats.tree_updates import with_other as with_other
from .formats.xml_files import NOT_XML as NOT_XML
from .formats.xml_files import Edit as Edit
from .formats.xml_files import XmlElement as XmlElement
from .formats.xml_files import XmlFile as XmlFile
from .formats.xml_files import with_xml_attribute as with_xml_attribute
from .formats.xml_files import xml_attribute as xml_attribute
from .formats.xml_files import xml_text as xml_text
from .glossaries.records import Glossary as Glossary
from .glossaries.records import StoredGlossary as StoredGlossary
from .glossaries.records import Term as Term
from .glossaries.records import TermQuery as TermQuery
from .glossaries.records import TermWrite as TermWrite
from .glossaries.store import GlossaryStore as GlossaryStore
from .glossaries.store import TermStore as TermStore
from .glossaries.terms import spelling as spelling
from .http.idempotency import IdempotencyStore as IdempotencyStore
from .http.idempotency import StoredPost as StoredPost
from .http.operation import RawResponse as RawResponse
from .http.operation import operation as operation
from .http.pages import Pages as Pages
from .http.records import Accepted as Accepted
from .http.records import BranchQuery as BranchQuery
from .http.records import Deleted as Deleted
from .http.records import Prepared as Prepared
from .http.records import Raw as Raw
from .http.records import RawBody as RawBody
from .http.records import RequestInfo as RequestInfo
from .http.records import Upload as Upload
from .http.records import UploadedFile as UploadedFile
from .http.records import Wrapped as Wrapped
from .http.responses import Link as Link
from .jobs.records import Job as Job
from .jobs.records import JobAnswer as JobAnswer
from .jobs.records import JobError as JobError
from .jobs.records import JobFilter as JobFilter
from .jobs.records import JobQueue as JobQueue
from .jobs.records import Progress as Progress
from .jobs.records import QueueDepth as QueueDepth
from .jobs.records import Queues as Queues
from .jobs.records import StoredJob as StoredJob
from .jobs.store import JobStore as JobStore
from .jobs.store import last_lease_end as last_lease_end
from .jobs.work import Cancelled as Cancelled
from .jobs.work import Work as Work
from .keys.changes import Change as Change
from .keys.changes import KeyChange as KeyChange
from .keys.changes import ValueChange as ValueChange
from .keys.changes import WriteNote as WriteNote
from .keys.changes import WriteRefusal as WriteRefusal
from .keys.records import BranchKey as BranchKey
from .keys.records import Dismissal as Dismissal
from .keys.records import FileDetail as FileDetail
from .keys.records import FindingFilter as FindingFilter
from .keys.records import Key as Key
from .keys.records import KeyFields as KeyFields
from .keys.records import KeyFilter as KeyFilter
from .keys.records import KeyFinding as KeyFinding
from .keys.records import KeyLanguage as KeyLanguage
from .keys.records import KeyState as KeyState
from .keys.records import KeyValue as KeyValue
from .keys.records import Revision as Revision
from .keys.records import Selection as Selection
from .keys.records import StoredKey as StoredKey
from .keys.records import StoredState as StoredState
from .keys.records import StoredValue as StoredValue
from .keys.records import TextRow as TextRow
from .keys.records import TrashedKey as TrashedKey
from .keys.rules import ROOT_MODULE as ROOT_MODULE
from .keys.rules import is_legal_key as is_legal_key
from .keys.rules import legal_key as legal_key
from .keys.rules import outdated as outdated
from .keys.store import BranchKeyStore as BranchKeyStore
from .keys.store import KeyStore as KeyStore
from .languages import common_plural_forms as common_plural_forms
from .languages import count_words as count_words
from .languages import fold as fold
from .languages import folded as folded
from .languages import locale_tag as locale_tag
from .languages import looks_like_word as looks_like_word
from .languages import match_language as match_language
from .listeners import Claimed as Claimed
from .listeners import ListenerState as ListenerState
from .listeners import ListenerStore as ListenerStore
from .machine_translation.messages import Piece as Piece
from .machine_translation.server import EngineServer as EngineServer
from .machine_translation.server import EngineSettings as EngineSettings
from .machine_translation.server import Price as Price
from .machine_translation.server import ServerRefused as ServerRefused
from .machine_translation.server import pieces_of as pieces_of
from .machine_translation.server import refusal as refusal
from .machine_translation.translator import Context as Context
from .machine_translation.translator import MatchHint as MatchHint
from .machine_translation.translator import Refused as Refused
from .machine_translation.translator import TermHint as TermHint
from .machine_translation.translator import Translated as Translated
from .machine_translation.translator import TranslationBatch as TranslationBatch
from .machine_translation.translator import TranslationItem as TranslationItem
from .machine_translation.translator import Translations as Translations
from .machine_translation.translator import Translator as Translator
from .machine_translation.translator import TranslatorFailed as TranslatorFailed
from .machine_translation.translator import TranslatorInfo as TranslatorInfo
from .machine_translation.usage import AiUsage as AiUsage
from .machine_translation.usage import AiUsageStore as AiUsageStore
from .machine_translation.usage import add_up as add_up
from .memories.matching.port import Forgotten as Forgotten
from .memories.matching.port import Found as Found
from .memories.matching.port import Hit as Hit
from .memories.matching.port import Matcher as Matcher
from .memories.matching.port import MemoryTextStore as MemoryTextStore
from .memories.matching.port import SegmentChange as SegmentChange
from .memories.matching.port import Segments as Segments
from .memories.matching.port import Wanted as Wanted
from .memories.matching.records import Concordance as Concordance
from .memories.matching.records import ConcordanceItem as ConcordanceItem
from .memories.matching.records import FoundTranslation as FoundTranslation
from .memories.matching.records import MatchSource as MatchSource
from .memories.matching.records import MatchValue as MatchValue
from .memories.matching.scoring import cut_punctuation as cut_punctuation
from .memories.matching.scoring import match_fold as match_fold
from .memories.records import AssignedMemory as AssignedMemory
from .memories.records import Assignment as Assignment
from .memories.records import EntryQuery as EntryQuery
from .memories.records import KeyLink as KeyLink
from .memories.records import MemoryEntry as MemoryEntry
from .memories.records import MemoryLanguage as MemoryLanguage
from .memories.records import MemoryWriting as MemoryWriting
from .memories.records import Penalties as Penalties
from .memories.records import StoredMemory as StoredMemory
from .memories.records import StoredTranslation as StoredTranslation
from .memories.records import Texts as Texts
from .memories.records import TranslationMemory as TranslationMemory
from .memories.store import MemoryStore as MemoryStore
from .outgoing.channel import Lookup as Lookup
from .outgoing.channel import warn_once as warn_once
from .outgoing.client import HttpAnswer as HttpAnswer
from .outgoing.client import HttpClient as HttpClient
from .outgoing.client import HttpRequest as HttpRequest
from .outgoing.client import OutgoingSettings as OutgoingSettings
from .outgoing.client import SendError as SendError
from .pagination import TOTAL_LIMIT as TOTAL_LIMIT
from .pagination import BoundedList as BoundedList
from .pagination import Page as Page
from .pagination import PageRequest as PageRequest
from .pagination import Position as Position
from .pagination import SortedRequest as SortedRequest
from .plugin_services.data import PluginData as PluginData
from .plugin_services.records import PluginJob as PluginJob
from .plugin_services.records import Secret as Secret
from .plugin_services.records import StoredItem as StoredItem
from .plugin_services.service import PluginServices as PluginServices
from .plugin_services.store import PluginEntry as PluginEntry
from .plugin_services.store import PluginStore as PluginStore
from .processes import ProcessStore as ProcessStore
from .processes import ServingProcess as ServingProcess
from .projects.records import AiSettings as AiSettings
from .projects.records import Language as Language
from .projects.records import Project as Project
from .projects.records import Severity as Severity
from .projects.store import ProjectStore as ProjectStore
from .proposals.records import TermTranslation as TermTranslation
from .quality.check import Check as Check
from .quality.check import Finding as Finding
from .quality.check import Subject as Subject
from .settings import Settings as Settings
from .statistics.records import LanguageCounts as LanguageCounts
from .statistics.records import LineCounts as LineCounts
from .statistics.records import complete_languages as complete_languages
from .statistics.store import StatisticsStore as StatisticsStore
from .storage import Due as Due
from .storage import Need as Need
from .storage import Purgeable as Purgeable
from .storage import Storage as Storage
from .storage import StorageProvider as StorageProvider
from .transactions import Repository as Repository
from .transactions import Transactions as Transactions
from .webhooks.plugin_events import EventEmitter as EventEmitter
from .webhooks.records import KEPT_BYTES as KEPT_BYTES
from .webhooks.records import Answer as Answer
from .webhooks.records import AttemptOutcome as AttemptOutcome
from .webhooks.records import ClaimedDelivery as ClaimedDelivery
from .webhooks.records import Delivery as Delivery
from .webhooks.records import DeliveryAttempt as DeliveryAttempt
from .webhooks.records import DeliveryFilter as DeliveryFilter
from .webhooks.records import EventType as EventType
from .webhooks.records import NewDelivery as NewDelivery
from .webhooks.records import Post as Post
from .webhooks.records import SealedSecret as SealedSecret
from .webhooks.records import StoredWebhook as StoredWebhook
from .webhooks.records import WaitingWebhook as WaitingWebhook
from .webhooks.records import Webhook as Webhook
from .webhooks.records import WebhookHealth as WebhookHealth
from .webhooks.store import WebhookStore as WebhookStore
from .webhooks.transport import Transport as Transport

if not TYPE_CHECKING:  # or every misspelt name would pass

    def __getattr__(name: str) -> object:
        """Give what has a new name by its old one, with a warning."""
        if name not in _RENAMED:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        new = _RENAMED[name]
        reason = f"locframework.ports.{name} is deprecated: its name is now {new}"
        warnings.warn(reason, DeprecationWarning, stacklevel=2)
        return globals()[new]
