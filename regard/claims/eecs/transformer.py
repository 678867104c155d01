"""The Transformer's figure, and which masks its attentions need."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from regard.attention import Causal, Everything, KeyPadding, Mask
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import equals
from regard.claims.small_runs import seeded
from regard.layers import MultiHead
from regard.models import BlockConfig, EncoderDecoder, EncoderDecoderConfig, NormConfig
from regard.models.block import Around, Block

EXACT = 1e-12
WIDTH, HEADS = 8, 2
Added = Callable[[nn.Module, Callable[[Tensor], Tensor], Tensor], Tensor]  # of a norm, a module and its input


@dataclass(frozen=True)
class Figure:
    """How a module is added to what came in, and which modules follow each other."""

    added: Added
    encoder: tuple[str, ...]
    decoder: tuple[str, ...]


def block(*, first: bool) -> BlockConfig:
    return BlockConfig(width=WIDTH, num_heads=HEADS, activation="relu", norm=NormConfig(first=first))


@functools.cache
def built() -> tuple[EncoderDecoder, Tensor, Tensor]:
    """The model of the figure at a small size, with norms that are not the identity, a source and a target."""
    with seeded(0):
        config = EncoderDecoderConfig(vocabulary=20, depth=2, block=block(first=False))
        model, (source, target) = EncoderDecoder(config).double(), config.inputs(2, 7, target=5)
        for parameter in model.parameters():
            if parameter.ndim == 1:
                nn.init.normal_(parameter, 1.0, 0.3)
    return model.requires_grad_(False), source, target


def followed(said: Figure, model: EncoderDecoder, source: Tensor, target: Tensor) -> Tensor:
    """The figure read from the bottom up, with the model's own modules."""
    memory = model.encoder.placed(model.embed_tokens(source, None))[0]
    for part in model.encoder.blocks:
        memory = through(said.added, part, said.encoder, memory, Everything(), None)
    x = model.decoder.placed(model.embed_tokens(target, None))[0]
    for part in model.decoder.blocks:
        x = through(said.added, part, said.decoder, x, Causal(), memory)
    return x


def through(
    added: Added, part: nn.Module, names: Sequence[str], x: Tensor, mask: Mask, memory: Tensor | None
) -> Tensor:
    assert isinstance(part, Block)
    cross, cross_norm = part.cross, part.cross_norm
    modules: dict[str, tuple[nn.Module | None, Callable[[Tensor], Tensor]]] = {
        "self-attention": (part.norm, lambda y: part.attention(y, mask=mask)),
        "attention to the source": (cross_norm, lambda y: y if cross is None else cross(y, memory)),
        "feed-forward": (part.feed_forward_norm, part.feed_forward),
    }
    for name in names:
        norm, module = modules[name]
        assert norm is not None
        x = added(norm, module, x)
    return x


def figure(said: Figure) -> Sequence[Finding]:
    """The model against the figure, and against torch's layers with the same weights."""
    model, source, target = built()
    out = model(source, target, maps=True)
    hidden, maps = out.hidden, out.maps
    assert maps is not None
    sees = [maps["encoder"][0] > 0, maps["self"][0] > 0, maps["cross"][0] > 0]
    T = target.shape[1]
    masked = bool(sees[0].all() and sees[2].all() and (sees[1] == torch.ones(T, T, dtype=torch.bool).tril()).all())
    words = "the encoder and the cross-attention see all, the decoder its past and itself"
    return [
        equals("the figure, read upwards through 2 + 2 blocks", hidden, followed(said, model, source, target), EXACT),
        Finding("masks", masked, f"{words}{'' if masked else ': not so'}"),
        against_torch(),
    ]


def against_torch() -> Finding:
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
    memory, x = (ours.encoder.placed(ours.embed_tokens(tokens, None))[0] for tokens in (source, target))
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
PADDING, CAUSAL = frozenset({"padding"}), frozenset({"causal"})


@dataclass(frozen=True)
class Places:
    """Which masks each attention needs: of an encoder, a decoder, and from a decoder to an encoder."""

    encoder: Words
    decoder: Words  # padded on the right
    cross: Words
    left: Words  # a decoder that is padded on the left


@functools.cache
def blocks(kind: str) -> list[Block]:
    with seeded(2):
        return [Block(block(first=True), cross=kind == "cross").double().requires_grad_(False) for _ in range(2)]


def mask(words: Words, pads: Tensor) -> Mask:
    whole = Causal() if "causal" in words else Everything()
    return whole & KeyPadding.from_padding_mask(pads) if "padding" in words else whole


def encoded(words: Words, x: Tensor, pads: Tensor) -> Tensor:
    """An encoder or a decoder, which differ by their masks alone."""
    for part in blocks("self"):
        x = part(x, Around(mask=mask(words, pads)))
    return x


def decoded(said: Places, x: Tensor, memory: Tensor, pads: Tensor) -> Tensor:
    """A decoder that attends to what an encoder made of the memory, whose pads are given."""
    memory = encoded(said.encoder, memory, pads)
    for part in blocks("cross"):
        assert part.cross is not None
        around = Around(mask=mask(said.decoder, right()), memory_mask=mask(said.cross, pads))
        x = part(x, around, memory=part.cross.remember(memory))
    return x


@functools.cache
def right() -> Tensor:
    """Three sequences of six, four and three tokens, padded on the right."""
    return torch.arange(6) >= torch.tensor([[6], [4], [3]])


def moved(run: Callable[[Tensor], Tensor], changed: Tensor, looked_at: Tensor) -> float:
    """How far outputs that are looked at move when inputs that are changed hold something else, over three draws."""
    source = torch.Generator().manual_seed(3)
    x = torch.randn(3, 6, WIDTH, generator=source, dtype=torch.float64)
    before, far = run(x), 0.0
    for _ in range(3):
        noise = 5 * torch.randn(x.shape, generator=source, dtype=torch.float64)
        after = run(torch.where(changed[..., None], noise, x))
        far = max(far, (after - before)[looked_at].abs().max().item())
    return far


def placed(said: Places) -> Sequence[Finding]:
    """Real outputs with other pads: unmoved by the stated masks, moved without any one of them."""
    pads, left, late = right(), right().flip(1), (torch.arange(6) >= 3).expand(3, 6)
    source = torch.Generator().manual_seed(4)
    target, memory = (torch.randn(3, 6, WIDTH, generator=source, dtype=torch.float64) for _ in range(2))

    def one(words: Words, at: Tensor) -> float:
        return moved(lambda x: encoded(words, x, at), at, ~at)

    def past(words: Words) -> float:
        return moved(lambda x: encoded(words, x, pads), late, ~late)

    def read(places: Places) -> float:
        return moved(lambda m: decoded(places, target, m, pads), pads, ~pads)

    written = moved(lambda x: decoded(said, x, memory, pads), pads, ~pads)
    at_pads = moved(lambda x: encoded(said.decoder, x, pads), pads, pads)
    return [
        still("encoder: other pads move a real output", one(said.encoder, pads)),
        still("decoder, padded on the right: other pads move a real output", one(said.decoder, pads)),
        still("decoder: other tokens move an output before them", past(said.decoder)),
        still("encoder-decoder: other pads of the source move a real output", read(said)),
        still("encoder-decoder: other pads of the target move a real output", written),
        still("decoder, padded on the left: other pads move a real output", one(said.left, left)),
        fewest("encoder", said.encoder, lambda words: one(words, pads)),
        fewest("decoder", said.decoder, lambda words: max(one(words, pads), past(words))),
        fewest("cross-attention", said.cross, lambda words: read(replace(said, cross=words))),
        fewest("left padding", said.left, lambda words: max(one(words, left), past(words))),
        Finding("loss", at_pads > 1e-3, f"outputs at pads move by {at_pads:.3g}: they stay out of the loss"),
    ]


def still(name: str, far: float) -> Finding:
    return Finding(name, far <= EXACT, f"{name} by {far:.3g}")


def fewest(name: str, words: Words, run: Callable[[Words], float]) -> Finding:
    """Whether each of the masks is needed: without it something moves that should not."""
    far = {word: run(words - {word}) for word in sorted(words)}
    told = ", ".join(f"by {least:.3g} without the {word} mask" for word, least in far.items())
    shown = f"{name}: real outputs move {told}" if far else f"{name}: no mask to leave out"
    return Finding(f"{name}, fewest", all(least > 1e-3 for least in far.values()), shown)


CLAIMS = {
    "0": Claim(
        id="eecs.0",
        title="The Transformer's figure",
        texts=Texts(
            asks="Build the encoder-decoder of the Transformer's figure, with *add & norm* after each module.",
            derivation="Each module $f$, be it attention or feed-forward, is added to its input and then normalised: "
            "$x \\leftarrow \\operatorname{LayerNorm}(x + f(x))$, *post-norm*. An encoder block has self-attention and "
            "feed-forward; a decoder block causal self-attention, attention to the encoder's output, and feed-forward. "
            "Sinusoidal positions are added to the embeddings at both bottoms, and a linear layer is at the top.\n\n"
            "The norm stands on the residual path. *Pre-norm*, $x + f(\\operatorname{LayerNorm}(x))$, which most later "
            "models have, leaves that path free and needs one more norm at the end.",
            quantities={"x": "tokens, rows of width D", "f": "a module with weights of its own"},
            method="float64, equal to 1e-12 of the largest entry; against torch's layers with the same weights",
            code=("regard.models.architectures.encoder_decoder:EncoderDecoder", "regard.models.block:Block"),
        ),
        ours=Version(
            "add, then norm, after each module",
            r"x \leftarrow \operatorname{LayerNorm}(x + f(x))",
            Figure(
                lambda norm, module, x: norm(x + module(x)),
                ("self-attention", "feed-forward"),
                ("self-attention", "attention to the source", "feed-forward"),
            ),
        ),
        twin=Version(
            "norm, then add",
            r"x \leftarrow x + f(\operatorname{LayerNorm}(x))",
            Figure(
                lambda norm, module, x: x + module(norm(x)),
                ("self-attention", "feed-forward"),
                ("self-attention", "attention to the source", "feed-forward"),
            ),
        ),
        check=figure,
        expected=Verdict.BUILT,
    ),
    "2b": Claim(
        id="eecs.2b",
        title="Which mask goes where",
        texts=Texts(
            asks="Sequences of a batch are padded to one length. Which attentions of an encoder, a decoder and an "
            "encoder-decoder need a padding mask, which a causal one?",
            derivation="A real output must not depend on pads. In an encoder every token sees every other one, so pads "
            "must be masked as keys. In a decoder the causal mask hides what comes later, and with pads on the *right* "
            "all of them come later than every real token: no padding mask is needed. From decoder to encoder nothing "
            "is later, so the pads of the source must be masked.\n\n"
            "This is about real positions. Outputs at pads are of no meaning and must stay out of the loss. And with "
            "pads on the *left* they come before every real token: there a decoder needs both masks.",
            quantities={"pad": "a position past the end of a sequence", "padding mask": "hides pads as keys"},
            method="float64; pads replaced by noise three times: real outputs move by at most 1e-12 with the stated "
            "masks, by more than 1e-3 without any one of them",
            code=("regard.models.block:Block", "regard.attention:KeyPadding", "regard.attention:Causal"),
        ),
        ours=Version(
            "encoder: padding; decoder: causal (left-padded: both); encoder-decoder: padding on encoder and cross, "
            "causal on the decoder",
            r"\{\text{pad}\},\ \{\text{causal}\},\ \{\text{pad}\}",
            Places(PADDING, CAUSAL, PADDING, CAUSAL | PADDING),
        ),
        twin=Version(
            "encoder: padding; decoder: causal, also with pads on the left; none on the cross-attention",
            r"\{\text{pad}\},\ \{\text{causal}\},\ \{\}",
            Places(PADDING, CAUSAL, frozenset(), CAUSAL),
        ),
        check=placed,
        expected=Verdict.HOLDS,
    ),
}
