"""What `regard tour` prints: a worked example of a course, checked digit by digit, two maps, two edge cases, a plan.

The example is `ist.1` of the catalogue of claims: four tokens of width three, one query by hand, then two heads.
"""

import io
import re

import torch
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding as Space
from rich.rule import Rule
from rich.table import Table
from rich.text import Text
from torch import Tensor

from regard.algorithms import Plan, attend, plan, weights
from regard.algorithms.planning.report import rich_table
from regard.attention import Attention, Causal, Content, Hard, KeyPadding
from regard.claims.catalogue import DOCUMENTS
from regard.claims.ist.example import DOCUMENT, Example, agrees, rounded, worked_example

SHADES = " ░▒▓█"
DARK, BRIGHT = (44, 48, 66), (102, 178, 255)  # weight 0 and weight 1: one hue, so that every eye can rank them
CELL = 9


def run(console: Console) -> bool:
    """Print the tour; True when every number and both edge cases come out as they should."""
    example = worked_example()
    console.print(Rule("[bold]regard[/]: say what attention you mean", style="blue"))
    console.print("\nA worked example: four tokens X of three numbers each, all computed just now.")
    console.print("Under each number stands what the course prints: [green]✓[/] if every digit agrees.")
    console.print(f"The course: {DOCUMENTS['ist'].partition(':')[0]}.")

    verdicts = [
        _section(console, example, "1  One query by hand", "attend(q, X, X)", "weights", "output"),
        _section(console, example, "2  One head", "attend(X @ W_Q, X @ W_K, X @ W_V)", "Z, rows 1, 2", "Z, rows 3, 4"),
        _section(console, example, "3  Inside both heads", "weights(q, k)", "P, row 2", "P⁽²⁾, row 1", "Z⁽²⁾, column"),
        _section(
            console,
            example,
            "4  Two heads, merged",
            "merge(attend(q, k, v)) @ W_O",
            *(f"out, row {i}" for i in (1, 2, 3, 4)),
        ),
    ]
    _title(console, "5  What each head looks at", "weights(q, k): a row per query, a column per key")
    console.print(draw_maps(example.maps, colour=console.color_system is not None and not console.no_color))
    verdicts.append(_hard(console, example))
    verdicts.append(_empty_row(console))
    _title(console, "8  What a real size costs", "plan(q, k, v, attention), nothing is computed")
    console.print(rich_table(realistic_plan()))
    _farewell(console, all(verdicts))
    return all(verdicts)


def draw_svg() -> str:
    """Draw the maps and the plan as an SVG that loads nothing from elsewhere."""
    console = Console(
        record=True, width=88, file=io.StringIO(), force_terminal=True, color_system="truecolor", highlight=False
    )
    maps = draw_maps(worked_example().maps, colour=True)
    console.print(Space(Group(maps, "", rich_table(realistic_plan())), (1, 2)))
    svg = console.export_svg(title="regard tour", unique_id="regard")
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg)  # Rich would fetch its font from the network
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


def draw_maps(maps: Tensor, colour: bool) -> RenderableType:
    """Draw heads side by side, the weight in each cell; without colours, shade characters carry the weight."""
    heads = []
    for head, rows in enumerate(maps.tolist()):
        grid = Table(box=None, padding=0, pad_edge=False, title=f"head {head + 1}", title_style="bold")
        grid.add_column("")
        for key in range(len(rows[0])):
            grid.add_column(f"k{key + 1}".center(CELL), header_style="dim", no_wrap=True)
        for query, row in enumerate(rows):
            grid.add_row(Text(f"\nq{query + 1} ", style="dim"), *[_cell(weight, colour) for weight in row])
        heads.append(grid)
    return Columns(heads, padding=(0, 2))


def realistic_plan() -> Plan:
    """A causal batch of four rows of different lengths on a GPU, which need not be here."""
    q = torch.empty(4, 16, 4096, 64, dtype=torch.bfloat16, device="meta", requires_grad=True)
    return plan(q, q, q, Attention(mask=Causal() & KeyPadding([1024, 2048, 3072, 4096])), device="h200")


def _section(console: Console, example: Example, title: str, code: str, *names: str) -> bool:
    """Print some quantities, each number above the document's; True when all agree."""
    _title(console, title, code)
    numbers = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    good = True
    for name in names:
        values, printed = example.quantities[name].tolist(), DOCUMENT[name]
        marks = [agrees(value, digits) for value, digits in zip(values, printed, strict=True)]
        shown = [
            f"[{'green' if mark else 'bold red'}]{rounded(value, digits):>11} {'✓' if mark else '✗'}[/]"
            for value, digits, mark in zip(values, printed, marks, strict=True)
        ]
        numbers.add_row(f"[bold]{name}[/]", *shown)
        numbers.add_row("[dim]  the course[/]", *[f"[dim]{digits:>11}[/]" for digits in printed])
        good = good and all(marks)
    console.print(numbers)
    return good


def _hard(console: Console, example: Example) -> bool:
    """Hard attention is the limit of a large β."""
    _title(console, "6  From soft to hard", "scores=Content(beta=β) against weighting=Hard()")
    hard = weights(example.q, example.k, Attention(weighting=Hard()))
    gap = 1.0
    for beta in (1, 10, 100):
        gap = (weights(example.q, example.k, Attention(scores=Content(beta=beta))) - hard).abs().max().item()
        console.print(f"β = {beta:<4}  largest difference of a weight {gap:.1e}")
    good = gap < torch.finfo(torch.float64).eps
    console.print(_verdict(good, "at β = 100 the difference is too small for a float64 to add to 1"))
    return good


def _empty_row(console: Console) -> bool:
    """A sample of pads only: zeros here, NaN in torch's module."""
    _title(console, "7  A sample that is all padding", "Attention(mask=KeyPadding([3, 0]))")
    x = torch.linspace(-1, 1, 24).view(2, 3, 4)
    heads = x[:, None].requires_grad_()
    ours = attend(heads, heads, heads, Attention(mask=KeyPadding([3, 0])))
    (gradient,) = torch.autograd.grad(ours.sum(), heads)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        module = torch.nn.MultiheadAttention(4, 1, batch_first=True)
        theirs = module(x, x, x, key_padding_mask=torch.tensor([[False] * 3, [True] * 3]))[0][1, 0]
    console.print(f"nn.MultiheadAttention   {_vector(theirs)}")
    good = not ours[1].any() and not gradient[1].any() and bool(gradient[0].any())
    console.print(f"regard                  {_vector(ours[1, 0, 0])}  {_verdict(good, 'zeros, and zero gradients')}")
    return good


def _farewell(console: Console, good: bool) -> None:
    console.print()
    console.print(Rule(style="blue"))
    count = sum(len(printed) for printed in DOCUMENT.values())
    if good:
        console.print(f"[green]✓[/] all {count} numbers agree with the course to every printed digit.")
    else:
        console.print("[bold red]✗[/] something above does not agree: look for the red ✗.")
    console.print("\n[bold]Try next[/]")
    commands = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    for command, why in (
        ('regard plan --mask "causal & window(256)" --device h200', "your mask, your sizes"),
        ("regard plan --lengths 512,1024,4096", "a padded batch"),
        ("regard plan --help", "everything it takes"),
    ):
        commands.add_row(f"[cyan]{command}[/]", f"[dim]{why}[/]")
    console.print(commands)


def _title(console: Console, title: str, code: str) -> None:
    console.print(Text.assemble("\n", (title, "bold blue"), "  ", (code, "dim")))


def _cell(weight: float, colour: bool) -> Text:
    """Three lines in the colour, or the shade, of the weight, with the number in the middle."""
    fill = " " if colour else SHADES[min(int(weight * len(SHADES)), len(SHADES) - 1)]
    number = f" {weight:.3f} ".center(CELL, fill)
    text = Text("\n".join([fill * CELL, number, fill * CELL]))
    if colour:
        back = [round(low + (high - low) * weight) for low, high in zip(DARK, BRIGHT, strict=True)]
        text.stylize(
            f"{'rgb(10,14,26)' if weight > 0.55 else 'rgb(236,240,250)'} on rgb({back[0]},{back[1]},{back[2]})"
        )
    return text


def _verdict(good: bool, words: str) -> str:
    return f"[green]✓[/] {words}" if good else f"[bold red]✗[/] not so: {words}"


def _vector(values: Tensor) -> str:
    return f"({', '.join(f'{value:g}' for value in values.tolist())})"
