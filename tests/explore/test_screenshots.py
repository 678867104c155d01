"""The pictures of the README and the docs, as the page draws them."""

import io
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "images"
LARGEST = 150_000  # bytes
PICTURES = {  # the view, its state, how high, and whether in the dark
    "start": ("start", {}, 780, False),
    "playground": ("playground", {"step": "softmax"}, 1010, False),
    "maps": ("maps", {"layer": 2, "head": 3, "pin": [21, 14]}, 965, False),
    "heads": ("heads", {}, 1095, False),
    "heads-dark": ("heads", {}, 1095, True),
    "patterns": ("patterns", {}, 1315, False),
    "claims": ("claims", {}, 1000, False),
    "runs": ("runs", {"run": "reversal"}, 900, False),
}


def small(data: bytes) -> bytes:
    """The picture in as many colours as fit into so many bytes."""
    from PIL import Image

    picture = Image.open(io.BytesIO(data)).convert("RGB")
    for colours in (256, 128, 64, 32):
        file = io.BytesIO()
        picture.quantize(colours, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        if file.tell() <= LARGEST:
            return file.getvalue()
    raise AssertionError(f"a picture must have at most {LARGEST:,} bytes: got {file.tell():,}")


def differs(path: Path, data: bytes) -> bool:
    """Whether more than one in a hundred pixels is another; the edges of letters are, on another machine."""
    from PIL import Image, ImageChops

    if not path.exists():
        return True
    old, new = Image.open(path).convert("L"), Image.open(io.BytesIO(data)).convert("L")
    if old.size != new.size:
        return True
    changed = ImageChops.difference(old, new).point(lambda value: 255 * (value > 24)).histogram()[255]
    return changed > 0.01 * old.width * old.height


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_the_docs(name, look):
    view, state, height, dark = PICTURES[name]
    page = look(view, state, height=height, dark=dark, reduced=True)
    page.mouse.move(1, 1)
    data = small(page.screenshot(animations="disabled"))
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"explore-{name}.png"
    if differs(path, data):
        path.write_bytes(data)
    assert path.stat().st_size <= LARGEST
