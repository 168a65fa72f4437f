"""Plural rules are read as C reads them, and never by eval."""

import gettext
import re

import pytest
from locframework_formats_gettext.plural_forms import MOST_FORMS, SAMPLES, parse_rule


@pytest.mark.parametrize(
    "expression",
    [
        "0",
        "n != 1",
        "n>1",
        "(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : 4)",
        "n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2",
        "(n%10 == 1 || n/10 == 1) && !(n == 1)",
        "!n",
        "!!n",
        "n == 1 ? 0 : n == 2 ? 1 : (n > 2 && n < 20) ? 2 : 3",
        "n && 10 / n > 2",
        "n + 2 * 3 - 1 > 9",
        "1 + n * 0",
    ],
)
def test_a_rule_gives_what_pythons_gettext_gives(expression):
    rule = parse_rule(f"nplurals=6; plural={expression};")

    theirs = gettext.c2py(expression)
    assert rule.indices == tuple(int(theirs(sample)) for sample in SAMPLES)


def test_numbers_are_unsigned_as_in_c():
    rule = parse_rule("nplurals=2; plural=(n - 1) < 5;")

    assert rule.indices[:2] == (0, 1)  # 0 - 1 is the greatest number


@pytest.mark.parametrize(
    "text", ["nplurals=2; plural=n!=1", " nplurals = 2 ;plural=n!=1;"]
)
def test_blanks_and_the_last_semicolon_are_free(text):
    assert parse_rule(text).count == 2


@pytest.mark.parametrize("rest", [";;", ";\\n", "; \\n;", "; x=1;"])
def test_what_follows_the_expression_is_not_read_as_in_gettext(rest):
    rule = "nplurals=2; plural=(n != 1)"

    assert parse_rule(f"{rule}{rest}") == parse_rule(rule)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("", "nplurals"),
        ("nplurals=2", "nplurals"),
        ("nplurals=x; plural=0;", "nplurals"),
        ("nplurals=0; plural=0;", "between 1"),
        (f"nplurals={MOST_FORMS + 1}; plural=0;", "between 1"),
        ("nplurals=999999999; plural=0;", "between 1"),
        ("nplurals=2; plural=;", "lacks"),
        ("nplurals=2; plural=n ==;", "lacks"),
        ("nplurals=2; plural=(n;", "lacks a ')'"),
        ("nplurals=2; plural=n ? 1;", "lacks a ':'"),
        ("nplurals=2; plural=n n;", "stray"),
        ("nplurals=2; plural=m;", "stray"),
        ("nplurals=2; plural=__import__('os');", "stray"),
        ("nplurals=2; plural=n=1;", "stray"),
        ("nplurals=2; plural=2/n;", "zero"),
        ("nplurals=2; plural=2%n;", "zero"),
        ("nplurals=2; plural=n;", "beyond"),
        ("nplurals=2; plural=" + "(" * 500 + "n" + ")" * 500, "deep"),
        ("nplurals=2; plural=" + "n?" * 300 + "1" + ":0" * 300, "deep"),
        ("nplurals=2; plural=" + "n" * 5000, "nplurals"),
        ("nplurals=2; plural=" + "9" * 1500, "stray"),
    ],
)
def test_what_is_no_rule_is_told(text, about):
    with pytest.raises(ValueError, match=re.escape(about)):
        parse_rule(text)


def test_long_chains_do_not_nest():
    rule = parse_rule("nplurals=2; plural=" + "+".join(["n"] * 900) + " > 0;")

    assert rule.indices[:2] == (0, 1)
    assert parse_rule("nplurals=2; plural=" + "!" * 1501 + "n;").indices[:2] == (1, 0)
