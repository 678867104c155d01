"""The playground's numbers are the library's."""

import numpy as np
import pytest
import torch

from regard import attend, weights
from regard.analysis import jacobian_norm, perturb_key
from regard.attention import Attention, Causal, Content, Hard
from regard.claims.ist.example import DOCUMENT, agrees, worked_example
from regard.explore.api import Empty
from regard.explore.views.playground import Noise, PlaygroundRequest, compute_playground, give_example
from regard.explore.workspace import Workspace

WORKSPACE = Workspace()
EXAMPLE = give_example(WORKSPACE, Empty())


def asked(**changes) -> PlaygroundRequest:
    return PlaygroundRequest.model_validate(EXAMPLE.problem.model_dump() | changes)


def test_it_begins_with_the_worked_example_to_every_digit():
    found = compute_playground(WORKSPACE, EXAMPLE.problem)
    assert found.merged is not None
    for row, values in enumerate(found.merged, 1):
        assert all(agrees(value, text) for value, text in zip(values, DOCUMENT[f"out, row {row}"], strict=True))
    np.testing.assert_array_equal(found.weights, worked_example().maps)


@pytest.mark.parametrize(
    ("changes", "attention"),
    [
        ({"beta": 0.3, "mask": "causal"}, Attention(Content(0.3), Causal())),
        ({"hard": True}, Attention(weighting=Hard())),
        ({"beta": 0.0}, Attention(Content(0.0))),
    ],
    ids=["causal", "hard", "uniform"],
)
def test_weights_and_outputs_are_those_of_the_mechanism(changes, attention):
    found, given = compute_playground(WORKSPACE, asked(**changes)), worked_example()
    np.testing.assert_array_equal(found.weights, weights(given.q, given.k, attention)[0])
    np.testing.assert_array_equal(found.outputs, attend(given.q, given.k, given.v, attention)[0])


def test_hidden_logits_are_null_and_the_others_are_scaled():
    found, given = compute_playground(WORKSPACE, asked(mask="causal", beta=2.0)), worked_example()
    for head, rows in enumerate(found.logits):
        for query, row in enumerate(rows):
            for key, logit in enumerate(row):
                if key > query:
                    assert logit is None
                else:
                    assert logit == pytest.approx(2 * float(given.q[0, head, query] @ given.k[0, head, key]))


def test_the_jacobians_are_of_every_query_of_the_chosen_head():
    found = compute_playground(WORKSPACE, asked(head=1))
    norms = [np.linalg.norm(one) for one in found.jacobians]
    assert norms == pytest.approx(jacobian_norm(weights=worked_example().maps[1]).tolist())
    assert not np.any(compute_playground(WORKSPACE, asked(hard=True)).jacobians)


def test_it_begins_with_the_query_that_is_least_saturated():
    rows = worked_example().maps[0]
    assert EXAMPLE.query == int((rows.amax(-1)).argmin())


def test_noise_on_a_key_moves_every_query_that_sees_it_and_noise_on_a_query_its_own_row():
    given = worked_example()
    one = [part[:, :1] for part in (given.q, given.k, given.v)]
    on_key = compute_playground(WORKSPACE, asked(noise=Noise(on="key", index=2, noise=[0.5, -1.0]))).moved
    exact = perturb_key(*one, key=2, noise=torch.tensor([0.5, -1.0], dtype=torch.float64))
    assert on_key is not None
    assert on_key.weights == exact.after[0, 0].tolist()
    assert all(map(all, on_key.moved))
    on_query = compute_playground(WORKSPACE, asked(noise=Noise(on="query", index=1, noise=[0.5, -1.0]))).moved
    assert on_query is not None
    assert [any(row) for row in on_query.moved] == [False, True, False, False]
    assert on_query.outputs_moved == [False, True, False, False]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"x": [[1.0, 2.0], [1.0]]}, r"x must have rows of one length: got \[2, 1\]"),
        ({"x": [[1.0, 2.0]], "tokens": None}, "W_Q of head 1 must be 2 × 2.*got 3 × 2"),
        ({"out": [[1.0]]}, "W_O must have 4 rows.*got 1"),
        ({"head": 2}, "the head must exist: got 2, of 2"),
        ({"tokens": ["a", "b"]}, "each token must have a name: got 2 names for 4 tokens"),
        ({"mask": "sideways"}, "sideways"),
        ({"x": [[1.0, 2.0, 3.0]] * 17}, r"at most 16 tokens of width 8: got \(17, 3\)"),
    ],
    ids=["ragged", "narrow", "merge", "head", "names", "mask", "many"],
)
def test_what_does_not_fit_is_said(changes, said):
    with pytest.raises(ValueError, match=said):
        compute_playground(WORKSPACE, asked(**changes))
