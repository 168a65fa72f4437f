"""Mistakes that the contract of checks has to catch."""

from tests.testing.honest.check import Doubled, Fields, TestDoubled, TestFields

from .mutation import Mutant

PLACE = "found.start(), found.end(), form"
LOOP = "for form, text, source in subject.compared:"
WORDS = "for form, text in subject.texts.items():"

MUTANTS = {
    TestFields: [
        Mutant("a name with dashes", Fields, '"foreign_fields"', '"foreign-fields"'),
        Mutant("a name in capitals", Fields, '"foreign_fields"', '"ForeignFields"'),
        Mutant(
            "no description",
            Fields,
            '"Finds fields that the source text does not have."',
            '""',
        ),
        Mutant("a severity of its own", Fields, '"error"', '"critical"'),
        Mutant(
            "bytes",
            Fields.find,
            PLACE,
            "len(text[:found.start()].encode()), len(text[:found.end()].encode()), form",
        ),
        Mutant(
            "units of UTF-16",
            Fields.find,
            PLACE,
            "len(text[:found.start()].encode('utf-16-le')) // 2, len(text[:found.end()].encode('utf-16-le')) // 2, form",
        ),
        Mutant(
            "the last character is part of it",
            Fields.find,
            PLACE,
            "found.start(), found.end() - 1, form",
        ),
        Mutant(
            "a length for the end",
            Fields.find,
            PLACE,
            "found.start(), found.end() - found.start(), form",
        ),
        Mutant(
            "counts from 1", Fields.find, PLACE, "found.start() + 1, found.end(), form"
        ),
        Mutant("all of the text", Fields.find, PLACE, "0, len(text), form"),
        Mutant("no place", Fields.find, PLACE, "0, 0, form"),
        Mutant(
            "the place in the source",
            Fields.find,
            PLACE,
            "min(found.start(), len(source)), found.end(), form",
        ),
        Mutant(
            "the place without white space",
            Fields.find,
            "FIELD.finditer(text)",
            "FIELD.finditer(text.strip())",
        ),
        Mutant(
            "the place in text without emoji",
            Fields.find,
            "FIELD.finditer(text)",
            "FIELD.finditer(''.join(c for c in text if ord(c) < 65536))",
        ),
        Mutant(
            "the first place of such a field",
            Fields.find,
            PLACE,
            "text.index('{'), text.index('}') + 1, form",
        ),
        Mutant("the plural form is forgotten", Fields.find, ", form)", ")"),
        Mutant("the form other always", Fields.find, ", form)", ", form and 'other')"),
        Mutant(
            "only the text of None",
            Fields.find,
            LOOP,
            LOOP[:-1] + "[:1]:\n        if form: continue",
        ),
        Mutant(
            "plurals are left out",
            Fields.find,
            LOOP,
            "for form, text, source in () if subject.is_plural else subject.compared:",
        ),
        Mutant("the first form only", Fields.find, LOOP, LOOP[:-1] + "[:1]:"),
        Mutant(
            "fails for plurals",
            Fields.find,
            LOOP,
            "for form, text, source in [(None, subject.texts[None], subject.source_texts.get(None, ''))]:",
        ),
        Mutant(
            "the source has each form",
            Fields.find,
            LOOP,
            "for form, text in subject.texts.items():\n        source = subject.source_texts[form]",
        ),
        Mutant(
            "there is a source text",
            Fields.find,
            LOOP,
            "for form, text in subject.texts.items():\n        source = [*subject.source_texts.values()][0]",
        ),
        Mutant(
            "without a source all are foreign",
            Fields.find,
            LOOP,
            "for form, text in subject.texts.items():\n        source = next(iter(subject.source_texts.values()), '')",
        ),
        Mutant(
            "the first finding only",
            Fields.find,
            "Finding(message, found.start(), found.end(), form)",
            "Finding(message, found.start(), found.end(), form)\n                break",
        ),
        Mutant(
            "a list that grows",
            Fields.find,
            LOOP,
            "for form, text, source in self.__dict__.setdefault('all', []) or self.all.extend(subject.compared) or self.all:",
        ),
        Mutant(
            "remembers what it has found",
            Fields.find,
            "if found[0] not in there:",
            "if found[0] not in there and (found[0], text) not in self.__dict__.setdefault('seen', {(0, 0)}):\n                self.seen.add((found[0], text))",
        ),
        Mutant(
            "the message is the text",
            Fields.find,
            'f"{found[0][:50]} is not in the source text"',
            "text",
        ),
        Mutant(
            "the message has the whole field",
            Fields.find,
            "{found[0][:50]}",
            "{found[0]}",
        ),
        Mutant(
            "the message is a sentence",
            Fields.find,
            "is not in the source text",
            "is not in the source text.",
        ),
        Mutant(
            "no message",
            Fields.find,
            'f"{found[0][:50]} is not in the source text"',
            '""',
        ),
        Mutant(
            "the first 1,000 characters",
            Fields.find,
            "FIELD.finditer(text)",
            "FIELD.finditer(text[:1000])",
        ),
        Mutant(
            "each field against all of the source",
            Fields.find,
            "found[0] not in there",
            "not any(c == found[0] for c in [source[i:i + len(found[0])] for i in range(len(source))])",
        ),
        Mutant(
            "looks again at each character",
            Fields.find,
            "for found in FIELD.finditer(text):",
            "for found in [m for i in range(len(text)) if (m := re.match('.*?[{][a-z]+[}]', text[i:])) and (m := FIELD.match(text, i))]:",
        ),
        Mutant("finds what is the same", Fields.find, "not in there", "in there"),
        Mutant("finds all", Fields.find, "if found[0] not in there:", "if True:"),
        Mutant("finds nothing", Fields.find, "if found[0] not in there:", "if False:"),
        Mutant(
            "digits break it",
            Fields.find,
            "there = ",
            "[int(n) for n in re.findall(r'\\d+', text)]; there = ",
        ),
        Mutant(
            "formats the text", Fields.find, "there = ", "text.format_map({}); there = "
        ),
        Mutant(
            "another thread's text",
            Fields.find,
            "there = ",
            "self.text = text; __import__('time').sleep(0.0001); text = self.text; there = ",
        ),
    ],
    TestDoubled: [
        Mutant(
            "places in lower case",
            Doubled.find,
            "WORD.finditer(text)",
            "WORD.finditer(text.lower())",
        ),
        Mutant(
            "finds it in German only",
            Doubled.find,
            WORDS,
            WORDS + "\n        if subject.language_code != 'de': continue",
        ),
        Mutant(
            "needs a source text",
            Doubled.find,
            WORDS,
            "for form, text, _ in subject.compared:",
        ),
        Mutant(
            "the place of the first word", Doubled.find, "*word.span()", "*last.span()"
        ),
        Mutant(
            "stops after 20 words",
            Doubled.find,
            "WORD.finditer(text)",
            "[*WORD.finditer(text)][:20]",
        ),
        Mutant(
            "words of ASCII",
            Doubled.find,
            "WORD.finditer(text)",
            "re.finditer('[a-zA-Z]+', text)",
        ),
        Mutant(
            "compares with all words before",
            Doubled.find,
            "last[0].lower() == word[0].lower()",
            "word[0].lower() in [w.lower() for w in WORD.findall(text[:last.end()])][-1:]",
        ),
        Mutant(
            "puts texts together",
            Doubled.find,
            WORDS,
            "text = ' '.join(subject.texts.values())\n    for form in list(subject.texts)[:1]:",
        ),
        Mutant(
            "normalizes the text",
            Doubled.find,
            WORDS,
            WORDS + "\n        text = __import__('unicodedata').normalize('NFD', text)",
        ),
        Mutant(
            "expands the text",
            Doubled.find,
            WORDS,
            WORDS + "\n        text = text.replace('\\n', '\\r\\n')",
        ),
        Mutant("None for nothing", Doubled.find, WORDS, "return None\n    " + WORDS),
    ],
}
