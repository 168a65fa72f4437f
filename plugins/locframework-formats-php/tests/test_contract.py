"""The formats keep the contract of the port."""

from collections.abc import Mapping
from typing import ClassVar

import pytest
from locframework_formats_php import PhpPlugin

from locframework.ports import Catalogue, Entry, Format
from locframework.testing.contracts.formats import FormatContract, Sample

ARRAY = r"""<?php
/*
|--------------------------------
| Lines ('of' => 'comments')
*/

declare(strict_types=1);

namespace App\Lang;

return [

    // Cart
    'title' => 'Your "cart", 5 \ 6 \'7\' \n \\', // the page
    "pay"   =>"Pay\t\"now\" \$5 \u{1f600}\x41\101 {x} $ \q",
    # nested
    # x
    'items' => array(
        'first' => 'One' /* b */ ,
        'list' => ['a'],
        404 => 'Not found',
        -1 => 'Below',
    ),
    'html' => <<<"HTML"
        <b class="x">
          \"A\"

        </b>\n
        HTML,
    'raw' => <<<'EOT'
$x \n
EOT
    ,
    'whole' => 'a' .
        "b" . 'c',
    'a.b' => 'dotted',
    'Sign in. Now' => 'Sign in
now',
    'none' => [],
    'app' => env('APP', ['x' => 'y']),
    'count' => 5,
    'hello' => "Hello $name {$a['b']}",
    App::KEY => 'constant',
    'call' => fn ($x) => ['a' => 'b'],
    'sum' => ['a'] + ['b'],
    'last' => 'Last'
];
"""
ENTRIES = [
    Entry("title", "Your \"cart\", 5 \\ 6 '7' \\n \\", line=14),
    Entry("pay", 'Pay\t"now" $5 😀AA {x} $ \\q', line=15),
    Entry("items.first", "One", line=19),
    Entry(
        "items.list.0", "a", line=20, key_detail={"php": {"path": ["items", "list", 0]}}
    ),
    Entry("items.404", "Not found", line=21),
    Entry("items.-1", "Below", line=22),
    Entry("html", '<b class="x">\n  \\"A\\"\n\n</b>\n', line=24),
    Entry("raw", "$x \\n", line=30),
    Entry("whole", "abc", line=34),
    Entry("a.b", "dotted", line=36, key_detail={"php": {"path": ["a.b"]}}),
    Entry("Sign in. Now", "Sign in\nnow", line=37),
    Entry("last", "Last", line=46),
]
REWRITTEN = r"""<?php

return [
    'title' => 'Your "cart", 5 \\ 6 \'7\' \\n \\',
    'pay' => 'Pay	"now" $5 😀AA {x} $ \\q',
    'items' => [
        'first' => 'One',
        'list' => [
            'a',
        ],
        '404' => 'Not found',
        '-1' => 'Below',
    ],
    'html' => "<b class=\"x\">\n  \\\"A\\\"\n\n</b>\n",
    'raw' => '$x \\n',
    'whole' => 'abc',
    'a.b' => 'dotted',
    'Sign in. Now' => "Sign in\nnow",
    'last' => 'Last',
];
"""
ASSIGNED = b"""\xef\xbb\xbf<?php\r
if (!isset($lang)) {\r
    $lang = array('no' => 'no');\r
}\r
$lang = array_merge($lang, array(\r
    'a'=>'b',\r
    'c'=>'d' # last\r
));\r
return $lang;\r
?>\r
"""
UNREADABLE = {
    "no PHP": (b"return ['a' => 'b'];", 1),
    "no array": (b"<?php\n\nreturn 'a';\n", 1),
    "no comma": (b"<?php return [\n'a' => 'b'\n'c' => 'd'];", 3),
    "no value": (b"<?php return [\n'a' => ,];", 2),
    "no end of a text": (b"<?php return [\n'a' => 'b];", 2),
    "no end of an array": (b"<?php return [\n'a' => 'b'", 2),
    "no end of a call": (b"<?php return [\n'a' => f('b',", 2),
    "no end of a heredoc": (b"<?php return [\n'a' => <<<A\nb\n", 2),
    "no end of a comment": (b"<?php return [\n'a' => 'b', /* c", 2),
    "the other bracket": (b"<?php return [\n'a' => 'b')", 2),
    "a key twice": (b"<?php return [\n'a.b' => 'c',\n'a' => ['b' => 'd']];", 3),
    "nested too deep": (b"<?php return " + b"['a' => " * 100_000, 1),
    "not UTF-8": (b"<?php return [\n'a' => '\xfc'];", 2),
}


def php_format(name: str) -> Format:
    formats = PhpPlugin().loc_provide_formats()
    return next(format_ for format_ in formats if format_.info.id == name)


class TestPhpArray(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "array": Sample(
            "\n".join(
                line
                for line in ARRAY.split("\n")
                if not line.startswith(
                    ("    'app'", "    'co", "    'he", "    App", "    'ca", "    'su")
                )
            ).encode(),
            [*ENTRIES[:-1], Entry("last", "Last", line=40)],
            REWRITTEN.encode(),
        ),
        "assigned": Sample(
            ASSIGNED,
            [Entry("a", "b", line=6), Entry("c", "d", line=7)],
            b"<?php\n\nreturn [\n    'a' => 'b',\n    'c' => 'd',\n];\n",
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return php_format("php-array")


class TestLaravelPhp(FormatContract):
    cannot: ClassVar[Mapping[str, str]] = {"recognize": "its path alone tells"}
    samples: ClassVar[Mapping[str, Sample]] = {
        "plurals": Sample(
            b"""<?php

return [
    'items' => ':count item|:count items',
    'apples' => 'There is one apple|There are many apples',
    'title' => 'Home | Site',
    'users' => '{0} none|[1,19] some|[20,*] many',
    'welcome' => 'Welcome, :name',
];
""",
            [
                Entry(
                    "items",
                    {"one": ":count item", "other": ":count items"},
                    is_plural=True,
                    line=4,
                ),
                Entry(
                    "apples",
                    {"one": "There is one apple", "other": "There are many apples"},
                    is_plural=True,
                    line=5,
                ),
                Entry("title", "Home | Site", line=6),
                Entry("users", "{0} none|[1,19] some|[20,*] many", line=7),
                Entry("welcome", "Welcome, :name", line=8),
            ],
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return php_format("laravel-php")

    def read(
        self,
        format: Format,
        content: bytes,
        language: str = "en",
        separator: str = ".",
        plurals: Mapping[str, bool] = {},
    ) -> list[Catalogue]:
        """The catalogues; the file alone does not tell which keys are plural."""
        plurals = {"a.plural": True, "plural": True, "p|0": False, **plurals}
        return super().read(format, content, language, separator, plurals)
