"""The checks that come with the framework."""

from locframework.quality.check import Check

from .glossary_terms import GlossaryTerms
from .length import Length
from .markup import Markup
from .numbers import Numbers
from .placeholders import Placeholders
from .plural_forms import PluralForms
from .punctuation import Punctuation
from .unchanged import Unchanged
from .white_space import WhiteSpace

BUILT_IN: tuple[Check, ...] = (
    GlossaryTerms(),
    Length(),
    Markup(),
    Numbers(),
    Placeholders(),
    PluralForms(),
    Punctuation(),
    Unchanged(),
    WhiteSpace(),
)
