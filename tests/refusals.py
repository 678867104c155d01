"""What is refused, and the words in which it is."""

import re
from typing import Any

import pytest


def refused(message: str) -> Any:
    """A context in which a `ValueError` of these words must be raised."""
    return pytest.raises(ValueError, match=re.escape(message))
