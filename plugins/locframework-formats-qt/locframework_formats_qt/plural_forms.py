"""The plural forms of a language in the order of Qt, named as in CLDR."""

from locframework.ports import common_plural_forms, with_spares

_CODES = {
    "other": "bi my zh dz fj gn hu id ja jv ko ms na om fa su tt th bo tr vi yo za",
    "one other": "ab aa af sq am as ay az ba eu bn bg ca kw co da nl en eo et fo fi "
    "fur fy gl lg ka de el kl gu ha he hi ia ie it kn ks kk km rw ky ku lo la ln lb mg "
    "ml mr mn ne nso nb no nn oc or ps pt pa qu rm rn sn sd si so st es sw ss sv tg ta "
    "te to ts tn tk ug ur uz vo wo xh yi zu hy br fr fil tl ti wa is",
    "one other zero": "lv",
    "one two other": "dv iu ik ga gv mi se sm sa",
    "one two few other": "gd sl",
    "one few other": "sk cs lt bs hr sr ro",
    "one few many": "be ru uk pl",
    "one few many other": "mt",
    "one - other": "mk",
    "zero one few many other": "cy",
    "zero one two few many other": "ar",
}
"""Each form is the one that CLDR gives to most of its numbers; "-": none."""
LANGUAGES = {
    code: forms.split() for forms, codes in _CODES.items() for code in codes.split()
}


def forms_of(language: str, count: int) -> tuple[str | None, ...]:
    """Return the CLDR forms of a message with ``count`` texts, or with as many as Qt
    takes; None: CLDR has none. Services that follow CLDR write more texts than Qt
    takes: they are the other forms of the language."""
    named = LANGUAGES.get("" if count == 1 else language.split("-")[0], ["other"])
    common = common_plural_forms(language)
    forms = tuple(form if form in common or not common else None for form in named)
    return (*with_spares(forms, language), *(None,) * count)[: count or len(forms)]
