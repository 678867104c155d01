"""Recurrent models against the equations of an LSTM step by step; pads, pieces, what is learnt, what it costs."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.analysis import cost
from regard.models import Recurrent, RecurrentConfig, build, vary
from tests.refusals import refused

CONFIG = RecurrentConfig(vocabulary=9, width=5, hidden=7, depth=2, target_vocabulary=8)
LENGTHS, TARGET_LENGTHS = (6, 3, 1), (2, 5, 4)
REAL, REAL_TARGET = (torch.arange(n) < torch.tensor(x)[:, None] for n, x in ((6, LENGTHS), (5, TARGET_LENGTHS)))
CLOSE = {"rtol": 1e-11, "atol": 1e-11}


def small(**changes: Any) -> Recurrent:
    model = build(vary(CONFIG, **changes)).double()
    assert isinstance(model, Recurrent)
    return model


def words() -> tuple[Tensor, Tensor]:
    return CONFIG.inputs(3, 6, target=5)


def step(lstm: nn.LSTM, x: Tensor, state: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
    """One token through all layers: gates by their equations, in torch's order i, f, g, o."""
    after = []
    for layer, (h, c) in enumerate(state):
        W, U, b, d = lstm.all_weights[layer]
        i, f, g, o = (W @ x + b + U @ h + d).chunk(4)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        x = o.sigmoid() * c.tanh()
        after.append((x, c))
    return x, after


def row_by_hand(model: Recurrent, source: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """The logits of one pair of sequences without pads, and its map."""
    zero = torch.zeros(7).double()
    state, h = [(zero, zero)] * 2, []
    for token in source:
        x, state = step(model.encoder, model.source_embedding.weight[token], state)
        h.append(x)
    memory, logits, maps = torch.stack(h), [], []
    for token in target:
        s, state = step(model.decoder, model.target_embedding.weight[token], state)
        if model.attention is not None:
            a = (memory @ s).softmax(0)
            maps.append(a)
            s = torch.tanh(model.attention.combine.weight @ torch.cat((a @ memory, s)))
        logits.append(model.head.weight @ s)
    return torch.stack(logits), torch.stack(maps) if maps else torch.empty(0)


@pytest.mark.parametrize("attention", [True, False])
def test_it_is_its_equations_with_gradients(attention: bool):
    model, (source, target) = small(attention=attention), words()
    out = model(source, target, torch.tensor(LENGTHS), maps=attention, target_lengths=TARGET_LENGTHS)
    rows = [
        row_by_hand(model, s[:n], t[:m]) for s, t, n, m in zip(source, target, LENGTHS, TARGET_LENGTHS, strict=True)
    ]
    got, expected = out.logits[REAL_TARGET], torch.cat([logits for logits, _ in rows])
    torch.testing.assert_close(got, expected, **CLOSE)
    gradients = [torch.autograd.grad(logits.square().sum(), list(model.parameters())) for logits in (got, expected)]
    torch.testing.assert_close(*gradients, **CLOSE)
    assert all(gradient.any() for gradient in gradients[0])
    if attention:
        for row, (length, target_length) in enumerate(zip(LENGTHS, TARGET_LENGTHS, strict=True)):
            found = out.maps["cross"][0][row, 0, :target_length]
            torch.testing.assert_close(found[:, :length], rows[row][1], **CLOSE)
            assert not found[:, length:].any()


@pytest.mark.parametrize("attention", [True, False])
def test_pads_never_matter(attention: bool):
    """Noise, and numbers that are no token at all; outputs and gradients of every weight, to the bit."""
    model, (source, target) = small(attention=attention), words()

    def run(source: Tensor, target: Tensor, lengths: Any, targets: Any) -> list[Tensor]:
        logits = model(source, target, lengths, target_lengths=targets).logits[REAL_TARGET]
        return [logits, *torch.autograd.grad(logits.square().sum(), list(model.parameters()))]

    expected = run(source, target, LENGTHS, TARGET_LENGTHS)
    for noise, noise_target in (words(), (torch.full_like(source, -100), torch.full_like(target, 99))):
        inputs = torch.where(REAL, source, noise), torch.where(REAL_TARGET, target, noise_target)
        for lengths in ((LENGTHS, TARGET_LENGTHS), (torch.tensor(LENGTHS), list(TARGET_LENGTHS))):
            torch.testing.assert_close(run(*inputs, *lengths), expected, rtol=0, atol=0)
    other = run(torch.where(REAL, source, words()[0]), target, None, None)[0]  # the control: as if all were real
    assert (other - expected[0]).abs().max() > 1e-4


@pytest.mark.parametrize("attention", [True, False])
def test_piece_by_piece_is_teacher_forcing(attention: bool):
    model, (source, target) = small(attention=attention), words()
    whole = model(source, target, LENGTHS).logits
    reader = model.reader(source, LENGTHS)
    assert reader.batch == 3
    for place in range(2):
        torch.testing.assert_close(reader.read(target[:, place : place + 1]), whole[:, place], **CLOSE)
    scores = reader.read(target[:, 2:], torch.tensor([3, 1, 2]))
    assert not scores.requires_grad
    torch.testing.assert_close(scores, whole[torch.arange(3), torch.tensor([4, 2, 3])], **CLOSE)


def test_rows_of_a_reader_change_their_order_and_number():
    model, (source, target) = small(), words()
    reader = model.reader(source, LENGTHS)
    reader.read(target[:, :2])
    index = torch.tensor([2, 0, 2, 1])
    reader.reorder(index)
    assert reader.batch == 4
    more = torch.randint(8, (4, 1))
    again = torch.cat((target[index, :2], more), 1)
    expected = model(source[index], again, torch.tensor(LENGTHS)[index]).logits[:, 2]
    torch.testing.assert_close(reader.read(more), expected, **CLOSE)
    reader.reorder(index[:1])
    assert reader.read(more[:1]).shape == (1, 8)


def test_maps_and_memory_of_a_padded_batch():
    model, (source, target) = small(), words()
    without, with_maps = (model(source, target, LENGTHS, maps) for maps in (False, True))
    assert without.maps is None
    assert without.logits.equal(with_maps.logits)
    assert with_maps.memory.shape == (3, 6, 7)
    assert not with_maps.memory[~REAL].any()
    assert with_maps.hidden.abs().max() < 1  # tanh


@pytest.mark.parametrize("depth", [1, 2])
def test_dropout_acts_in_training_alone(depth: int):
    model, (source, target) = small(dropout=0.3, depth=depth), words()
    taken = []
    for part in (model.encoder, model.decoder, model.head):
        part.register_forward_pre_hook(lambda _, inputs: taken.append(inputs[0]))
    assert (model(source, target).logits - model(source, target).logits).abs().max() > 1e-3
    assert [bool((x == 0).any()) for x in taken] == [True] * 6
    assert model.decoder.dropout == (0.3 if depth == 2 else 0.0)  # torch's own, between layers
    model.eval()
    without = small(depth=depth)
    without.load_state_dict(model.state_dict())
    assert model(source, target).logits.equal(without(source, target).logits)


def reversals(rows: int) -> tuple[Tensor, Tensor]:
    """Strings of six among four letters, and each backwards between a beginning, 4, and an end, 5."""
    letters = torch.randint(4, (rows, 6))
    return letters, functional.pad(functional.pad(letters.flip(1), (1, 0), value=4), (0, 1), value=5)


@pytest.mark.parametrize("attention", [True, False])
def test_reversals_are_learnt_in_few_steps_with_attention_alone(attention: bool):
    """New strings, written letter by letter; the map lies along the anti-diagonal, at it or one place beside."""
    model = Recurrent(RecurrentConfig(vocabulary=6, width=16, hidden=32, attention=attention))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(120):
        source, target = reversals(64)
        loss = functional.cross_entropy(model(source, target[:, :-1]).logits.flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    source, target = reversals(256)
    reader, token, written = model.reader(source), target[:, :1], []
    for _ in range(7):
        token = reader.read(token).argmax(1, keepdim=True)
        written.append(token)
    strings = (torch.cat(written, 1) == target[:, 1:]).all(1).float().mean()
    if not attention:
        assert strings < 0.95  # 0.56 to 0.89 with five seeds
        return
    assert strings > 0.97  # 1.0 with each of them
    attended = model(source, target[:, :-1], maps=True).maps["cross"][0][:, 0, :6]
    near = (5 - torch.arange(6)[:, None] - torch.arange(6)).abs() <= 1
    assert (attended * near).sum(2).mean() > 0.8  # 0.90 to 0.94; evenly spread it would be 0.44


def test_it_costs_what_its_matrices_multiply():
    """8·C² multiply-adds for a token and layer of equal widths; and of a padded batch the real tokens alone."""
    C, B, S, T, V = 16, 2, 7, 5, 9
    plain = RecurrentConfig(vocabulary=V, width=C, hidden=C, depth=3, attention=False)
    lstm, head = 2 * B * (S + T) * 3 * 8 * C * C, 2 * B * T * C * V
    c = cost(Recurrent(plain), *plain.inputs(B, S, T))
    assert (c.forward.flops, c.unknown) == (lstm + head, {})
    assert c.parameters == 2 * V * C + 2 * 3 * (8 * C * C + 8 * C) + C * V
    attentive = Recurrent(vary(plain, attention=True))
    combine = 2 * B * T * 2 * C * C
    c = cost(attentive, *plain.inputs(B, S, T))
    assert (c.forward.flops, c.unknown) == (lstm + head + combine + 4 * B * T * S * C, {})
    lstm = 2 * (S + 3 + B * T) * 3 * 8 * C * C
    c = cost(attentive, *plain.inputs(B, S, T), lengths=(S, 3), real=True)
    assert (c.forward.flops, c.unknown) == (lstm + head + combine + 4 * T * (S + 3) * C, {})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hidden": 0}, "hidden must be a whole number from 1 to below 2^62: got hidden=0"),
        ({"target_vocabulary": 0}, "target_vocabulary must be a whole number from 1 to below 2^62: got target_voc"),
        ({"dropout": 1.0}, "dropout is a probability below 1: got dropout=1.0; use 0.0 for none"),
        ({"attention": "dot"}, "attention must be True or False: got attention='dot'"),
    ],
)
@pytest.mark.usefixtures("unhooked")
def test_configurations_are_checked_when_they_are_made(change: dict[str, Any], message: str):
    with refused(message):
        vary(CONFIG, **change)


@pytest.mark.usefixtures("unhooked")
def test_what_is_no_batch_of_tokens():
    model, (source, target) = small(), words()
    with refused("tokens must lie in 0…8: got 9; use the tokenizer of this model, and lengths for pads"):
        model(torch.full_like(source, 9), target)
    with refused("tokens must lie in 0…7: got 8; use the tokenizer"):
        model(source, torch.full_like(target, 8))
    with refused("tokens must be whole numbers (B, T) with a token or more: got torch.int64 of shape (3, 0)"):
        model(source, target[:, :0])
    with refused("source and target must have the same number of rows: got B=3 and B=2; give each source its target"):
        model(source, target[:2])
    with refused("lengths must be whole numbers in 1…6: got 7 in row 1; count the real tokens of each row"):
        model(source, target, (6, 7, 1))
    with refused("lengths must be whole numbers in 1…6: got 0 in row 2"):
        model(source, target, torch.tensor([6, 3, 0]))
    with refused("lengths must be whole numbers in 1…5: got 6 in row 0"):
        model(source, target, target_lengths=(6, 3, 1))
    with refused("lengths must be whole numbers in 1…6: got 2.0 in row 0"):
        model(source, target, torch.tensor([2.0, 3.0, 1.0]))
    with refused("lengths must have one number for each row: got shape (3, 6) for B=3; count the real tokens"):
        model(source, target, REAL)
    with refused("maps are of attention: got maps=True for a model without it; use attention=True"):
        small(attention=False)(source, target, maps=True)


@pytest.mark.usefixtures("unhooked")
def test_what_a_reader_does_not_take():
    model, (source, target) = small(), words()
    reader = model.reader(source)
    with refused("tokens must be of the 3 rows that are read: got B=2; use reorder"):
        reader.read(target[:2])
    with refused("lengths must be whole numbers in 1…5: got 0 in row 1"):
        reader.read(target, (5, 0, 1))
    with refused("index must lie in 0…2: got 3; use old rows"):
        reader.reorder(torch.tensor([0, 3]))
    with refused("index must be whole numbers (rows,), one or more: got torch.float32 of shape (2,)"):
        reader.reorder(torch.zeros(2))
    with refused("index must be whole numbers (rows,), one or more: got torch.int64 of shape (0,)"):
        reader.reorder(torch.zeros(0, dtype=torch.long))
    torch.testing.assert_close(reader.read(target), model(source, target).logits[:, -1], **CLOSE)  # nothing was read
