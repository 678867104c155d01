"""Maps: what each head of a model looks at, of a text or a picture."""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from regard.explore import subjects as shelf_of_maps
from regard.explore.api import Asked, Binary, Question, Reply
from regard.explore.desk import Desk
from regard.explore.inputs import TITLES, TOKENS, Read, Wanted
from regard.explore.subjects import Takes
from regard.explore.tiles import TYPES, Layer, Sheets, Type, part

LETTERS = 40_000  # of a text
PICTURE = 11 * 2**20  # of a picture as base64
GONE = "these maps are no longer kept"

Name = Annotated[str, Field(max_length=200)]
Text = Annotated[str, Field(max_length=LETTERS)]
Key = Annotated[str, Field(min_length=8, max_length=64)]
Count = Annotated[int, Field(ge=0, lt=1000)]
Place = Annotated[int, Field(ge=0, le=TOKENS)]


class SubjectsAsked(Asked):
    """Nothing."""


class SubjectReply(Reply):
    """What can be looked at, what it takes, and what to try; `steps` of its training were recorded."""

    name: str
    label: str
    group: str
    takes: Takes
    examples: list[str]
    images: int
    steps: list[int]


class SubjectsReply(Reply):
    """All that has maps."""

    subjects: list[SubjectReply]


class MapsAsked(Asked):
    """A subject, and what it reads: text, text and target, the number of an image, or a picture in base64.

    With `step` it is what was recorded at that step of the training, of the input that was recorded.
    """

    subject: Name
    text: Text = ""
    target: Text = ""
    image: Annotated[int, Field(ge=0, le=10**6)] = 0
    picture: Annotated[str, Field(max_length=PICTURE)] | None = None
    step: Annotated[int, Field(ge=0, le=10**9)] | None = None


class LayerReply(Reply):
    """How many maps a layer has, and of what size."""

    heads: int
    rows: int
    columns: int
    grid: tuple[int, int] | None  # of patches


class KindReply(Reply):
    """Maps of one kind; rows and columns are named by axes."""

    name: str
    title: str
    rows: str
    columns: str
    layers: list[LayerReply]


class MapsReply(Reply):
    """The key to ask for maps by; `axes` are the labels along rows and columns; `first` tokens precede the patches."""

    key: str
    kinds: list[KindReply]
    axes: dict[str, list[str]]
    first: int
    pictured: bool
    said: str
    type: Type
    pool: int


class OverviewAsked(Asked):
    """All heads of a kind, small."""

    key: Key
    kind: Name


class OverviewHead(Reply):
    """Bytes 255·√w, layer by layer, head by head, of `shapes` (heads, rows, columns); `limits` end their colours."""

    shapes: list[tuple[int, int, int]]
    limits: list[list[float]]


class TileAsked(Asked):
    """A head, or rows and columns of it from … to (without); where there are more than `most`, maxima of squares."""

    key: Key
    kind: Name
    layer: Count
    head: Count
    rows: tuple[Place, Place] | None = None
    columns: tuple[Place, Place] | None = None
    most: Annotated[int, Field(ge=16, le=TOKENS)] = 1024


class TileHead(Reply):
    """`shape` numbers of `type`, of which bytes are 255·√w, for these rows and columns, the largest of `pool` × `pool`.

    Few weights of the head are above `limit`.
    """

    type: Type
    shape: tuple[int, int]
    rows: tuple[int, int]
    columns: tuple[int, int]
    pool: int
    limit: float


class HeadAsked(Asked):
    """One head of a kind, of maps that were asked for before."""

    key: Key
    kind: Name
    layer: Count
    head: Count


class FactsReply(Reply):
    """Means over the queries of a head: bits of entropy, and how many tokens away it looks."""

    entropy: float
    distance: float


class PictureAsked(Asked):
    """The image that maps were asked of."""

    key: Key


class PictureHead(Reply):
    """Bytes of red, green and blue, row by row."""

    height: int
    width: int


@dataclass(frozen=True, eq=False)
class Made:
    """Maps, and what they are of."""

    read: Read
    sheets: Sheets


def subjects(desk: Desk, asked: SubjectsAsked) -> SubjectsReply:
    """What has maps to look at: models of runs and folders."""
    return SubjectsReply(
        subjects=[
            SubjectReply(
                name=one.name,
                label=one.label,
                group=one.group,
                takes=one.takes,
                examples=list(one.examples),
                images=one.images,
                steps=list(one.steps),
            )
            for one in shelf_of_maps.subjects(desk.shelf).values()
        ]
    )


def maps(desk: Desk, asked: MapsAsked) -> MapsReply:
    """Compute all maps of a model for an input, by one pass, and keep them for a while; the reply says how to ask."""
    subject = shelf_of_maps.subject(desk, asked.subject)
    if asked.step is not None:
        asked = MapsAsked(subject=asked.subject, step=asked.step)  # what is typed does not matter
    key = hashlib.sha256(f"{subject.stamp} {asked.model_dump_json()}".encode()).hexdigest()[:32]

    def make() -> tuple[Made, int]:
        picture = None if asked.picture is None else _decoded(asked.picture)
        wanted = Wanted(asked.text, asked.target, asked.image, picture)
        read = shelf_of_maps.read(desk, subject, wanted, asked.step)
        made = Made(read, read.sheets())
        return made, made.sheets.bytes

    return _described(key, desk.kept.get(("maps", key), make))


def overview(desk: Desk, asked: OverviewAsked) -> Binary:
    """A small picture of every head of a kind: head OverviewHead."""
    layers = _layers(_made(desk, asked.key), asked.kind)
    shapes = [tuple(layer.thumbs.shape) for layer in layers]
    data = b"".join(layer.thumbs.numpy().tobytes() for layer in layers)
    return Binary(OverviewHead(shapes=shapes, limits=[layer.limits for layer in layers]), data)  # pyright: ignore


def tile(desk: Desk, asked: TileAsked) -> Binary:
    """The weights of one head, whole or in part: head TileHead."""
    made, layer = _head(desk, asked)
    found, rows, columns, pool = part(layer, asked.head, asked.rows, asked.columns, asked.most)
    head = TileHead(
        type=_type(layer),
        shape=(found.shape[0], found.shape[1]),
        rows=rows,
        columns=columns,
        pool=pool,
        limit=made.sheets.limit(asked.kind, asked.layer, asked.head),
    )
    return Binary(head, found.contiguous().numpy().tobytes())


def facts(desk: Desk, asked: HeadAsked) -> FactsReply:
    """How widely and how far a head looks."""
    _, layer = _head(desk, asked)
    found = layer.facts(asked.head)
    return FactsReply(entropy=found.entropy, distance=found.distance)


def picture(desk: Desk, asked: PictureAsked) -> Binary:
    """The picture as the model sees it: head PictureHead."""
    pixels = _made(desk, asked.key).read.picture
    if pixels is None:
        raise ValueError("a picture is there where a picture is read: got maps of a text")
    return Binary(PictureHead(height=pixels.shape[0], width=pixels.shape[1]), pixels.tobytes())


def _made(desk: Desk, key: str) -> Made:
    def gone() -> tuple[Made, int]:
        raise ValueError(f"{GONE}: got the key {key!r}; ask for maps anew")

    return desk.kept.get(("maps", key), gone)


def _head(desk: Desk, asked: TileAsked | HeadAsked) -> tuple[Made, Layer]:
    made = _made(desk, asked.key)
    layers = _layers(made, asked.kind)
    if asked.layer >= len(layers) or asked.head >= len(layers[asked.layer].limits):
        raise ValueError(
            f"layer and head must be there: got {asked.layer} and {asked.head}, of {len(layers)} layers of "
            f"{len(layers[min(asked.layer, len(layers) - 1)].limits)} heads"
        )
    return made, layers[asked.layer]


def _layers(made: Made, kind: str) -> list[Layer]:
    if kind not in made.sheets.layers:
        raise ValueError(f"maps must be of a kind that is there, {', '.join(made.sheets.layers)}: got {kind!r:.40}")
    return made.sheets.layers[kind]


def _type(layer: Layer) -> Type:
    return TYPES[layer.weights.dtype]  # pyright: ignore


def _described(key: str, made: Made) -> MapsReply:
    read, layers = made.read, made.sheets.layers
    first = next(iter(layers.values()))[0]
    return MapsReply(
        key=key,
        kinds=[
            KindReply(
                name=kind,
                title=TITLES[kind],
                rows=rows,
                columns=columns,
                layers=[_layer(layer, read, columns) for layer in layers[kind]],
            )
            for kind, (rows, columns) in read.kinds.items()
        ],
        axes=read.axes,
        first=read.first,
        pictured=read.picture is not None,
        said=read.said,
        type=_type(first),
        pool=first.pool,
    )


def _layer(layer: Layer, read: Read, columns: str) -> LayerReply:
    grid = None
    if read.patches and columns == "patches" and layer.rows == layer.columns and read.picture is not None:
        h, w = read.picture.shape[:2]
        side = ((layer.columns - read.first) * h / w) ** 0.5  # patches are square
        grid = (round(side), (layer.columns - read.first) // max(1, round(side)))
    return LayerReply(heads=len(layer.limits), rows=layer.rows, columns=layer.columns, grid=grid)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text.partition(",")[2] if text.startswith("data:") else text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"a picture comes in base64: got something else, {error}; choose the file again") from error


QUESTIONS = (
    Question("subjects", subjects),
    Question("maps", maps, heavy=True),
    Question("overview", overview),
    Question("tile", tile),
    Question("facts", facts),
    Question("picture", picture),
)
