"""How a trained model reads an input that somebody chose, so that its attention maps can be shown with labels.

A task gives the reader of its models; models with a tokenizer or a preprocessing of their own need no task.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from regard.attention import Grid
from regard.checks import MissingExtra
from regard.layers import Gaussian
from regard.models import DaViT, Decoder, Encoder, EncoderDecoder, GridModel, Maps, Preprocessing, Recurrent, ViT
from regard.models.classification import restore
from regard.models.hugging_face.images import preprocess, preprocessing
from regard.tasks import reversal
from regard.tasks.digits import digits
from regard.tasks.image_formats import open_picture
from regard.tasks.images import ImageSet

InputKind = Literal["text", "pair", "letters", "image", "nothing"]

MAX_TOKENS = 4096
MAX_LAYER = 2**27  # weights of one layer, which are in memory at once, in float32
MAX_LETTERS = 256  # of a string, since a model writes them one by one
MAX_WRITTEN = 64  # tokens that an encoder-decoder writes where no target is given
MAX_PIXELS = 2**25  # of an uploaded picture
SIGNS = {"\n": "↵", " ": "␣", "\t": "⇥"}


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What the model of a training reads, told from the settings alone: the kind, examples, and how many images."""

    kind: InputKind
    examples: Sequence[str] = ()
    images: int = 0


@dataclass(frozen=True)
class Sample:
    """An input: a text, or a text and its target, or the number of an image, or a picture's bytes."""

    text: str = ""
    target: str = ""
    image: int = 0
    picture: bytes | None = None


@dataclass(frozen=True, eq=False)
class Reading:
    """One pass of a model over an input, and how its maps are named: the axes of each kind, the labels of each axis."""

    forward: Callable[[Maps], Any]
    count: int  # layers of maps, of all kinds
    weights: int  # of all maps together
    kinds: dict[str, tuple[str, str]]
    axes: dict[str, list[str]] = field(default_factory=dict)
    patches: bool = False  # rows and columns are positions of a grid
    first: int = 0  # tokens before the patches: the class token
    picture: np.ndarray | None = None  # (h, w, 3), as the model sees it
    caption: str = ""


class Reader(ABC):
    """A model and what turns samples into its inputs."""

    kind: InputKind

    def __init__(self, model: Any) -> None:
        self.model = model.eval() if model.training else model

    @property
    def num_bytes(self) -> int:
        return sum(tensor.nbytes for tensor in (*self.model.parameters(), *self.model.buffers()))

    @abstractmethod
    def read(self, sample: Sample, check: Callable[[], None] = lambda: None) -> Reading:
        """The pass over a sample; `check` is called between long steps, and may raise to stop."""

    def replay(self, tensors: Mapping[str, Tensor]) -> Reading:
        """The maps that were recorded at a step of the training, as weights, of the input recorded with them."""
        raise ValueError(f"a recording must be of a model that can be replayed: got a {type(self.model).__name__}")


class TextReader(Reader):
    """An encoder or decoder with a tokenizer; an empty text stands for `beginning`."""

    kind = "text"

    def __init__(self, model: Encoder | Decoder, tokenizer: Any, beginning: str = "") -> None:
        super().__init__(model)
        self.tokenizer, self.beginning = tokenizer, beginning

    def read(self, sample: Sample, check: Callable[[], None] = lambda: None) -> Reading:
        ids = encode(self.tokenizer, sample.text or self.beginning)
        N, heads, depth = len(ids), self.model.config.block.num_heads, self.model.config.depth
        check_size(heads, N, N)
        tokens = torch.tensor([ids])
        return Reading(
            lambda maps: self.model(tokens, maps=maps),
            count=depth,
            weights=depth * heads * N * N,
            kinds={"self": ("tokens", "tokens")},
            axes={"tokens": label_tokens(self.tokenizer, ids)},
        )

    def replay(self, tensors: Mapping[str, Tensor]) -> Reading:
        labels = label_tokens(self.tokenizer, recorded_tensor(tensors, "inputs.text").tolist())
        return _given("self", _recorded_maps(tensors, "text"), ("tokens", "tokens"), {"tokens": labels}, "as recorded")


class PairReader(Reader):
    """An encoder-decoder with a tokenizer; without a target it is what the model writes, greedily."""

    kind = "pair"

    def __init__(self, model: EncoderDecoder, tokenizer: Any) -> None:
        super().__init__(model)
        self.tokenizer = tokenizer

    def read(self, sample: Sample, check: Callable[[], None] = lambda: None) -> Reading:
        source = encode(self.tokenizer, sample.text, "the source")
        config = self.model.config
        heads, depth = config.block.num_heads, config.decoder_depth or config.depth
        check_size(heads, len(source), len(source))
        if sample.target:
            written = encode(self.tokenizer, sample.target, "the target")
        else:
            written = list(self.model.generate(source, max_new=MAX_WRITTEN).tokens)
        check_size(heads, len(written), max(len(source), len(written)))
        target = [self.model.start(), *written[:-1]]
        S, T = len(source), len(target)
        labels = {"read": source, "so far": target, "written": written}
        return Reading(
            lambda maps: self.model(torch.tensor([source]), torch.tensor([target]), maps=maps),
            count=config.depth + 2 * depth,
            weights=heads * (config.depth * S * S + depth * (T * T + T * S)),
            kinds={"encoder": ("read", "read"), "self": ("so far", "so far"), "cross": ("written", "read")},
            axes={name: label_tokens(self.tokenizer, ids) for name, ids in labels.items()},
            caption=f"writes {self.tokenizer.decode(written)}",
        )


class StringReader(Reader):
    """A model of string reversal: it reads a string and writes it letter by letter."""

    kind = "letters"

    def read(self, sample: Sample, check: Callable[[], None] = lambda: None) -> Reading:
        N = len(sample.text)
        if N > MAX_LETTERS:
            raise ValueError(f"a string must have at most {MAX_LETTERS} letters: got {N:,}; use a shorter one")
        batch = reversal.batch_of([sample.text])
        written = reversal.write_letters(self.model, batch, check)
        target = torch.cat((batch.target[:, :1], written[:, :-1]), 1)
        names = [*reversal.ALPHABET, "▸"]
        read, wrote, so_far = ([names[token] for token in row[0].tolist()] for row in (batch.source, written, target))
        kinds = {"encoder": ("read", "read"), "self": ("so far", "so far"), "cross": ("written", "read")}
        if isinstance(self.model, Recurrent):
            heads, depth, kinds = 1, 1, {"cross": kinds["cross"]}
        else:
            heads, depth = self.model.config.block.num_heads, self.model.config.depth
        right = sum(a == b for a, b in zip(wrote, reversed(read), strict=True))
        return Reading(
            lambda maps: self.model(batch.source, target, maps=maps),
            count=depth * len(kinds),
            weights=depth * len(kinds) * heads * N * N,
            kinds=kinds,
            axes={"read": read, "so far": so_far, "written": wrote},
            caption=f"writes {''.join(wrote)}, {right} of {N} letters right",
        )

    def replay(self, tensors: Mapping[str, Tensor]) -> Reading:
        letters = [reversal.ALPHABET[token] for token in recorded_tensor(tensors, "inputs.word").tolist()]
        axes = {"read": letters, "written": letters[::-1]}
        caption = f"as recorded, with {''.join(letters[::-1])} to write"
        return _given("cross", _recorded_maps(tensors, "word"), ("written", "read"), axes, caption)


class ImageReader(Reader):
    """A grid model and the images it was tested on; an uploaded picture is scaled to their size."""

    kind = "image"

    def __init__(self, model: GridModel, images: ImageSet) -> None:
        super().__init__(model)
        self.images = images

    @property
    def num_bytes(self) -> int:
        return super().num_bytes + self.images.images.nbytes

    def read(self, sample: Sample, check: Callable[[], None] = lambda: None) -> Reading:
        images, config = self.images, self.model.config
        channels, height, width = images.images.shape[1:]
        if sample.picture is None:
            check_image_number(sample.image, len(images))
            pixels = images.images[sample.image].numpy()
            caption = f"image no. {sample.image} shows {images.classes[int(images.labels[sample.image])]}"
        else:
            pixels = decode_picture(sample.picture, "L" if channels == 1 else "RGB", (height, width))
            caption = "your picture"
        one = ImageSet(torch.from_numpy(pixels)[None], torch.zeros(1, dtype=torch.int64), images.classes)
        batch = one.normalised_as(images).batch([0])[0].expand(-1, 3, -1, -1)
        with torch.inference_mode():
            best = int(self.model(batch).logits[0].argmax())
        seen = np.repeat(pixels, 3, 0) if channels == 1 else pixels
        return _patch_reading(
            lambda maps: self.model(batch, maps=maps),
            (config.depth, config.num_heads, (height // config.patch, width // config.patch)),
            np.ascontiguousarray(seen.transpose(1, 2, 0)),
            f"{caption}, taken for {images.classes[best]}",
        )

    def replay(self, tensors: Mapping[str, Tensor]) -> Reading:
        """Maps of gaussian heads are computed from their centres and precisions; they are the same for all images."""
        read, side = self.read(Sample()), self.images.images.shape[-1] // self.model.config.patch
        if "heads.0.centre" in tensors:
            maps = []
            for layer, block in enumerate(self.model.blocks):
                heads: Any = copy.deepcopy(block.attention)
                if not isinstance(heads.position, Gaussian):
                    raise ValueError(f"gaussian heads were recorded: got a model of {type(heads.position).__name__}")
                heads.position.set(*[recorded_tensor(tensors, f"heads.{layer}.{x}") for x in ("centre", "precision")])
                with torch.no_grad():
                    maps.append(heads.weights(Grid(side, side), mask=self.model.config.mechanism.mask)[0])
        else:
            maps = _recorded_maps(tensors, "image-0")
        given = _given("self", maps, read.kinds["self"], read.axes, "as recorded")
        return replace(given, patches=True, picture=read.picture)


class VisionReader(Reader):
    """A ViT or a DaViT with its own preprocessing; its numbered images are the digits that ship."""

    kind = "image"

    def read(self, sample: Sample, check: Callable[[], None] = lambda: None) -> Reading:
        if sample.picture is None:
            test = digits()[1]
            check_image_number(sample.image, len(test))
            pixels = (255 * test.images[sample.image, 0]).byte().numpy()
        else:
            pixels = decode_picture(sample.picture, "RGB", None).transpose(1, 2, 0)
        pixels = np.ascontiguousarray(pixels)
        return self._read_vit(pixels, sample) if isinstance(self.model, ViT) else self._read_davit(pixels)

    def _read_vit(self, pixels: np.ndarray, sample: Sample) -> Reading:
        how, config = preprocessing(self.model), self.model.config
        batch = preprocess(pixels, how)
        size = (batch.shape[2], batch.shape[3])
        if size[0] % config.patch or size[1] % config.patch:
            raise ValueError(f"patches of {config.patch} must divide the picture: got {size}")
        grid = (size[0] // config.patch, size[1] // config.patch)
        check_size(config.block.num_heads, grid[0] * grid[1] + 1, grid[0] * grid[1] + 1)
        return _patch_reading(
            lambda maps: self.model(batch, maps=maps, interpolate=size != (config.image, config.image)),
            (config.depth, config.block.num_heads, grid),
            (255 * restore(batch[0], how)).byte().numpy(),
            f"image no. {sample.image}" if sample.picture is None else "your picture",
            first=1,
        )

    def _read_davit(self, pixels: np.ndarray) -> Reading:
        config = self.model.config
        how = Preprocessing(size=(config.image, config.image))
        batch = preprocess(pixels, how)
        weights = 0
        for stage, (depth, heads) in enumerate(zip(config.depths, config.num_heads, strict=True)):
            N = (config.image // (config.patch * 2**stage)) ** 2
            check_size(heads, N, N)
            weights += depth * heads * N * N
        return Reading(
            lambda maps: self.model(batch, maps=maps),
            count=2 * sum(config.depths),
            weights=weights,
            kinds={"window": ("patches", "patches"), "channel": ("channels", "channels")},
            patches=True,
            picture=(255 * restore(batch[0], how)).byte().numpy(),
        )


def reader_of(model: Any) -> Reader | None:
    """The reader of a model that needs no task; None where it has no attention to show."""
    tokenizer = getattr(model, "tokenizer", None)
    if isinstance(model, Encoder | Decoder):
        return TextReader(model, tokenizer)
    if isinstance(model, EncoderDecoder) and tokenizer is not None:
        return PairReader(model, tokenizer)
    return VisionReader(model) if isinstance(model, ViT | DaViT) else None


def read_weights(maps: Sequence[Tensor], labels: Sequence[str] | None) -> Reading:
    """Maps that somebody has already: (H, T, S) for each layer."""
    rows, columns = maps[0].shape[-2:]
    for one in maps:
        check_size(one.shape[0], *one.shape[1:])
    named = [label_piece(str(label)) for label in labels or ()]
    axes = {name: named for name, size in (("keys", columns), ("queries", rows)) if labels and len(named) == size}
    return _given("self", [one.float() for one in maps], ("queries", "keys"), axes, "")


def check_size(heads: int, rows: int, columns: int) -> None:
    """Refuse maps that would not fit into memory."""
    if max(rows, columns) > MAX_TOKENS:
        raise ValueError(f"maps are of at most {MAX_TOKENS:,} tokens: got {max(rows, columns):,}; use a shorter text")
    if heads * rows * columns > MAX_LAYER:
        most = int((MAX_LAYER / heads) ** 0.5)
        raise ValueError(
            f"a layer of {heads} heads fits into memory up to {most:,} tokens: got {max(rows, columns):,}; use fewer"
        )


def check_image_number(number: int, count: int) -> None:
    if not 0 <= number < count:
        raise ValueError(f"images are numbered from 0 to {count - 1}: got {number}")


def encode(tokenizer: Any, text: str, what: str = "the text") -> list[int]:
    """The tokens of a text, with those that the tokenizer puts around it."""
    if tokenizer is None:
        raise ValueError("a model needs a tokenizer to read a text: got none; add tokenizer.json to its folder")
    try:
        found = tokenizer.encode(text)
    except Exception as error:
        if type(error) not in (Exception, ValueError, KeyError):  # tokenizers raises plain Exceptions
            raise
        raise ValueError(
            f"{what} must be of what the model's tokenizer knows: got {_first_unknown(tokenizer, text)!r}; leave it out"
        ) from error
    ids = list(getattr(found, "ids", found))
    if not ids:
        raise ValueError(f"{what} must have a token or more: got {text!r}; write something")
    return ids


def _first_unknown(tokenizer: Any, text: str) -> str:
    """The first character that the tokenizer cannot read alone, or else the beginning of the text."""
    for character in dict.fromkeys(text):
        try:
            tokenizer.encode(character)
        except Exception as error:
            if type(error) not in (Exception, ValueError, KeyError):
                raise
            return character
    return text[:60]


def label_tokens(tokenizer: Any, ids: Sequence[int]) -> list[str]:
    """The tokens as people read them; white space alone becomes a sign."""
    labels = []
    for token in ids:
        try:
            text = tokenizer.decode([token], skip_special_tokens=False)
        except TypeError:  # a vocabulary of ours has no special tokens to skip
            text = tokenizer.decode([token])
        if not text or "\N{REPLACEMENT CHARACTER}" in text:
            text = getattr(tokenizer, "id_to_token", lambda _: None)(token) or f"#{token}"
        labels.append(label_piece(text))
    return labels


def label_piece(piece: str) -> str:
    r"""A piece of text, in which white space alone is visible too.

    >>> label_piece(" the"), label_piece(" "), label_piece("\n")
    ('the', '␣', '↵')
    """
    return piece.strip() or "".join(SIGNS.get(letter, letter) for letter in piece) or "∅"


def has_maps(tensors: Mapping[str, Tensor]) -> bool:
    """Whether a recording has maps of all queries, or centres of gaussian heads, from which maps are computed."""
    maps = any(name.startswith("maps.") for name in tensors)
    return (maps and "queries" not in tensors) or "heads.0.centre" in tensors


def recorded_tensor(tensors: Mapping[str, Tensor], name: str) -> Tensor:
    if name not in tensors:
        raise ValueError(f"a recording must have {name}: got {', '.join(tensors) or 'nothing'}; use another")
    return tensors[name]


def _recorded_maps(tensors: Mapping[str, Tensor], name: str) -> list[Tensor]:
    """The recorded maps of an input, layer by layer, (H, T, S)."""
    found = {int(key.rpartition(".")[2]): value for key, value in tensors.items() if key.startswith(f"maps.{name}.")}
    if not found:
        raise ValueError(f"a recording must have maps to show: got {', '.join(tensors) or 'nothing'}; use another step")
    for layer, map in found.items():
        if map.ndim != 3 or not map.numel():
            raise ValueError(f"recorded maps must be (H, T, S): got {tuple(map.shape)} in layer {layer}")
    return [found[layer] for layer in sorted(found)]


def _given(
    kind: str, maps: Sequence[Tensor], names: tuple[str, str], axes: dict[str, list[str]], caption: str
) -> Reading:
    """A reading without a pass: its maps are here already."""

    def forward(taking: Maps) -> None:
        kept = taking.kept((kind,), len(maps), maps[0].shape[0])
        for one in maps:
            kept.add(kind, one[None])

    weights = sum(one.numel() for one in maps)
    return Reading(forward, count=len(maps), weights=weights, kinds={kind: names}, axes=axes, caption=caption)


def _patch_reading(
    forward: Callable[[Maps], Any],
    sizes: tuple[int, int, tuple[int, int]],
    picture: np.ndarray,
    caption: str,
    first: int = 0,
) -> Reading:
    depth, heads, (h, w) = sizes
    names = ["class token"] * first + [f"row {i + 1}, column {j + 1}" for i in range(h) for j in range(w)]
    return Reading(
        forward,
        count=depth,
        weights=depth * heads * len(names) ** 2,
        kinds={"self": ("patches", "patches")},
        axes={"patches": names},
        patches=True,
        first=first,
        picture=picture,
        caption=caption,
    )


def decode_picture(data: bytes, mode: str, size: tuple[int, int] | None) -> np.ndarray:
    """The pixels of a file, (C, h, w), scaled where a size is given."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise MissingExtra("pictures", "Pillow", "models") from error
    try:
        image = open_picture(data, ("PNG", "JPEG", "WEBP", "GIF", "BMP"), MAX_PIXELS).convert(mode)
    except UnidentifiedImageError as error:  # its message names the object that was read, not the file
        raise ValueError(
            "a picture must be a PNG, JPEG, WebP, GIF or BMP: got another file; use one of these"
        ) from error
    except (OSError, SyntaxError, EOFError, ValueError, Image.DecompressionBombError) as error:
        raise ValueError(f"a picture must be a PNG, JPEG, WebP, GIF or BMP: {error}; use another file") from error
    if size is not None:
        image = image.resize((size[1], size[0]), Image.Resampling.BILINEAR)
    pixels = np.array(image)
    return pixels[None] if pixels.ndim == 2 else np.ascontiguousarray(pixels.transpose(2, 0, 1))
