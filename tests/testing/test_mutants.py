"""Lists of mutants are well-formed; ``dev.py mutants`` runs the contracts on them."""

import re
from pathlib import Path

import pytest

from locframework.testing.contracts.blobs import BlobStoreContract
from locframework.testing.contracts.checks import CheckContract
from locframework.testing.contracts.formats import FormatContract
from locframework.testing.contracts.matchers import MatcherContract
from locframework.testing.contracts.translators import EngineServerContract
from locframework.testing.contracts.transports import (
    HttpsTransportContract,
    TransportContract,
)
from tests.testing.mutants.run import PORTS, mutants_of

LEAST = 15
SUITES = {
    "B": BlobStoreContract,
    "K": CheckContract,
    "F": FormatContract,
    "[IM]": MatcherContract,
    "T": TransportContract,
    "H": HttpsTransportContract,
    "TR": EngineServerContract,
}
DOCUMENT = Path(__file__).parents[2] / "docs" / "internals" / "contracts.md"


@pytest.mark.parametrize("port", PORTS)
def test_the_mutants_of_a_port_can_be_made_and_have_names_of_their_own(port):
    mutants = [each for some in mutants_of(port).values() for each in some]

    assert len(mutants) >= LEAST
    assert len({each.name for each in mutants}) == len(mutants)
    assert all(each.source() for each in mutants)


@pytest.mark.parametrize("letters", SUITES)
def test_the_clauses_of_a_contract_are_those_of_the_document(letters):
    clause = re.compile(rf"^- \*\*({letters}\d+)\*\*", re.M)
    told = clause.findall(DOCUMENT.read_text("utf-8"))
    names = [
        name
        for suite in reversed(SUITES[letters].__mro__)
        for name in vars(suite)
        if re.match(f"test_{letters.lower()}\\d", name)
    ]

    tested = [name.split("_")[1].upper() for name in names]
    assert list(dict.fromkeys(tested)) == told


@pytest.mark.parametrize("port", PORTS)
def test_the_document_has_the_number_of_mutants(port):
    [row] = re.findall(rf"^\| {port} \| (\d+) \|", DOCUMENT.read_text("utf-8"), re.M)

    assert int(row) == sum(len(each) for each in mutants_of(port).values())
