"""Striped squares: the class is what the image shows, nothing else, and no square alone tells it."""

import pytest
import torch

from regard.tasks.shapes import CLASSES, Shapes


def drawn(task: Shapes, count: int, seed: int = 0):
    return task.draw(count, torch.Generator().manual_seed(seed))


def test_the_class_can_be_read_from_the_image():
    images, classes = drawn(Shapes(noise=0.0), 300)
    grey = images[:, 0]
    rows, columns = (grey.ne(0).any(dim).sum(1) for dim in (2, 1))  # of pixels that a square covers
    along_columns = (grey[:, 1:] - grey[:, :-1]).abs().sum((1, 2)) < (grey[:, :, 1:] - grey[:, :, :-1]).abs().sum(
        (1, 2)
    )
    assert torch.equal(2 * along_columns.long() + (rows > columns).long(), classes)
    assert set(rows.tolist()) == set(columns.tolist()) == {4, 8}  # one square high, or two
    assert grey.ne(0).sum((1, 2)).eq(2 * 4 * 4).all()


def test_squares_lie_anywhere_and_all_classes_are_as_likely():
    images, classes = drawn(Shapes(noise=0.0), 2000)
    assert images[:, 0].ne(0).any(0).all()
    assert torch.bincount(classes, minlength=CLASSES).min() > 400
    corner = images[:, 0, :4, :4].ne(0).all(2).all(1)  # a square in the corner
    assert len(set(classes[corner].tolist())) == CLASSES


def test_images_are_those_of_the_seed_and_the_global_one_stays():
    before = torch.get_rng_state()
    first, second, other = (drawn(Shapes(), 4, seed)[0] for seed in (1, 1, 2))
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    assert torch.equal(torch.get_rng_state(), before)
    quiet = drawn(Shapes(noise=0.0), 4, 1)[0]
    assert not torch.equal(first, quiet)
    assert first.shape == (4, 3, 16, 16)
    assert torch.equal(first[:, 0], first[:, 2])


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"side": 0}, "side must be at least 1 pixel: got side=0"),
        ({"side": 6, "apart": 5}, "must not overlap: got side=6, apart=5; use apart ≥ side"),
        ({"image": 11}, "must fit: got apart=8 and side=4 in image=11; use an image of 12 pixels or more"),
        ({"noise": -0.5}, "0 or more: got noise=-0.5"),
    ],
)
def test_what_cannot_be_drawn_is_refused(sizes: dict[str, int], message: str):
    with pytest.raises(ValueError, match=message):
        Shapes(**sizes)
