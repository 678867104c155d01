"""What models read, from what somebody typed or chose: texts, pairs of texts, strings of letters, pictures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from regard.checks import MissingExtra
from regard.explore.tiles import LAYER, Enough, Sheets
from regard.explore.work import check
from regard.models import DaViT, Decoder, Encoder, EncoderDecoder, GridModel, Maps, Recurrent, ViT
from regard.models.hugging_face.images import preprocess, preprocessing
from regard.tasks import reversal
from regard.tasks.digits import digits
from regard.tasks.images import ImageSet

TOKENS = 4096  # at most
STRING = 256  # letters at most, since a model writes them one by one
WRITTEN = 64  # tokens that an encoder-decoder writes where no target is given
PIXELS = 2**25  # of a picture that is uploaded
TITLES = {
    "encoder": "Encoder",
    "self": "Self-attention",
    "cross": "Cross-attention",
    "window": "Windows",
    "channel": "Channels",
}
SIGNS = {"\n": "↵", " ": "␣", "\t": "⇥"}


@dataclass(frozen=True)
class Wanted:
    """What is to be read: a text and what is written of it, the number of a picture, or a picture's bytes."""

    text: str = ""
    target: str = ""
    image: int = 0
    picture: bytes | None = None


@dataclass(frozen=True, eq=False)
class Read:
    """What a model reads, and how its maps are named: of each kind the axes, and the labels along each axis."""

    forward: Callable[[Maps], Any]
    count: int  # layers of maps, of all kinds
    weights: int  # numbers in all
    kinds: dict[str, tuple[str, str]]
    axes: dict[str, list[str]] = field(default_factory=dict)
    patches: bool = False  # rows and columns are places of a grid
    first: int = 0  # tokens before the patches: the class token
    picture: np.ndarray | None = None  # (h, w, 3), as the model sees it
    said: str = ""

    def sheets(self) -> Sheets:
        """The maps, by one pass through the model, as far as the last of them."""
        made = Sheets(self.count, self.weights, encoder="encoder" in self.kinds)
        try:
            with torch.inference_mode():
                self.forward(made.taking())
        except Enough:
            pass
        return made


def check_size(heads: int, rows: int, columns: int) -> None:
    """Refuse what would not fit."""
    if max(rows, columns) > TOKENS:
        raise ValueError(f"maps are of at most {TOKENS:,} tokens: got {max(rows, columns):,}; use a shorter text")
    if heads * rows * columns > LAYER:
        most = int((LAYER / heads) ** 0.5)
        raise ValueError(
            f"a layer of {heads} heads fits into memory up to {most:,} tokens: got {max(rows, columns):,}; use fewer"
        )


def tokens_of(tokenizer: Any, text: str, what: str = "the text") -> list[int]:
    """The tokens of a text, with those that the tokenizer puts around it."""
    if tokenizer is None:
        raise ValueError("a text is read by a tokenizer: got a model without one; add tokenizer.json to its folder")
    try:
        found = tokenizer.encode(text)
    except Exception as error:
        if type(error) not in (Exception, ValueError, KeyError):  # what tokenizers itself raises is no kind of its own
            raise
        raise ValueError(f"{what} must be of what the model has learnt to read: got {text!r:.60}, {error}") from error
    ids = list(getattr(found, "ids", found))
    if not ids:
        raise ValueError(f"{what} must have a token or more: got {text!r}; write something")
    return ids


def shown(tokenizer: Any, ids: Sequence[int]) -> list[str]:
    """The tokens as one reads them; white space has signs."""
    return [sign(_piece(tokenizer, token)) for token in ids]


def sign(piece: str) -> str:
    r"""A piece of text, in which white space alone is seen too.

    >>> sign(" the"), sign(" "), sign("\n")
    ('the', '␣', '↵')
    """
    return piece.strip() or "".join(SIGNS.get(letter, letter) for letter in piece) or "∅"


def _piece(tokenizer: Any, token: int) -> str:
    try:
        text = tokenizer.decode([token], skip_special_tokens=False)
    except TypeError:  # a vocabulary of ours has no special tokens to skip
        text = tokenizer.decode([token])
    if text and "\N{REPLACEMENT CHARACTER}" not in text:
        return text
    named = getattr(tokenizer, "id_to_token", lambda _: None)(token)
    return named or f"#{token}"


def read_text(model: Encoder | Decoder, tokenizer: Any, wanted: Wanted) -> Read:
    ids = tokens_of(tokenizer, wanted.text)
    n, heads, depth = len(ids), model.config.block.num_heads, model.config.depth
    check_size(heads, n, n)
    tokens = torch.tensor([ids])
    return Read(
        lambda maps: model(tokens, maps=maps),
        count=depth,
        weights=depth * heads * n * n,
        kinds={"self": ("tokens", "tokens")},
        axes={"tokens": shown(tokenizer, ids)},
    )


def read_pair(model: EncoderDecoder, tokenizer: Any, wanted: Wanted) -> Read:
    """A source and a target; without a target it is what the model writes, the likeliest token each time."""
    source = tokens_of(tokenizer, wanted.text, "the source")
    config = model.config
    heads, depth = config.block.num_heads, config.decoder_depth or config.depth
    check_size(heads, len(source), len(source))
    if wanted.target:
        written = tokens_of(tokenizer, wanted.target, "the target")
    else:
        written = list(model.generate(source, max_new=WRITTEN).tokens)
    check_size(heads, len(written), max(len(source), len(written)))
    start = model.start()
    read = [start, *written[:-1]]
    s, t = len(source), len(read)
    return Read(
        lambda maps: model(torch.tensor([source]), torch.tensor([read]), maps=maps),
        count=config.depth + 2 * depth,
        weights=heads * (config.depth * s * s + depth * (t * t + t * s)),
        kinds={"encoder": ("read", "read"), "self": ("so far", "so far"), "cross": ("written", "read")},
        axes={"read": shown(tokenizer, source), "so far": shown(tokenizer, read), "written": shown(tokenizer, written)},
        said=f"writes {tokenizer.decode(written)}",
    )


def read_letters(model: Any, wanted: Wanted) -> Read:
    """A string and what the model writes of it, letter by letter."""
    n = len(wanted.text)
    if n > STRING:
        raise ValueError(f"a string has at most {STRING} letters: got {n:,}; use a shorter one")
    batch = reversal.batch_of([wanted.text])
    written = _written(model, batch)
    target = torch.cat((batch.target[:, :1], written[:, :-1]), 1)
    names = [*reversal.ALPHABET, "▸"]
    letters, wrote, so_far = ([names[token] for token in row[0].tolist()] for row in (batch.source, written, target))
    axes = {"read": letters, "so far": so_far, "written": wrote}
    if isinstance(model, Recurrent):
        heads, depth, kinds = 1, 1, {"cross": ("written", "read")}
    else:
        heads, depth = model.config.block.num_heads, model.config.depth
        kinds = {"encoder": ("read", "read"), "self": ("so far", "so far"), "cross": ("written", "read")}
    right = sum(a == b for a, b in zip(wrote, reversed(letters), strict=True))
    return Read(
        lambda maps: model(batch.source, target, maps=maps),
        count=depth * len(kinds),
        weights=depth * len(kinds) * heads * n * n,
        kinds=kinds,
        axes=axes,
        said=f"writes {''.join(wrote)}, {right} of {n} letters right",
    )


def _written(model: Any, batch: reversal.Batch) -> Tensor:
    """What a model writes of a string, as long as somebody waits for it."""

    def reader(source: Tensor, lengths: Any) -> Any:
        own = model.reader(source, lengths)

        def read(tokens: Tensor) -> Tensor:
            check()
            return own.read(tokens)

        return SimpleNamespace(read=read)

    return reversal.written(SimpleNamespace(reader=reader), batch)  # pyright: ignore[reportArgumentType]


def read_grid(model: GridModel, images: ImageSet, wanted: Wanted) -> Read:
    """A picture of a set, or one that is scaled to the size of these."""
    channels, height, width = images.images.shape[1:]
    if wanted.picture is None:
        pixels, told = _numbered(images, wanted.image)
    else:
        pixels = _opened(wanted.picture, "L" if channels == 1 else "RGB", (height, width))
        told = "your picture"
    one = ImageSet(torch.from_numpy(pixels)[None], torch.zeros(1, dtype=torch.int64), images.classes).normalised_as(
        images
    )
    batch = one.batch([0])[0].expand(-1, 3, -1, -1)
    config, side = model.config, height // model.config.patch
    with torch.inference_mode():
        best = int(model(batch).logits[0].argmax())
    seen = np.repeat(pixels, 3, 0) if channels == 1 else pixels
    return _patched(
        lambda maps: model(batch, maps=maps),
        (config.depth, config.num_heads, (side, width // config.patch)),
        np.ascontiguousarray(seen.transpose(1, 2, 0)),
        f"{told}, taken for {images.classes[best]}",
    )


def read_vit(model: ViT, wanted: Wanted) -> Read:
    how = preprocessing(model)
    given = _digit(wanted.image) if wanted.picture is None else _opened(wanted.picture, "RGB", None).transpose(1, 2, 0)
    batch = preprocess(np.ascontiguousarray(given), how)
    config = model.config
    if batch.shape[2] % config.patch or batch.shape[3] % config.patch:
        raise ValueError(f"patches of {config.patch} must divide the picture: got {tuple(batch.shape[2:])}")
    grid = (batch.shape[2] // config.patch, batch.shape[3] // config.patch)
    check_size(config.block.num_heads, grid[0] * grid[1] + 1, grid[0] * grid[1] + 1)
    seen = batch[0].permute(1, 2, 0)
    if how.mean is not None and how.std is not None:
        seen = seen * torch.tensor(how.std) + torch.tensor(how.mean)
    size = (config.image, config.image)
    return _patched(
        lambda maps: model(batch, maps=maps, interpolate=tuple(batch.shape[2:]) != size),
        (config.depth, config.block.num_heads, grid),
        (255 * seen).clamp(0, 255).byte().numpy(),
        "your picture" if wanted.picture is not None else f"image no. {wanted.image}",
        first=1,
    )


def read_davit(model: DaViT, wanted: Wanted) -> Read:
    config = model.config
    given = _digit(wanted.image) if wanted.picture is None else _opened(wanted.picture, "RGB", None).transpose(1, 2, 0)
    from regard.models import Preprocessing

    batch = preprocess(np.ascontiguousarray(given), Preprocessing(size=(config.image, config.image)))
    weights = 0
    for stage, (depth, heads) in enumerate(zip(config.depths, config.num_heads, strict=True)):
        n = (config.image // (config.patch * 2**stage)) ** 2
        check_size(heads, n, n)
        weights += depth * heads * n * n
    return Read(
        lambda maps: model(batch, maps=maps),
        count=2 * sum(config.depths),
        weights=weights,
        kinds={"window": ("patches", "patches"), "channel": ("channels", "channels")},
        patches=True,
        picture=(127.5 * (batch[0].permute(1, 2, 0) + 1)).clamp(0, 255).byte().numpy(),
    )


def read_weights(maps: Sequence[Tensor], labels: Sequence[str] | None) -> Read:
    """Maps that somebody has already: (H, T, S) for each layer."""
    rows, columns = maps[0].shape[-2:]
    axes = {}
    if labels is not None and len(labels) == columns:
        axes["keys"] = [sign(str(label)) for label in labels]
    if labels is not None and len(labels) == rows:
        axes["queries"] = [sign(str(label)) for label in labels]

    def forward(taking: Maps) -> None:
        kept = taking.kept(("self",), len(maps), maps[0].shape[0])
        for one in maps:
            check_size(one.shape[0], *one.shape[1:])
            kept.add("self", one[None].float())

    weights = sum(one.numel() for one in maps)
    return Read(forward, count=len(maps), weights=weights, kinds={"self": ("queries", "keys")}, axes=axes)


def _patched(
    forward: Callable[[Maps], Any],
    sizes: tuple[int, int, tuple[int, int]],
    picture: np.ndarray,
    said: str,
    first: int = 0,
) -> Read:
    depth, heads, (h, w) = sizes
    names = ["class token"] * first + [f"row {i + 1}, column {j + 1}" for i in range(h) for j in range(w)]
    return Read(
        forward,
        count=depth,
        weights=depth * heads * len(names) ** 2,
        kinds={"self": ("patches", "patches")},
        axes={"patches": names},
        patches=True,
        first=first,
        picture=picture,
        said=said,
    )


def _numbered(images: ImageSet, number: int) -> tuple[np.ndarray, str]:
    if not 0 <= number < len(images):
        raise ValueError(f"pictures are numbered from 0 to {len(images) - 1}: got {number}")
    name = images.classes[int(images.labels[number])]
    return images.images[number].numpy(), f"image no. {number} shows {name}"


def _digit(number: int) -> np.ndarray:
    test = digits()[1]
    if not 0 <= number < len(test):
        raise ValueError(f"pictures are numbered from 0 to {len(test) - 1}: got {number}")
    return (255 * test.images[number, 0]).byte().numpy()


def _opened(data: bytes, mode: str, size: tuple[int, int] | None) -> np.ndarray:
    """The pixels of a file, (C, h, w), scaled where a size is given; its head is read before anything is decoded."""
    import io

    try:
        from PIL import Image, ImageOps
    except ImportError as error:
        raise MissingExtra("pictures", "Pillow", "models") from error
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP", "GIF", "BMP")) as file:
            if file.width * file.height > PIXELS:
                raise ValueError(f"it has {file.width} × {file.height} pixels, of at most {PIXELS:,} in all")
            image = ImageOps.exif_transpose(file).convert(mode)
    except (OSError, SyntaxError, EOFError, ValueError, Image.DecompressionBombError) as error:
        raise ValueError(f"a picture must be a PNG, JPEG, WebP, GIF or BMP: {error}; use another file") from error
    if size is not None:
        image = image.resize((size[1], size[0]), Image.Resampling.BILINEAR)
    pixels = np.array(image)
    return pixels[None] if pixels.ndim == 2 else np.ascontiguousarray(pixels.transpose(2, 0, 1))
