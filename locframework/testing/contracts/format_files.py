"""Files for the contract of formats: broken ones, and those of other formats."""

from collections.abc import Mapping

BROKEN = {
    "empty": b"",
    "byte order mark": b"\xef\xbb\xbf",
    "white space": b" \n\t\r\n ",
    "nul": b"\0",
    "not utf-8": b"\xff\xfe\xfa\x80",
    "utf-16": '{"a": "b"}'.encode("utf-16"),
    "picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1",
    "deep arrays": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "deep elements": b"<a>" * 100_000,
    "deep indentation": b"".join(b" " * n + b"a:\n" for n in range(500)),
    "one quote": b'"',
    "a lone surrogate": b'{"a": "\\ud800"}',
    "an encoded surrogate": b'{"a": "\xed\xa0\x80"}',
    "an escaped nul": b'{"a": "\\u0000"}',
    "an endless number": b'{"a": ' + b"9" * 100_000 + b"}",
    "a nul in XML": b"<a>&#0;</a>",
    "a surrogate in XML": b"<a>&#xD800;</a>",
    "aliases of aliases": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(
        b"%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n" % (n, n, *[n - 1] * 9)
        for n in b"bcdefghi"
    ),
}
"""Files that no format can read, or only as next to nothing."""

STRANGERS = {
    "picture.png": BROKEN["picture"],
    "letter.docx": b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0",
    "index.html": b"<!doctype html><html><body><p>Hello</p></body></html>",
    "main.py": b"import sys\n\nprint(sys.argv)\n",
    "LICENSE.txt": b"Permission is hereby granted, free of charge, to any person\n",
    "main.ts": b"export const title: string = 'Cart';\n",
    "numbers.csv": b"date,amount\n2026-01-01,12.50\n",
    "numbers.tsv": b"date\tamount\n2026-01-01\t12.50\n",
    "pom.xml": b'<?xml version="1.0"?>\n<project><name>cart</name></project>\n',
    "index.php": b"<?php\n\necho 'Cart';\n",
    "docker-compose.yml": b"services:\n  db:\n    image: postgres\n",
}
"""Files that belong to no format of translations."""

_XML = b'<?xml version="1.0" encoding="utf-8"?>\n'
_PLIST = b"""<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"
 "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>items</key><dict>
<key>NSStringLocalizedFormatKey</key><string>%#@n@</string>
<key>n</key><dict><key>NSStringFormatSpecTypeKey</key>
<string>NSStringPluralRuleType</string><key>NSStringFormatValueTypeKey</key>
<string>d</string><key>other</key><string>%d items</string></dict>
</dict></dict></plist>
"""

KNOWN: Mapping[str, Mapping[str, bytes]] = {
    "android": {
        "res/values-de/strings.xml": _XML
        + b'<resources>\n  <string name="title">Korb</string>\n</resources>\n'
    },
    "apple": {
        "de.lproj/Localizable.strings": b'/* Title */\n"title" = "Korb";\n',
        "de.lproj/Localizable.stringsdict": _XML + _PLIST,
        "Localizable.xcstrings": b"""{
  "sourceLanguage" : "en",
  "strings" : { "Cart" : { "localizations" : { "de" : {
    "stringUnit" : { "state" : "translated", "value" : "Korb" } } } } },
  "version" : "1.0"
}
""",
    },
    "arb": {"app_de.arb": b'{"@@locale": "de", "title": "Korb"}\n'},
    "csv": {"texts.csv": b"key,en,de\ncart.title,Cart,Korb\n"},
    "fluent": {"de.ftl": b"# Title\ncart-title = Korb\n    .label = Korb\n"},
    "gettext": {
        "de.po": b'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "Cart"\nmsgstr "Korb"\n',
        "app.pot": b'msgid "Cart"\nmsgstr ""\n',
    },
    "ini": {"de.ini": b"[cart]\ntitle = Korb\n"},
    "java": {"messages_de.properties": b"# Title\ncart.title=K\\u00f6rbe\n"},
    "json": {
        "de.json": b'{"cart": {"title": "Korb"}}\n',
        "de/messages.json": b'{"title": {"message": "Korb", "description": "x"}}\n',
    },
    "laravel": {"de/cart.php": b"<?php\n\nreturn [\n    'title' => 'Korb',\n];\n"},
    "qt": {
        "app_de.ts": _XML
        + b'<!DOCTYPE TS>\n<TS version="2.1" language="de">\n<context><name>Cart</name>'
        b"<message><source>Cart</source><translation>Korb</translation></message>"
        b"</context>\n</TS>\n"
    },
    "resw": {
        "de/Resources.resw": _XML
        + b'<root><data name="Title"><value>Korb</value></data></root>\n'
    },
    "resx": {
        "Resources.de.resx": _XML
        + b'<root><data name="Title"><value>Korb</value></data></root>\n'
    },
    "tmx": {
        "cart.tmx": _XML + b'<tmx version="1.4"><header srclang="en"/><body><tu>'
        b'<tuv xml:lang="en"><seg>Cart</seg></tuv></tu></body></tmx>\n'
    },
    "toml": {"active.de.toml": b'[cart]\ntitle = "Korb"\n'},
    "tsv": {"texts.tsv": b"key\ten\tde\ncart.title\tCart\tKorb\n"},
    "xliff": {
        "messages.de.xlf": _XML + b'<xliff version="1.2" xmlns="urn:oasis:names:tc:'
        b'xliff:document:1.2"><file source-language="en" target-language="de"><body>'
        b'<trans-unit id="title"><source>Cart</source><target>Korb</target>'
        b"</trans-unit></body></file></xliff>\n",
        "messages.de.xliff": _XML + b'<xliff version="2.0" xmlns="urn:oasis:names:tc:'
        b'xliff:document:2.0" srcLang="en" trgLang="de"><file id="f"><unit id="title">'
        b"<segment><source>Cart</source><target>Korb</target></segment></unit></file>"
        b"</xliff>\n",
    },
    "yaml": {"config/locales/de.yml": b"de:\n  cart:\n    title: Korb\n"},
}
"""Files of formats of translations, by the family of the format."""

_ENTITIES = b"".join(
    b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 9) for n in range(1, 10)
)


def with_entities(content: bytes, text: str, secret: str) -> Mapping[str, bytes]:
    """Variants of an XML file that declare an entity, and have it where the text was:
    ``secret`` is the path of a file that none may read. Empty unless it is XML."""
    head, end, rest = content.partition(b"?>")
    if not end:
        head, rest = b"", content
    rest = rest.lstrip(b"\xef\xbb\xbf \r\n")
    if not rest.startswith(b"<"):
        return {}
    declared = {
        "a file": b'<!ENTITY entity SYSTEM "file://%s">' % secret.encode(),
        "a parameter": b'<!ENTITY %% p SYSTEM "file://%s"> %%p;'
        b'<!ENTITY entity "x">' % secret.encode(),
        "entities of entities": b'<!ENTITY e0 "ha">%s<!ENTITY entity "&e9;">'
        % _ENTITIES,
        "a long one": b'<!ENTITY entity "%s">' % (b"x" * 100_000),
    }
    named = rest.replace(text.encode(), b"&entity;")
    return {
        name: head + end + b"<!DOCTYPE x [%s]>" % entities + named
        for name, entities in declared.items()
    }
