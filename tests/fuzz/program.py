"""A case as Python that a person can run: the fuzz executes this very text, so a failing case prints what failed."""

from typing import Any

from tests.fuzz.case import Case, Drawn, Node, Ref
from tests.fuzz.own import FEATURES, MASKS, TERMS, twisted_term_text, twisted_text

# Each line is wanted where the words after it occur.
IMPORTS = {
    "import torch": ("",),
    "import numpy": ("numpy.",),
    "from dataclasses import dataclass": ("@dataclass",),
    "from math import inf, nan": ("inf", "nan"),
    "from regard import attend, weights": ("attend(", "weights("),
    "from regard.algorithms import attend_projected": ("attend_projected(",),
    "from regard.attention import *": ("",),
}
HEAD = "".join(f"{line}\n" for line in IMPORTS)
WIDE = {"float16": "float32", "bfloat16": "float32", "float32": "float32", "float64": "float64"}

# q, k or v of shape (B, N, L, W), by its layout; each begins with a tensor that `r` draws.
LAYOUTS = {
    "contiguous": "r({B}, {N}, {L}, {W})",
    "heads innermost": "r({B}, {L}, {W}, {N}).permute(0, 3, 1, 2)",
    "heads after tokens": "r({B}, {L}, {N}, {W}).transpose(1, 2)",
    "sliced": "r({B}, {N}, {L}, {wide})[..., 1:{end}]",
    "offset": "r({count} + 1)[1:].view({B}, {N}, {L}, {W})",
    "one row": "r(1, {N}, {L}, {W}).expand({B}, -1, -1, -1)",
    "one head": "r({B}, 1, {L}, {W}).expand(-1, {N}, -1, -1)",
    "one column": "r({B}, {N}, {L}, 1).expand(-1, -1, -1, {W})",
    "one token": "r({B}, {N}, 1, {W}).expand(-1, -1, {L}, -1)",
    "every other column": "r({B}, {N}, {L}, 2 * {W})[..., ::2]",
    "every other token": "r({B}, {N}, 2 * {L}, {W})[:, :, ::2]",
    "columns first": "r({B}, {N}, {W}, {L}).mT",
    "of one projection": "r({B}, {L}, 3, {N}, {W})[:, :, 1].transpose(1, 2)",
    "batch innermost": "r({N}, {L}, {W}, {B}).permute(3, 0, 1, 2)",
}
SHARED = ("one row", "one head", "one column", "one token")  # whose numbers cannot be written one by one


def tensor_text(layout: str, sizes: tuple[int, int, int, int]) -> str:
    B, N, L, W = sizes
    wide = 19 if W < 19 else W + 3
    return LAYOUTS[layout].format(B=B, N=N, L=L, W=W, wide=wide, end=W + 1, count=B * N * L * W)


def head(case: Case) -> str:
    """The functions that draw: `r` in the type of q, `t` for score terms, `m` for boolean maps."""
    drawn = "torch.randn(*n, generator=g)"
    drawn = f"(8 * {drawn}).round() / 8" if case.numbers == "eighths" else drawn
    lines = [
        f"g, d = torch.Generator().manual_seed({case.seed}), {case.device!r}",
        f"r = lambda *n: ({drawn}).to(d, torch.{case.dtype})",
    ]
    texts = " ".join(drawn.text for drawn in case.tensors)
    if "t(" in texts:
        lines.append(f"t = lambda *n: ({drawn}).to(d, torch.{WIDE[case.dtype]})")
    if "m(" in texts:
        lines.append("m = lambda share, *n: (torch.rand(*n, generator=g) < share).to(d)")
    return "\n".join(lines) + "\n"


def tensors_text(case: Case) -> str:
    """The lines that draw q, k, v and the tensors of the value."""
    s = case.sizes
    lines = []
    shapes = {"q": (s.B, s.H, s.T, s.D), "k": (s.B, s.G, s.S, s.D), "v": (s.B, s.G, s.S, s.E)}
    for name, layout in zip("qkv", case.layouts, strict=True):
        absent = name != "v" and not case.given
        lines.append(f"{name} = {'None' if absent else tensor_text(layout, shapes[name])}")
    lines += [f"{drawn.name} = {drawn.text}" for drawn in case.tensors]
    if case.call == "attend_projected":
        lines.append(f"weight, bias = r({s.E + 2}, {s.H * s.E}), r({s.E + 2})")
    return "\n".join(lines) + "\n"


def learnt_text(case: Case) -> str:
    names = [*case.learnt, *(drawn.name for drawn in case.tensors if drawn.learnt)]
    names += ["weight", "bias"] if case.call == "attend_projected" else []
    return "".join(f"{name}.requires_grad_()\n" for name in names)


def learnt_names(case: Case) -> list[str]:
    names = [*case.learnt, *(drawn.name for drawn in case.tensors if drawn.learnt)]
    return names + (["weight", "bias"] if case.call == "attend_projected" else [])


def incoming_text(case: Case) -> str:
    """The gradients that come back to the output and to the log-sum-exp."""
    s = case.sizes
    E = s.E + 2 if case.call == "attend_projected" else s.E
    if case.call == "weights":
        text = f"grad = r({s.B}, {s.H}, {s.T}, {s.S})\n"
    elif case.call == "attend_projected":
        text = f"grad = r({s.B}, {s.T}, {E})\n"
    else:
        text = f"grad = {tensor_text(case.incoming, (s.B, s.H, s.T, s.E))}\n"
    if case.return_lse:
        text += f"grad_lse = torch.randn({s.B}, {s.H}, {s.T}, generator=g).to(d, torch.{WIDE[case.dtype]})\n"
    return text


def value_text(case: Case) -> str:
    """The line that makes the value."""
    parts = [f"scores={' + '.join(_term(term) for term in case.scores)}", f"mask={mask_text(case.mask)}"]
    if case.weighting != Node("Softmax"):
        parts.append(f"weighting={_weighting(case.weighting)}")
    for name, side in (("queries", case.queries), ("keys", case.keys)):
        if side is not None:
            parts.append(f"{name}={_positions(side)}")
    return f"value = Attention({', '.join(parts)})\n"


def mask_text(node: Node) -> str:
    kind, args = node.kind, node.args
    if kind in ("And", "Or"):
        return f"({mask_text(args[0])} {'&' if kind == 'And' else '|'} {mask_text(args[1])})"
    if kind == "Not":
        return f"~{mask_text(args[0])}"
    if kind == "Own":
        return f"{args[0]}({', '.join(_argument(x) for x in args[1:])})"
    if kind == "Twist":
        parent, twist = args
        return _named(parent, twisted_text(parent.kind, twist)[0])
    return _named(node, kind)


def _named(node: Node, name: str) -> str:
    """A built-in mask, or a subclass with the same fields."""
    if node.kind in ("KeyPadding", "Padding"):
        how, what = node.args
        if how == "sizes":
            return f"{name}({list(what)})"
        if how == "tensor":
            return f"{name}(torch.tensor({list(what)}, device=d))"
        if how == "pads":
            return f"{name}.from_padding_mask(~{what.name})"
        return f"{name}({what.name})"
    if node.kind in ("Documents", "Prefix"):
        how, what = node.args
        if how == "ids":
            return f"{name}(ids=torch.tensor({list(what)}, device=d))"
        if how == "tensor":
            return f"{name}(torch.tensor({list(what)}, device=d))"
        return f"{name}({what[0] if how == 'one' else what})"
    return f"{name}({', '.join(_argument(x) for x in node.args)})"


def _argument(x: Any) -> str:
    if isinstance(x, Ref):
        return x.name
    return f"numpy.int64({x.args[0]})" if isinstance(x, Node) else repr(x)


def _term(node: Node) -> str:
    if node.kind == "Own":
        return f"{node.args[0]}({', '.join(_argument(x) for x in node.args[1:])})"
    if node.kind == "Twist":
        parent, twist = node.args
        name = twisted_term_text(parent.kind, twist)[0]
        return f"{name}({', '.join(_argument(x) for x in parent.args)})"
    return f"{node.kind}({', '.join(_argument(x) for x in node.args)})"


def _weighting(node: Node) -> str:
    if node.kind != "Kernel":
        return f"{node.kind}({', '.join(_argument(x) for x in node.args)})"
    name, fields, normalise = node.args
    if name in FEATURES:
        features = FEATURES[name].value.format(*(_argument(x) for x in fields))
    else:
        features = f"{name}({', '.join(_argument(x) for x in fields)})"
    return f"Kernel({features}, normalise={normalise})"


def _positions(node: Node) -> str:
    if node.kind == "Grid":
        return f"Grid({', '.join(repr(x) for x in node.args)})"
    n, start, step = node.args
    text = f"torch.tensor({list(start)}, device=d)" if isinstance(start, tuple) else repr(start)
    return f"Sequence({n}, {text}, {step})"


def classes(case: Case) -> dict[str, str]:
    """The user's classes that a case needs, by name."""
    found: dict[str, str] = {}
    for node in (case.mask, *case.scores):
        _collect(node, found, node is not case.mask)
    if case.weighting.kind == "Kernel" and case.weighting.args[0] in FEATURES:
        name = case.weighting.args[0]
        found |= {name: FEATURES[name].text} if FEATURES[name].text else {}
    return found


def _collect(node: Node, found: dict[str, str], is_term: bool) -> None:
    if node.kind == "Own":
        found[node.args[0]] = (TERMS if is_term else MASKS)[node.args[0]].text
    elif node.kind == "Twist":
        name, text = (twisted_term_text if is_term else twisted_text)(node.args[0].kind, node.args[1])
        found[name] = text
    for child in node.args:
        if isinstance(child, Node):
            _collect(child, found, is_term)


CALLS = {
    "attend": "attend(q, k, v, value{options})",
    "weights": "weights(q, k, value)",
    "attend_projected": "attend_projected(v[:, 0], value, weight, bias)",
}
WORLDS = {
    "plain": "{out} = {call}\n",
    "meta": "with torch.device('meta'):\n    {out} = {call}\n",
    "meta before": "with torch.device('meta'):\n    {call}\n{out} = {call}\n",
    "cuda": "torch.set_default_device('cuda')\n{out} = {call}\n",
    "float64": "torch.set_default_dtype(torch.float64)\n{out} = {call}\n",
    "inference first": "with torch.inference_mode():\n    {call}\n{out} = {call}\n",
    "no grad first": "with torch.no_grad():\n    {call}\n{out} = {call}\n",
    "again": "{call}\n{out} = {call}\n",
    "autocast": "with torch.autocast(d, torch.bfloat16):\n    {out} = {call}\n",
    "checkpoint": "from torch.utils.checkpoint import checkpoint\n"
    "{out} = checkpoint(lambda q, k, v: {call}, q, k, v, use_reentrant=False)\n",
    "vjp": "{out}, pull = torch.func.vjp(lambda {names}: {call}, {names})\n",
    "vmap": "{out} = torch.func.vmap(lambda q, k, v: {call})(q[None], k[None], v[None])\n",
    "thread": "# while another thread calls scaled_dot_product_attention with D != E\n{out} = {call}\n",
    "second": "{out} = {call}\n# then torch.autograd.grad of the gradients, made with create_graph=True\n",
}


def reproduction(case: Case, algorithm: str | None, poison: str, problem: str) -> str:
    """The whole case as a program, and what is wrong with its result."""
    options = f", algorithm={algorithm!r}" if algorithm else ""
    options += ", return_lse=True" if case.return_lse else ""
    text = head(case) + "".join(classes(case).values()) + tensors_text(case) + poison + value_text(case)
    if case.call in CALLS:
        text += learnt_text(case) + incoming_text(case)
        names = ", ".join(learnt_names(case)) or "v"
        call = CALLS[case.call].format(options=options)
        text += WORLDS[case.world].format(out="out, lse" if case.return_lse else "out", call=call, names=names)
        if learnt_names(case) and case.world not in ("vmap", "vjp"):
            outs, grads = ("[out, lse]", "[grad, grad_lse]") if case.return_lse else ("out", "grad")
            text += f"gradients = torch.autograd.grad({outs}, [{names}], {grads}, allow_unused=True)\n"
    else:
        text += f"# {case.call} in pieces cut at {case.cuts}\n"
    imports = [line for line, words in IMPORTS.items() if any(word in text for word in words)]
    text = "".join(f"{line}\n" for line in imports) + text
    return text + "".join(f"# {line}\n" for line in problem.splitlines())


def drawn_names(tensors: tuple[Drawn, ...]) -> list[str]:
    return [drawn.name for drawn in tensors]
