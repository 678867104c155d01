"""Text to masks and scores: what it reads, what it says when it cannot, and that it never does anything else."""

import contextlib
import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.attention import (
    Content,
    Grid,
    KeyPadding,
    Padding,
    Places,
    Sequence,
    Slopes,
)
from regard.attention.notation import DEEPEST, LONGEST, parse_mask, parse_scores
from tests.budget import examples
from tests.strategies import grid_masks, joined, line_masks

LINE = Places(Sequence(3, start=2), Sequence(5))
GRID = Places(Grid(2, 2, step=(2, 3)), Grid(4, 6))
NUMBER, SIZE = st.integers(0, 9999), st.integers(1, 9999)
LENGTHS = st.lists(st.integers(0, 9999), max_size=5)
PADDINGS = st.builds(KeyPadding, LENGTHS) | st.builds(Padding, LENGTHS)
MASKS = joined(line_masks(NUMBER, SIZE) | grid_masks(NUMBER, SIZE, NUMBER) | PADDINGS, max_leaves=8)
# Arbitrary text rarely gets past the first character; text made of the notation's own pieces gets everywhere.
NAMES = ("causal", "window", "strided", "key_padding", "KeyPadding", "padding", "dense", "neighbours", "tiles", "axial")
SCORES = ("content", "slopes", "gaussian", "full_gaussian", "table", "row_table", "Quadratic")
PYTHON = (
    "beta",
    "bound",
    "before",
    "lengths",
    "None",
    "True",
    "lambda",
    "or",
    "if",
    "not",
    "in",
    "import",
    "__class__",
    "1_0",
)
PIECES = st.sampled_from([*NAMES, *SCORES, *PYTHON, "0.5", "1e9", "1j", "0x", "()", *"()[],=&|~+-.03\n\t'\"*#;:@é∞\0"])
TEXT = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=30).map("".join), st.lists(PIECES).map(" ".join))


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("causal", "Causal()"),
        ("CAUSAL", "Causal()"),
        (" causal\n & window(256) ", "Causal() & Window(before=256, after=0)"),
        ("causal & window(256, 0) & ~strided(4)", "Causal() & Window(before=256, after=0) & ~Strided(stride=4)"),
        ("window(after=2, before=1_000)", "Window(before=1000, after=2)"),
        ("key_padding(512, 1024)", "KeyPadding((512, 1024))"),
        ("KeyPadding((512, 1024))", "KeyPadding((512, 1024))"),
        ("padding(lengths=[3, 5])", "Padding((3, 5))"),
        ("padding(3)", "Padding((3,))"),
        ("documents(5, 3)", "Documents((5, 3))"),
        ("documents([5, 3], [8])", "Documents(((5, 3), (8,)))"),
        ("Documents(((5, 3), (8,)))", "Documents(((5, 3), (8,)))"),
        ("documents(lengths=[5, 3])", "Documents((5, 3))"),
        ("prefix(5)", "Prefix(5)"),
        ("prefix(5, 3)", "Prefix((5, 3))"),
        ("Prefix((5,)) & documents(9)", "Prefix((5,)) & Documents((9,))"),
        ("neighbours(1, 2)", "Neighbours(rows=1, columns=2)"),
        ("dilated(2, 3)", "Dilated(step=2, before=3, after=0)"),
        ("blocks(64)", "Blocks(size=64, shift=0)"),
        ("Blocks(shift=8, size=64)", "Blocks(size=64, shift=8)"),
        ("window(4, 4) | global_tokens(2)", "(Window(before=4, after=4) | GlobalTokens(count=2))"),
        ("same_row | SameColumn()", "(SameRow() | SameColumn())"),
        ("~axial", "~Axial()"),
        ("tiles(7, 7, 4, 4)", "Tiles(rows=7, columns=7, down=4, right=4)"),
        ("tiles(7, 5, right=2)", "Tiles(rows=7, columns=5, down=0, right=2)"),
        ("~Neighbours(columns=2, rows=0)", "~Neighbours(rows=0, columns=2)"),
        ("everything & (causal | padding(3, 5))", "Everything() & (Causal() | Padding((3, 5)))"),
        ("~(causal & window(1))", "~(Causal() & Window(before=1, after=0))"),
        ("causal | window(1) & strided(2)", "(Causal() | Window(before=1, after=0) & Strided(stride=2))"),
    ],
)
def test_masks(text: str, printed: str) -> None:
    assert repr(parse_mask(text)) == printed


def test_scores() -> None:
    assert repr(parse_scores("content", num_heads=8)) == "Content(beta=None)"
    assert repr(parse_scores("Content(beta=None)", num_heads=8)) == "Content(beta=None)"
    assert repr(parse_scores("content(-0.5)", num_heads=8)) == "Content(beta=-0.5)"
    both = parse_scores("content(beta=0.3) + slopes", num_heads=4)
    assert isinstance(both.terms[0], Content)
    assert isinstance(both.terms[1], Slopes)
    assert both.terms[1].slopes.tolist() == Slopes.geometric(4).slopes.tolist()


@pytest.mark.parametrize(
    ("text", "places", "printed"),
    [
        ("gaussian", LINE, "Quadratic(centre=float32[8, 1], precision=float32[8])"),
        ("Gaussian()", GRID, "Quadratic(centre=float32[8, 2], precision=float32[8])"),
        ("diagonal_gaussian", LINE, "Quadratic(centre=float32[8, 1], precision=float32[8, 1])"),
        ("diagonal_gaussian", GRID, "Quadratic(centre=float32[8, 2], precision=float32[8, 2])"),
        ("full_gaussian", LINE, "Quadratic(centre=float32[8, 1], precision=float32[8, 1, 1])"),
        ("full_gaussian", GRID, "Quadratic(centre=float32[8, 2], precision=float32[8, 2, 2])"),
        # Keys 0…4 seen from 2…4 lie at −4…2; rows 0…3 from 0 and 2 at −2…3, columns 0…5 from 0 and 3 at −3…5.
        ("table", LINE, "RelativeTable(float32[8, 9])"),
        ("table", GRID, "RelativeTable(float32[8, 7, 11])"),
        ("table(bound=None)", GRID, "RelativeTable(float32[8, 7, 11])"),
        ("table(7.5)", LINE, "RelativeTable(float32[8, 9], bound=7.5)"),
        (
            "row_table + column_table(bound=3)",
            GRID,
            "RelativeTable(float32[8, 7], axis=0) + RelativeTable(float32[8, 11], bound=3, axis=1)",
        ),
    ],
)
@pytest.mark.parametrize("learns", [True, False])
def test_scores_of_the_relative_position_fit_the_places(text: str, places: Places, printed: str, learns: bool) -> None:
    scores = parse_scores(text, 8, places, learns)
    assert repr(scores) == printed
    tensors = [tensor for term in scores.terms for tensor in term.flatten()[1]]
    assert tensors
    assert all(tensor.is_meta and tensor.requires_grad is learns for tensor in tensors)
    assert all(tensor.dtype == torch.float32 for tensor in tensors)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("causal & windw(3)", "known names: got 'windw' at character 10; did you mean window?"),
        (
            "qqq",
            "got 'qqq' at character 1; use everything, causal, window, strided, dilated, blocks, global_tokens, "
            "key_padding, padding, documents, prefix, neighbours, same_row, same_column, axial, tiles",
        ),
        ("block(3)", "did you mean blocks?"),
        ("dilate(2, 3)", "did you mean dilated?"),
        ("blocks(0)", "size must be a whole number from 1 to below 2^62: got size=0; use 1 or more, in 'blocks(0)'"),
        ("blocks(4, -1)", "got shift=-1; use 0 or more, in 'blocks(4, -1)' at character 1"),
        ("blocks", "blocks must be written blocks(size, shift=0): got 'blocks' at character 1; missing a required"),
        ("dilated(2)", "written dilated(step, before, after=0): got 'dilated(2)' at character 1; missing a required"),
        (
            f"dilated({2**52}, {2**52})",
            f"step · before must be a whole number from 0 to below 2^62: got step · before={2**104}",
        ),
        ("axial(3)", "axial takes no argument: got 'axial(3)' at character 1; write axial"),
        (
            "tiles(7)",
            "written tiles(rows, columns, down=0, right=0): got 'tiles(7)' at character 1; missing a required",
        ),
        ("tiles(7, 7, shift=3)", "got an unexpected keyword argument 'shift'"),
        ("global_tokens(0)", "count must be a whole number from 1 to below 2^62: got count=0"),
        ("  \n causl", "got 'causl' at character 5; did you mean causal?"),
        ("", "whole expression: got its end too early; write it like 'causal & window(2)'"),
        ("causal &", "got its end too early"),
        ("causal & (", "got '(' at character 10"),
        ("causal window(3)", "got 'window(3)' at character 8"),
        ("dense(x)", "holds a tensor, which text cannot write: got 'dense' at character 1; build it in Python"),
        (
            "window(-1)",
            "before must be a whole number from 0 to below 2^62: got before=-1; use 0 or more, in 'window(-1)'",
        ),
        ("window()", "written window(before, after=0): got 'window()' at character 1; missing a required argument"),
        ("window(1, 2, 3)", "too many positional arguments"),
        ("window(3, befor=2)", "got an unexpected keyword argument 'befor'"),
        ("window(before=1, before=2)", "window takes each argument once"),
        ("window(1.5)", "window takes whole numbers: got '1.5' at character 8"),
        ("window(True)", "window takes whole numbers: got 'True' at character 8"),
        ("window(causal)", "window takes whole numbers: got 'causal' at character 8"),
        ("window((3,))", "window takes whole numbers: got '(3,)' at character 8"),
        (f"window({10**30})", f"got '{10**30}' at character 8; use a smaller one"),
        ("neighbours(1)", "written neighbours(rows, columns): got 'neighbours(1)' at character 1; missing a required"),
        ("neighbours(1, -2)", "got columns=-2; use 0 or more, in 'neighbours(1, -2)'"),
        ("neighbors(1, 1)", "did you mean neighbours?"),
        ("causal(3)", "causal takes no argument: got 'causal(3)' at character 1; write causal"),
        ("padding", "got 'padding' at character 1; give one length per row of the batch"),
        ("padding((3,), (5,))", "give the lengths once"),
        ("padding(3, lengths=4)", "give the lengths once"),
        ("padding(size=4)", "size is not lengths"),
        ("causal + causal", "joined by &, | and ~: got 'causal + causal' at character 1"),
        ("causal and causal", "got 'causal and causal' at character 1"),
        ("causal().mask", "got 'causal().mask' at character 1"),
        ("causal()()", "got 'causal()()' at character 1"),
        ("3", "got '3' at character 1"),
        ("__import__('os')", 'names, numbers and operators: got "\'" at character 12'),
        ("window(9**9)", "got '*' at character 9"),
        ("fenêtre(3)", "got 'ê' at character 4"),
        ("~" * 200 + "causal", f"may nest {DEEPEST} levels at most"),
        ("(" * 300, "whole expression"),
        ("a" * (LONGEST + 1), "at most 1,000 characters: got 1,001"),
    ],
)
def test_what_is_no_mask(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_mask(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slops", "a sum of scores is made of known names: got 'slops' at character 1; did you mean slopes?"),
        ("content & slopes", "joined by +: got 'content & slopes' at character 1"),
        ("content(beta=1e999)", "beta must be finite: got beta=inf"),
        ("content(beta=-None)", "content takes numbers: got '-None' at character 14"),
        ("content + slopes(4)", "slopes takes no argument: got 'slopes(4)' at character 11"),
        ("bias(x)", "bias holds a tensor"),
        ("Quadratic(centre=float32[8, 2])", "Quadratic holds a tensor, which text cannot write"),
        ("RelativeTable(float32[8, 9])", "RelativeTable holds a tensor, which text cannot write"),
        ("gausian", "did you mean gaussian"),
        ("gaussian(3)", "gaussian takes no argument: got 'gaussian(3)' at character 1; write gaussian"),
        ("table(3, 4)", "table must be written table(bound=None): got 'table(3, 4)' at character 1; too many"),
        ("table(axis=1)", "got an unexpected keyword argument 'axis'"),
        ("table(gaussian)", "table takes numbers: got 'gaussian' at character 7"),
        ("content + table(0)", "bound must be positive and finite: got bound=0"),
        ("table(-1)", "got bound=-1; None promises nothing, in 'table(-1)' at character 1"),
        ("table(1e999)", "got bound=inf"),
        ("gaussian + column_table", "needs a grid: got tokens in a line; use table, in 'column_table' at character 12"),
        ("gaussian - table", "joined by +: got 'gaussian - table' at character 1"),
    ],
)
def test_what_is_no_score(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_scores(text, 8, LINE)


@pytest.mark.parametrize("text", ["gaussian", "table", "row_table"])
def test_relative_positions_need_places(text: str) -> None:
    message = f"needs to know the places: got none; give Places, in {text!r} at character 1"
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_scores(text, num_heads=8)


def test_a_placeholder_is_not_beyond_what_torch_can_count() -> None:
    side = 2**29
    huge = Places(Grid(side, side), Grid(side, side))
    with pytest.raises(ValueError, match=re.escape(f"2**60 numbers: got sizes (2, {2 * side - 1}, {2 * side - 1});")):
        parse_scores("table", 2, huge)
    assert repr(parse_scores("table", 1, huge)) == f"RelativeTable(float32[1, {2 * side - 1}, {2 * side - 1}])"


# beartype picks the item of a list that it checks at random, which hypothesis takes for the strategy's own chance.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")
@given(MASKS)
def test_what_a_mask_prints_is_read_back(mask) -> None:
    assert repr(parse_mask(repr(mask))) == repr(mask)


@settings(max_examples=examples(500))
@given(TEXT)
def test_any_text_is_read_or_refused(text: str) -> None:
    for parse in (parse_mask, lambda text: parse_scores(text, 2, GRID)):
        with contextlib.suppress(ValueError):
            assert repr(parse(text))
