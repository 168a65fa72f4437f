"""Rules: keys are made, named, described, turned, deleted and restored; languages."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule

from locframework import OPERATOR
from locframework.errors import KeyExists, KeyNotFound
from locframework.keys.records import Key, KeyChanges, NewKey
from locframework.projects.records import NewLanguage

from .lines import MAIN
from .office import LANGUAGES
from .past import come_back
from .people import PLURAL, People, everyone, lines, some, some_name, tags, texts
from .texts import OTHER, Fields, Text, places, spelled, spread


class Making(People):
    """What people do to keys."""

    @rule(line=lines, name=some_name, tags=tags, text=texts, other=texts, many=everyone)
    def create(
        self,
        line: str | None,
        name: str,
        tags: tuple[str, ...],
        text: str,
        other: str,
        many: bool = True,
    ) -> None:
        if line not in (MAIN, *self.model.branches):
            return
        plural = many and name in PLURAL
        given: dict[str, Any] = {"en": text, "de": other}
        if plural:
            given = {"en": {"one": text, "other": text}, "de": {"other": other}}
        new = NewKey(name, tags=list(tags), is_plural=plural, values=given)

        def create() -> Key:
            keys = self.framework.keys
            return keys.create_key(
                self.office.approver, self.project_id, new, branch=line
            )

        if self.model.named(line, name) is not None:
            with pytest.raises(KeyExists):
                create()
            return
        with self.told(line):
            fields: Fields = {"key": name, "description": "", "tags": tags}
            fields["isPlural"] = plural
            for code, value in given.items():
                by_form = value if plural else {OTHER: value}
                for form, one in by_form.items():
                    if one:
                        fields[code, form] = Text(one, "approved", one)
            self.model.create(line, create().id, fields)

    @rule(line=lines, which=some)
    def turn(self, line: str | None, which: int) -> None:
        """Turn the plurals of a key on or off."""
        id_ = self.pick(line, which, PLURAL)
        if id_ is None:
            return
        with self.told(line):
            old = copy.deepcopy(self.model.seen(line)[id_])
            plural = not old["isPlural"]
            moved = {*spread(old)}
            moved |= {
                spelled(place, plural)
                for place in places(old)
                if plural or place[1] == OTHER
            }
            self.turned = {id_: moved}
            self.model.turn(line, id_, plural)
            self.update(line, id_, KeyChanges(is_plural=plural))

    @rule(line=lines, which=some, name=some_name)
    def rename(self, line: str | None, which: int, name: str) -> None:
        id_ = self.pick(line, which)
        if id_ is None:
            return
        if (self.model.seen(line)[id_]["key"] in PLURAL) != (name in PLURAL):
            return
        if self.model.named(line, name) not in (None, id_):
            with pytest.raises(KeyExists):
                self.update(line, id_, KeyChanges(key=name))
            return
        with self.told(line):
            if self.model.seen(line)[id_]["key"] != name:
                self.described = {id_}
                self.model.update(line, id_, {"key": name})
            self.update(line, id_, KeyChanges(key=name))

    @rule(line=lines, which=some, description=texts, tags=tags)
    def describe(
        self, line: str | None, which: int, description: str, tags: tuple[str, ...]
    ) -> None:
        id_ = self.pick(line, which)
        if id_ is None:
            return
        with self.told(line):
            fields = {"description": description, "tags": tags}
            old = self.model.seen(line)[id_]
            if any(old[field] != new for field, new in fields.items()):
                self.described = {id_}
                self.model.update(line, id_, fields)
            changes = KeyChanges(description=description, tags=list(tags))
            self.update(line, id_, changes)

    @rule(line=lines, which=some)
    def delete(self, line: str | None, which: int) -> None:
        id_ = self.pick(line, which)
        if id_ is None:
            return
        with self.told(line):
            self.model.delete(line, id_)
            self.framework.keys.delete_key(
                self.office.approver, self.project_id, id_, branch=line
            )

    @rule(line=lines, which=some)
    def restore(self, line: str | None, which: int) -> None:
        if line not in (MAIN, *self.model.branches):
            return
        trashed = self.model.trashed(line)
        if not trashed:
            return
        id_ = sorted(trashed)[which % len(trashed)]

        def restore() -> None:
            keys = self.framework.keys
            keys.restore_key(self.office.approver, self.project_id, id_, branch=line)

        if self.model.named(line, trashed[id_]["key"]) is not None:
            with pytest.raises(KeyExists):
                restore()
            return
        after = copy.deepcopy(self.model)
        after.restore(line, [id_])
        if id_ not in after.seen(line):  # main deleted it, and it says the same
            with pytest.raises(KeyNotFound):
                restore()
            return
        with self.told(line):
            self.model = after
            self.back = {id_: come_back(after, line, id_)}
            restore()

    @rule(lang=st.sampled_from(LANGUAGES[1:]))
    def change_language(self, lang: str) -> None:
        """It leaves with its texts, and comes back without."""
        languages = self.framework.languages
        languages.remove_language(OPERATOR, self.project_id, lang)
        languages.add_language(OPERATOR, self.project_id, NewLanguage(lang))
        self.languages = [code for code in self.languages if code != lang] + [lang]
        self.model.forget(lang)
        self.past.forget_language(lang)
        self.past.lose(self.model.branches)
        for line in (MAIN, *self.model.branches):
            self.check(line)
        for name in self.model.branches:
            self.check_diff(name)
