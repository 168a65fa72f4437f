"""Arrays of PHP are read without PHP, and change where their texts do."""

import pytest
from locframework_formats_php import PhpPlugin
from msgspec.structs import replace

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    UnreadableFile,
)

ARRAY, LARAVEL = PhpPlugin().loc_provide_formats()
OPTIONS = FileOptions(".", "en")


def read(text, format_=ARRAY, **options):
    file = SourceFile("x.php", text.encode())
    [found] = format_.read(file, replace(OPTIONS, **options))
    return found


def texts(text, format_=ARRAY, **options):
    return {each.key: each.value for each in read(text, format_, **options).entries}


def written(template, new, format_=ARRAY, language="en"):
    """The template with these texts, and what is told."""
    entries = [
        Entry(key, value, is_plural=isinstance(value, dict))
        for key, value in new.items()
    ]
    catalogue = Catalogue(language, entries, template=template and template.encode())
    done = format_.write([catalogue], OPTIONS)
    return done.content.decode(), done.warnings


def filled(template, **new):
    """The template with its texts, where none of these is given."""
    done, told = written(template, texts(template) | new)
    assert told == []
    return done


def test_a_new_text_keeps_the_quotes_of_the_old_one():
    template = """<?php return [
    'a' => 'x', "b" => "x", 'c' => <<<X
        x
        X, 'd' => 'x' . "y",
];"""
    new = dict.fromkeys("abcd", 'it\'s $5 \\ "q"')

    done = filled(template, **new)

    single, double = "'it\\'s $5 \\\\ \"q\"'", '"it\'s \\$5 \\\\ \\"q\\""'
    assert done == (
        f"<?php return [\n    'a' => {single}, \"b\" => {double}, "
        f"'c' => {single}, 'd' => {single},\n];"
    )
    assert texts(done) == new


def test_line_breaks_are_escaped_where_the_old_text_had_no_single_quotes():
    assert filled("<?php return ['a' => 'x'];", a="1\n2") == (
        "<?php return ['a' => '1\n2'];"
    )
    new = filled("<?php return ['a' => 'x'];", b="1\n2\x1b\x7f")
    assert new == "<?php return ['a' => 'x', 'b' => \"1\\n2\\e\\u{7f}\"];"


def test_comments_stay_when_their_key_goes_and_when_others_come():
    template = """<?php
// file
return [
    // Head
    'a' => 'A', // of a
    'b' => 'B', /* of b */ // too

    # Foot
    'c' => 'C' // of c
    // end
];
"""
    done, _ = written(template, {"b": "B", "b2": "B2", "c": "C", "d": "D"})

    assert (
        done
        == """<?php
// file
return [
    // Head
    'b' => 'B', /* of b */ // too
    'b2' => 'B2',

    # Foot
    'c' => 'C', // of c
    'd' => 'D'
    // end
];
"""
    )


def test_a_new_key_is_written_as_its_neighbors_are():
    nested = '<?php return array(\n\t"a"=>array(\n\t\t"b"=>\'x\',\n\t),\n);'
    done = filled(nested, **{"a.c": "y", "d.e": "z"})
    assert done == (
        '<?php return array(\n\t"a"=>array(\n\t\t"b"=>\'x\',\n\t\t"c"=>\'y\',\n\t),\n'
        '\t"d"=>array(\n\t\t"e"=>\'z\',\n\t),\n);'
    )
    columns = "<?php return [\n    'a'      => 'x',\n    'longer' => 'y',\n];"
    assert filled(columns, b="z") == columns.replace("];", "    'b' => 'z',\n];")


def test_what_php_would_evaluate_stays_and_is_told():
    template = """<?php return [
    'a' => __('x', ['y' => 1]), 'b' => "x $y {$z['a']}", 'c' => X::Y . 'z',
    'd' => [1, true, null], X => 'x', ...$more,
    'e' => ['f' => 'x'] + $rest,
    'g' => "\\xff", 'h' => 'text',
];"""
    found = read(template)
    assert {each.key: each.value for each in found.entries} == {"h": "text"}
    assert [told[:8] for told in found.warnings].count("line 2: ") == 3
    assert [told.split(" is ")[0] for told in sorted(found.warnings)] == [
        "line 2: 'a'",
        "line 2: 'b'",
        "line 2: 'c'",
        *("line 3: 'd.0'", "line 3: 'd.1'", "line 3: 'd.2'"),
        *["line 3: a key"] * 2,
        "line 4: 'e'",
        "line 5: 'g'",
    ]
    assert filled(template, h="new") == template.replace("'text'", "'new'")


def test_of_a_key_given_twice_the_last_counts():
    template = "<?php return [\n'a' => 'x',\n\"a\" => 'y',\n1 => 'z', '1' => 'w'];"
    found = read(template)
    assert [(each.key, each.value) for each in found.entries] == [
        ("a", "y"),
        ("1", "w"),
    ]
    told = "a key is left as it is: it is no literal, or given again"
    assert found.warnings == [f"line 4: {told}", f"line 2: {told}"]
    assert filled(template, a="new") == template.replace("'y'", "'new'")


def test_code_behind_the_array_is_told():
    assert read("<?php return ['a' => 'x'] + $more;").warnings == [
        "line 1: what follows is left as it is"
    ]
    assert read("<?php $a = ['a' => 'x']; return $a; ?>\n").warnings == []
    assert read("<?php $a = ['a' => 'x'];\n$a['b'] = 'y'; return $a;").warnings


def test_an_empty_text_is_a_text():
    template = "<?php return ['a' => '', 'b' => \"\", 'c' => <<<X\nX];"
    assert texts(template) == {"a": "", "b": "", "c": ""}


def test_a_plural_has_one_text_in_an_array():
    done, told = written("", {"a.b": {"one": "x", "other": "y"}})
    assert done == "<?php\n\nreturn [\n    'a' => [\n        'b' => 'y',\n    ],\n];\n"
    assert told == ["a.b has only one text: arrays of PHP have no plural forms"]


@pytest.mark.parametrize(
    ("path", "of_array", "of_laravel"),
    [
        ("app.php", True, False),
        ("messages/de/app.php", True, False),
        ("lang/de/app.php", False, True),
        ("resources/lang/pt_BR/admin/app.php", False, True),
        ("lang/vendor/backup/zh-CN/app.php", False, True),
        ("lang/de.json", False, False),
        ("de.txt", False, False),
    ],
)
def test_the_path_tells_files_of_laravel(path, of_array, of_laravel):
    file = SourceFile(path, b"<?php return ['a' => 'x'];")
    assert (ARRAY.recognizes(file), LARAVEL.recognizes(file)) == (of_array, of_laravel)


@pytest.mark.parametrize(
    "content",
    [
        "<?php return ['debug' => true, 'name' => 'x'];",
        "<?php return ['name' => env('NAME', 'x')];",
        "<?php return [];",
        "<?php class A { const B = ['a' => 'x']; }",
        "<?php function a() { return ['a' => 'x']; }",
    ],
)
def test_configuration_and_code_are_no_translations(content):
    assert not ARRAY.recognizes(SourceFile("config/app.php", content.encode()))


PLURALS = [
    ("en", ":count item|:count items", {"one": ":count item", "other": ":count items"}),
    ("en", "Item|Items", {"one": "Item", "other": "Items"}),
    ("en", ":count a | :count b", {"one": ":count a ", "other": " :count b"}),
    ("en", "Home | Site", None),
    ("en", "a|b|c", None),
    ("en", "{0} :count|[1,*] :count", None),
    ("ja", "a|b", None),
    ("fil", "a|b", None),
    ("tr", ":count a|:count b", None),  # Laravel shows a
    ("lv", "a|b|c", None),  # Laravel takes the first for 0 alone
    ("pl", "a|b|c", {"one": "a", "few": "b", "many": "c"}),
    ("cs", "a|b|c", {"one": "a", "few": "b", "other": "c"}),
    ("sl", "a|b|c|d", {"one": "a", "two": "b", "few": "c", "other": "d"}),
    ("pt-BR", "a|b", {"one": "a", "other": "b"}),
]


@pytest.mark.parametrize(("language", "text", "forms"), PLURALS)
def test_bars_are_plural_forms_where_laravel_has_those_of_the_language(
    language, text, forms
):
    template = f"<?php return ['a' => '{text}'];"

    found = texts(template, LARAVEL, language_code=language)

    assert found == {"a": forms or text}
    assert written(template, found, LARAVEL, language) == (template, [])
    assert texts(template, LARAVEL, language_code=language, plurals={"a": False}) == {
        "a": text
    }
    known = texts(template, LARAVEL, language_code=language, plurals={"a": True})
    assert known["a"].keys() == {"other"} or "|".join(known["a"].values()) == text
    assert written(template, known, LARAVEL, language) == (template, [])


def test_forms_that_laravel_does_not_have_are_told():
    new = {"a": {"one": "x", "other": "y"}}
    start = "a will read differently: Laravel has the forms"
    polish, told = written("", new, LARAVEL, "pl")
    assert polish == "<?php\n\nreturn [\n    'a' => 'x|y|y',\n];\n"
    assert told == [f"{start} one, few, many, without bars in them"]
    latvian, told = written("", new, LARAVEL, "lv")
    assert latvian == "<?php\n\nreturn [\n    'a' => 'y',\n];\n"
    assert told == [f"{start} other, without bars in them"]
    _, told = written("", {"a": {"one": "x|", "other": "y"}}, LARAVEL)
    assert told == [f"{start} one, other, without bars in them"]


@pytest.mark.parametrize("brackets", ["[]", "()"])
def test_deep_and_long_files_take_no_long(brackets):
    opening, closing = brackets
    opening = opening if opening == "[" else "array("
    deep = f"<?php return {opening * 64}'x'{closing * 64};"
    assert list(texts(deep).values()) == ["x"]
    for broken in (
        f"<?php return {opening * 100_000}",
        "<?php return ['a' => " + "f(" * 100_000,
        "<?php return ['a' => 'x'" + " /* c" * 100_000,
        "<?php return [" + "'a' . " * 100_000,
        "<?php return [" + "<<<A\n" * 100_000,
        "<?php " + "return\n" * 100_000,
        "<?php " + "$a = \n" * 100_000,
        "<?php return [" + "/* */ " * 100_000,
    ):
        with pytest.raises(UnreadableFile):
            texts(broken)
