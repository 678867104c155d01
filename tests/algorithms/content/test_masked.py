"""The mask as a tensor: what sees nothing, what nobody sees, and terms of rows that start at places of their own."""

import torch

from regard import attend
from regard.attention import Attention, Causal, Content, Dense, RelativeTable, Sequence
from regard.attention.reference import reference


def test_nan_in_what_sees_nothing_or_is_not_seen_reaches_nothing():
    """One row of the map is empty and one key is seen by nobody; other rows and keys are used by all."""
    allowed = torch.ones(5, 5, dtype=torch.bool)
    allowed[1], allowed[:, 3] = False, False
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, 2, 5, 4, generator=generator, dtype=torch.float64) for _ in range(3))
    q[:, :, 1], k[:, :, 3], v[:, :, 3] = torch.nan, torch.nan, torch.nan
    leaves = [x.requires_grad_() for x in (q, k, v)]
    value = Attention(mask=Dense(allowed))
    out, expected = attend(q, k, v, value, algorithm="masked"), reference(q, k, v, value)[0]
    torch.testing.assert_close(out, expected)
    assert bool((out[:, :, 1] == 0).all())
    grad = torch.randn(out.shape, generator=generator, dtype=out.dtype)
    found, wanted = (torch.autograd.grad(x, leaves, grad) for x in (out, expected))
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other)


def test_terms_of_rows_that_start_at_places_of_their_own():
    generator = torch.Generator().manual_seed(0)
    q = torch.randn(3, 2, 2, 4, generator=generator, dtype=torch.float64)
    k, v = (torch.randn(3, 2, 6, 4, generator=generator, dtype=torch.float64) for _ in range(2))
    value = Attention(
        Content() + RelativeTable(torch.randn(2, 21, generator=generator)),
        Causal(),
        queries=Sequence(2, start=torch.tensor([4, 0, 2])),
    )
    out = attend(q, k, v, value, algorithm="masked")
    torch.testing.assert_close(out, reference(q, k, v, value)[0])
