"""One certificate for all tests of the server."""

import pytest

from admission.serving.tls import Pair
from tests.serving.listening import pair_in


@pytest.fixture(scope="session")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """A development pair that is valid now."""
    return pair_in(tmp_path_factory.mktemp("certs"))
