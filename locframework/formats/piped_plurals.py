"""Plurals in one text, with bars between their forms: ``car|cars``."""

import re
from collections.abc import Iterable, Mapping, Sequence

from locframework.languages import common_plural_forms

from .records import PLURAL_FORMS
from .text_files import quoted

_LARAVEL = """af am ar be bg bn bs ca cs da de el en eo es et eu fa fi fo fr fur fy
gl gu ha hi hr hu hy is it ku lb ln lt mg mk ml mn mr nb ne nl nn no nso om or pa pap pl
ps pt ro ru sk sl so sq sr sv sw ta te ti tk uk ur wa zu"""  # with CLDR's forms there


def whole_forms(language: str | None) -> tuple[str, ...]:
    """Return the forms that whole numbers take in a language, in CLDR's order; none
    for an unknown language."""
    common = common_plural_forms(language) if language else ()
    return tuple(form for form in PLURAL_FORMS if form in common)


def laravel_forms(language: str | None) -> tuple[str, ...]:
    """Return the forms that Laravel has between bars in a language; one, where they may
    not be CLDR's."""
    is_known = (language or "").partition("-")[0] in _LARAVEL.split()
    return whole_forms(language) if is_known else ("other",)


def fitted_forms(
    key: str, forms: Mapping[str, str], names: Iterable[str], warnings: list[str]
) -> list[str]:
    """Return a text for each form that a file has; for one that is lacking, that of
    ``other``, or else the last. Warns about these, and about forms without a place."""
    if {*names} != {*forms}:
        told = f"has the plural forms {', '.join(forms)}, and the file"
        warnings.append(f"{quoted(key)} {told} {', '.join(names)}")
    instead = forms.get("other") or [*forms.values()][-1]
    return [forms.get(name, instead) for name in names]


class PipedPlurals:
    """Plurals as Laravel has them."""

    between = "|"
    bar = re.compile(r"\|")
    no_plural = re.compile(
        r"(?:.*\|)?\s*[{\[][-\d*,.]+[}\]]|(?!.*:count)(?:.* \||.*\| )", re.DOTALL
    )
    """A text of which nothing is known: ``{0} none|[1,*] some``, ``Home | Shop``."""

    def forms(self, language: str | None) -> Sequence[str]:
        """Return the forms that a text has at least."""
        return laravel_forms(language)

    def names(self, language: str | None, count: int) -> Sequence[str]:
        """Return the forms of a text with so many parts; none where it is no plural."""
        forms = self.forms(language)
        return forms if len(forms) == count else ()

    def split(
        self, text: str, language: str | None, *, is_known: bool = False
    ) -> dict[str, str]:
        """Return the forms of a text; none if it is no plural. ``is_known``: its key is
        one, also if the language has a single form."""
        parts = self.bar.split(text)
        is_plural = is_known or (len(parts) > 1 and not self.no_plural.match(text))
        names = self.names(language, len(parts)) if is_plural else ()
        return dict(zip(names, parts, strict=False))

    def joined(
        self,
        key: str,
        forms: Mapping[str, str],
        language: str | None,
        old: str,
        warnings: list[str],
    ) -> str:
        """Return the text of these forms: ``old`` if that says the same, or else with
        its bars. Warns where the text does not say them; "" if none can."""
        if self.split(old, language, is_known=True) == forms:
            return old
        names = self.names(language, len(forms))
        if {*names} != {*forms}:
            names = self.forms(language) or ("one", "other")
        texts = fitted_forms(key, forms, names, warnings)
        if any(map(self.bar.search, texts)):
            warnings.append(f"{quoted(key)} is left out: a plural form has a bar")
            return ""
        found = self.bar.search(old)
        said = dict(zip(names, texts, strict=True))
        bars = (found[0] if found else self.between, self.between)
        for bar in bars:  # one without spaces around it takes those of texts
            text = bar.join(texts)
            if self.split(text, language, is_known=True) == said:
                break
        else:
            told = "does not read as a plural in this language"
            warnings.append(f"{quoted(key)} {told}")
        return text
