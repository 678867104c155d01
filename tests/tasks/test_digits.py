"""The digits that come with the package."""

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
