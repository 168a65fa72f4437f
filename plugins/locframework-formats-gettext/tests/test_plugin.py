"""The plugin as the framework meets it."""

import msgspec
import pytest
from locframework_formats_gettext import GettextPlugin, GettextSettings

from locframework.ports import Catalogue, Entry, FileOptions


def test_two_formats_are_provided():
    formats = GettextPlugin(GettextSettings()).loc_provide_formats()

    assert [(f.info.id, f.info.extension) for f in formats] == [
        ("gettext-po", ".po"),
        ("gettext-pot", ".pot"),
    ]
    assert all(f.info.comments and f.info.plurals for f in formats)
    assert all(f.info.source_texts for f in formats)


def test_texts_are_wrapped_where_the_setting_says():
    entry = Entry("k", "some words " * 20)
    options = FileOptions(key_separator=".", source_language="en")

    def longest(width):
        [po, _] = GettextPlugin(GettextSettings(width)).loc_provide_formats()
        written = po.write([Catalogue("de", [entry])], options).content.decode()
        return max(len(line) for line in written.split("\n"))

    assert 50 < longest(60) <= 60
    assert longest(0) > 200


@pytest.mark.parametrize("settings", [{"wrap_width": -1}, {"width": 79}])
def test_a_wrong_setting_is_refused(settings):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(settings, GettextSettings)
