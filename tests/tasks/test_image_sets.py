"""Batches of a set of images, and images moved and mirrored in a way that repeats."""

import pytest
import torch

from regard.tasks.images import ImageSet, draw_moves, moved


def some(count: int = 200, channels: int = 3) -> ImageSet:
    generator = torch.Generator().manual_seed(0)
    images = torch.randint(256, (count, channels, 5, 4), generator=generator).to(torch.uint8)
    return ImageSet(images, torch.arange(count) ** 2 % 7 % 5, tuple("abcde"))


def test_batches_are_normalised():
    data = some()
    images, labels = data.batch(torch.arange(200), dtype=torch.float64)
    assert images.mean((0, 2, 3)).abs().max() < 1e-12
    assert (images.std((0, 2, 3), correction=0) - 1).abs().max() < 1e-12
    assert torch.equal(labels, data.labels)
    few, _ = data.batch([3, 1], device="cpu")
    assert few.dtype == torch.float32
    torch.testing.assert_close(few.double(), images[[3, 1]])
    assert torch.equal(data.batch([3, 1], dtype=torch.bfloat16)[0], few.bfloat16())
    part = ImageSet(data.images[:9] // 2, data.labels[:9], data.classes)
    assert part.mean[0] < 0.3 < data.mean[0]
    alike = part.normalised_as(data).to("cpu")
    assert (alike.mean, alike.std) == (data.mean, data.std)
    constant = ImageSet(torch.full((2, 1, 2, 2), 9, dtype=torch.uint8), torch.zeros(2).long(), ("a",))
    assert constant.batch([0])[0].abs().max() < 1e-6
    with pytest.raises(ValueError, match=r"got dtype=torch.int64"):
        data.batch([0], dtype=torch.int64)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"images": torch.zeros(2, 3, 4, 4)}, r"uint8 \(N, C, h, w\), one or more: got torch.float32 \(2, 3, 4, 4\)"),
        ({"labels": torch.zeros(3).long()}, r"int64, one for each of 2 images: got torch.int64 \(3,\)"),
        ({"labels": torch.tensor([0, 2])}, "from 0 to 1, as classes are named: got 0 to 2"),
        ({"mean": (0.5,), "std": (1.0,)}, r"for each of 3 channels, std above 0: got mean=\(0.5,\)"),
    ],
)
def test_what_is_no_image_set(change: dict, message: str):
    fine = {"images": torch.ones(2, 3, 4, 4, dtype=torch.uint8), "labels": torch.arange(2), "classes": ("a", "b")}
    assert len(ImageSet(**fine)) == 2
    with pytest.raises(ValueError, match=message):
        ImageSet(**fine | change)


@pytest.mark.parametrize(("pad", "flip"), [(2, True), (0, True), (3, False)])
def test_moved_images_equal_a_loop(pad: int, flip: bool):
    images = torch.arange(1, 1 + 40 * 2 * 5 * 4).view(40, 2, 5, 4).float()
    moves, again = (draw_moves(40, torch.Generator().manual_seed(3), pad=pad, flip=flip) for _ in range(2))
    assert torch.equal(moves, again)
    out, mirror = moved(images, moves, pad), moves[:, 2]
    for b in range(40):
        framed = torch.zeros(2, 5 + 2 * pad, 4 + 2 * pad)
        framed[:, pad : pad + 5, pad : pad + 4] = images[b]
        row, column = moves[b, :2].tolist()
        cut = framed[:, row : row + 5, column : column + 4]
        assert torch.equal(out[b], cut.flip(2) if mirror[b] else cut)
    assert 0 < mirror.sum() < 40 if flip else not mirror.any()
    assert pad == 0 or (moves[:, :2].min() == 0 and moves[:, :2].max() == 2 * pad)
    assert moved(images.to(torch.uint8), moves, pad).dtype == torch.uint8


def test_moves_that_cannot_be():
    with pytest.raises(ValueError, match="got pad=-1"):
        draw_moves(1, torch.Generator(), pad=-1, flip=True)
    with pytest.raises(ValueError, match=r"images must be \(B, C, h, w\): got \(1, 2, 2\)"):
        moved(torch.zeros(1, 2, 2), torch.zeros(1, 3).long(), 0)


def test_a_part_has_of_every_class_and_lies_in_larger_parts():
    labels = torch.arange(100).remainder(3).sort().values
    whole = ImageSet(torch.arange(100, dtype=torch.uint8).view(100, 1, 1, 1), labels, ("a", "b", "c"))
    parts = {share: whole.part(share, seed=1) for share in (0.01, 0.1, 0.5)}
    assert {share: part.labels.bincount().tolist() for share, part in parts.items()} == {
        0.01: [1, 1, 1],
        0.1: [3, 3, 3],
        0.5: [17, 16, 16],
    }
    held = [set(part.images.flatten().tolist()) for part in parts.values()]
    assert held[0] < held[1] < held[2]
    assert all(part.labels.equal(labels[part.images.flatten().long()]) for part in parts.values())
    assert all((part.mean, part.std) == (whole.mean, whole.std) for part in parts.values())
    assert held[2] != set(whole.part(0.5, seed=2).images.flatten().tolist())
    assert whole.part(1) is whole
    for share in (0, 1.5):
        with pytest.raises(ValueError, match=f"share must be a share above 0, up to 1: got share={share}"):
            whole.part(share)
