"""Puts the services of the area together: what Framework has of it."""

from locframework.access.linked import LinkedAccess
from locframework.access.records import Renewed
from locframework.access.service import Access
from locframework.blobs.service import Blobs
from locframework.events import EventLog
from locframework.fields import Clock
from locframework.jobs.service import Jobs
from locframework.projects.service import Projects

from .files import GlossaryFiles
from .import_judging import ImportJudge
from .matches import GlossaryMatches
from .service import Glossaries
from .store import GlossaryStorage
from .term_import import GlossaryImportJob
from .terminologies import Terminologies
from .terms import Terms
from .translations import TermTranslations


class GlossaryArea:
    """The services of glossaries, over one storage."""

    def __init__(
        self,
        storage: GlossaryStorage,
        access: Access,
        linked: LinkedAccess,
        projects: Projects,
        blobs: Blobs,
        jobs: Jobs,
        events: EventLog,
        clock: Clock,
        renewed: Renewed,
    ) -> None:
        glossaries = Glossaries(storage, access, linked, projects, events, clock)
        self.glossaries = glossaries
        self.terms = Terms(storage, glossaries, linked, events, clock)
        self.translations = TermTranslations(
            storage, glossaries, self.terms, linked, events, clock
        )
        self.terminologies = Terminologies(storage)
        self.matches = GlossaryMatches(storage, projects, self.terminologies)
        judge = ImportJudge(storage, linked, blobs)
        self.files = GlossaryFiles(storage, linked, glossaries, judge, blobs, jobs)
        self.import_job = GlossaryImportJob(
            storage, linked, self.terms, judge, blobs, events, clock, renewed
        )
