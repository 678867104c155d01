"""One forward pass against another: pads, caches, mechanisms, and layers of torch."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.analysis import cost
from regard.attention import Elu, Grid, Kernel, Neighbours, Window
from regard.layers import Packing
from regard.models import (
    PRESETS,
    BlockConfig,
    DaViT,
    DaViTConfig,
    Decoder,
    EncoderDecoder,
    EncoderDecoderConfig,
    GridConfig,
    GridModel,
    Maps,
    Mechanism,
    NormConfig,
    ViT,
    build,
    vary,
)

SMALL = {"depth": 2, "width": 32, "num_heads": 4, "vocabulary": 50, "hidden": 40}
LENGTHS = (9, 5, 1)
REAL = torch.arange(9) < torch.tensor(LENGTHS)[:, None]


def small(name: str, **changes: Any) -> Any:
    return build(vary(PRESETS[name], **SMALL | changes)).double()


def tokens(columns: int = 9) -> Tensor:
    return torch.randint(50, (3, columns))


@pytest.mark.parametrize(
    ("name", "as_tensor"),
    [("gpt2", True), ("llama3-8b", False), ("bert-base", False), ("t5-small", True), ("transformer-base", False)],
)
def test_pads_never_matter(name: str, as_tensor: bool):
    """Noise, and numbers that are no token at all, in place of pads; outputs and gradients of every weight."""
    model = small(name, **{"num_groups": 2} if name == "llama3-8b" else {})
    lengths = torch.tensor(LENGTHS) if as_tensor else LENGTHS
    words, target = tokens(), tokens(4)
    two = (target,) if isinstance(model, EncoderDecoder) else ()

    def run(inputs: Tensor) -> tuple[Tensor, dict[str, Tensor | None]]:
        out = model(inputs, *two, lengths=lengths)
        logits = out.logits if two else out.logits[REAL]
        model.zero_grad()
        (logits * torch.linspace(0, 1, logits.numel()).view_as(logits)).sum().backward()
        return logits.detach(), {name: p.grad for name, p in model.named_parameters()}

    logits, gradients = run(words)
    for noise in (tokens(), torch.full_like(words, -100)):
        same, same_gradients = run(torch.where(REAL, words, noise))
        torch.testing.assert_close(same, logits, rtol=0, atol=0)
        torch.testing.assert_close(same_gradients, gradients, rtol=0, atol=0)
    for row, length in enumerate(LENGTHS):  # each row is what it is alone
        alone = model(words[row : row + 1, :length], *(x[row : row + 1] for x in two)).logits[0]
        there = logits.view(3, 4, -1)[row] if two else logits.split(LENGTHS)[row]
        torch.testing.assert_close(alone, there, rtol=1e-9, atol=1e-9)
    others = model(torch.where(REAL, tokens(), words), *two, lengths=lengths).logits  # the control
    assert ((others if two else others[REAL]) - logits).abs().max() > 1e-3


@pytest.mark.parametrize("kind", ["learned", "sinusoidal", "rotary", "buckets", "none"])
def test_cached_decoding_equals_the_whole(kind: str):
    groups = {"num_groups": 2, "gated": True}
    model = small("gpt2", kind=kind, context=12, num_buckets=8, most=10, mask=Window(before=6), **groups)
    words = tokens(12)
    with torch.no_grad():
        whole = model(words).logits
        caches = model.caches(3, 12)
        assert caches[0].dtype == torch.float64
        pieces = [model(piece, caches=caches).logits for piece in words.split((5, 1, 4, 1, 1), 1)]
    torch.testing.assert_close(torch.cat(pieces, 1), whole, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ["learned", "rotary", "buckets"])
def test_prompts_of_different_lengths_go_on_from_where_they_end(kind: str):
    model = small("gpt2", kind=kind, context=11)
    words, more = tokens(), tokens(2)
    with torch.no_grad():
        caches = model.caches(3, 11)
        prompt = model(words, LENGTHS, caches=caches).logits
        after = model(more, caches=caches).logits
        for row, length in enumerate(LENGTHS):
            whole = model(torch.cat((words[row, :length], more[row]))[None]).logits[0]
            torch.testing.assert_close(prompt[row, :length], whole[:length], rtol=1e-9, atol=1e-9)
            torch.testing.assert_close(after[row], whole[length:], rtol=1e-9, atol=1e-9)


def test_mechanisms_come_in_by_the_configuration():
    model, words = small("gpt2", mask=Window(before=2)), tokens()
    seen = model(words, maps=True).maps["self"][0][0, 0] > 0
    i = torch.arange(9)
    assert seen.equal((i <= i[:, None]) & (i >= i[:, None] - 2))
    linear = small("gpt2", weighting=Kernel(Elu()))
    assert linear.stack.blocks[0].attention.weighting is not None
    linear.load_state_dict(model.state_dict())
    assert (linear(words).logits - model(words).logits).abs().max() > 1e-3
    image = torch.randn(1, 3, 12, 12)
    near = Mechanism(mask=Neighbours(2, 2))
    for encoding in ("isotropic", "learned", "learned + content"):
        grid = GridModel(GridConfig(depth=1, width=8, image=12, encoding=encoding, mechanism=near))
        assert (grid(image, maps=True).maps["self"][0][0, 0, 0].view(6, 6) > 0).sum() == 9


def test_maps_change_nothing_and_are_made_when_asked():
    model = small("t5-small")
    source, target = tokens(), tokens(4)
    without, with_maps = model(source, target, LENGTHS), model(source, target, LENGTHS, maps=True)
    assert without.maps is None
    assert without.logits.equal(with_maps.logits)
    for each in with_maps.maps.values():
        torch.testing.assert_close(each[0].sum(-1)[0], torch.ones_like(each[0].sum(-1)[0]))


def test_dropout_acts_in_training_alone():
    model = small("t5-small", dropout=0.2)
    source, target = tokens(), tokens(4)
    first, second = (model(source, target, LENGTHS).logits for _ in range(2))
    assert (first - second).abs().max() > 1e-3
    model.eval()
    assert model(source, target, LENGTHS).logits.equal(model(source, target, LENGTHS).logits)


@pytest.mark.parametrize("encoding", ["full", "learned + content"])
def test_a_grid_model_is_its_parts_in_order(encoding: str):
    model = GridModel(GridConfig(depth=1, width=16, num_heads=3, image=10, encoding=encoding))
    block, images = model.blocks[0], torch.randn(2, 3, 10, 10)
    x = functional.unfold(images, 2, stride=2).mT @ model.patches.conv.weight.flatten(1).T + model.patches.conv.bias
    y = functional.layer_norm(x + block.attention(x, Grid(5, 5)), (16,), eps=1e-12)
    inner = functional.gelu(block.feed_forward.inner(y))
    z = functional.layer_norm(y + block.feed_forward.out(inner), (16,), eps=1e-12)
    torch.testing.assert_close(model(images).logits, model.head(z.mean(1)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("first", [False, True], ids=["post-norm", "pre-norm"])
def test_the_original_equals_the_layers_of_torch(first: bool):
    """Theirs have an embedding, positions and a head to be written around them."""
    C = 32
    block = BlockConfig(width=C, num_heads=4, hidden=40, activation="relu", norm=NormConfig(first=first))
    ours = EncoderDecoder(EncoderDecoderConfig(vocabulary=50, depth=2, block=block)).double()
    theirs = _theirs(C, first)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    ours.load_state_dict(_from_torch(theirs) | {"embedding.weight": ours.embedding.weight})
    source, target = tokens(), tokens(6)
    place = torch.arange(9.0).double()[:, None] / 10000 ** (torch.arange(0, C, 2).double() / C)
    waves = torch.stack((place.sin(), place.cos()), -1).flatten(1)
    x, y = (ours.embedding(words) * C**0.5 + waves[: words.shape[1]] for words in (source, target))
    later = nn.Transformer.generate_square_subsequent_mask(6, dtype=torch.float64)
    pads = ~REAL
    hidden = theirs(x, y, tgt_mask=later, src_key_padding_mask=pads, memory_key_padding_mask=pads)
    out = ours(source, target, LENGTHS)
    torch.testing.assert_close(out.hidden, hidden, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(out.logits, hidden @ ours.embedding.weight.T, rtol=1e-9, atol=1e-9)


def _theirs(width: int, norm_first: bool) -> nn.Transformer:
    """Two layers each, and a norm at the end where blocks are pre-norm."""
    options = {"dropout": 0.0, "batch_first": True, "norm_first": norm_first, "dtype": torch.float64}
    encoder, decoder = (
        nn.TransformerEncoderLayer(width, 4, 40, **options),
        nn.TransformerDecoderLayer(width, 4, 40, **options),
    )
    norms = [nn.LayerNorm(width, dtype=torch.float64) if norm_first else None for _ in range(2)]
    return nn.Transformer(
        width,
        4,
        custom_encoder=nn.TransformerEncoder(encoder, 2, norms[0], enable_nested_tensor=False),
        custom_decoder=nn.TransformerDecoder(decoder, 2, norms[1]),
        batch_first=True,
    )


def _from_torch(theirs: nn.Transformer) -> dict[str, Tensor]:
    """Weights of torch's layers by our names."""
    norms = {"encoder": ("norm", "feed_forward_norm"), "decoder": ("norm", "cross_norm", "feed_forward_norm")}
    ours = {}
    for name, weight in theirs.state_dict().items():
        side, *rest = name.split(".")
        path = ".".join(rest).replace("layers", "blocks")
        path = path.replace("self_attn", "attention").replace("multihead_attn", "cross").replace("out_proj", "out")
        path = path.replace("linear1", "feed_forward.inner").replace("linear2", "feed_forward.out")
        for number, norm in enumerate(norms[side], 1):
            path = path.replace(f"norm{number}", norm)
        if "in_proj" not in path:
            ours[f"{side}.{path}"] = weight
            continue
        for part, third in zip(("query", "key", "value"), weight.chunk(3), strict=True):
            ours[f"{side}.{path.replace('in_proj_', part + '.')}"] = third
    return ours


def test_waves_on_a_grid_are_added_to_patches_alone():
    config = vary(PRESETS["vit-base"], depth=1, width=32, num_heads=4, image=12, patch=4, positions="sinusoidal")
    model, (images,) = ViT(config), config.inputs(2)
    assert "positions.weight" not in model.state_dict()
    turned = images.transpose(2, 3)  # without positions, patches of one color could be exchanged
    flat = functional.interpolate(turned[:, :, ::4, ::4], scale_factor=4.0)
    assert (model(flat).logits - model(flat.transpose(2, 3)).logits).abs().max() > 1e-4


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # torch's compiler warns of torch
@pytest.mark.filterwarnings("ignore:`torch._prims_common:FutureWarning")
def test_a_decoder_compiles_in_one_graph():
    model = build(vary(PRESETS["llama3-8b"], **SMALL, num_groups=2))
    assert isinstance(model, Decoder)
    words = tokens()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(words).logits, model(words).logits, rtol=1e-5, atol=1e-5)


def test_maps_of_some_layers_and_heads_are_those_of_all():
    source, target = tokens(), tokens(4)
    model, some = small("t5-small", depth=3), Maps(layers=(0, -1), heads=(3, 1))
    every, chosen = (model(source, target, LENGTHS, maps=wanted).maps for wanted in (True, some))
    for kind, all_maps in every.items():
        assert len(chosen[kind]) == 2
        for one, other in zip(chosen[kind], (all_maps[0], all_maps[2]), strict=True):
            assert one.equal(other[:, [3, 1]])
    images = torch.randn(1, 3, 24, 24)
    dual = DaViT(DaViTConfig(patch=2, widths=(8, 16), depths=(1, 2), num_heads=(2, 4), window=3))
    grid = GridModel(GridConfig(depth=3, width=8, image=24))
    for other in (dual, grid):
        every, chosen = (other(images, maps=wanted).maps for wanted in (True, Maps(layers=(1,), heads=(0,))))
        for kind, all_maps in every.items():
            assert [one.shape[1] for one in chosen[kind]] == [1]
            assert chosen[kind][0].equal(all_maps[1][:, :1])
    with pytest.raises(ValueError, match=r"layers of maps must lie in 0…2: got 3"):
        model(source, target, maps=Maps(layers=(3,)))
    with pytest.raises(ValueError, match=r"heads of maps must lie in 0…3: got 4"):
        model(source, target, maps=Maps(heads=(4,)))


@pytest.mark.parametrize("name", ["bert-base", "gpt2", "llama-7b", "t5-small"])
def test_pads_are_not_computed_and_do_not_matter(name: str):
    """Half of the tokens are pads: each row as if alone, gradients too, for far fewer products."""
    model, lengths = small(name), (9, 3, 1)
    words, seeds = tokens(), torch.randn(3, 9, 50, dtype=torch.float64)
    target = {"target_lengths": lengths} if name == "t5-small" else {}
    inputs = (words, words) if target else (words,)
    out = model(*inputs, lengths=lengths, **target).logits
    real = (torch.arange(9) < torch.tensor(lengths)[:, None])[..., None]
    (out * seeds * real).sum().backward()
    gradients = {at: parameter.grad.clone() for at, parameter in model.named_parameters() if parameter.grad is not None}
    model.zero_grad()
    for row, length in enumerate(lengths):
        alone = model(*(each[row : row + 1, :length] for each in inputs)).logits
        torch.testing.assert_close(out[row : row + 1, :length], alone, rtol=1e-9, atol=1e-9)
        (alone * seeds[row, :length]).sum().backward()
    for at, gradient in gradients.items():
        torch.testing.assert_close(model.get_parameter(at).grad, gradient, rtol=1e-8, atol=1e-8, msg=at)
    fewer = cost(model, *inputs, optimizer=None, lengths=lengths, **target).forward.executed
    every = cost(model, *inputs, optimizer=None).forward.executed
    assert fewer < 0.6 * every
    # Lengths that only a device knows leave pads in, and change nothing.
    padded = Packing.of(torch.tensor(lengths, device="meta"), words)
    assert padded is None
    pads = words.numel() - sum(lengths)
    assert (Packing.of(lengths, words, pads) is None, Packing.of(lengths, words, pads + 1) is None) == (False, True)
