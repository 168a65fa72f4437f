"""A file is recognized by its own format, and by no other that is installed."""

import importlib.util
from pathlib import Path

import pytest

from locframework.formats.records import SourceFile
from locframework.formats.service import Formats
from locframework.plugins import PluginHost
from locframework.testing.contracts.formats import FormatContract

PLUGINS = Path(__file__).parents[2] / "plugins"
FORMATS = {
    "TestNestedJson": "json-nested",
    "TestFlatJson": "json-flat",
    "TestI18nextJson": "json-i18next",
    "TestArb": "arb",
    "TestChrome": "json-chrome",
    "TestFormatjs": "json-formatjs",
    "TestGoI18n": "json-go-i18n",
    "TestI18nextV3": "json-i18next-v3",
    "TestLaravel": "json-laravel",
    "TestNextcloud": "json-nextcloud",
    "TestVueI18n": "json-vue-i18n",
    "TestPo": "gettext-po",
    "TestCsv": "csv",
    "TestTsv": "tsv",
    "TestXlsx": "xlsx",
    "TestProperties": "java-properties",
    "TestPropertiesInUtf8": "java-properties",
    "TestIni": "ini",
    "TestAndroid": "android-xml",
    "TestPhpArray": "php-array",
    "TestResx": "resx",
    "TestResw": "resw",
    "TestTs": "qt-ts",
    "TestStrings": "apple-strings",
    "TestStringsdict": "apple-stringsdict",
    "TestFluent": "fluent",
    "TestXcstrings": "apple-xcstrings",
    "TestXliff12": "xliff-1.2",
    "TestXliff20": "xliff-2.0",
    "TestXliff21": "xliff-2.1",
    "TestXliff22": "xliff-2.2",
}


def contracts():
    """The tests of contracts of all plugins of formats, by name."""
    found = {}
    for path in sorted(PLUGINS.glob("locframework-formats-*/tests/test_contract.py")):
        spec = importlib.util.spec_from_file_location(path.parts[-3], path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for each in vars(module).values():
            if isinstance(each, type) and issubclass(each, FormatContract):
                found[each.__name__] = each
    del found["FormatContract"], found["PluralsAreKnown"]
    return found


CONTRACTS = contracts()
SAMPLES = [
    (FORMATS[test], name, sample.content)
    for test, contract in CONTRACTS.items()
    for name, sample in contract.samples.items()
    if test in FORMATS
]


@pytest.fixture(scope="module")
def formats():
    host = PluginHost.discover({})
    return Formats(host.formats, host.plugin_of_format)


def test_every_contract_of_a_format_is_looked_at():
    assert CONTRACTS.keys() - FORMATS.keys() == {
        "TestCsvForPrograms",
        "TestCompose",  # which only its folder tells from Android
        "TestFlatYaml",  # which may be any YAML
        "TestToml",  # which its name tells from settings
        "TestLaravelPhp",  # which only its path tells from other arrays
        "TestRailsYaml",  # which only its name tells from other YAML
        "TestSymfonyYaml",  # likewise
    }


@pytest.mark.parametrize(("format_id", "name", "content"), SAMPLES)
def test_a_sample_is_recognized_by_one_format_of_its_family(
    formats, format_id, name, content
):
    extension = formats.find(format_id).extension

    found = formats.recognize(SourceFile(f"texts{extension}", content))

    family = format_id.partition("-")[0]
    assert [info.id.partition("-")[0] for info in found] == [family]
