"""What one can do with the target languages of a translation memory."""

from time import monotonic

from locframework.access.records import Caller
from locframework.errors import LanguageExists, LanguageNotFound
from locframework.jobs.work import pause_after
from locframework.languages import tag_from_path
from locframework.pagination import Page, PageRequest
from locframework.transactions import Transactions, crash_point
from locframework.validation import check_record

from .learn_job import Relearning
from .records import KeptMemory, MemoryLanguage, NewMemoryLanguage
from .rules import in_order, new_language
from .service import Memories
from .store import MemoryStore

ENTRIES_A_STEP = 2000  # whose translations are removed


class MemoryLanguages:
    """The languages that entries of a memory can be translated into."""

    def __init__(
        self,
        store: MemoryStore,
        transactions: Transactions,
        memories: Memories,
        relearning: Relearning,
    ) -> None:
        self._relearning = relearning
        self._store = store
        self._transactions = transactions
        self._memories = memories

    def list_languages(
        self, caller: Caller, tm_id: str, page: PageRequest
    ) -> Page[MemoryLanguage]:
        """As they were added, or as a MemoryLanguageQuery asks. Raises TmNotFound."""
        kept = self._memories.require(caller, "tm_read", tm_id)
        check_record(page, "query")
        found = in_order(self._store.list_languages(kept.memory.id), page)
        part = found[page.offset : page.offset + page.limit]
        return Page(part, len(found), page.page, page.limit)

    def add_language(
        self, caller: Caller, tm_id: str, new: NewMemoryLanguage
    ) -> MemoryLanguage:
        """Add a target language (service.md, add a TM language).

        Raises TmNotFound, ValidationFailed; LanguageExists also for the source
        language, which is none of the targets.
        """
        kept = self._memories.require(caller, "tm_manage", tm_id)
        check_record(new)
        language = new_language(kept.memory, new)
        with self._transactions.transaction():
            self._memories.begin(kept.memory.id)
            self._require_new(kept, language.language_code)
            self._store.add_languages([language])
            self._relearn(kept)
        return language

    def remove_language(self, caller: Caller, tm_id: str, lang: str) -> MemoryLanguage:
        """Remove a language with its translations, and learned entries without others.

        In steps, so that other writers have their turn: the translations of 2,000
        entries each, and the language with the last of them. Who is cut off before
        that has the language still, and asks again. Raises TmNotFound,
        LanguageNotFound.
        """
        kept = self._memories.require(caller, "tm_manage", tm_id)
        done: int | None = 0
        while done is not None:
            begun = monotonic()
            with self._transactions.transaction():
                writing = self._memories.begin(kept.memory.id)
                gone = self._find(kept, lang)
                tag = gone.language_code
                done = self._store.delete_language(writing, tag, done, ENTRIES_A_STEP)
            if done is not None:
                crash_point("tm_language.after_step")
                pause_after(begun)
        return gone

    def _relearn(self, kept: KeptMemory) -> None:
        """Projects may say something in the new language already."""
        for project_id in self._store.projects_of(kept.memory.id):
            self._relearning.start_again(project_id, kept.memory.id)

    def _require_new(self, kept: KeptMemory, tag: str) -> None:
        if tag == kept.memory.source_language:
            raise LanguageExists(f"{tag} is the memory's source language")
        there = self._store.list_languages(kept.memory.id)
        if any(language.language_code == tag for language in there):
            raise LanguageExists(f"the memory has the language {tag} already")

    def _find(self, kept: KeptMemory, lang: str) -> MemoryLanguage:
        tag = tag_from_path(lang)
        for language in self._store.list_languages(kept.memory.id):
            if language.language_code == tag:
                return language
        raise LanguageNotFound
