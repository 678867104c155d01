"""A row packed with documents gives what the documents give one by one."""

import pytest
import torch
from torch import Tensor

from regard.attention import Documents, GlobalTokens, Window
from regard.models import (
    BlockConfig,
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    Mechanism,
    NormConfig,
    PositionConfig,
)
from tests.tolerances import PIECES

CUT = ((5, 1, 7), (4, 0, 6, 2))  # and pads
TOKENS = 15


def packed(form: str) -> Documents:
    if form == "sizes":
        return Documents(CUT)
    lengths = torch.tensor([[*row, *[0] * (4 - len(row))] for row in CUT])
    if form == "data":
        return Documents(lengths)
    ids = [[10 - n for n, length in enumerate(row) for _ in range(length)] for row in CUT]
    return Documents(ids=torch.tensor([row + [-1] * (TOKENS - len(row)) for row in ids]))


def singly(tokens: Tensor) -> list[tuple[int, slice]]:
    """The row and the place of each document."""
    found = []
    for row, lengths in enumerate(CUT):
        ends = [sum(lengths[: n + 1]) for n in range(len(lengths))]
        found += [(row, slice(end - length, end)) for end, length in zip(ends, lengths, strict=True) if length]
    return found


def decoder(kind: str, mask: object = None, context: int = 7) -> Decoder:
    torch.manual_seed(0)
    llama = kind == "rotary"
    block = BlockConfig(
        width=32,
        num_heads=4,
        num_groups=2 if llama else None,
        gated=llama,
        norm=NormConfig(rms=llama),
        mechanism=Mechanism() if mask is None else Mechanism(mask=mask),  # pyright: ignore[reportArgumentType]
    )
    positions = PositionConfig(kind=kind, context=context)
    return Decoder(DecoderConfig(vocabulary=50, depth=2, block=block, positions=positions)).eval().double()


def draw(seed: int = 1) -> Tensor:
    """Tokens whose pads are no words at all."""
    tokens = torch.randint(50, (2, TOKENS), generator=torch.Generator().manual_seed(seed))
    for row, lengths in enumerate(CUT):
        tokens[row, sum(lengths) :] = -100
    return tokens


@pytest.mark.parametrize("form", ["sizes", "data", "ids"])
@pytest.mark.parametrize("kind", ["learned", "rotary", "sinusoidal", "buckets", "none"])
def test_decoders(kind: str, form: str):
    model, tokens = decoder(kind), draw()
    together = model(tokens, packed(form)).logits
    for row, place in singly(tokens):
        torch.testing.assert_close(together[row, place], model(tokens[row : row + 1, place]).logits[0], **PIECES)


def test_gradients_are_those_of_the_documents():
    model, tokens = decoder("rotary"), draw()
    logits = model(tokens, packed("sizes")).logits
    together = torch.cat([logits[row, place] for row, place in singly(tokens)])
    alone = torch.cat([model(tokens[row : row + 1, place]).logits[0] for row, place in singly(tokens)])
    gradients = [torch.autograd.grad(x.square().sum(), list(model.parameters())) for x in (together, alone)]
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


def test_a_window_and_one_cut_for_all_rows():
    model, tokens = decoder("rotary", Window(2)), draw()[:, :10].clamp(min=0)
    together = model(tokens, Documents((4, 6))).logits
    for place in (slice(0, 4), slice(4, 10)):
        torch.testing.assert_close(together[:, place], model(tokens[:, place]).logits, **PIECES)


@pytest.mark.parametrize("form", ["sizes", "data", "ids"])
def test_encoders(form: str):
    torch.manual_seed(0)
    block = BlockConfig(width=32, num_heads=4, norm=NormConfig(eps=1e-12, first=False))
    positions = PositionConfig(context=7)
    model = Encoder(EncoderConfig(vocabulary=50, depth=2, block=block, positions=positions)).eval().double()
    tokens = draw()
    types = torch.randint(2, tokens.shape)
    out = model(tokens, packed(form), types=types)
    assert (out.pooled, out.next_sentence) == (None, None)
    for row, place in singly(tokens):
        alone = model(tokens[row : row + 1, place], types=types[row : row + 1, place])
        torch.testing.assert_close(out.logits[row, place], alone.logits[0], **PIECES)


@pytest.mark.parametrize("kind", ["learned", "rotary", "buckets"])
def test_documents_go_on_from_caches_of_their_own(kind: str):
    """Prefilled in two packed rows, then three tokens more for each document."""
    model, tokens = decoder(kind, context=10), draw()
    cut = tuple([tuple([length for length in row if length]) for row in CUT])
    documents = [tokens[row, place] for row, place in singly(tokens)]
    more = torch.randint(50, (len(documents), 3), generator=torch.Generator().manual_seed(2))
    caches = model.caches(len(documents), 16)
    with torch.no_grad():
        first = model(tokens, Documents(cut), caches=caches).logits
        steps = [model(token, caches=caches).logits for token in more.split(1, 1)]
    assert caches[0].lengths == tuple(len(document) + more.shape[1] for document in documents)
    for number, (row, place) in enumerate(singly(tokens)):
        whole = model(torch.cat((documents[number], more[number]))[None]).logits[0]
        n = len(documents[number])
        torch.testing.assert_close(first[row, place], whole[:n], **PIECES)
        for step, found in enumerate(steps):
            torch.testing.assert_close(found[number, 0], whole[n + step], **PIECES)


def test_a_window_of_the_cache():
    model, tokens = decoder("rotary", Window(2)), draw()
    caches = model.caches(3, 100)
    assert caches[0].window is not None
    with torch.no_grad():
        model(tokens[:1], Documents(CUT[0]), caches=caches)
        next_one = torch.tensor([[1], [2], [3]])
        found = model(next_one, caches=caches).logits[:, 0]
    for number, (row, place) in enumerate(singly(tokens)[:3]):
        whole = torch.cat((tokens[row, place], next_one[number]))[None]
        torch.testing.assert_close(found[number], model(whole).logits[0, -1], **PIECES)


def test_what_cannot_be_packed():
    model, tokens = decoder("learned"), draw()
    with pytest.raises(ValueError, match=r"positions must lie among the 7 that are learned: got 0…8"):
        model(tokens.clamp(min=0), Documents((9, 6)))
    with pytest.raises(ValueError, match=r"documents must fit the S=15 tokens of a row: got 16 in row 0"):
        model(tokens, Documents((9, 7)))
    with pytest.raises(ValueError, match=r"must have one entry per row, B=2: got 1"):
        model(tokens, Documents(((9,),)))
    with pytest.raises(ValueError, match=r"need a mask of offsets, the same in each of them: got .*GlobalTokens"):
        decoder("rotary", GlobalTokens(2))(tokens, packed("sizes"))
    model = decoder("rotary")
    with pytest.raises(ValueError, match=r"a cache has a row for each document: got 7 for B=2"):
        model(tokens, packed("sizes"), caches=model.caches(2, 20))
    with pytest.raises(
        ValueError, match=r"a cache counts on the host, in plain numbers: got Documents\(int64\[2, 4\]\)"
    ):
        model(tokens, packed("data"), caches=model.caches(7, 20))
    caches = model.caches(2, 20)
    with torch.no_grad():
        model(tokens[:, :3], caches=caches)
        with pytest.raises(ValueError, match=r"packed documents begin in an empty cache: got one of lengths \(3, 3\)"):
            model(tokens[:1], Documents((5, 6)), caches=caches)
    block = BlockConfig(width=32, num_heads=4)
    both = EncoderDecoder(EncoderDecoderConfig(vocabulary=50, depth=1, block=block))
    x = torch.randn(2, TOKENS, 32)
    with pytest.raises(ValueError, match=r"a decoder with a memory takes a row for each text: got Documents"):
        both.decoder(x, lengths=packed("sizes"), memory=x)
