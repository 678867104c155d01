"""What transformers says of a mask becomes a value with the same pairs, and never a tensor of all pairs."""

import re

import pytest
import torch
from torch import Tensor
from transformers import masking_utils as theirs
from transformers.masking_utils import and_masks, or_masks, sdpa_mask

from regard.attention import Dense, Padding
from regard.attention.masks.mask import leaves
from regard.integrations.transformers.masks import ModelMask, make_mask

B = 3
GROUPS = torch.tensor([[-1, 0, 0, 0, -1, 1, 1, -1, -1], [0, 0, 1, 1, 2, 2, 3, 3, 3], [-1] * 9])
PLACES = {  # queries, keys, first query, first key
    "whole": (9, 9, 0, 0),
    "continued": (3, 9, 6, 0),
    "one": (1, 9, 8, 0),
    "static cache": (4, 9, 2, 0),
    "sliding cache": (2, 5, 7, 4),
}
PACKED = torch.tensor([[0, 0, 0, 1, 1, 2, 2, 2, 2], [0] * 9, [0, 1, 2, 3, 4, 5, 6, 7, 8]])


def padded(side: str) -> Tensor | None:
    lengths = torch.tensor([9, 5, 2])[:, None]
    sides = {"none": None, "right": torch.arange(9) < lengths, "left": torch.arange(9) >= 9 - lengths}
    return sides[side]


def functions(left: Tensor) -> dict:
    causal = theirs.causal_mask_function
    return {
        "causal": causal,
        "bidirectional": theirs.bidirectional_mask_function,
        "window": theirs.sliding_window_causal_mask_function(3),
        "window overlay": theirs.sliding_window_overlay(3),
        "closed window": theirs.sliding_window_causal_mask_function(0),
        "two-sided window": theirs.sliding_window_bidirectional_mask_function(2),
        "chunks": theirs.chunked_causal_mask_function(4, left),
        "blocks": or_masks(causal, theirs.blockwise_overlay(GROUPS)),
        "blocks in a window": or_masks(theirs.sliding_window_causal_mask_function(2), theirs.blockwise_overlay(GROUPS)),
    }


def pairs(made: ModelMask) -> Tensor:
    """All pairs (B, 1, T, S) of a mask."""
    b, h, i, j = (torch.arange(n) for n in (*made.shape[:3], made.keys.n))
    seen = made.mask.slab(b, h, i, j, made.places).expand(B, -1, -1, -1)
    return torch.nn.functional.pad(seen, (0, made.shape[3] - made.keys.n))


def compare(function, places: str, pads: Tensor | None, **options) -> ModelMask:
    told = dict(zip(("q_length", "kv_length", "q_offset", "kv_offset"), PLACES[places], strict=True))
    told |= {"batch_size": B, "mask_function": function, "attention_mask": pads, **options}
    made = make_mask(**told)
    wanted = sdpa_mask(**{**told, "allow_is_causal_skip": False, "allow_is_bidirectional_skip": False})
    assert wanted is not None
    if any([isinstance(leaf, Padding) for leaf in leaves(made.mask)]):  # pads' queries see nothing
        assert pads is not None
        wanted = wanted & pads[:, None, :, None]
    assert torch.equal(pairs(made), wanted)
    return made


@pytest.mark.parametrize("side", ["none", "right", "left"])
@pytest.mark.parametrize("places", PLACES)
def test_every_function_of_transformers_is_known(places, side):
    pads = padded(side)
    left = torch.zeros(B, dtype=torch.long) if pads is None else (pads.cumsum(1) == 0).sum(1)
    for name, function in functions(left).items():
        made = compare(function, places, pads)
        assert not any([isinstance(leaf, Dense) for leaf in leaves(made.mask)]), name


def test_packed_documents_are_documents():
    function = and_masks(theirs.causal_mask_function, theirs.packed_sequence_mask_function(PACKED))
    assert "Documents" in repr(compare(function, "whole", None).mask)


def test_a_place_that_is_data_stays_data():
    start = torch.tensor(2)
    made = make_mask(B, 1, 9, start, 0, theirs.causal_mask_function, allow_is_causal_skip=False)
    start += 1  # as the cache counts on, once the first layer has appended
    assert made.keys.n == 9
    assert pairs(made)[:, 0, 0].sum(1).tolist() == [3] * B


def test_a_function_of_a_user_is_evaluated():
    def thirds(batch_idx, head_idx, q_idx, kv_idx):
        return kv_idx % 3 == 0

    function = or_masks(theirs.causal_mask_function, thirds)
    made = compare(function, "continued", padded("right"), use_vmap=True)
    assert isinstance(made.mask, Dense)


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"model_type": "bert"}, "Padding("),
        ({"model_type": "bert", "is_decoder": True}, "KeyPadding("),
        ({"model_type": "bart"}, "KeyPadding("),  # its decoder may look at as many tokens as it has
    ],
)
def test_pad_queries_are_hidden_where_they_surely_are_the_keys(config, kind):
    settings = type("Configuration", (), config)
    made = make_mask(
        B, 9, 9, mask_function=theirs.bidirectional_mask_function, attention_mask=padded("right"), config=settings
    )
    assert repr(made.mask).startswith(kind)


def test_a_mask_says_to_arithmetic_that_it_is_none():
    made = make_mask(B, 9, 9)
    for use in (lambda: torch.zeros(9, 9) + made, lambda: torch.where(made, 0.0, -1.0), lambda: made[:, :, :4]):
        with pytest.raises(ValueError, match="for layers that call the attention function"):
            use()
    assert made.to(torch.float16) is made
    assert made.to("meta").device.type == "meta"


@pytest.mark.parametrize(
    ("operation", "compute"),
    [
        ("+", lambda mask: mask + 1),
        ("-", lambda mask: 1.0 - mask),
        ("*", lambda mask: 2 * mask),
        ("~", lambda mask: ~mask),
        ("==", lambda mask: mask == 0),
        ("!=", lambda mask: mask != 1),
        (">", lambda mask: mask > 0),
        ("bool", lambda mask: not mask),
    ],
)
def test_what_python_would_answer_by_itself_is_refused(operation, compute):
    made = make_mask(B, 9, 9)
    with pytest.raises(ValueError, match=f"got {re.escape(operation)} of a model that computes attention itself"):
        compute(made)
    assert made is not None
    assert {made: 1}[made] == 1, "it may be a key"


def test_layers_on_another_device_share_what_is_prepared_there():
    made = make_mask(B, 9, 9, attention_mask=padded("right"))
    there = made.to("meta")
    assert there is made.to(device="meta", dtype=torch.float16)
    assert there.prepared is made.to("meta").prepared
    assert made.to(torch.float16) is made.to("cpu") is made


def test_a_function_that_computes_something_else_under_a_known_name_is_evaluated():
    def causal_mask_function(batch_idx, head_idx, q_idx, kv_idx):
        return kv_idx < q_idx + 2  # a key further than the name says

    causal_mask_function.__module__ = theirs.__name__
    causal_mask_function.__qualname__ = "causal_mask_function"
    made = compare(causal_mask_function, "whole", None)
    assert isinstance(made.mask, Dense)
    assert not isinstance(compare(theirs.causal_mask_function, "whole", None).mask, Dense)
