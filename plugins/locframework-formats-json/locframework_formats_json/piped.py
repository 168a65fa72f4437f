"""JSON formats with plurals in one text: json-vue-i18n and json-laravel."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from msgspec.structs import replace

from locframework.ports import (
    Entry,
    FileOptions,
    JsonDocument,
    PipedPlurals,
    TreePath,
    quoted,
    whole_forms,
)

from .objects import NO_TREE, Leaf
from .plain import RARE_FORMS, PlainJson, Writing, info_of

NO_BARS = "bars in texts of plurals"


class PipedJson(PlainJson):
    """A plural is one text; see PipedPlurals."""

    by_path = False
    plurals: ClassVar[PipedPlurals]

    def leaves_of(self, document: JsonDocument, options: FileOptions) -> list[Leaf]:
        """The texts of the tree, and the plurals among them."""
        code = options.language_code

        def read(leaf: Leaf) -> Leaf:
            known = options.plurals.get(leaf.key)
            if not isinstance(leaf.value, str) or known is False:
                return leaf
            forms = self.plurals.split(leaf.value, code, is_known=bool(known))
            return leaf._replace(value=forms or leaf.value)

        return [read(leaf) for leaf in super().leaves_of(document, options)]

    def plain(self, to: Writing) -> Iterator[Entry]:
        """The entries, each with one text."""
        code = to.catalogue.language_code or to.options.source_language
        old = {e.key: e.value for e in super().leaves_of(to.template, to.options)}
        for entry in to.catalogue.entries:
            text, was = entry.value, old.get(entry.key)
            if isinstance(text, Mapping):
                old_text = was if isinstance(was, str) else ""
                text = text and self.plurals.joined(
                    entry.key, text, code, old_text, to.warnings
                )
            elif text and self.plurals.split(text, code):
                to.warnings.append(
                    f"{quoted(entry.key)} reads as a plural: it has bars"
                )
            yield replace(entry, value=text or None, is_plural=False)


class VuePlurals(PipedPlurals):
    """Plurals that vue-i18n tells apart without a rule of the app, those of languages
    with the forms one and other: ``no cars | {n} car | {n} cars``."""

    between = " | "
    bar = re.compile(r" ?(?<!')\|(?!') ?")  # {'|'} is none
    no_plural = re.compile("(?!)")

    def forms(self, language: str | None) -> Sequence[str]:
        """Return the forms that a text has at least."""
        return whole_forms(language)

    def names(self, language: str | None, count: int) -> Sequence[str]:
        """Return the forms of a text with so many parts; none where it is no plural."""
        whole = whole_forms(language)
        has_zero = count == 3 and whole == ("one", "other")
        found = ("zero", *whole) if has_zero else whole
        return found if len(found) == count and len(whole) < 3 else ()


class VueJson(PipedJson):
    """``{"cart": {"items": "{n} item | {n} items"}}``, as vue-i18n reads it. Linked
    messages (``@:cart.title``) and literals (``{'@'}``) are text."""

    plurals = VuePlurals()
    info = info_of(
        "json-vue-i18n",
        "vue-i18n",
        NO_TREE,
        NO_BARS,
        "plural forms of languages that have others than one and other",
    )


class LaravelJson(PipedJson):
    """``{"Sign in": "Anmelden", "car|cars": "Auto|Autos"}``, as Laravel reads it. Keys
    are source texts, and stand as they are."""

    plurals = PipedPlurals()
    info = info_of("json-laravel", "Laravel", NO_BARS, RARE_FORMS)

    def place_of(self, entry: Entry, separator: str) -> tuple[TreePath, bool]:
        """The whole key."""
        return (entry.key,), False

    def has_to_keep(self, path: TreePath, separator: str) -> bool:
        """Whether the key does not tell where it stands: it does."""
        return False
