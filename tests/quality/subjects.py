"""What a check is shown, in few words."""

from __future__ import annotations

from collections.abc import Mapping

from locframework.quality.check import Subject

Texts = str | Mapping[str | None, str]


def subject(
    source: Texts, text: Texts, language: str = "de", *tags: str, forms: str = ""
) -> Subject:
    return Subject(
        "a",
        language,
        {None: text} if isinstance(text, str) else text,
        "en",
        {None: source} if isinstance(source, str) else source,
        is_plural=not isinstance(text, str),
        plural_forms=tuple(forms.split()) or ("one", "other"),
        tags=tags,
    )
