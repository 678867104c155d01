"""From scores of the next token to text: choices, beams, stops, streams. Any model that is a `Reader` can be asked."""

from regard.generation.beams import search
from regard.generation.sampling import Reader, Written, choose, write
from regard.generation.settings import Settings
from regard.generation.text import Text

__all__ = ["Reader", "Settings", "Text", "Written", "choose", "search", "write"]
