"""What is shipped for the tests of plugin authors and embedders."""

import pytest

pytest.register_assert_rewrite("locframework.testing.contracts")
