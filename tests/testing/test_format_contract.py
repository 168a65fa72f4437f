"""What the contract of formats says of a format that says too little of itself, and
how its failures name what is wrong."""

import re

import pytest
from msgspec.structs import replace

from locframework.ports import Entry, WrittenFile
from locframework.testing.contracts.formats import Sample
from tests.testing.honest.format import Lines, TestLines

SAMPLE = Sample(
    b'"a" = "x"\n"b" = "y"', [Entry("a", "x", line=1), Entry("b", "y", line=2)]
)


def contract_with(**attributes):
    """The contract of the honest format, with other declarations."""
    return type("Other", (TestLines,), attributes)()


class OneLine(Lines):
    """Leaves out texts with line breaks, with warnings."""

    def write(self, catalogues, options):
        [catalogue] = catalogues
        broken = [e for e in catalogue.entries if "\n" in str(e.value)]
        kept = [e for e in catalogue.entries if e not in broken]
        written = super().write([replace(catalogue, entries=kept)], options)
        told = [f"{e.key} is left out: it has line breaks" for e in broken]
        return replace(written, warnings=written.warnings + told)


class Silent(OneLine):
    def write(self, catalogues, options):
        return replace(super().write(catalogues, options), warnings=[])


class EndsLines(Lines):
    """Ends the last line of files."""

    def write(self, catalogues, options):
        written = super().write(catalogues, options)
        content = written.content.rstrip(b"\n") + b"\n"
        return WrittenFile(content, written.warnings)


def test_an_ability_declared_missing_has_to_be_missing():
    contract = contract_with(cannot={"recognize": "too modest"})

    with pytest.raises(AssertionError):
        contract.test_f15_its_own_files_are_recognized(Lines())


def test_samples_have_to_be_given():
    contract_with().test_f23_samples_are_given(Lines())

    with pytest.raises(AssertionError, match="give samples: F20 and F23 to F28"):
        contract_with(samples={}).test_f23_samples_are_given(Lines())


def test_without_files_to_refuse_f13_is_skipped():
    contract = contract_with(unreadable={})

    with pytest.raises(pytest.skip.Exception, match="in unreadable"):
        contract.test_f13_what_the_format_calls_unreadable_is_refused_with_its_line(
            Lines()
        )


def test_a_format_may_leave_out_texts_with_line_breaks_if_it_says_so():
    contract = contract_with(cannot={"line breaks": "a text is one line"})

    contract.test_f3_every_key_and_text_comes_back(OneLine(), 10)
    contract.test_f6_a_text_comes_back_character_for_character(OneLine(), "a\nb")
    contract.test_f22_any_catalogue_comes_back_or_is_told(OneLine())
    for wrong in (Silent(), Lines()):
        with pytest.raises(AssertionError):
            contract.test_f6_a_text_comes_back_character_for_character(wrong, "a\nb")
    with pytest.raises(AssertionError):
        contract_with().test_f6_a_text_comes_back_character_for_character(
            OneLine(), "a\nb"
        )


def test_failures_name_the_entry_and_its_field():
    wrong = replace(
        SAMPLE, expected=[SAMPLE.expected[0], Entry("b", "y", description="z", line=2)]
    )

    with pytest.raises(AssertionError, match="en: description of 'b' is '', not 'z'"):
        contract_with().test_f23_a_sample_says_what_is_expected(Lines(), wrong)
    missing = replace(SAMPLE, expected=[SAMPLE.expected[0]])
    with pytest.raises(AssertionError, match="en: entry 2 is 'b', not None"):
        contract_with().test_f23_a_sample_says_what_is_expected(Lines(), missing)


def test_failures_name_the_line_and_its_bytes():
    changed = 'b\'"b" = "y"\' -> b\'"b" = "y"\\n\''
    message = re.escape(f"line 2 differs: {changed}")

    with pytest.raises(AssertionError, match=message):
        contract_with().test_f25_a_template_with_the_same_texts_is_not_changed(
            EndsLines(), SAMPLE
        )


def test_failures_name_the_text_that_was_changed():
    message = "with another text or mark of 'a', lines \\[2\\] of the file change"

    with pytest.raises(AssertionError, match=message):
        contract_with().test_f26_in_a_template_only_what_differs_changes(
            EndsLines(), SAMPLE
        )
