"""The Transformer's figure, and which masks its attentions need."""

import functools
from collections.abc import Callable

import torch
from torch import Tensor, nn

from regard.attention import Causal, Everything, KeyPadding, Mask
from regard.claims.claim import BUILT, HOLDS, Finding, Findings, View, claim
from regard.claims.findings import equals
from regard.claims.small_runs import seeded
from regard.layers import MultiHead
from regard.models import BlockConfig, EncoderDecoder, EncoderDecoderConfig, NormConfig
from regard.models.block import Around, Block

EXACT = 1e-12
WIDTH, HEADS = 8, 2
Added = Callable[[nn.Module, Callable[[Tensor], Tensor], Tensor], Tensor]  # of a norm, a module and its input


def configure(*, first: bool) -> BlockConfig:
    return BlockConfig(width=WIDTH, num_heads=HEADS, activation="relu", norm=NormConfig(first=first))


@functools.cache
def built() -> tuple[EncoderDecoder, Tensor, Tensor]:
    """The model of the figure at a small size, with norms that are not the identity, a source and a target."""
    with seeded(0):
        config = EncoderDecoderConfig(vocabulary=20, depth=2, block=configure(first=False))
        model, (source, target) = EncoderDecoder(config).double(), config.inputs(2, 7, target=5)
        for parameter in model.parameters():
            if parameter.ndim == 1:
                nn.init.normal_(parameter, 1.0, 0.3)
    return model.requires_grad_(False), source, target


@claim("eecs.0", BUILT, twin={"added": lambda norm, module, x: x + module(norm(x))})
def figure(added: Added = lambda norm, module, x: norm(x + module(x))) -> Findings:
    """The model against the figure read upwards, and against torch's layers with the same weights.

    Stated is how a module is added to what came in.
    """
    model, source, target = built()
    out = model(source, target, maps=True)
    memory, x = (place(model, tokens) for tokens in (source, target))
    for part in model.encoder.blocks:
        memory = follow(added, part, memory, Everything(), None)
    for part in model.decoder.blocks:
        x = follow(added, part, x, Causal(), memory)
    yield equals("the figure, read upwards through 2 + 2 blocks", out.hidden, x, EXACT)
    assert out.maps is not None
    assert out.logits is not None
    T = target.shape[1]
    sees = {name: maps[0] > 0 for name, maps in out.maps.items()}
    past = (sees["self"] == torch.ones(T, T, dtype=torch.bool).tril()).all()
    masked = bool(sees["encoder"].all() and sees["cross"].all() and past)
    words = "the encoder and the cross-attention see all, the decoder its past and itself"
    yield Finding("masks", masked, f"{words}{'' if masked else ': not so'}")
    yield equals("the linear layer at the top", out.logits, out.hidden @ model.embedding.weight.T, EXACT)
    yield compare_with_torch()


def place(model: EncoderDecoder, tokens: Tensor) -> Tensor:
    """Embeddings times √D, and sinusoidal positions added to them."""
    rates = 10000 ** (-torch.arange(0, WIDTH, 2, dtype=torch.float64) / WIDTH)
    angles = torch.arange(tokens.shape[1])[:, None] * rates
    waves = torch.stack((angles.sin(), angles.cos()), 2).flatten(1)
    return model.embedding.weight[tokens] * WIDTH**0.5 + waves


def follow(added: Added, part: nn.Module, x: Tensor, mask: Mask, memory: Tensor | None) -> Tensor:
    """One block: self-attention, attention to what the encoder made where there is any, feed-forward."""
    assert isinstance(part, Block)
    x = added(part.norm, lambda y: part.attention(y, mask=mask), x)
    if memory is not None:
        assert part.cross is not None
        assert part.cross_norm is not None
        x = added(part.cross_norm, functools.partial(part.cross, k=memory), x)
    return added(part.feed_forward_norm, part.feed_forward, x)


def compare_with_torch() -> Finding:
    """A stack of torch's own post-norm layers, whose weights our blocks take over."""
    model, source, target = built()
    with seeded(1):
        sizes = {"dropout": 0.0, "batch_first": True, "dtype": torch.float64}
        read = [nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, **sizes) for _ in range(2)]
        write = [nn.TransformerDecoderLayer(WIDTH, HEADS, 4 * WIDTH, **sizes) for _ in range(2)]
        ours = EncoderDecoder(model.config).double().requires_grad_(False)
        for theirs, part in zip([*read, *write], [*ours.encoder.blocks, *ours.decoder.blocks], strict=True):
            assert isinstance(part, Block)
            take_over(part, theirs)
    memory, x = (place(ours, tokens) for tokens in (source, target))
    for layer in read:
        memory = layer(memory)
    future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    for layer in write:
        x = layer(x, memory, tgt_mask=future)
    return equals("torch's encoder and decoder layers", ours(source, target).hidden, x.detach(), EXACT)


def take_over(part: Block, theirs: nn.Module) -> None:
    """The weights of torch's layer; the names are torch's."""
    norms = [part.norm, part.feed_forward_norm]
    part.attention = MultiHead.from_torch(theirs.self_attn)  # pyright: ignore[reportArgumentType]
    if part.cross is not None and part.cross_norm is not None:
        part.cross = MultiHead.from_torch(theirs.multihead_attn)  # pyright: ignore[reportArgumentType]
        norms.insert(1, part.cross_norm)
    for number, norm in enumerate(norms, start=1):
        norm.load_state_dict(theirs.get_submodule(f"norm{number}").state_dict())
    part.feed_forward.inner.load_state_dict(theirs.get_submodule("linear1").state_dict())
    part.feed_forward.out.load_state_dict(theirs.get_submodule("linear2").state_dict())


Words = frozenset[str]  # "padding", "causal"
PADDING, CAUSAL, NONE = frozenset({"padding"}), frozenset({"causal"}), frozenset[str]()
PADS = torch.arange(6) >= torch.tensor([[6], [4], [3]])  # of sequences of six, four and three tokens, on the right


@functools.cache
def blocks(kind: str) -> list[Block]:
    with seeded(2):
        return [Block(configure(first=True), cross=kind == "cross").double().requires_grad_(False) for _ in range(2)]


def mask(words: Words, pads: Tensor) -> Mask:
    whole = Causal() if "causal" in words else Everything()
    return whole & KeyPadding.from_padding_mask(pads) if "padding" in words else whole


def encode(words: Words, x: Tensor, pads: Tensor) -> Tensor:
    """An encoder or a decoder, which differ by their masks alone."""
    for part in blocks("self"):
        x = part(x, Around(mask=mask(words, pads)))
    return x


def move(run: Callable[[Tensor], Tensor], changed: Tensor, looked_at: Tensor) -> float:
    """How far outputs that are looked at move when inputs that are changed hold something else, over three draws."""
    source = torch.Generator().manual_seed(3)
    x = torch.randn(3, 6, WIDTH, generator=source, dtype=torch.float64)
    before, far = run(x), 0.0
    for _ in range(3):
        noise = 5 * torch.randn(x.shape, generator=source, dtype=torch.float64)
        after = run(torch.where(changed[..., None], noise, x))
        far = max(far, (after - before)[looked_at].abs().max().item())
    return far


@claim(
    "eecs.2b",
    HOLDS,
    twin={"cross": NONE, "left": CAUSAL},
    view=View("patterns", "See the causal mask", {"mask": "causal"}),
)
def masks(
    encoder: Words = PADDING, decoder: Words = CAUSAL, cross: Words = PADDING, left: Words = CAUSAL | PADDING
) -> Findings:
    """Real outputs with other pads: unmoved by the stated masks, moved without any one of them.

    Stated are the masks of an encoder, of a decoder padded on the right, from a decoder to an encoder, and of a decoder
    padded on the left.
    """
    late = (torch.arange(6) >= 3).expand(3, 6)
    source = torch.Generator().manual_seed(4)
    target, memory = (torch.randn(3, 6, WIDTH, generator=source, dtype=torch.float64) for _ in range(2))

    def decode(x: Tensor, memory: Tensor, cross: Words) -> Tensor:
        memory = encode(encoder, memory, PADS)
        around = Around(mask=mask(decoder, PADS), memory_mask=mask(cross, PADS))
        for part in blocks("cross"):
            assert part.cross is not None
            x = part(x, around, memory=part.cross.remember(memory))
        return x

    def by_pads(words: Words, pads: Tensor = PADS) -> float:
        return move(lambda x: encode(words, x, pads), pads, ~pads)

    def by_future(words: Words) -> float:
        return move(lambda x: encode(words, x, PADS), late, ~late)

    def by_source(words: Words) -> float:
        return move(lambda m: decode(target, m, words), PADS, ~PADS)

    def by_left(words: Words) -> float:
        return by_pads(words, PADS.flip(1))

    moves = "other pads move a real output"
    unmoved = {
        f"encoder: {moves}": by_pads(encoder),
        f"decoder, padded on the right: {moves}": by_pads(decoder),
        "decoder: other tokens move an output before them": by_future(decoder),
        "encoder-decoder: other pads of the source move a real output": by_source(cross),
        "encoder-decoder: other pads of the target move a real output": move(
            lambda x: decode(x, memory, cross), PADS, ~PADS
        ),
        f"decoder, padded on the left: {moves}": by_left(left),
    }
    for name, far in unmoved.items():
        yield Finding(name, far <= EXACT, f"{name} by {far:.3g}")
    yield need_each("encoder", encoder, by_pads)
    yield need_each("decoder", decoder, lambda words: max(by_pads(words), by_future(words)))
    yield need_each("cross-attention", cross, by_source)
    yield need_each("left padding", left, lambda words: max(by_left(words), by_future(words)))
    seen = blocks("self")[0].attention.weights(target, mask=mask(decoder, PADS))[0, 0] > 0
    own = bool((seen == torch.ones(6, 6, dtype=torch.bool).tril()).all())
    yield Finding(
        "past", own, f"decoder: six tokens see {int(seen.sum())} keys, {'' if own else 'not '}each its past and itself"
    )
    at_pads = move(lambda x: encode(decoder, x, PADS), PADS, PADS)
    yield Finding("loss", at_pads > 1e-3, f"outputs at pads move by {at_pads:.3g}: they stay out of the loss")


def need_each(name: str, words: Words, run: Callable[[Words], float]) -> Finding:
    """Whether each of the masks is needed: without it something moves that should not."""
    far = {word: run(words - {word}) for word in sorted(words)}
    told = ", ".join(f"by {least:.3g} without the {word} mask" for word, least in far.items())
    shown = f"{name}: real outputs move {told}" if far else f"{name}: no mask to leave out"
    return Finding(f"{name}, fewest", all(least > 1e-3 for least in far.values()), shown)
