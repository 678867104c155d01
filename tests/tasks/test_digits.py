"""The digits that come with the package."""

import pytest
import torch

from regard.tasks.digits import CLASSES, digits


def test_they_are_the_published_ones():
    train, test = digits()
    both = torch.cat((train.labels, test.labels))
    # The counts of each digit in the published set.
    assert both.bincount(minlength=CLASSES).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    images = torch.cat((train.images, test.images))
    assert (16 * images).round().equal(16 * images)
    assert round((16 * images).sum().item()) == 561718
    assert len({image.numpy().tobytes() for image in images}) == len(images), "no test image is learnt from"


def test_the_first_of_them():
    train, _ = digits()
    few = train.first(32)
    assert len(few) == 32
    assert few.images.equal(train.images[:32])
    with pytest.raises(ValueError, match="count must be at most 1437, as there are no more images: got count=1438"):
        train.first(1438)
