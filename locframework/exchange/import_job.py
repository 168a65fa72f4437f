"""Imports texts into a project: small files at once, large ones in steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from locframework.access.records import Caller, Renewed
from locframework.access.service import Access
from locframework.blobs.service import Blobs
from locframework.branches.service import Branches, BranchScope, require_writable
from locframework.errors import (
    ImportConflict,
    PermissionDenied,
    ProjectNotFound,
    Unavailable,
)
from locframework.events import EventLog
from locframework.file_import.imports import KEPT_FOR, ImportState, write_in_steps
from locframework.formats.records import Text
from locframework.formats.service import Formats
from locframework.jobs.records import StoredJob
from locframework.jobs.store import Item
from locframework.jobs.work import Work
from locframework.keys.catalogues import imported_modules
from locframework.keys.records import FileDetail, KeyWrite, StoredKey
from locframework.keys.store import KeyStore, store_of
from locframework.keys.writing.checks import Known
from locframework.keys.writing.trash import KeyTrash, raise_first
from locframework.keys.writing.unit_of_work import UnitOfWork
from locframework.keys.writing.writer import KeyWriter
from locframework.projects.records import Language, NewLanguage, Project
from locframework.projects.rules import new_language
from locframework.projects.service import Languages, scope_of
from locframework.transactions import crash_point

from .collecting import collect
from .decisions import set_decided
from .layouts import LayoutReader, details_to_keep
from .records import (
    Conflict,
    ImportBatch,
    ImportedKey,
    ImportOptions,
    ImportParams,
    ImportResult,
    Rename,
)
from .removals import Removals, Renames
from .rules import (
    LISTED_LIMIT,
    ImportRules,
    KeyPlan,
    SeenTexts,
    count,
    digest,
    is_decided,
    loses_forms,
    plan_key,
    turns_singular,
    warn,
    with_bases,
)
from .uploads import ImportStorage, ImportUpload, UploadChecker

TYPE = "import"
PERMISSION = "import_run"
KEYS_AT_ONCE = 1000  # planned and written together
KEYS_A_STEP = 2000  # other writers wait meanwhile, for less than a second
CHARACTERS_A_STEP = 100_000
"""Of texts. A step with more, of one key or with ``onConflict: fail``, is checked
before its transaction, too, which then looks for nothing again."""
LANGUAGES_OF_A_STEP = 5
"""In a project with more a step has fewer keys: each may have texts in all of them,
or make its translations outdated."""

_NOTHING_REPLACED = "nothing was removed: no file is in the source language"

_decoder = msgspec.msgpack.Decoder(ImportBatch)


class _Task(Struct, frozen=True):
    job: StoredJob
    work: Work
    options: ImportOptions
    batch: ImportBatch
    gone: Mapping[str, dict[str, Text]] = {}
    """What files brought last of keys that are in no file now."""
    of_main: Collection[str] = ()
    """Keys that main's files have, and those that the branch knows do not."""


class _Run(Struct):
    """One transaction of an import, with the project and the rights as they are now."""

    caller: Caller
    scope: BranchScope
    store: KeyStore  # of the scope
    languages: Sequence[Language]
    lacking: Sequence[str]  # of these, the languages that the project does not have yet
    options: ImportOptions
    rules: ImportRules
    result: ImportResult
    removals: Removals
    conflicts: list[Conflict] = field(default_factory=list)
    undecided: list[Conflict] = field(default_factory=list)  # of the conflicts
    renamed: Mapping[str, str] = {}
    """Where nothing is written: the ids of keys by the names that they would get."""
    known: Known | None = None  # what checks have found
    own_keys: Collection[str] = ()  # of own_names of the batch
    modules: Collection[str] = ()  # names of files

    @property
    def project(self) -> Project:
        return self.scope.project

    def is_elsewhere(self, key: str) -> bool:
        """Return whether a file with a module has the key, or ``own_names`` do."""
        module, found, _ = key.partition(self.project.key_separator)
        return key in self.own_keys or bool(found and module in self.modules)


_Planned = tuple[StoredKey | None, ImportedKey, KeyPlan]


@dataclass(eq=False, repr=False)
class ImportJob:
    """The handler of import jobs."""

    type = TYPE

    _storage: ImportStorage
    _access: Access
    _branches: Branches
    _writer: KeyWriter
    _trash: KeyTrash
    _blobs: Blobs
    _events: EventLog
    _renewed: Renewed
    _languages: Languages
    _formats: Formats
    _checker: UploadChecker

    def run(self, job: StoredJob, work: Work) -> None:
        """Import the batch, in steps of up to 2,000 keys; the last ends the job too.

        An import of several steps is checked first, so that what is refused changes
        nothing, unless others change the project between two steps. With ``onConflict:
        fail`` everything is one transaction, whatever its size. A dry run checks the
        same against one moment of the project. Raises ImportConflict, BranchProtected,
        PermissionDenied and the refusals of KeyWriter.
        """
        params = msgspec.convert(job.params, ImportParams)
        options = params.options
        state = ImportState(0, {})
        if job.step is not None:
            state = msgspec.convert(job.step, ImportState)
        task = _Task(job, work, options, self._batch(job, work, params, state))
        task = self._with_files_of_before(task)
        batch = task.batch
        result = ImportResult(options.dry_run, files=batch.sources)
        result.skipped = batch.skipped[:LISTED_LIMIT]
        warn(result, batch.warnings)
        if options.dry_run:
            conflicts = self._check(task, result)
            with work.finish() as outcome:
                outcome.items = msgspec.to_builtins(conflicts)
                outcome.result = msgspec.to_builtins(result)
            return
        languages = len(self._storage.projects.list_languages(job.project_id))
        languages += len(batch.languages)
        size = KEYS_A_STEP * LANGUAGES_OF_A_STEP // max(LANGUAGES_OF_A_STEP, languages)
        size = max(1, size)
        if options.on_conflict == "fail":
            size = max(size, len(batch.keys))
        pairs: Renames = []
        if state.result:
            for key in batch.keys:
                key.base.update(task.gone.get(state.renamed.get(key.name, ""), {}))
        else:
            if len(batch.keys) > size or _characters(batch.keys) > CHARACTERS_A_STEP:
                self._check(task, ImportResult(dry_run=True))
            if options.mode == "replace":
                with self._storage.snapshot():
                    pairs = _list_renames(task, self._begin(task, result))
            state.total = len(batch.keys)
            state.result = msgspec.to_builtins(result)
            state.renamed = {new.name: old.key for old, new in pairs}
        self._write_batch(task, state, size, pairs)

    def _batch(
        self, job: StoredJob, work: Work, params: ImportParams, state: ImportState
    ) -> ImportBatch:
        """Return what was read from the file; a large one is read now, and kept."""
        blob, store = state.batch or (params.blob, params.store)
        content = self._blobs.get(blob, store=store)
        if content is None:
            message = "what was read from the file has been lost; import it again"
            raise Unavailable(message)
        if params.is_checked or state.batch:
            return _decoder.decode(content)
        caller = self._renewed(job.caller)
        project = self._storage.projects.find(job.project_id)
        if caller is None or project is None:
            raise PermissionDenied(PERMISSION)
        scope = self._branches.scope(project, params.options.branch)
        upload = msgspec.msgpack.decode(content, type=ImportUpload)
        content = self._checker.check(caller, scope, upload)
        note = self._blobs.put(content, keep_for=KEPT_FOR)
        state.batch = note.name, note.store
        with work.step() as step:
            step.note = msgspec.to_builtins(state)
        return _decoder.decode(content)

    def _with_files_of_before(self, task: _Task) -> _Task:
        """Set what files brought last, also of keys that are in no file now.

        If another import has ended since the upload, the files are collected again:
        they may have other modules now.
        """
        batch, options = task.batch, task.options
        plurals = {
            (key.file_key or key.name.removeprefix(key.prefix)): key.is_plural
            for key in batch.keys
        }
        with self._storage.snapshot():
            run = self._begin(task, ImportResult(dry_run=True))
            project, store = run.project, run.store
            imported = imported_modules(store, project.id)
            reader = LayoutReader(
                self._formats, store, project, plurals, imported.own_names
            )
            if batch.last_import != imported.job_id:
                files = [
                    file
                    for by_language in batch.layouts.values()
                    for code, layouts in by_language.items()
                    for layout in layouts.files
                    for file in reader.files(layout, code)
                ]
                new = collect(
                    files,
                    store,
                    reader,
                    project,
                    imported,
                    module=options.module,
                    modules=options.modules,
                    seen=batch.seen,
                )
                names = {key.name for key in new.keys}
                problems = set_decided(new.keys, batch.resolutions)
                batch = replace(
                    new,
                    warnings=[*batch.warnings, *(each.message for each in problems)],
                    resolutions=batch.resolutions,
                    left_out=sorted({*batch.left_out, *new.left_out} - names),
                    skipped=batch.skipped,
                    languages=batch.languages,
                )
            gone = reader.bases(batch)
            came, removals = (
                batch.keys,
                Removals(self._storage, run.scope, batch, options.mode),
            )
            batch = removals.without_removed(reader)
            names = {key.name for key in batch.keys}
            gone |= {key.name: key.base for key in came if key.name not in names}
            of_main = removals.only_of_main(reader)
            return replace(task, batch=batch, gone=gone, of_main=of_main)

    def _begin_writing(self, task: _Task, state: ImportState, pairs: Renames) -> _Run:
        """Begin, add the languages that the project lacks, and rename keys first."""
        run = self._begin(task, msgspec.convert(state.result, ImportResult))
        for code in run.lacking:
            self._languages.add_language(run.caller, run.project.id, NewLanguage(code))
        run = self._begin(task, run.result) if run.lacking else run
        if pairs and not state.done:
            self._require(run, "key_update")
            writes = [
                KeyWrite(
                    old.key,
                    key_id=old.id,
                    fields={"key": new.name, "file_key": new.file_key},
                )
                for old, new in pairs
            ]
            self._writer.write(
                run.caller, run.scope, run.languages, writes, origin="import"
            )
        return run

    def _check(self, task: _Task, result: ImportResult) -> list[Conflict]:
        """Do all that the import does but write, and raise what it would raise.

        Return the conflicts.
        """
        batch, options = task.batch, task.options
        with self._storage.snapshot():
            run = self._begin(task, result)
            if options.mode == "replace":
                pairs = _list_renames(task, run)
                run.renamed = {new.name: old.id for old, new in pairs}
            for start in range(0, len(batch.keys), KEYS_AT_ONCE):
                task.work.check_cancelled()
                self._write_keys(run, batch.keys[start : start + KEYS_AT_ONCE])
                if options.dry_run:
                    done = min(start + KEYS_AT_ONCE, len(batch.keys))
                    task.work.report(done, len(batch.keys))
            if options.mode == "replace":
                self._remove_others(run, task.batch)
            _refuse_conflicts(run)
            return run.conflicts

    def _write_batch(
        self, task: _Task, state: ImportState, size: int, pairs: Renames
    ) -> None:
        work, batch, project_id = task.work, task.batch, task.job.project_id

        known: Known = {}  # of this step and the next

        def steps() -> Iterator[Sequence[ImportedKey]]:
            nonlocal known
            start, found = state.done, known
            while start < len(batch.keys):
                keys: Sequence[ImportedKey] = batch.keys[start : start + size]
                if task.options.on_conflict != "fail":
                    keys = _first(keys, CHARACTERS_A_STEP)
                start += len(keys)
                self._writer.prepare_checks(project_id)
                before, found = found, self._check_before(task, keys)
                known = before | found
                yield keys

        def write(keys: Sequence[ImportedKey]) -> Sequence[Item]:
            run = self._begin_writing(task, state, pairs)
            self._write_step(task, run, keys, known)
            state.result = msgspec.to_builtins(run.result)
            items: Sequence[Item] = msgspec.to_builtins(run.conflicts)
            return items

        last = write_in_steps(work, state, steps(), write, "import.after_step")
        self._writer.prepare_checks(project_id)
        with work.finish() as outcome:
            run = self._begin_writing(task, state, pairs)
            self._write_step(task, run, last, known)
            outcome.items = msgspec.to_builtins(run.conflicts)
            details = details_to_keep(run.store, project_id, batch, task.job.job.id)
            run.store.put_details(details)
            work.report(len(batch.keys), len(batch.keys))
            crash_point("import.after_keys")
            if task.options.mode == "replace":
                self._remove_others(run, task.batch)
            _refuse_conflicts(run)
            self._events.append(
                "import.completed",
                organization_id=run.project.organization_id,
                project_id=project_id,
                actor=run.caller.actor,
                items=[{"jobId": task.job.job.id}],
                branch=run.scope.name,
            )
            outcome.result = msgspec.to_builtins(run.result)
            crash_point("import.before_commit")
        crash_point("import.after_commit")

    def _check_before(self, task: _Task, keys: Sequence[ImportedKey]) -> Known:
        """Return what checks find in the texts of a large step, on a snapshot."""
        if _characters(keys) <= CHARACTERS_A_STEP:
            return {}
        with self._storage.snapshot():
            run = self._begin(task, ImportResult(dry_run=True))
            run.known = {}
            for start in range(0, len(keys), KEYS_AT_ONCE):
                task.work.check_cancelled()
                self._write_keys(run, keys[start : start + KEYS_AT_ONCE])
        return run.known

    def _write_step(
        self, task: _Task, run: _Run, keys: Sequence[ImportedKey], known: Known
    ) -> None:
        run.known = known
        for start in range(0, len(keys), KEYS_AT_ONCE):
            task.work.check_cancelled()
            part = keys[start : start + KEYS_AT_ONCE]
            written = self._write_keys(run, part)
            _keep_details(run, part, written)
            if task.options.on_conflict == "fail":  # all in one long transaction
                task.work.report(start + len(part), len(task.batch.keys))
            crash_point("import.after_batch")

    def _begin(self, task: _Task, result: ImportResult) -> _Run:
        """Raises ProjectNotFound, BranchNotFound, BranchNotOpen, BranchProtected,
        PermissionDenied."""
        job, options, batch = task.job, task.options, task.batch
        caller = self._renewed(job.caller)
        if caller is None:
            raise PermissionDenied(PERMISSION)
        project = self._storage.projects.find(job.project_id)
        if project is None:
            raise ProjectNotFound
        scope = self._branches.scope(project, options.branch)
        access_scope = scope_of(project)
        require_writable(scope)
        needed = [PERMISSION]
        if any(key.values or key.source for key in batch.keys):
            needed.append("translation_write")
        if options.mode == "replace":
            needed.append("key_delete")
        for permission in needed:
            self._access.require(caller, permission, access_scope, ProjectNotFound)
        may, source = self._access.may, project.source_language
        languages = self._storage.projects.list_languages(project.id)
        known = {language.language_code for language in languages}
        now = job.job.created_at
        lacking = [code for code in batch.languages if code not in known]
        languages += [  # those that a dry run would add
            new_language(project.id, code, NewLanguage(code), now) for code in lacking
        ]
        return _Run(
            caller=caller,
            scope=scope,
            store=store_of(self._storage, scope),
            languages=languages,
            lacking=lacking,
            options=options,
            rules=ImportRules(
                on_conflict=options.on_conflict,
                tags=tuple(options.tags),
                source_language=source,
                fill_source=self._access.may_write_language(
                    caller, access_scope, source
                ),
                may_describe=may(caller, "key_update", access_scope),
                keep_fresh=options.keep_fresh,
                may_approve=may(caller, "translation_approve", access_scope),
            ),
            result=result,
            removals=Removals(
                self._storage, scope, batch, options.mode, task.gone, task.of_main
            ),
            own_keys={key for own in batch.own_names.values() for key in own.values()},
            modules={*batch.known_modules}.union(
                layout.module
                for by_language in batch.layouts.values()
                for layouts in by_language.values()
                for layout in layouts.files
                if layout.module is not None and not layout.module_is_given
            ),
        )

    def _write_keys(self, run: _Run, keys: Sequence[ImportedKey]) -> UnitOfWork:
        """Plan and write keys, and count them; in a dry run nothing is written."""
        loaded = self._load(run, keys)
        writes: list[KeyWrite] = []
        plans: list[_Planned] = []
        created = run.result.keys_created
        is_counted = run.options.dry_run or not run.result.dry_run
        codes: set[str] = set()
        for new in keys:
            old = loaded.of_file(new.name, new.file_key, new.prefix, run.is_elsewhere)
            if new.name in run.renamed:
                old = loaded.key(run.renamed[new.name])
            is_checked = is_counted or run.known is not None
            if old is None and not is_checked and self._writer.veto is None:
                # nothing else can refuse a new key
                run.result.keys_created += 1
                codes.update(new.values)
                continue
            rows = loaded.values(old.id).values() if old is not None else ()
            plan = plan_key(new, old, rows, run.rules)
            plans.append((old, new, plan))
            if plan.write is not None:
                writes.append(plan.write)
        known = _texts_seen(run, plans)
        for old, new, plan in plans:
            if old is not None and known:
                plan = with_bases(plan, new, old.id, known)
            count(run.result, plan, is_new=old is None)
            run.conflicts += plan.conflicts
            run.undecided += [c for c in plan.conflicts if not is_decided(new, c)]
        if run.result.keys_created > created:
            self._require(run, "key_create")
        for code in codes:
            self._access.require_language(run.caller, scope_of(run.project), code)
        self._writer.write(
            run.caller,
            run.scope,
            run.languages,
            writes,
            origin="import",
            loaded=loaded,
            dry_run=run.result.dry_run,
            known=run.known,
        )
        return loaded

    def _load(self, run: _Run, keys: Sequence[ImportedKey]) -> UnitOfWork:
        """Load the keys with values in the languages that are written; with all values
        where a key may turn plural, or singular, which moves every one."""
        names = [key.name for key in keys]
        file_keys = {key.file_key for key in keys if key.file_key is not None}
        codes = {run.project.source_language}.union(*(key.values for key in keys))
        ids = {run.renamed[name] for name in names if name in run.renamed}
        loaded = self._writer.load(run.scope, ids, names, codes, file_keys=file_keys)
        for key in keys:
            if not (key.is_plural or loses_forms(key, run.rules)):
                continue
            old = loaded.of_file(key.name, key.file_key, key.prefix, run.is_elsewhere)
            if old is None:
                continue
            if not old.is_plural or turns_singular(key, old, run.rules):
                return self._writer.load(run.scope, ids, names, file_keys=file_keys)
        return loaded

    def _remove_others(self, run: _Run, batch: ImportBatch) -> None:
        """Trash the keys that the files of the source language do not name, of their
        modules. They go with all their texts: needs every language."""
        self._require(run, "key_delete")
        for language in run.languages:
            code, access_scope = language.language_code, scope_of(run.project)
            self._access.require_language(run.caller, access_scope, code)
        if not batch.replaced:
            warn(run.result, [_NOTHING_REPLACED])
            return
        renamed = set(run.renamed.values())
        keys = [key for key in run.removals.others() if key.id not in renamed]
        listed = LISTED_LIMIT - len(run.result.removed)
        run.result.removed += [key.key for key in keys[:listed]]
        for others in (keys, run.removals.keys_of_main(keys)):
            run.result.keys_removed += len(others)
            refusals = self._trash.check_trash(
                run.caller, run.scope, others, origin="import"
            )
            raise_first(refusals)
            if not run.result.dry_run:
                self._trash.trash(run.caller, run.scope, others)

    def _require(self, run: _Run, permission: str) -> None:
        if not self._access.may(run.caller, permission, scope_of(run.project)):
            raise PermissionDenied(permission)


def _characters(keys: Iterable[ImportedKey]) -> int:
    """Return how many characters the texts of keys have."""
    texts = (text for key in keys for text in (*key.values.values(), key.source))
    return sum(
        len(text) if isinstance(text, str) else sum(map(len, text.values()))
        for text in texts
        if text
    )


def _first(keys: Sequence[ImportedKey], characters: int) -> Sequence[ImportedKey]:
    """Return the first keys, at least one, that have so many characters at most."""
    sizes = accumulate(_characters([key]) for key in keys)
    count = sum(1 for _ in takewhile(lambda size: size <= characters, sizes))
    return keys[: max(1, count)]


def _list_renames(task: _Task, run: _Run) -> Renames:
    """List the keys that the files renamed; return them, if they are carried over.

    The new key takes the bases of the old one.
    """
    pairs = run.removals.renames()
    renames = [Rename(before.key, after.name) for before, after in pairs]
    run.result.renames += renames[: LISTED_LIMIT - len(run.result.renames)]
    if task.options.renames == "list":
        return []
    for before, after in pairs:
        after.base.update(task.gone.get(before.key, {}))
    return pairs


def _texts_seen(run: _Run, plans: Sequence[_Planned]) -> SeenTexts:
    """Return the texts in the history of keys with conflicts, where the client says
    what it saw last. One statement at most."""
    ids = [old.id for old, new, plan in plans if old and new.seen and plan.conflicts]
    rows = run.store.revisions_of(ids, None) if ids else ()
    return {
        (row.key_id, row.language_code, row.plural_form, digest(row.value)): row.value
        for row in rows
    }


def _refuse_conflicts(run: _Run) -> None:
    """Refuse conflicts as ``onConflict: fail`` asks."""
    found = len(run.undecided)
    if found and run.options.on_conflict == "fail":
        first = run.undecided[0]
        differ = "1 text differs" if found == 1 else f"{found} texts differ"
        message = f"{differ}, first {first.key} in"
        raise ImportConflict(f"{message} {first.language_code}; nothing changed")


def _keep_details(run: _Run, keys: Sequence[ImportedKey], written: UnitOfWork) -> None:
    """Keep what the files have beyond our model, so that an export has it again.

    Details that are kept already are not written.
    """
    new: list[FileDetail] = []
    known: dict[tuple[str, str], list[FileDetail]] = defaultdict(list)
    for key in keys:
        stored = (
            written.of_file(key.name, key.file_key, key.prefix, run.is_elsewhere)
            if key.details
            else None
        )
        if stored is None:
            continue
        for each in key.details:
            family, code = each.family, each.language_code
            detail = FileDetail(
                project_id=run.project.id,
                family=family,
                key_id=stored.id,
                module="",
                language_code=code,
                detail=each.detail,
            )
            if written.edits[stored.id].stored is None:
                new.append(detail)
            else:
                known[family, code].append(detail)
    if new:
        run.store.put_details(new, are_new=True)
    changed: list[FileDetail] = []
    for place, details in known.items():
        ids = [each.key_id for each in details]
        found = run.store.details_of(run.project.id, *place, ids)
        kept = {each.key_id: each for each in found}
        changed += [each for each in details if kept.get(each.key_id) != each]
    if changed:
        run.store.put_details(changed)
