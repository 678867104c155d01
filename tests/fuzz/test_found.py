"""Every breach of the promise that was once found, by name: none may come back."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.fuzz.found import FOUND, Found

pytestmark = [
    pytest.mark.usefixtures("unhooked"),
    pytest.mark.filterwarnings("ignore::UserWarning:torch.*"),
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),  # torch's compiler warns of torch
    pytest.mark.filterwarnings("ignore:`torch._prims_common:FutureWarning"),
]
HERE = [pytest.param(one, id=one.name) for one in FOUND if not one.needs]
COMPILED = [pytest.param(one, id=one.name) for one in FOUND if one.needs == "compiled"]
ON_GPU = [pytest.param(one, id=one.name) for one in FOUND if one.needs == "cuda"]


@pytest.mark.parametrize("one", HERE)
def test_found(one: Found):
    one.check()


@pytest.mark.compiled
@pytest.mark.parametrize("one", COMPILED)
def test_found_compiled(one: Found):
    one.check()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA: what is found there ends the CUDA context")
@pytest.mark.parametrize("one", ON_GPU)
def test_found_on_the_gpu(one: Found):
    """In a process of its own: some of these end the CUDA context."""
    code = f"from tests.fuzz.found import FOUND; next(x for x in FOUND if x.name == {one.name!r}).check()"
    root = Path(__file__).parents[2]
    ended = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
