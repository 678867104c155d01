"""Heads are called by what they do: on maps that were made to do it, and on a trained model that is known to."""

import pytest
import torch

from regard.explore.views import maps
from regard.explore.views.map_scores import MARGIN, Scores, find_telling, measure_heads
from regard.explore.views.maps import MapsRequest
from regard.explore.workspace import SHIPPED, Workspace

N = 12
TEXT = list("abcabcabdabc")
QUERY, KEY = torch.meshgrid(torch.arange(N), torch.arange(N), indexing="ij")


def made(pattern: torch.Tensor, share: float = 0.9, causal: bool = True) -> torch.Tensor:
    """A map with this share of every row's weight on a pattern, and the rest spread over all keys that are seen."""
    seen = (KEY <= QUERY) if causal else torch.ones(N, N, dtype=torch.bool)
    on = (pattern & seen).double()
    has = on.sum(1, keepdim=True)
    even = seen.double() / seen.sum(1, keepdim=True)
    return torch.where(has > 0, share * on / has.clamp(min=1) + (1 - share) * even, even).float()


def induced() -> torch.Tensor:
    """Where the letter after an earlier occurrence of a query's letter stands."""
    found = torch.zeros(N, N, dtype=torch.bool)
    for i in range(N):
        for j in range(i - 1):
            found[i, j + 1] = TEXT[j] == TEXT[i]
    return found


SAME = torch.tensor([[a == b for b in TEXT] for a in TEXT]) & (KEY < QUERY)
CAUSAL = {
    "previous token": KEY == QUERY - 1,
    "first token": KEY == 0,
    "diagonal": KEY == QUERY,
    "same token": SAME,
    "induction": induced(),
}
BOTH_WAYS = {
    "next token": KEY == QUERY + 1,
    "last token": KEY == N - 1,
    "reversal": KEY == N - 1 - QUERY,
    "previous token": KEY == QUERY - 1,
}


@pytest.mark.parametrize("name", CAUSAL)
def test_a_causal_head_is_called_by_what_it_does(name: str):
    found = measure_heads(made(CAUSAL[name])[None], TEXT)
    assert found.tag(0)[0] == name
    assert found.shares[name][0] >= 0.9
    weak = measure_heads(made(CAUSAL[name], 0.1)[None], TEXT)
    assert name not in weak.tag(0)


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_a_head_that_sees_both_ways_is_called_by_what_it_does(name: str):
    found = measure_heads(made(BOTH_WAYS[name], causal=False)[None], TEXT)
    assert found.tag(0)[0] == name


def test_even_attention_is_spread_and_nothing_else():
    for causal in (True, False):
        found = measure_heads(made(KEY < 0, causal=causal)[None], TEXT)
        assert found.tag(0) == ["spread"]
        assert found.shares["spread"][0] == pytest.approx(1)
        for name in found.shares.keys() - {"spread"}:
            assert found.shares[name][0] == pytest.approx(found.even[name], abs=1e-6)


def test_what_cannot_be_is_not_measured():
    cross = measure_heads(made(KEY == QUERY, causal=False)[None], TEXT, is_self=False)
    assert not {"previous token", "next token", "induction", "same token"} & cross.shares.keys()
    assert {"diagonal", "reversal"} <= cross.shares.keys()
    picture = measure_heads(made(KEY == QUERY, causal=False)[None], in_line=False)
    assert set(picture.shares) == {"diagonal", "spread"}
    assert measure_heads(torch.ones(2, 1, 1), ["a"]).shares == {}
    assert "induction" not in measure_heads(made(KEY == QUERY)[None], [str(n) for n in range(N)]).shares


def test_the_most_telling_head_is_one_that_reads_the_text():
    layers = [[made(KEY == 0), made(KEY == QUERY)], [made(KEY < 0), made(induced())]]
    found = [measure_heads(torch.stack(layer), TEXT) for layer in layers]
    assert find_telling(found, [2, 2]) == (1, 1)
    assert find_telling([Scores({}, {})], [1]) == (0, 0)


def test_the_reversal_model_is_known_by_its_scores():
    workspace = Workspace((SHIPPED,))
    reply = maps.compute_maps(workspace, MapsRequest(model="reversal/transformer", text="abacadabacc"))
    cross = next(kind for kind in reply.kinds if kind.name == "cross")
    layer, head = cross.telling
    assert "reversal" in cross.layers[layer].tags[head]
    with torch.inference_mode():
        store = workspace.cache.get(("maps", reply.key), lambda: pytest.fail("they were kept"))
    weights = store.layers["cross"][layer].weights[head]
    own = weights.flip(1).diagonal().mean().item()
    assert cross.layers[layer].scores["reversal"][head] == pytest.approx(own)
    assert own > MARGIN + 1 / 11
    early = maps.compute_maps(workspace, MapsRequest(model="reversal/transformer", step=0))
    assert not any("reversal" in tags for one in early.kinds[0].layers for tags in one.tags)
