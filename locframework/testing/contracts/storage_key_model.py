"""Keys of a project in plain dictionaries: what the key store must agree with."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from locframework.keys.outdated import outdated
from locframework.keys.records import KeyFilter, KeyLanguage, StoredKey, StoredValue
from locframework.languages import fold

Place = tuple[str, str | None]  # language, plural form


class KeyModel:
    """Does what the key store promises, the slow and plain way."""

    def __init__(self, *languages: str) -> None:
        self.languages = list(languages)
        self.keys: dict[str, StoredKey] = {}
        self.trash: dict[str, StoredKey] = {}
        self.values: dict[str, dict[Place, StoredValue]] = {}
        self.found: dict[KeyLanguage, set[str]] = {}  # names of checks

    def add(self, key: StoredKey, values: list[StoredValue]) -> None:
        self.keys[key.id] = key
        self.values[key.id] = {}
        for value in values:
            self.put(value)

    def put(self, value: StoredValue) -> None:
        place = (value.language_code, value.plural_form)
        self.values[value.key_id][place] = value

    def remove(self, value: StoredValue) -> None:
        self.values[value.key_id].pop((value.language_code, value.plural_form), None)

    def outdate(self, key_id: str, source: str) -> None:
        for value in list(self.values[key_id].values()):
            if value.language_code != source and not value.is_outdated:
                self.put(outdated(value))

    def throw_away(self, key_id: str) -> None:
        self.trash[key_id] = self.keys.pop(key_id)
        self._forget(lambda spot: spot[0] == key_id)

    def restore(self, key_id: str, at: str) -> None:
        self.keys[key_id] = replace(self.trash.pop(key_id), updated_at=at)

    def remove_language(self, language_code: str) -> None:
        self.languages.remove(language_code)
        self._forget(lambda spot: spot[1] == language_code)
        for values in self.values.values():
            for place in [place for place in values if place[0] == language_code]:
                del values[place]

    def listed(self, where: KeyFilter, sort: str) -> list[StoredKey]:
        """Every key that meets the filter, in order."""
        found = [key for key in self.keys.values() if self._meets(key, where)]
        orders = {
            "key": lambda key: (key.key, ""),
            "createdAt": lambda key: (key.created_at, key.id),
            "updatedAt": lambda key: (key.updated_at, key.id),
        }
        order = orders[sort.removeprefix("-")]
        return sorted(found, key=order, reverse=sort.startswith("-"))

    def _meets(self, key: StoredKey, where: KeyFilter) -> bool:
        return (
            not where.nothing
            and key.key.startswith(where.prefix or "")
            and set(where.tags) <= set(key.tags)
            and where.is_plural in (None, key.is_plural)
            and key.updated_at >= (where.updated_since or "")
            and self._meets_state(key, where)
            and where.has_issues in (None, self._has_issues(key, where))
            and (where.search is None or self._holds(key, where.search))
        )

    def _meets_state(self, key: StoredKey, where: KeyFilter) -> bool:
        mine = [
            value
            for value in self.values[key.id].values()
            if value.language_code in self._asked(where)
        ]
        if where.status == "untranslated":
            there = {value.language_code for value in mine}
            return not where.is_outdated and there != set(self._asked(where))
        meant = [value for value in mine if where.status in (None, value.status)]
        if where.status is not None and not meant:
            return False
        is_outdated = any(value.is_outdated for value in meant)
        return where.is_outdated in (None, is_outdated)

    def _has_issues(self, key: StoredKey, where: KeyFilter) -> bool:
        return any(
            self.found.get((key.id, code), set()) & set(where.checks)
            for code in self._asked(where)
        )

    def _forget(self, goes: Callable[[KeyLanguage], bool]) -> None:
        self.found = {at: each for at, each in self.found.items() if not goes(at)}

    def _asked(self, where: KeyFilter) -> list[str]:
        return [where.language_code] if where.language_code else self.languages

    def _holds(self, key: StoredKey, search: str) -> bool:
        return any(search in fold(text) for text in self._texts(key))

    def _texts(self, key: StoredKey) -> Iterator[str]:
        yield key.key
        yield key.description
        for value in self.values[key.id].values():
            yield value.value
