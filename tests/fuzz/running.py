"""Running a case: every algorithm in turn, in the world that the case asks for, compared with the oracle."""

import contextlib
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint

from regard import attend, plan, weights
from regard.algorithms import Refused, attend_linear, attend_projected
from regard.attention import Attention, Cache
from tests.fuzz import program
from tests.fuzz.case import Case, Node
from tests.fuzz.oracle import Answer, Oracle, compare

EQUAL, REFUSED = "equal", "refused"
CHOICE = "the planner's choice"
DERIVATIVES = ("vjp", "vmap", "second")  # which an algorithm may refuse by an error, as long as it says something
SECOND = 1e-6  # of the largest second derivative, all in float64


MOST_POISONED = 6  # entries of a bias that are poisoned: one is enough, and the text stays short
COMPILED_ONE_IN = 4  # on a GPU blockwise compiles a kernel for each case: it is forced in one of so many


class ContextLostError(Exception):
    """The device does not answer any more: the process must end."""


@dataclass
class Outcome:
    """What came of a case: for each algorithm `EQUAL`, `REFUSED` or what is wrong, and the text that shows it."""

    verdicts: dict[str, str] = field(default_factory=dict)
    chosen: str = ""
    shown: dict[str, str] = field(default_factory=dict)

    @property
    def wrong(self) -> dict[str, str]:
        return {name: verdict for name, verdict in self.verdicts.items() if verdict not in (EQUAL, REFUSED)}


_classes: dict[str, Any] = {}  # a user's classes, each defined once in a process, by their text
_imports: dict[str, Any] = {}


class Prepared:
    """The tensors of a case, the poison that its hidden tokens hold, and the oracle's answer."""

    def __init__(self, case: Case) -> None:
        self.case = case
        if not _imports:
            exec(program.HEAD, _imports)
        self.names: dict[str, Any] = dict(_imports)
        exec(program.head(case), self.names)
        for name, text in program.classes(case).items():
            if text not in _classes:
                scope = dict(_imports)
                exec(text, scope)
                _classes[text] = scope[name]
            self.names[name] = _classes[text]
        exec(program.tensors_text(case), self.names)
        exec(program.incoming_text(case), self.names)
        self.grads = {"out": self.names["grad"]} | ({"lse": self.names["grad_lse"]} if case.return_lse else {})
        given = ["q", "k", "v", *program.drawn_names(case.tensors)]
        given += ["weight", "bias"] if case.call == "attend_projected" else []
        oracle = Oracle(case, {name: self.names[name] for name in given if self.names[name] is not None}, self.grads)
        self.learnt = program.learnt_names(case)
        self.answer = oracle.answer(self.learnt)
        self.poison = poison_text(case, self.answer, self.names)
        exec(self.poison, self.names)
        exec(program.learnt_text(case), self.names)
        self.code = compile(program.value_text(case).partition(" = ")[2], "value", "eval")

    def value(self, names: dict[str, Any] | None = None) -> Any:
        """The value, made anew: as a layer makes it in every forward pass."""
        return eval(self.code, self.names if names is None else self.names | names)

    def dtype(self, name: str) -> torch.dtype:
        """The type that a result must have."""
        v = self.names["v"].dtype
        if name == "lse":
            return torch.promote_types(v, torch.float32)
        return self.names[name.removeprefix("gradient of ")].dtype if name.startswith("gradient") else v


def poison_text(case: Case, answer: Answer, names: dict[str, Any]) -> str:
    """Python that writes NaN or ∞ into keys, values and queries that the mask hides, and into hidden biases."""
    if case.poison is None:
        return ""
    lines = []
    hidden = {"q": answer.hidden_queries, "k": answer.hidden_keys, "v": answer.hidden_keys}
    for name, layout in zip("qkv", case.layouts, strict=True):
        if layout in program.SHARED or (name != "v" and not case.given) or not hidden[name].any():
            continue
        everywhere = hidden[name].all(1).all(0)  # for a short text, where it is all
        if torch.equal(everywhere.expand_as(hidden[name]), hidden[name]):
            place = f":, :, {everywhere.nonzero()[:, 0].tolist()}"
        else:
            place = ", ".join(str(axis) for axis in hidden[name].nonzero().T.tolist())
        lines.append(f"{name}[{place}] = {case.poison}\n")
    for term in case.scores:
        if term.kind == "Bias":
            name = term.args[0].name
            places = _hidden_of(answer.hidden_pairs, names[name].shape)
            lines += [f"{name}[{', '.join(map(str, place))}] = {case.poison}\n" for place in places]
    return "".join(lines)


def _hidden_of(pairs: Tensor, shape: tuple[int, ...]) -> list[list[int]]:
    """Some entries of a map of this shape that no row and head sees, spread over it."""
    for axis, size in enumerate((1,) * (4 - len(shape)) + shape):
        pairs = pairs.all(axis, keepdim=True) if size == 1 else pairs
    places = pairs[(0,) * (4 - len(shape))].nonzero().tolist()
    return places[:: 1 + len(places) // MOST_POISONED]


def examine(
    case: Case,
    run: Callable[..., Any] = attend,
    tell: Callable[[str], None] = lambda name: None,
    only: str | None = None,
) -> Outcome:
    """The verdicts on all algorithms, or on one, and on the planner's choice; `tell` hears what is about to run."""
    outcome = Outcome()
    prepared = Prepared(case)
    names: dict[str, str | None] = {case.call: None}
    if case.call == "attend":
        names = {}
        if only in (None, CHOICE):  # before the plan, which may leave something behind
            tell(CHOICE)
            outcome.verdicts[CHOICE] = _verdict(prepared, CHOICE, None, run)
        tell("plan")
        try:
            planned = _planned(prepared)
        except Exception:
            outcome.verdicts["plan"] = _failure()
        else:
            names = {candidate.name: candidate.refusal for candidate in planned.candidates}
            outcome.chosen = planned.chosen
    if case.device == "cuda" and case.seed % COMPILED_ONE_IN and only is None:
        names.pop("blockwise", None)
    for name, refusal in names.items():
        if only in (None, name):
            tell(name)
            outcome.verdicts[name] = _verdict(prepared, name, refusal, run)
    for name, verdict in outcome.wrong.items():
        algorithm = name if case.call == "attend" and name not in (CHOICE, "plan") else None
        outcome.shown[name] = program.reproduction(case, algorithm, prepared.poison, f"{name}: {verdict}")
    return outcome


def _planned(prepared: Prepared) -> Any:
    case = prepared.case
    worlds = {"meta": torch.device("meta"), "inference first": torch.inference_mode()}
    q, k, v = (prepared.names[name] for name in "qkv")
    with worlds.get(case.world, contextlib.nullcontext()):
        planned = plan(q, k, v, prepared.value(), return_lse=case.return_lse)
    if case.world == "inference first":  # the call that counts comes later, and may want gradients
        planned = plan(q, k, v, prepared.value(), return_lse=case.return_lse)
    return planned


# In these worlds a call without gradients comes before the one that counts.
FIRST_WITHOUT_GRADIENTS = ("inference first", "no grad first", "again")


def _verdict(prepared: Prepared, name: str, refusal: str | None, run: Callable[..., Any]) -> str:
    case = prepared.case
    algorithm = name if case.call == "attend" and name != CHOICE else None
    try:
        with world(case) as problems:
            other = OTHER_CALLS.get(case.call)
            got = attended(prepared, algorithm, run) if other is None else other(prepared)
    except Refused as error:
        if refusal is None and algorithm is None:
            return f"refuses altogether: {error}"
        # A first call without gradients may be refused for another reason than the plan of the one that counts.
        alike = refusal is not None and (refusal in str(error) or case.world in FIRST_WITHOUT_GRADIENTS)
        return REFUSED if alike else f"refuses unlike its plan: {error}"
    except Exception as error:
        if "CUDA error" in str(error):
            raise ContextLostError(str(error)) from error
        refused = case.world in DERIVATIVES and isinstance(error, RuntimeError | NotImplementedError)
        return REFUSED if refused else _failure()
    if refusal is not None:
        return f"runs although it refuses: {refusal}"
    if problems:
        return problems[0]
    if case.world == "second":
        wrong = second_derivatives(prepared, got)
        if wrong:
            return wrong
    checked = prepared.answer
    if case.world == "vmap" or case.call == "cache":
        checked = replace(checked, results={k: x for k, x in checked.results.items() if k in ("out", "lse")})
    return "; ".join(compare(got, checked, prepared.dtype)) or EQUAL


def _failure() -> str:
    """The error that is being handled, in two lines: what it says, and where in the library it came up."""
    kind, error, trace = sys.exc_info()
    assert kind is not None
    said = str(error).strip().splitlines() or [""]
    frames = traceback.extract_tb(trace)
    own = [frame for frame in frames if "/regard/" in frame.filename] or list(frames)
    return f'{kind.__name__}: {said[0][:300]}\nFile "{own[-1].filename}", line {own[-1].lineno}, in {own[-1].name}'


def attended(prepared: Prepared, algorithm: str | None, run: Callable[..., Any]) -> dict[str, Tensor]:
    """Output, log-sum-exp and gradients of one call of `attend`, in the world of the case."""
    case, names = prepared.case, prepared.names

    def call(**changed: Tensor) -> Any:
        q, k, v = ((names | changed)[name] for name in "qkv")
        return run(q, k, v, prepared.value(changed), algorithm=algorithm, return_lse=case.return_lse)

    if case.world == "vjp":
        return _by_vjp(prepared, call)
    if case.world == "vmap":
        stacked = [torch.stack((names[name], names[name])) for name in "qkv"]
        outs = torch.func.vmap(lambda q, k, v: call(q=q, k=k, v=v))(*stacked)
        return {name: x[1] for name, x in zip(("out", "lse"), outs if case.return_lse else (outs,), strict=False)}
    _warm_up(prepared, call)
    if case.world == "checkpoint":
        learnt = {name: names[name] for name in prepared.learnt}
        call_again = lambda *tensors: call(**dict(zip(learnt, tensors, strict=True)))  # noqa: E731
        outs = checkpoint(call_again, *learnt.values(), use_reentrant=False) if learnt else call()
    elif case.world == "autocast":  # which is for the way forward
        with torch.autocast(case.device, torch.bfloat16):
            outs = call()
    else:
        outs = call()
    return _with_gradients(prepared, outs if case.return_lse else (outs,))


def _warm_up(prepared: Prepared, call: Callable[..., Any]) -> None:
    """What a world does before the call that counts."""
    case = prepared.case
    if case.world == "meta before":
        with contextlib.suppress(Exception), torch.device("meta"):
            call()
    elif case.world == "inference first":
        with torch.inference_mode():
            call()
    elif case.world == "no grad first":
        with torch.no_grad():
            call()
    elif case.world == "again":
        with torch.no_grad():
            drawn = {name: prepared.names[name] for name in program.drawn_names(case.tensors)}
            others = {name: ~x for name, x in drawn.items() if x.dtype == torch.bool}
            call(v=2 * prepared.names["v"], **others)


def _with_gradients(prepared: Prepared, outs: tuple[Tensor, ...]) -> dict[str, Tensor]:
    names = prepared.names
    found = dict(zip(("out", "lse"), outs, strict=False))
    leaves = [names[name] for name in prepared.learnt]
    pairs = [(found[name], grad) for name, grad in prepared.grads.items() if found[name].requires_grad]
    grads: tuple[Tensor | None, ...] = tuple(None for _ in leaves)
    if leaves and pairs:
        heads, seeds = zip(*pairs, strict=True)
        twice = prepared.case.world == "second"
        grads = torch.autograd.grad(heads, leaves, seeds, allow_unused=True, create_graph=twice)
    for name, leaf, grad in zip(prepared.learnt, leaves, grads, strict=True):
        found[f"gradient of {name}"] = torch.zeros_like(leaf) if grad is None else grad
    return found


def _by_vjp(prepared: Prepared, call: Callable[..., Any]) -> dict[str, Tensor]:
    case = prepared.case
    learnt = {name: prepared.names[name].detach() for name in prepared.learnt}
    function = lambda *tensors: call(**dict(zip(learnt, tensors, strict=True)))  # noqa: E731
    if not learnt:
        return _with_gradients(prepared, call() if case.return_lse else (call(),))
    outs, pull = torch.func.vjp(function, *learnt.values())
    seeds = tuple(prepared.grads.values())
    grads = pull(seeds if case.return_lse else seeds[0])
    found = dict(zip(("out", "lse"), outs if case.return_lse else (outs,), strict=False))
    return found | {f"gradient of {name}": grad for name, grad in zip(learnt, grads, strict=True)}


def second_derivatives(prepared: Prepared, got: dict[str, Tensor]) -> str | None:
    """What is wrong in the derivatives of the squared gradients; an error is no wrong answer."""
    leaves = {name: prepared.names[name] for name in prepared.learnt}
    gradients = [got[f"gradient of {name}"] for name in leaves]
    loss = sum([grad.square().sum() for grad in gradients], start=torch.zeros(()))
    if not leaves or not isinstance(loss, Tensor) or not loss.requires_grad:
        return None
    try:
        found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
    except (RuntimeError, NotImplementedError):
        return None
    expected = prepared.answer.second
    scale = max([float(x.abs().max()) for x in expected.values()] + [1.0])
    for (name, exact), grad in zip(expected.items(), found, strict=True):
        grad = torch.zeros_like(exact) if grad is None else grad.cpu()
        error = float((grad - exact).abs().max())
        if not error <= SECOND * scale:
            return f"second derivative of {name} is off by {error:.3g} where the largest is {scale:.3g}"
    return None


@contextlib.contextmanager
def world(case: Case) -> Iterator[list[str]]:
    """The state of torch around a call; gives a list of what went wrong beside it."""
    problems: list[str] = []
    with contextlib.ExitStack() as stack:
        if case.world == "meta":
            stack.enter_context(torch.device("meta"))
        elif case.world == "cuda":
            torch.set_default_device("cuda")
            stack.callback(torch.set_default_device, None)
        elif case.world == "float64":
            torch.set_default_dtype(torch.float64)
            stack.callback(torch.set_default_dtype, torch.float32)
        elif case.world == "thread":
            stack.enter_context(_other_thread(case.device, problems))
        yield problems


@contextlib.contextmanager
def _other_thread(device: str, problems: list[str]) -> Iterator[None]:
    """Another thread that calls plain sdpa with D ≠ E meanwhile."""
    q, v = torch.ones(1, 1, 4, 8, device=device), torch.ones(1, 1, 4, 6, device=device)
    done = threading.Event()

    def keep_calling() -> None:
        while not done.is_set():
            try:
                scaled_dot_product_attention(q, q, v)
            except RuntimeError as error:
                problems.append(f"plain sdpa in another thread: {str(error)[:200]}")
                return

    thread = threading.Thread(target=keep_calling, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _map(prepared: Prepared) -> dict[str, Tensor]:
    names = prepared.names
    found = weights(names["q"], names["k"], prepared.value())
    return _with_gradients(prepared, (found.expand(prepared.grads["out"].shape),))


def _projected(prepared: Prepared) -> dict[str, Tensor]:
    names = prepared.names
    out = attend_projected(names["v"][:, 0], prepared.value(), names["weight"], names["bias"])
    return _with_gradients(prepared, (out,))


def _pieces(prepared: Prepared) -> list[list[Tensor]]:
    names, T = prepared.names, prepared.case.sizes.T
    ends = [0, *prepared.case.cuts, T]
    spans = [(a, b) for a, b in zip(ends, ends[1:], strict=False) if b > a]
    return [[names[name][:, :, a:b] for name in "qkv"] for a, b in spans]


def _linear(prepared: Prepared) -> dict[str, Tensor]:
    """Causal linear attention in pieces, each with the paddings of its own tokens."""
    case, whole, state, outs, start = prepared.case, prepared.value(), None, [], 0
    for q, k, v in _pieces(prepared):
        mask = eval(program.mask_text(_cut(prepared, case.mask, start, start + q.shape[2])), prepared.names)
        out, state = attend_linear(q, k, v, Attention(whole.scores, mask, whole.weighting), state=state)
        outs.append(out)
        start += q.shape[2]
    return _with_gradients(prepared, (torch.cat(outs, 2),))


def _cut(prepared: Prepared, mask: Node, start: int, end: int) -> Node:
    """The mask of one piece: lengths and maps of its own tokens."""
    if mask.kind == "And":
        return Node("And", tuple(_cut(prepared, child, start, end) for child in mask.args))
    if mask.kind not in ("KeyPadding", "Padding"):
        return mask
    how, what = mask.args
    if how in ("map", "pads"):
        name = f"{what.name}_{start}"
        prepared.names[name] = prepared.names[what.name][:, start:end]
        return Node(mask.kind, (how, replace(what, name=name)))
    return Node(mask.kind, (how, tuple(min(max(n - start, 0), end - start) for n in what)))


def _cached(prepared: Prepared) -> dict[str, Tensor]:
    s, names = prepared.case.sizes, prepared.names
    cache = Cache(s.B, s.G, s.D, s.E, capacity=s.T, dtype=names["v"].dtype, device=names["v"].device)
    value = prepared.value()
    with torch.no_grad():
        outs = [attend(q, *cache.append(k, v, value)) for q, k, v in _pieces(prepared)]
    return {"out": torch.cat(outs, 2)}


OTHER_CALLS = {"weights": _map, "attend_projected": _projected, "attend_linear": _linear, "cache": _cached}
