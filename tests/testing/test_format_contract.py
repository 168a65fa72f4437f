"""What the contract of formats says of a format that says too little of itself."""

import pytest

from tests.testing.honest.format import Lines, TestLines


def test_an_ability_declared_missing_has_to_be_missing():
    contract = type("Modest", (TestLines,), {"cannot": {"recognize": "too modest"}})()

    with pytest.raises(AssertionError):
        contract.test_f15_its_own_files_are_recognized(Lines())
