"""Every benchmark is tried with one thread."""

from collections.abc import Iterator

import pytest

from regard.training import limit_threads


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Sizes this small are slower with more, and other workers want the cores."""
    with limit_threads(1):
        yield
