"""Strings and their reversals, and what counts as right."""

import pytest
import torch

from regard.models import Recurrent, RecurrentConfig
from regard.tasks import reversal
from regard.tasks.reversal import IGNORED, START, VOCABULARY


def test_a_truth_is_its_source_backwards_and_the_target_is_it_one_place_later() -> None:
    batch = reversal.draw(50, (1, 7), torch.Generator().manual_seed(0))
    assert batch.lengths is not None
    assert set(batch.lengths) == set(range(1, 8))
    for source, target, truth, n in zip(batch.source, batch.target, batch.truth, batch.lengths, strict=True):
        assert truth[:n].tolist() == source[:n].flip(0).tolist()
        assert truth[n:].eq(IGNORED).all()
        assert target[:n].tolist() == [START, *truth[: n - 1].tolist()]


def test_strings_are_those_of_their_generator_and_of_no_other() -> None:
    state = torch.random.get_rng_state()
    sources = [torch.Generator().manual_seed(seed) for seed in (3, 3, 4)]
    one, other, third, next_one = (reversal.draw(4, 6, source) for source in (*sources, sources[0]))
    assert torch.equal(one.source, other.source)
    assert one.lengths is None
    assert not torch.equal(next_one.source, other.source)
    assert not torch.equal(third.source, other.source)
    assert torch.equal(torch.random.get_rng_state(), state)


class Letters:
    """Writes fixed letters, whatever it has read."""

    def __init__(self, letters: torch.Tensor) -> None:
        self.logits = torch.nn.functional.one_hot(letters, VOCABULARY).float()

    def reader(self, source: torch.Tensor, lengths: object = None) -> "Letters":
        self.place = 0
        return self

    def read(self, tokens: torch.Tensor) -> torch.Tensor:
        self.place += 1
        return self.logits[:, self.place - 1]


def test_accuracy_counts_letters_and_whole_strings_and_leaves_pads_out() -> None:
    batch = reversal.batch_of(["abca", "dd", "cb"])
    letters = torch.tensor([[0, 2, 1, 3], [3, 3, 0, 0], [2, 2, 1, 1]])  # right: 3 of 4, 2 of 2, 1 of 2
    found = reversal.accuracy(Letters(letters), batch)  # pyright: ignore[reportArgumentType]
    assert found == reversal.Accuracy(6 / 8, 1 / 3)


@pytest.mark.parametrize("lengths", [3, (2, 5)])
def test_a_model_writes_and_is_forced_alike_until_its_first_error(lengths: int | tuple[int, int]) -> None:
    torch.manual_seed(0)
    model = Recurrent(RecurrentConfig(vocabulary=VOCABULARY, width=8, hidden=8)).eval()
    batch = reversal.draw(6, lengths, torch.Generator().manual_seed(0))
    logits = model(batch.source, batch.target, batch.lengths).logits
    assert logits is not None
    assert torch.equal(reversal.write_letters(model, batch)[:, 0], logits[:, 0].argmax(-1))
    value = reversal.loss(model, batch)
    real = batch.truth != IGNORED
    nats = -logits.log_softmax(-1)[real].gather(1, batch.truth[real][:, None]).mean()
    assert torch.allclose(value, nats)
    assert 0 <= reversal.forced_accuracy(model, batch).characters <= 1


def test_what_cannot_be_drawn_is_refused() -> None:
    generator = torch.Generator()
    with pytest.raises(ValueError, match=r"lengths must be \(shortest, longest\): got \(5, 2\); use \(2, 5\)"):
        reversal.draw(1, (5, 2), generator)
    with pytest.raises(ValueError, match=r"length must be a whole number from 1 .* got length=0"):
        reversal.draw(1, 0, generator)
    with pytest.raises(ValueError, match=r"of the letters abcd: got .'abe'"):
        reversal.batch_of(["abe"])
