"""What tests of routing share."""

from collections.abc import Iterator

import pytest
from faulty_service import Service


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A real HTTP service on loopback."""
    found = Service()
    yield found
    found.server.shutdown()
