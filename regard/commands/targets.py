"""Models that `regard cost` takes by name: a preset, a configuration of Hugging Face, a function in a Python file."""

import importlib.util
import inspect
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from regard.analysis.cost.count import count_next_token
from regard.analysis.cost.polynomials import Formulas
from regard.analysis.cost.report import NextToken
from regard.analysis.cost.symbolic import formulas, preset_formulas
from regard.checks import MissingExtra, check_known, nearest
from regard.models import PRESETS, Decoder, GridConfig, ViTConfig, build

Step = Callable[[nn.Module], tuple[Callable[[], Any], int]]  # gives the call of one token, and the bytes of its cache
IMPLEMENTATIONS = ("eager", "sdpa", "regard")  # of attention, that can be counted
TYPES = {"float": None, "int": torch.int64, "bool": torch.bool}


@dataclass(frozen=True, kw_only=True)
class Request:
    """The sizes of a call: rows, tokens, or inputs written out as 2x128x512, with letters for symbols."""

    batch: int = 1
    tokens: int | None = None
    inputs: tuple[str, ...] = ()
    sizes: dict[str, int] = field(default_factory=dict)

    def size(self, word: str) -> int:
        """A number, or what a letter stands for."""
        if word.isdigit():
            return int(word)
        known = {"B": self.batch, "N": self.tokens or 128} | self.sizes
        if word not in known:
            raise ValueError(f"the size {word!r} of --input is unknown: got sizes {known}; add --at {word}=64")
        return known[word]

    def letters(self) -> dict[str, int]:
        """The sizes that are symbols."""
        words = [word for text in self.inputs for word in parse_input(text)[0]]
        return {word: self.size(word) for word in words if not word.isdigit()}

    def make_inputs(self, dtype: torch.dtype | None, **sizes: int) -> tuple[Tensor, ...]:
        """Make the inputs; `sizes` replace what letters stand for."""
        tensors = []
        for text in self.inputs:
            words, kind = parse_input(text)
            shape = [sizes[word] if word in sizes else self.size(word) for word in words]
            # Numbers without contents: whoever asks for them is told. Tokens are words number 0, masks False.
            made = torch.randn(shape, dtype=dtype) if kind == "float" else torch.zeros(shape, dtype=TYPES[kind])
            tensors.append(made)
        return tuple(tensors)


def parse_input(text: str) -> tuple[list[str], str]:
    """Read the sizes and the kind of an input.

    >>> parse_input("2x128x512"), parse_input("BxN:int")
    ((['2', '128', '512'], 'float'), (['B', 'N'], 'int'))
    """
    shape, _, kind = text.partition(":")
    words = re.split(r"[x×]", shape)
    if (kind or "float") not in TYPES or not all(re.fullmatch(r"\d+|[A-Z]\w*", word) for word in words):
        raise ValueError(f"an input is its sizes, and its kind if not float: got {text!r}; use 2x128x512 or 2x128:int")
    return words, kind or "float"


@contextmanager
def default_type(dtype: torch.dtype | None) -> Iterator[None]:
    """Build models in this type."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype or before)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


class Target(ABC):
    """A model that can be built, called and, where it decodes, stepped."""

    def __init__(self, name: str, dtype: torch.dtype | None = None) -> None:
        self.name, self.dtype = name, dtype

    @abstractmethod
    def make(self, request: Request, **sizes: int) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
        """Build the module, its inputs and its keywords; `sizes` replace the request's."""

    def check(self, request: Request) -> None:
        """Raise for a size of --at that nothing takes."""
        taken = {*request.letters(), *self.parameters()}
        if unused := [name for name in request.sizes if name not in taken]:
            size = f"{unused[0]}={request.sizes[unused[0]]}"
            raise ValueError(f"nothing of {self.name} takes the size {unused[0]}: got --at {size}; leave it out")

    def parameters(self) -> Collection[str]:
        """The sizes that it is built by, beside those of its inputs."""
        return ()

    def formulas(self, request: Request) -> Formulas:
        """Polynomials in B and N, or in the letters of the inputs."""
        sizes = request.letters() or {"B": request.batch, "N": request.tokens or 128}
        if request.inputs and not request.letters():
            raise ValueError(f"formulas need letters for sizes: got --input {request.inputs[0]}; use BxNx512")

        def make(**sizes: int) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
            return self.make(request, **sizes)

        return formulas(make, factors=None, **sizes)

    def next_token(self, request: Request, cached: int, device: str) -> NextToken:
        raise ValueError(f"--decode takes decoders, such as gpt2 or llama-7b: got {self.name}; leave it out")


class Preset(Target):
    """One of `regard.models.PRESETS`."""

    def __init__(self, name: str, dtype: torch.dtype | None = None) -> None:
        super().__init__(name, dtype)
        self.config = PRESETS[name]

    def make(self, request: Request, **sizes: int) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
        if request.inputs:
            raise ValueError(
                f"{self.name} makes its own inputs: got --input {request.inputs[0]}; use --batch, --tokens"
            )
        module = self._build()
        batch, tokens = sizes.get("B", request.batch), sizes.get("N", request.tokens)
        inputs = self.config.inputs(batch, tokens)
        return module, tuple([x.to(self.dtype) if x.is_floating_point() else x for x in inputs]), {}

    def _build(self) -> nn.Module:
        with default_type(self.dtype):
            return build(self.config)

    def formulas(self, request: Request) -> Formulas:
        if isinstance(self.config, (ViTConfig, GridConfig)):
            if request.tokens is not None:
                raise ValueError(
                    f"{self.name} takes images of its own size: got --tokens {request.tokens}; leave it out"
                )
            return preset_formulas(self.config, request.batch)
        return preset_formulas(self.config, request.batch, request.tokens)

    def next_token(self, request: Request, cached: int, device: str) -> NextToken:
        with torch.device("meta"):
            module = self._build()
        if not isinstance(module, Decoder):
            return super().next_token(request, cached, device)
        return count_next_token(module, cached, request.batch, step_by_caches(cached, request.batch), device)


class Published(Target):
    """A configuration of Hugging Face: the file config.json, or its folder."""

    def __init__(self, name: str, dtype: torch.dtype | None = None, attention: str | None = None) -> None:
        super().__init__(name, dtype)
        try:
            import transformers
        except ImportError as error:
            raise MissingExtra(name, "transformers", None) from error
        transformers.logging.set_verbosity_error()
        try:
            self.config: Any = transformers.AutoConfig.from_pretrained(name, trust_remote_code=False)
        except Exception as error:  # its own checks raise errors of many kinds
            raise ValueError(f"{name} is not a configuration that transformers reads: {error}") from error
        named = (self.config.architectures or [None])[0]
        self.kind: Any = getattr(transformers, named, None) if named else transformers.AutoModel
        known = (transformers.PreTrainedModel, transformers.AutoModel)
        if not (isinstance(self.kind, type) and issubclass(self.kind, known)):
            raise ValueError(f"transformers {transformers.__version__} has no model {named!r}, which {name} names")
        if attention is not None:
            check_known("attention", attention, IMPLEMENTATIONS)
            self.config._attn_implementation = attention
        if attention == "regard":
            from regard.integrations.transformers import register

            register()

    def _build(self) -> nn.Module:
        with default_type(self.dtype):
            make = getattr(self.kind, "from_config", self.kind)  # only classes that choose a class have it
            return make(self.config)

    def make(self, request: Request, **sizes: int) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
        module = self._build()
        if request.inputs:
            return module, request.make_inputs(self.dtype, **sizes), {}
        batch, tokens = sizes.get("B", request.batch), sizes.get("N", request.tokens)
        tokens = tokens or getattr(self.config, "max_position_embeddings", None) or 512
        main = getattr(module, "main_input_name", "input_ids")
        if main == "pixel_values":
            side, channels = self.config.image_size, getattr(self.config, "num_channels", 3)
            return module, (), {main: torch.zeros(batch, channels, side, side, dtype=self.dtype)}
        if main != "input_ids":
            raise ValueError(
                f"{self.kind.__name__} takes {main}: got no sizes of it; use --input, as --input 1x80x3000"
            )
        keywords = {main: torch.zeros(batch, tokens, dtype=torch.long)}
        if self.config.is_encoder_decoder:
            keywords["decoder_input_ids"] = torch.zeros(batch, tokens, dtype=torch.long)
        return module, (), keywords

    def next_token(self, request: Request, cached: int, device: str) -> NextToken:
        with torch.device("meta"):
            module = self._build()
        if self.config.is_encoder_decoder or getattr(module, "main_input_name", "") != "input_ids":
            return super().next_token(request, cached, device)
        return count_next_token(module, cached, request.batch, step_by_past(cached, request.batch), device)


def step_by_caches(cached: int, batch: int) -> Step:
    """One more token of a `regard.models.Decoder`, whose caches are filled first."""

    def step(module: Any) -> tuple[Callable[[], Any], int]:
        caches = module.caches(batch, cached + 1)
        module(torch.zeros(batch, cached, dtype=torch.long), caches=caches)
        token = torch.zeros(batch, 1, dtype=torch.long)
        return lambda: module(token, caches=caches), sum(cache.bytes for cache in caches)

    return step


def step_by_past(cached: int, batch: int) -> Step:
    """One more token of a model of transformers, whose `past_key_values` are filled first."""

    def step(module: Any) -> tuple[Callable[[], Any], int]:
        kept = module(torch.zeros(batch, cached, dtype=torch.long), use_cache=True).past_key_values
        if kept is None:
            raise ValueError(f"--decode takes models with a cache: got {type(module).__name__}; leave it out")
        token = torch.zeros(batch, 1, dtype=torch.long)
        size = sum(x.numel() * x.element_size() for layer in kept.layers for x in (layer.keys, layer.values))
        return lambda: module(token, past_key_values=kept, use_cache=True), size

    return step


class Written(Target):
    """A function of a Python file that gives a module, or a module and its inputs: path/to/file.py:function."""

    def __init__(self, name: str, dtype: torch.dtype | None = None) -> None:
        super().__init__(name, dtype)
        path, _, function = name.rpartition(":")
        module = _import_file(Path(path))
        functions = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        if function not in functions:
            raise ValueError(f"{path} has no function {function!r}: {nearest(function, functions)}")
        self.build = getattr(module, function)

    def parameters(self) -> Collection[str]:
        return inspect.signature(self.build).parameters

    def make(self, request: Request, **sizes: int) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
        known = {"B": request.batch, "N": request.tokens} | request.sizes | sizes
        given = {name: size for name, size in known.items() if name in self.parameters() and size is not None}
        with default_type(self.dtype):
            made = self.build(**given)
        if isinstance(made, tuple) and len(made) != 2:
            raise ValueError(f"{self.name} must give a module, or a module and its inputs: got {len(made)} values")
        module, inputs = made if isinstance(made, tuple) else (made, ())
        if not isinstance(module, nn.Module):
            raise ValueError(f"{self.name} must give a torch.nn.Module: got {type(module).__name__}")
        inputs = inputs if isinstance(inputs, tuple) else (inputs,)
        if request.inputs:
            inputs = request.make_inputs(self.dtype, **sizes)
        elif not inputs:
            raise ValueError(
                f"{self.name} gives no inputs: got no --input either; use --input 2x128x512 or --input 2x128:int"
            )
        return module, inputs, {}


def _import_file(path: Path) -> ModuleType:
    """Import a file as a module, its folder on the path as if it were run."""
    if not path.is_file():
        raise ValueError(f"no file {str(path)!r}; a model is path/to/file.py:function")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules[spec.name] = module  # dataclasses look themselves up there
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise ValueError(f"{error.filename}, line {error.lineno}, is not Python: {error.msg}") from error
    except Exception as error:  # whatever the user's own code raises
        raise ValueError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module


def find_target(name: str, dtype: str | None = None, attention: str | None = None) -> Target:
    """Find the model of a name; `attention` is how transformers' models attend.

    >>> type(find_target("gpt2")).__name__
    'Preset'
    """
    kind = None if dtype is None else getattr(torch, dtype)
    path = Path(name)
    is_published = (path.suffix == ".json" and path.is_file()) or (path / "config.json").is_file()
    if is_published and name not in PRESETS:
        return Published(name, kind, attention)
    if attention is not None:
        raise ValueError(
            f"--attention is for a config.json of Hugging Face: got {attention!r} for {name}; leave it out"
        )
    if name in PRESETS:
        return Preset(name, kind)
    if re.search(r"\.py:\w+$", name):
        return Written(name, kind)
    if path.suffix == ".py":
        raise ValueError(f"a model in a file is a function: got {name!r}; use {name}:function")
    if path.is_dir():
        raise ValueError(f"a folder of Hugging Face must have config.json: got {name!r} without one")
    if path.suffix == ".json" or len(path.parts) > 1:
        raise ValueError(f"a configuration must exist: got {name!r}, where there is no file or folder")
    raise ValueError(
        f"unknown model {name!r}: {nearest(name, PRESETS)}; or a config.json of Hugging Face, or file.py:function"
    )
