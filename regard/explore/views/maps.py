"""Maps: what each head of a model looks at in a text or a picture."""

import base64
import binascii
import hashlib
from typing import Annotated

from pydantic import Field

from regard.explore.api import Binary, Empty, Endpoint, Request, Response
from regard.explore.views import map_models
from regard.explore.views.map_scores import find_telling
from regard.explore.views.map_store import TYPES, Facts, Layer, MapStore, Type, cut_tile
from regard.explore.workspace import Workspace
from regard.tasks.readers import MAX_TOKENS, InputKind, Reading, Sample

MAX_TEXT = 40_000  # characters
MAX_PICTURE = 11 * 2**20  # characters of base64
GONE = "these maps are no longer in memory"
TITLES = {
    "encoder": "Encoder",
    "self": "Self-attention",
    "cross": "Cross-attention",
    "window": "Windows",
    "channel": "Channels",
}

Name = Annotated[str, Field(max_length=200)]
Text = Annotated[str, Field(max_length=MAX_TEXT)]
Key = Annotated[str, Field(min_length=8, max_length=64)]
Count = Annotated[int, Field(ge=0, lt=1000)]
Place = Annotated[int, Field(ge=0, le=MAX_TOKENS)]


class ModelResponse(Response):
    """A model, what it takes, and what to try; `steps` of its training were recorded."""

    name: str
    label: str
    group: str
    takes: InputKind
    examples: list[str]
    images: int
    steps: list[int]


class ModelsResponse(Response):
    """All models that have maps."""

    models: list[ModelResponse]


class MapsRequest(Request):
    """A model, and what it reads: a text, a text and its target, the number of an image, or a picture in base64.

    With `step`, the maps that were recorded at that step of the training, of the input that was recorded.
    """

    model: Name
    text: Text = ""
    target: Text = ""
    image: Annotated[int, Field(ge=0, le=10**6)] = 0
    picture: Annotated[str, Field(max_length=MAX_PICTURE)] | None = None
    step: Annotated[int, Field(ge=0, le=10**9)] | None = None


class LayerResponse(Response):
    """The number of maps of a layer, their size, and what each head does.

    `scores` has for each pattern the share of weight of each head, `tags` the patterns that a head is called by.
    """

    heads: int
    rows: int
    columns: int
    grid: tuple[int, int] | None  # of patches
    scores: dict[str, list[float]]
    tags: list[list[str]]


class KindResponse(Response):
    """Maps of one kind; `rows` and `columns` name their axes; `telling` is the layer and head that stand out most."""

    name: str
    title: str
    rows: str
    columns: str
    layers: list[LayerResponse]
    telling: tuple[int, int]


class MapsResponse(Response):
    """The key for further requests; `axes` has the labels of rows and columns; `first` tokens precede the patches.

    The model was made for sequences of up to `context` tokens, where that is known; `predicts` says whether it tells
    what comes next.
    """

    key: str
    kinds: list[KindResponse]
    axes: dict[str, list[str]]
    first: int
    pictured: bool
    caption: str
    type: Type
    pool: int
    context: int | None
    predicts: bool


class NextRequest(Request):
    """A decoder, and the text that it reads."""

    model: Name
    text: Text


class NextResponse(Response):
    """After each token of the text, the tokens that the model finds likeliest to come next, and how likely."""

    tokens: list[list[str]]
    probabilities: list[list[float]]


class PictureRequest(Request):
    """The picture of maps with this key."""

    key: Key


class OverviewRequest(PictureRequest):
    """Thumbnails of all heads of a kind."""

    kind: Name


class OverviewHeader(Response):
    """Bytes 255·√w, layer by layer, head by head, of `shapes` (heads, rows, columns); `limits` end their colours."""

    shapes: list[tuple[int, int, int]]
    limits: list[list[float]]


class HeadRequest(OverviewRequest):
    """One head of a kind, of maps with this key."""

    layer: Count
    head: Count


class TileRequest(HeadRequest):
    """A head, or some rows and columns of it, without the last; where there are more than `most`, maxima of squares."""

    rows: tuple[Place, Place] | None = None
    columns: tuple[Place, Place] | None = None
    most: Annotated[int, Field(ge=16, le=MAX_TOKENS)] = 1024


class TileHeader(Response):
    """`shape` numbers of `type` (bytes are 255·√w) for these rows and columns, each the largest of `pool` × `pool`.

    Few weights of the head are above `limit`.
    """

    type: Type
    shape: tuple[int, int]
    rows: tuple[int, int]
    columns: tuple[int, int]
    pool: int
    limit: float


class PictureHeader(Response):
    """Bytes of red, green and blue, row by row."""

    height: int
    width: int


def list_models(workspace: Workspace, request: Empty) -> ModelsResponse:
    """The models with maps to look at: of runs, of folders, of a notebook."""
    known, _ = map_models.list_models(workspace)
    return ModelsResponse(models=[ModelResponse.model_validate(one) for one in known.values()])


def compute_maps(workspace: Workspace, request: MapsRequest) -> MapsResponse:
    """Compute all maps of a model for an input, in one pass, and keep them for a while under a key."""
    model = map_models.find_model(workspace, request.model)
    if request.step is not None:
        request = MapsRequest(model=request.model, step=request.step)  # the rest of the input does not matter
    key = hashlib.sha256(f"{model.stamp} {request.model_dump_json()}".encode()).hexdigest()[:32]

    def compute() -> tuple[MapStore, int]:
        picture = None if request.picture is None else _decode(request.picture)
        sample = Sample(request.text, request.target, request.image, picture)
        told = (None, False) if request.step is not None else map_models.describe(workspace, model)
        store = MapStore(map_models.read(workspace, model, sample, request.step), *told)
        return store, store.bytes

    store: MapStore = workspace.cache.get(("maps", key), compute)
    read = store.reading
    first = next(iter(store.layers.values()))[0]
    kinds = [
        KindResponse(
            name=kind,
            title=TITLES[kind],
            rows=rows,
            columns=columns,
            layers=[_describe_layer(layer, read, columns) for layer in store.layers[kind]],
            telling=find_telling(
                [layer.scores for layer in store.layers[kind]], [len(layer.limits) for layer in store.layers[kind]]
            ),
        )
        for kind, (rows, columns) in read.kinds.items()
    ]
    return MapsResponse(
        key=key,
        kinds=kinds,
        axes=read.axes,
        first=read.first,
        pictured=read.picture is not None,
        caption=read.caption,
        type=_type(first),
        pool=first.pool,
        context=store.context,
        predicts=store.predicts,
    )


def predict_next(workspace: Workspace, request: NextRequest) -> NextResponse:
    """What a decoder expects after each token of a text."""
    tokens, probabilities = map_models.predict(workspace, map_models.find_model(workspace, request.model), request.text)
    return NextResponse(tokens=tokens, probabilities=probabilities)


def draw_overview(workspace: Workspace, request: OverviewRequest) -> Binary:
    """A thumbnail of every head of a kind: an OverviewHeader, then its bytes."""
    layers = _find_layers(_find_store(workspace, request.key), request.kind)
    shapes = [tuple(layer.thumbnails.shape) for layer in layers]
    data = b"".join(layer.thumbnails.numpy().tobytes() for layer in layers)
    return Binary(OverviewHeader(shapes=shapes, limits=[layer.limits for layer in layers]), data)  # pyright: ignore


def read_tile(workspace: Workspace, request: TileRequest) -> Binary:
    """The weights of one head, whole or in part: a TileHeader, then its numbers."""
    store, layer = _find_head(workspace, request)
    found, rows, columns, pool = cut_tile(layer, request.head, request.rows, request.columns, request.most)
    header = TileHeader(
        type=_type(layer),
        shape=(found.shape[0], found.shape[1]),
        rows=rows,
        columns=columns,
        pool=pool,
        limit=store.limit(request.kind, request.layer, request.head),
    )
    return Binary(header, found.contiguous().numpy().tobytes())


def measure_head(workspace: Workspace, request: HeadRequest) -> Facts:
    """How widely and how far a head looks."""
    _, layer = _find_head(workspace, request)
    return layer.facts(request.head)


def read_picture(workspace: Workspace, request: PictureRequest) -> Binary:
    """The picture as the model sees it: a PictureHeader, then its bytes."""
    pixels = _find_store(workspace, request.key).reading.picture
    if pixels is None:
        raise ValueError("only maps of a picture have a picture: got maps of a text")
    return Binary(PictureHeader(height=pixels.shape[0], width=pixels.shape[1]), pixels.tobytes())


def _find_store(workspace: Workspace, key: str) -> MapStore:
    store = workspace.cache.get(("maps", key))
    if store is None:
        raise ValueError(f"{GONE}: got the key {key!r}; request the maps again")
    return store


def _find_head(workspace: Workspace, request: HeadRequest) -> tuple[MapStore, Layer]:
    store = _find_store(workspace, request.key)
    layers = _find_layers(store, request.kind)
    if request.layer >= len(layers) or request.head >= len(layers[request.layer].limits):
        raise ValueError(
            f"layer and head must exist: got {request.layer} and {request.head}, of {len(layers)} layers of "
            f"{len(layers[min(request.layer, len(layers) - 1)].limits)} heads"
        )
    return store, layers[request.layer]


def _find_layers(store: MapStore, kind: str) -> list[Layer]:
    if kind not in store.layers:
        raise ValueError(f"kind must be one of {', '.join(store.layers)}: got {kind!r:.40}")
    return store.layers[kind]


def _type(layer: Layer) -> Type:
    return TYPES[layer.weights.dtype]  # pyright: ignore


def _describe_layer(layer: Layer, read: Reading, columns: str) -> LayerResponse:
    grid = None
    if read.patches and columns == "patches" and layer.rows == layer.columns and read.picture is not None:
        h, w = read.picture.shape[:2]
        side = ((layer.columns - read.first) * h / w) ** 0.5  # patches are square
        grid = (round(side), (layer.columns - read.first) // max(1, round(side)))
    return LayerResponse(
        heads=len(layer.limits),
        rows=layer.rows,
        columns=layer.columns,
        grid=grid,
        scores=layer.scores.shares,
        tags=[layer.scores.tag(head) for head in range(len(layer.limits))],
    )


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text.partition(",")[2] if text.startswith("data:") else text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"a picture must be in base64: got {error}; choose the file again") from error


ENDPOINTS = (
    Endpoint("models", list_models),
    Endpoint("maps", compute_maps, heavy=True),
    Endpoint("next", predict_next, heavy=True),
    Endpoint("overview", draw_overview),
    Endpoint("tile", read_tile),
    Endpoint("facts", measure_head),
    Endpoint("picture", read_picture),
)
