"""Subjects that every check has to bear."""

from hypothesis import strategies as st

from locframework.languages import PLURAL_FORMS
from locframework.quality.records import Subject

LONGEST = 64 * 1024

PAIRS = {
    "plain": ("Save", "Speichern"),
    "printf": ("%s of %d", "%2$d / %1$s"),
    "braces": ("{a} {{b}} {} {0}", "{0} {} {{b}} {a}"),
    "unpaired braces": ("{a", "a} {b {{c}"),
    "ICU": (
        "{n, plural, one {# file} other {# files}}",
        "{n, plural, one {# файл} few {# файла} other {# файлов}}",
    ),
    "broken ICU": ("{n, plural, one {#", "{n, plural, {n, select, }}"),
    "tags": ('<a href="#">x</a><br/>', "<A>x</A><br> <"),
    "only white space": ("\n \u3000", "\t"),
    "only signs": ("…?!", "؟。"),
    "digits of other scripts": ("1,234.5", "١٬٢٣٤٫٥ १२ 𝟙"),
    "many digits": ("9" * 5000, "9" * 4999),
    "outside the first plane": ("👍🏽 %s", "%s 👨‍👩‍👧"),
    "right to left": ("(%d)", "\u200f(%d)\u200f"),
    "combining": ("é.", "e\u0301."),
    "empty beside text": ("a", " "),
}

SLOW = {"percent before zeros": "%" + "0" * (LONGEST - 2) + "!"} | {
    name: (part * LONGEST)[:LONGEST]
    for name, part in {
        "one letter": "a",
        "words": "word ",
        "spaces": " ",
        "opening braces": "{",
        "closing braces": "}",
        "pairs": "{}",
        "deep and wide": "{{}",
        "placeholders": "%s",
        "percent": "%",
        "percent and digits": "%1",
        "opening tags": "<a ",
        "attributes": "<a b=",
        "tags": "<b>",
        "angles": "<",
        "nesting": "$t(",
        "ICU": "{n,plural,",
        "ICU branches": "{n,plural,other{",
        "brace and spaces": "{ ",
        "digits": "1",
        "grouped": "1,",
        "stops": ".",
        "stops and spaces": ". ",
        "quotes": '"',
        "ampersands": "&a",
        "addresses": "https://",
        "line breaks": "\n",
        "ideographs": "字",
    }.items()
}

_PARTS = st.sampled_from(
    (
        *"%{}<>&$()[],.;:?!'\"#/\\ \n\u00a0019azZß",
        *("%s", "%1$d", "%(a)s", "{a}", "{{b}}", "{0}", "{}", "$t(a)", "<b>", "</b>"),
        *("{n, plural, ", "{g, select, ", "other {", "one {", "&amp;", "<br/>", "100%"),
        *("。", "؟", "…", "字", "١", "e\u0301", "👍", "am", "https://a"),
    )
)
# what the service accepts: no NUL, no lone surrogate, never empty
_ANY = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
_TEXTS = st.lists(_PARTS | _ANY, min_size=1, max_size=12).map("".join)
_LANGUAGES = st.sampled_from(("de", "en", "ja", "th", "el", "hy", "ar", "fr-CA", "xx"))
_LIMITS = st.sampled_from((None, 3))


def subjects() -> st.SearchStrategy[Subject]:
    """Any text beside any source text."""
    return st.builds(
        lambda text, source, language, limit: Subject(
            "a", language, {None: text}, "en", {None: source}, max_length=limit
        ),
        _TEXTS,
        _TEXTS,
        _LANGUAGES,
        _LIMITS,
    )


def plural_subjects() -> st.SearchStrategy[Subject]:
    """Any texts of a plural key beside any source texts, or none."""
    forms = st.sampled_from(PLURAL_FORMS)
    some = st.dictionaries(forms, _TEXTS, min_size=1, max_size=4)
    return st.builds(
        lambda texts, sources, language, wanted: Subject(
            "a", language, texts, "en", sources, True, tuple(wanted)
        ),
        some,
        some | st.just({}),
        _LANGUAGES,
        st.lists(forms, unique=True),
    )
