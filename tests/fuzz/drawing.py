"""From a seed to a case: every part of a call drawn at random, and nothing that the library calls bad input."""

import random
from dataclasses import replace
from typing import Any

from tests.fuzz.case import Case, Drawn, Node, Ref, Sizes, places
from tests.fuzz.own import BUILT_IN_FEATURES, FEATURES, MASKS, OFFSET_MASKS, TERM_TWISTS, TERMS, TWISTS
from tests.fuzz.program import LAYOUTS

LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16, 17, 24, 31, 33, 40)
LONG = (63, 64, 65, 130, 200, 257, 300)
WIDTHS = (1, 2, 3, 4, 5, 7, 8, 8, 11, 16, 16, 24)
DTYPES = ("float32",) * 9 + ("float64",) * 5 + ("bfloat16",) * 3 + ("float16",) * 3
WORLDS = ("plain",) * 24 + (
    "meta",
    "meta before",
    "float64",
    "inference first",
    "no grad first",
    "again",
    "autocast",
    "checkpoint",
    "vjp",
    "vmap",
    "thread",
    "second",
    "second",
)
CALLS = ("attend",) * 34 + ("weights", "attend_projected") * 2 + ("attend_linear", "cache")
WITHOUT_FIELDS = ("Everything", "Causal", "Axial", "SameRow", "SameColumn")
FIELDS = {
    "Window": ((0, 1, 2, 5, 9), (0, 0, 1, 3)),
    "Strided": ((1, 2, 3, 5),),
    "Blocks": ((1, 2, 3, 4, 7, 16), (0, 0, 1, 2)),
    "Dilated": ((1, 2, 3), (0, 1, 2, 3), (0, 1, 2)),
    "GlobalTokens": ((1, 2, 4),),
    "Neighbours": ((0, 1, 2), (0, 1, 2)),
    "Tiles": ((1, 2, 3, 64), (1, 2, 3, 64), (0, 0, 1), (0, 0, 2)),
}
IN_LINE = ("Causal", "Window", "Strided", "Blocks", "Dilated", "GlobalTokens", "Prefix")
ON_GRID = ("Neighbours", "Tiles", "Axial", "SameRow", "SameColumn")
ANYWHERE = ("Everything", "KeyPadding", "KeyPadding", "Padding", "Documents", "Documents", "Dense")


class Drawing:
    """One case being drawn: its random numbers, its sizes, and the tensors that it has come to need."""

    def __init__(self, seed: int, device: str) -> None:
        self.random = random.Random(seed)
        self.seed, self.device = seed, device
        self.tensors: list[Drawn] = []
        self.with_gaussians = False

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def pick(self, options: Any) -> Any:
        return self.random.choice(tuple(options))

    def tensor(self, text: str, learnt: bool = False) -> Ref:
        name = f"x{len(self.tensors)}"
        self.tensors.append(Drawn(name, text, learnt))
        return Ref(name)

    def case(self) -> Case:
        call = self.pick(CALLS)
        self.axes = 2 if self.chance(0.4) and call not in ("attend_linear", "cache") else 1
        self.dtype = "float32" if call in ("cache", "attend_linear") else self.pick(DTYPES)
        self.simple = self.chance(0.55)  # one of the problems that some algorithm is made for
        world = self._world(call)
        self.dtype = "float64" if world == "second" else self.dtype
        self.call = call
        self._sizes()
        self.weighting = self._weighting()
        self.numbers = "eighths" if self.weighting.kind == "Hard" and self.chance(0.8) else "normal"
        queries, keys = self._positions()
        self.sides = places(queries, keys, self.sizes)
        scores = self._scores()
        mask = self._mask()
        if call in ("attend_linear", "cache"):
            queries, keys = None, None
        has_content = any(term.kind == "Content" for term in scores)
        given = has_content or not self._says_heads(scores, queries) or call == "weights" or self.chance(0.4)
        layouts = [self.pick(LAYOUTS) if self.chance(0.5) else "contiguous" for _ in "qkv"]
        learnt = "".join(x for x in "qkv" if (given or x == "v") and self.chance(0.6))
        if call == "weights":
            learnt = learnt.replace("v", "")
        if call == "attend_projected":
            given, learnt, layouts[2] = False, learnt and "v", "contiguous"
        softmax = self.weighting.kind == "Softmax"
        return Case(
            seed=self.seed,
            device=self.device,
            sizes=self.sizes,
            dtype=self.dtype,
            numbers=self.numbers,
            layouts=(layouts[0], layouts[1], layouts[2]),
            scores=scores,
            mask=mask,
            weighting=self.weighting,
            queries=queries,
            keys=keys,
            tensors=tuple(self.tensors),
            learnt=learnt,
            given=given,
            return_lse=softmax and call == "attend" and self.chance(0.35),
            incoming=self.pick(LAYOUTS) if self.chance(0.3) else "contiguous",
            poison=self.pick(("nan", "inf")) if self.chance(0.35) else None,
            world=world,
            call=call,
            cuts=self._cuts() if call in ("attend_linear", "cache") else (),
        )

    def _world(self, call: str) -> str:
        if call != "attend":
            return "plain"
        return self.pick((*WORLDS, "cuda", "cuda") if self.device == "cuda" else WORLDS)

    def _sizes(self) -> None:
        B, G = self.pick((1, 2, 2, 3)), self.pick((1, 1, 2, 3))
        H = G * self.pick((1, 1, 2, 3))
        long = self.chance(0.12)
        T = self.pick(LONG if long else LENGTHS)
        S = T if self.chance(0.6) else self.pick(LONG if long else LENGTHS)
        D = self.pick(WIDTHS)
        E = D if self.chance(0.5) else self.pick(WIDTHS)
        if self.axes == 2:
            self.grid_q = self.pick(range(1, 7)), self.pick(range(1, 7))
            if long:
                self.grid_q = self.pick((8, 9)), self.pick((8, 12))
            self.grid_k = self.grid_q if self.chance(0.7) else (self.pick(range(1, 7)), self.pick(range(1, 7)))
            T, S = self.grid_q[0] * self.grid_q[1], self.grid_k[0] * self.grid_k[1]
        if self.call in ("attend_linear", "cache"):
            S = T
        if self.call == "attend_projected":
            H, G = H // G if H > G else H, 1
            S = T if self.axes == 1 else S
        self.sizes = Sizes(B, H, G, T, S, D, E)

    def _cuts(self) -> tuple[int, ...]:
        return tuple(sorted(set(self.random.choices(range(self.sizes.T + 1), k=2))))

    def _positions(self) -> tuple[Node | None, Node | None]:
        s = self.sizes
        if self.call in ("attend_linear", "cache"):
            return None, None
        if self.axes == 2:
            start, step = (0, 0), (1, 1)
            if self.chance(0.15 if self.simple else 0.4):
                start, step = (self.pick((0, 1, -2)), self.pick((0, 3))), (self.pick((1, 2)), self.pick((1, 2, 3)))
            queries = Node("Grid", (*self.grid_q, start, step))
            keys = Node("Grid", (*self.grid_k, (0, 0), (1, 1) if self.chance(0.8) else (2, 1)))
            if self.grid_q == self.grid_k and self.chance(0.5):
                return (queries, None) if self.chance(0.5) else (None, queries)
            return queries, keys
        if self.chance(0.75 if self.simple else 0.4):
            return None, None
        queries, keys = (Node("Sequence", (n, self._start(), self.pick((1, 1, 1, 2, 3)))) for n in (s.T, s.S))
        plain = Node("Sequence", (s.T, 0, 1)), Node("Sequence", (s.S, 0, 1))
        return self.pick([(queries, None), (None, keys), (queries, keys), plain, (plain[0], None), plain])

    def _start(self) -> int | tuple[int, ...]:
        if self.chance(0.25):
            return tuple(self.pick((0, 3, -4, 9)) for _ in range(self.sizes.B))
        return self.pick((0, 0, 1, 5, -3, 40))

    def _weighting(self) -> Node:
        if self.call == "attend_linear" or (self.call in ("attend", "weights") and self.chance(0.14)):
            name, fields = self._features()
            # Weights of either sign are no shares: their sum may be near zero.
            return Node("Kernel", (name, fields, name != "Identity" and self.chance(0.8)))
        if self.call != "cache" and self.chance(0.14):
            return Node("Hard")
        return Node("Softmax", (self._sink(),) if self.chance(0.2) else ())

    def _sink(self) -> Ref:
        """A sink for each head, in either type; sometimes one that takes nothing, or all."""
        text = f"{self.pick('tr')}({self.sizes.H})"
        return self.tensor(self.pick((text, text, f"3 * {text}", f"{text} - 40", f"{text} + 40")), self.chance(0.6))

    def _features(self) -> tuple[str, tuple[Any, ...]]:
        name = self.pick((*BUILT_IN_FEATURES, *FEATURES, "RandomFeatures"))
        if name == "RandomFeatures":
            return name, (self.tensor(f"0.5 * t({self.pick((1, 5, 12))}, {self.sizes.D})", self.chance(0.5)),)
        if name in FEATURES and FEATURES[name].fields:
            return name, (self.tensor("t(1).abs() + 0.5", self.chance(0.5)),)
        return name, ()

    def _scores(self) -> tuple[Node, ...]:
        if self.weighting.kind == "Kernel":
            estimates = self.weighting.args[0] == "RandomFeatures"
            return (Node("Content", (self.pick((None, 0.3)) if estimates else None,)),)
        if self.call == "cache":
            return (self._content((None,)), *([self._slopes()] if self.chance(0.4) else []))
        if self.simple:
            return self._simple_scores()
        terms = []
        content = self.call != "attend_projected" and self.chance(0.65)
        if content:
            betas = (None, None, 1, 0.5, -1, 0) if self.numbers == "eighths" else (None, None, None, 0.3, -0.2, 1, 0)
            terms.append(self._content(betas))
        count = self.pick((0, 0, 0, 1, 1, 2)) if content else self.pick((1, 1, 1, 2))
        terms += [self._bias_term() for _ in range(count)]
        if self.call == "attend_projected" and not self._says_heads(tuple(terms), None):
            terms.append(self._quadratic())
        self.random.shuffle(terms)
        if self.dtype == "float64" and any(term.kind in ("Own", "Twist") for term in terms):
            self.numbers = "eighths"  # a user's `at` may compute in float32
        return tuple(terms)

    def _content(self, betas: tuple[float | None, ...]) -> Node:
        """Content, sometimes under a cap that bends it much or little."""
        return Node("Content", (self.pick(betas), *([self.pick((0.5, 2, 50.0))] if self.chance(0.12) else [])))

    def _simple_scores(self) -> tuple[Node, ...]:
        """Content alone or with gaussians, or positions alone."""
        kind = self.pick(("content", "content", "gaussians too", "positions", "positions", "positions"))
        if kind == "positions" or self.call == "attend_projected":
            options = [self._quadratic, self._table, self._table, self._bias]
            terms = [self.pick(options if self.call != "attend_projected" else options[:3])()]
            if terms[0].kind != "Bias" and self.chance(0.3):
                terms.append(self.pick((self._quadratic, self._table))())
            return tuple(terms)
        betas = (None, 1, 0.5) if self.numbers == "eighths" else (None, None, None, 0.3, -0.2, 0)
        content = self._content(betas)
        self.with_gaussians = kind != "content"
        return (content, self._quadratic()) if self.with_gaussians else (content,)

    def _simple_mask(self) -> Node:
        """One mask that algorithms know, two of them joined, or none."""
        few = lambda *kinds: self._leaf(self.pick(kinds))  # noqa: E731
        draw = self.random.random()
        if draw < (0.6 if self.with_gaussians else 0.25):
            return Node("Causal" if self.axes == 1 and draw < 0.2 else "Everything")
        if self.weighting.kind == "Kernel" and self.axes == 1 and self.chance(0.7):
            return Node("And", (Node("Causal"), few("KeyPadding"))) if draw > 0.7 else Node("Causal")
        if self.axes == 2:
            if draw < 0.75:
                return few(*ON_GRID, "Tiles", "KeyPadding")
            return Node(self.pick(("And", "Or", "Or")), (few(*ON_GRID), few(*ON_GRID, "KeyPadding")))
        if draw < 0.7:
            one = [self._one_sequence(kind) for kind in ("Padding", "Documents", "Documents")]
            return few("Causal", *IN_LINE, "KeyPadding", *one)
        if draw < 0.85:
            one = [self._one_sequence(kind) for kind in ("Padding", "Documents", "Documents")]
            other = few("Window", "KeyPadding", *one, "Blocks", "GlobalTokens")
            return Node("And", (Node("Causal") if self.chance(0.6) else few(*IN_LINE), other))
        return Node("Or", (few("Window", "Causal", "Blocks"), few("Strided", "GlobalTokens", "Dilated")))

    def _one_sequence(self, kind: str) -> str:
        return kind if self.sizes.T == self.sizes.S else "KeyPadding"

    def _bias_term(self) -> Node:
        makers = [self._bias, self._quadratic, self._quadratic, self._table, self._table, self._own_term]
        makers += [self._slopes] if self.axes == 1 else []
        if self.chance(0.1):
            makers.remove(self._own_term)
            return Node("Twist", (self.pick(makers)(), self.pick(TERM_TWISTS)))
        return self.pick(makers)()

    def _bias(self) -> Node:
        s = self.sizes
        lead = self.pick(("", f"{s.H}, ", f"{s.H}, ", f"{s.B}, {s.H}, ", f"{s.B}, 1, "))
        if self.call == "attend_projected":
            lead = f"{s.H}, "
        draw = "t" if self.chance(0.7) else "r"
        return Node("Bias", (self.tensor(f"{draw}({lead}{s.T}, {s.S})", self.chance(0.5)),))

    def _slopes(self) -> Node:
        return Node("Slopes", (self.tensor(f"t({self.sizes.H}).abs() / 4", self.chance(0.5)),))

    def _quadratic(self) -> Node:
        H, P = self.sizes.H, self.axes
        far = self.pick((1, 2, 2, 2, 8))
        centre = self.tensor(f"{far} * t({H}, {P})", self.chance(0.6))
        kind = self.pick(("isotropic", "diagonal", "full"))
        texts = {
            "isotropic": f"t({H}).abs() / 4 + 0.125",
            "diagonal": f"t({H}, {P}).abs() / 4 + 0.125",
            "full": f"(lambda a: a @ a.mT / 4 + torch.eye({P}).to(a) / 8)(t({H}, {P}, {P}))",
        }
        return Node("Quadratic", (centre, self.tensor(texts[kind], self.chance(0.5))))

    def _table(self) -> Node:
        """A table that covers every offset."""
        (queries, keys), H = self.sides, self.sizes.H
        reaches = []
        for side_q, side_k in zip(queries, keys, strict=True):
            # Of all rows together: the library asks for the offsets of any two.
            q, k = ([place for row in side for place in row] for side in (side_q, side_k))
            reaches.append(max(abs(min(k) - max(q)), abs(max(k) - min(q))))
        bound = self.pick((None, 1.5, 3.0))
        more = self.pick((0, 0, 2))
        if self.axes == 1 or self.chance(0.4):
            axis = self.pick((0, 1)) if self.axes == 2 else None
            table = self.tensor(f"t({H}, {2 * (reaches[axis or 0] + more) + 1})", self.chance(0.5))
            return Node("RelativeTable", (table, bound, axis))
        sizes = ", ".join(str(2 * (reach + more) + 1) for reach in reaches)
        return Node("RelativeTable", (self.tensor(f"t({H}, {sizes})", self.chance(0.5)), bound))

    def _own_term(self) -> Node:
        name = self.pick(TERMS)
        shapes = {"by head": f"{self.sizes.H}", "by row and key": f"{self.sizes.B}, {self.sizes.S}"}
        fields = [self.tensor(f"t({shapes[field]})", self.chance(0.6)) for field in TERMS[name].fields]
        return Node("Own", (name, *fields))

    def _says_heads(self, scores: tuple[Node, ...], queries: Node | None) -> bool:
        """Whether H and T are known without q."""
        if queries is None and self.sizes.T != self.sizes.S:
            return False
        texts = {drawn.name: drawn.text for drawn in self.tensors}
        for term in scores:
            if term.kind in ("Slopes", "Quadratic", "RelativeTable"):
                return True
            text = texts[term.args[0].name] if term.kind == "Bias" else ""
            if text.count(",") >= 2 and ", 1, " not in text:
                return True
        return False

    def _mask(self, depth: int = 0) -> Node:
        if self.call == "attend_linear":
            padded = self.chance(0.4)
            causal = Node("Causal")
            return Node("And", (causal, self._padding(self.pick(("KeyPadding", "Padding"))))) if padded else causal
        if self.call == "cache":
            causal, window = Node("Causal"), Node("Window", (self.pick((1, 4)), 0))
            return Node("And", (causal, window)) if self.chance(0.4) else causal
        if depth == 0 and self.simple:
            return self._simple_mask()
        draw = self.random.random()
        if depth < 3 and draw < 0.22:
            return Node("And", (self._mask(depth + 1), self._mask(depth + 1)))
        if depth < 3 and draw < 0.34:
            return Node("Or", (self._mask(depth + 1), self._mask(depth + 1)))
        if depth < 3 and draw < 0.40:
            return Node("Not", (self._mask(depth + 1),))
        if draw < 0.54:
            return self._own_mask()
        return self._twisted() if draw < 0.66 else self._leaf()

    def _leaf(self, kind: str | None = None) -> Node:
        kinds = [*ANYWHERE, *(IN_LINE + IN_LINE if self.axes == 1 else ON_GRID + ON_GRID)]
        kind = kind or self.pick(kinds)
        kind = self._one_sequence(kind) if kind in ("Padding", "Documents") else kind
        if kind in WITHOUT_FIELDS:
            return Node(kind)
        if kind in ("KeyPadding", "Padding"):
            return self._padding(kind)
        if kind == "Documents":
            return self._documents()
        if kind == "Prefix":
            how = self.pick(("one", "sizes", "tensor"))
            lengths = tuple(self.random.randint(0, self.sizes.S + 3) for _ in range(self.sizes.B))
            return Node(kind, (how, lengths[:1] if how == "one" else lengths))
        if kind == "Dense":
            s = self.sizes
            lead = self.pick(("", f"{s.H}, ", f"{s.B}, {s.H}, ", f"{s.B}, 1, "))
            return Node("Dense", (self.tensor(f"m({self.pick((0.2, 0.6, 0.9))}, {lead}{s.T}, {s.S})"),))
        return Node(kind, tuple(self.pick(options) for options in FIELDS[kind]))

    def _padding(self, kind: str) -> Node:
        B, S = self.sizes.B, self.sizes.S
        how = self.pick(("sizes", "tensor", "map", "pads"))
        if how in ("map", "pads"):
            return Node(kind, (how, self.tensor(f"m(0.6, {B}, {S})")))
        return Node(kind, (how, tuple(self.pick((0, 1, S // 2, S, self.random.randint(0, S))) for _ in range(B))))

    def _documents(self) -> Node:
        """Rows cut anywhere, with empty documents: one cut for all rows or one each; by ids with pads among them."""
        B, S = self.sizes.B, self.sizes.S
        how, count = self.pick(("sizes", "tensor", "ids", "ids")), self.pick((1, 2, 3))
        rows = []
        for _ in range(self.pick((1, B))):
            if how == "ids":
                names = self.random.sample(range(9), 9)
                ends = [*sorted(self.random.randint(0, S) for _ in range(count)), S]
                numbers = [sum(end <= token for end in ends) for token in range(S)]
                rows.append(tuple(-1 if self.chance(0.1) else names[number] for number in numbers))
            else:
                ends = sorted(self.random.randint(0, S) for _ in range(count))
                rows.append(tuple(end - first for first, end in zip([0, *ends], ends, strict=False)))
        single = len(rows) == 1 and (B > 1 or self.chance(0.5))
        return Node("Documents", (how, rows[0] if single else tuple(rows)))

    def _own_mask(self) -> Node:
        name = self.pick([name for name, own in MASKS.items() if self.axes == 1 or not own.in_line])
        s = self.sizes
        drawn = {
            "chosen keys": lambda: self.tensor(f"m(0.5, {s.S})"),
            "chosen keys by head": lambda: self.tensor(f"m(0.5, {s.H}, {s.S})"),
            "chosen keys by row": lambda: self.tensor(f"m(0.5, {s.B}, {s.S})"),
            "whole": lambda: self.pick((0, 1, 4)),
            "infinite": lambda: float("inf"),
            "numpy": lambda: Node("numpy", (self.pick((2, 3)),)),
        }
        return Node("Own", (name, *(drawn[field]() for field in MASKS[name].fields)))

    def _twisted(self) -> Node:
        parent = self._leaf()
        twists = [twist for twist in TWISTS if twist != "shifted" or parent.kind in OFFSET_MASKS]
        twist = "shifted" if parent.kind in OFFSET_MASKS and self.chance(0.25) else self.pick(twists)
        return Node("Twist", (parent, twist))


def draw(seed: int, device: str = "cpu") -> Case:
    """The case of a seed, the same on every machine."""
    case = Drawing(seed, device).case()
    if case.world == "second":
        case = replace(case, poison=None, return_lse=False)
    if case.world == "vmap" and not case.given:
        case = replace(case, world="plain")
    return case
