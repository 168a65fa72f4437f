"""Rules: texts are written, judged, brought back, imported and published."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule

from locframework import OPERATOR
from locframework.delivery.records import NewDistribution, NewRelease
from locframework.errors import NothingPending, ValidationFailed
from locframework.exchange.records import ImportOptions
from locframework.formats.records import SourceFile
from locframework.keys.records import Approval, KeyQuery, NewValue, Rejection
from locframework.keys.revisions import Reversion

from .lines import MAIN
from .people import People, everyone, files, forms, languages, lines, some, texts
from .texts import OTHER, Fields, Text


class Writing(People):
    """What people do to texts."""

    @rule(
        line=lines,
        which=some,
        lang=languages,
        text=texts,
        forms=forms,
        by=everyone,
        fresh=everyone,
    )
    def write(
        self,
        line: str | None,
        which: int,
        lang: str,
        text: str,
        forms: dict[str, str],
        by: bool,
        fresh: bool,
    ) -> None:
        id_ = self.pick(line, which)
        if id_ is None:
            return
        fresh &= by  # a proposal may be one of several that must all say so
        plural = self.model.seen(line)[id_]["isPlural"]
        caller = self.office.approver if by else self.office.translator
        with self.told(line):
            given = forms if plural else {OTHER: text}
            written = self.model.write(
                line,
                id_,
                {(lang, form): one for form, one in given.items()},
                approver=by,
                keeps_fresh=fresh,
            )
            self.note(id_, written, plural=plural)
            new = NewValue(dict(forms) if plural else text, keep_fresh=fresh)
            self.framework.keys.set_value(
                caller, self.project_id, id_, lang, new, branch=line
            )

    @rule(line=lines, which=some, lang=languages, approves=st.booleans())
    def judge(self, line: str | None, which: int, lang: str, approves: bool) -> None:
        id_ = self.pick(line, which)
        if id_ is not None:
            self.judge_one(line, id_, lang, approves=approves)

    @rule(line=lines, which=some)
    def find_right(self, line: str | None, which: int) -> None:
        """Approve one of the texts that are outdated."""
        if line not in (MAIN, *self.model.branches):
            return
        seen = self.model.seen(line)
        stale = sorted(
            (fields["key"], id_, *place)
            for id_, fields in seen.items()
            for place in self.model.stale(line, id_)
        )
        if stale:
            _, id_, lang, _ = stale[which % len(stale)]
            self.judge_one(line, id_, lang, approves=True)

    def judge_one(
        self, line: str | None, id_: str, lang: str, *, approves: bool
    ) -> None:
        model = copy.deepcopy(self.model)
        changed = model.judge(line, id_, lang, approves=approves)
        keys, body = self.framework.review, Approval() if approves else Rejection()
        act: Any = keys.approve if approves else keys.reject

        def judge() -> None:
            act(self.office.approver, self.project_id, id_, lang, body, branch=line)

        if not changed:
            with pytest.raises(NothingPending):
                judge()
            return
        verdict = "approved" if approves else "rejected"
        with self.told(line, verdict):
            plural = self.model.seen(line)[id_]["isPlural"]
            self.note(id_, changed, plural=plural)
            self.model = model
            judge()
            if not approves and id_ in model.seen(
                line
            ):  # outdated as it was when it was approved
                stale = self.model.stale(line, id_) - {*changed}
                stale |= self.shown_outdated(line, id_) & {*changed}
                self.model.mark_again(line, id_, stale)

    @rule(line=lines, which=some, lang=languages, back=some)
    def revert(self, line: str | None, which: int, lang: str, back: int) -> None:
        """To any revision that the history lists: the text is written again."""
        id_ = self.pick(line, which)
        if id_ is None:
            return
        history = self.history(line, id_, lang)
        if not history:
            return
        meant = history[back % len(history)]
        plural = self.model.seen(line)[id_]["isPlural"]
        form = meant.plural_form or OTHER
        forms = {
            each.plural_form for each in history if each.revision == meant.revision
        }
        asked = Reversion(meant.revision, meant.plural_form)

        def revert() -> None:
            self.framework.history.revert(
                self.office.approver, self.project_id, id_, lang, asked, branch=line
            )

        is_unclear = meant.plural_form is None and len(forms) > 1
        if is_unclear or (form != OTHER and not plural):
            with pytest.raises(ValidationFailed):
                revert()
            return
        with self.told(line):
            written = self.model.write(
                line, id_, {(lang, form): meant.value}, approver=True
            )
            self.note(id_, written, plural=plural)
            revert()

    @rule(line=lines, lang=languages, keep=st.booleans(), content=files)
    def import_file(
        self, line: str | None, lang: str, keep: bool, content: dict[str, str]
    ) -> None:
        if line not in (MAIN, *self.model.branches):
            return
        with self.told(line):
            written = [
                self.model_import(line, lang, name, text, keep=keep)
                for name, text in content.items()
            ]
            self.model.settle_together(line, filter(None, written))
            file = SourceFile(f"{lang}.json", json.dumps(content).encode())
            options = ImportOptions(
                format="json-flat",
                language_code=lang,
                on_conflict="keep" if keep else "overwrite",
                branch=line,
            )
            imports, jobs = self.framework.imports, self.framework.jobs
            caller = self.office.approver
            job = imports.start_import(caller, self.project_id, file, options)
            self.framework.runner.run_until_idle()
            job = jobs.get_job(caller, self.project_id, job.id)
            assert job.status == "succeeded", job
            for name in content:  # keys that the import made are the model's by now
                self.adopt(line, name)

    def model_import(
        self, line: str | None, lang: str, name: str, text: str, *, keep: bool
    ) -> str | None:
        """The id of a key that was there and is written."""
        id_ = self.model.named(line, name)
        if id_ is None:
            fields: Fields = {"key": name, "description": "", "tags": ()}
            fields |= {"isPlural": False, (lang, OTHER): Text(text, "approved", text)}
            self.model.create(line, f"new {name}", fields)
            return None
        there = self.model.seen(line)[id_].get((lang, OTHER))
        if keep and there is not None and there.value != text:
            return None
        written = self.model.write(line, id_, {(lang, OTHER): text}, approver=True)
        self.note(id_, written, plural=False)
        return id_ if written else None

    def adopt(self, line: str | None, name: str) -> None:
        """Give a key that an import made the id that it has."""
        if f"new {name}" not in self.model.seen(line):
            return
        query = KeyQuery(branch=line, prefix=name)
        listed = self.framework.keys.list_keys(OPERATOR, self.project_id, query)
        [made] = [key.id for key in listed.items if key.key == name]
        self.model.rename_id(line, f"new {name}", made)

    @rule()
    def publish(self) -> None:
        """What the public reads afterwards is what was approved on main."""
        framework, project_id = self.framework, self.project_id
        if not self.distribution:
            new = NewDistribution("Web", "json-flat")
            made = framework.distributions.create_distribution(
                OPERATOR, project_id, new
            )
            self.distribution, self.public_key = made.id, made.public_key
        framework.runner.run_until_idle()
        framework.releases.create_release(
            OPERATOR, project_id, self.distribution, NewRelease()
        )
        framework.runner.run_until_idle()
        content, key = framework.content, self.public_key
        manifest = content.read_manifest(key, "https://x/api/v1", None)
        for file in json.loads(manifest.content)["files"]:
            blob = content.read_file(key, file["url"].rpartition("/")[2], None)
            assert len(blob.content) == file["byteSize"]
            self.check_file(file["language"], blob.content)
