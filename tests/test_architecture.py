"""The shape of the code: imports point one way, functions fit a screen, `import regard` stays light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "regard"

# Each may import from itself and from those before it.
ORDER = (
    "checks",
    "formulas",
    "attention",
    "algorithms",
    "layers",
    "generation",  # asks a model for scores alone, so that models can offer to write
    "models",
    "integrations",
    "tasks",
    "training",
    "analysis",
    "recipes",
    "claims",
    "grading",
    "explore",
    "commands",
)
FRONT_DOORS = {"__init__", "__main__"}  # they may import from everywhere, and nothing imports them
VAGUE = {"utils", "util", "helpers", "helper", "misc", "common"}
HEAVY = ("rich", "typer", "sympy", "matplotlib", "triton", "transformers", "starlette", "pandas", "scipy")

MODULES = sorted(PACKAGE.rglob("*.py"))
FILES = sorted([*MODULES, *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")])


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def part_of(path: Path) -> str:
    """The folder of a module, or the module itself when it lies at the top."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All of a module, without the expressions inside, which are most of it."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo += getattr(node, part, ())


def imported_parts(tree: ast.AST) -> Iterator[str]:
    """The folders of `regard` that a module imports from, inside functions too."""
    for node in statements(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (module.split(".")[1] for module in modules if module.startswith("regard."))


def wrong_imports(part: str, tree: ast.AST) -> list[str]:
    allowed = ORDER[: ORDER.index(part) + 1]
    return [other for other in imported_parts(tree) if other not in allowed]


def test_imports_point_one_way():
    inner = [path for path in MODULES if part_of(path) not in FRONT_DOORS]
    assert {part_of(path) for path in inner} <= set(ORDER)
    wrong = {name(path): wrong_imports(part_of(path), parsed(path)) for path in inner}
    assert {module: parts for module, parts in wrong.items() if parts} == {}


@pytest.mark.parametrize(
    "line",
    [
        "from regard.algorithms import attend",
        "import regard.algorithms.planning.planner",
        "def f():\n    from regard import layers",
        "from regard import attend",
    ],
)
def test_a_value_that_knew_an_algorithm_would_be_caught(line: str):
    assert wrong_imports("attention", ast.parse(line))


def test_predicting_counting_and_timing_point_one_way():
    """Counting asks for the time that is predicted of what it found; what the clock says stands beside both."""
    rooms = ("prediction", "cost", "speed")
    for number, room in enumerate(rooms):
        text = "".join([path.read_text() for path in (PACKAGE / "analysis" / room).glob("*.py")])
        assert [other for other in rooms[number + 1 :] if f"regard.analysis.{other}" in text] == []


def test_a_file_is_named_after_what_one_finds_in_it():
    assert [name(path) for path in FILES if path.stem in VAGUE] == []


def test_a_folder_can_be_looked_over():
    """At most fifteen files beside its subfolders; what trained runs recorded is data."""
    folders = [path for path in PACKAGE.rglob("*") if path.is_dir() and path.name not in ("__pycache__", "recording")]
    counts = {name(path): sum(file.is_file() for file in path.iterdir()) for path in [PACKAGE, *folders]}
    crowded = {folder for folder, count in counts.items() if count > 15}
    assert crowded <= {"regard/claims/nyu"}


def test_nothing_lies_at_the_top_but_the_front_doors_and_what_everybody_uses():
    assert {path.stem for path in PACKAGE.glob("*.py")} <= {*FRONT_DOORS, "checks", "formulas"}


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in statements(parsed(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def num_arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    arguments = function.args
    return len([*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]) - (function.name == "__init__")


def num_lines(path: Path, function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """All lines; of a command or a kernel only what follows its options and its docstring: a table and its help."""
    is_command = PACKAGE / "commands" in path.parents and ast.get_docstring(function) is not None
    is_kernel = any("triton" in ast.dump(decorator) for decorator in function.decorator_list)
    first = function.body[1] if (is_command or is_kernel) and len(function.body) > 1 else function
    return (function.end_lineno or 0) - first.lineno + 1


def test_a_function_fits_a_screen():
    lengths = {(name(path), f.name): num_lines(path, f) for path in FILES for f in functions(path)}
    assert {function: length for function, length in lengths.items() if length > 60} == {}


def num_fields(made: ast.ClassDef) -> int:
    """Of a dataclass whose fields may be given without their names."""
    decorators = [ast.dump(decorator) for decorator in made.decorator_list]
    counts = any("dataclass" in decorator and "kw_only" not in decorator for decorator in decorators)
    return len([item for item in made.body if isinstance(item, ast.AnnAssign)]) if counts else 0


def test_a_constructor_has_at_most_ten_arguments():
    sizes: dict[tuple[str, str], int] = {}
    for path in MODULES:
        sizes |= {(name(path), f.name): num_arguments(f) for f in functions(path) if f.name == "__init__"}
        classes = [node for node in statements(parsed(path)) if isinstance(node, ast.ClassDef)]
        sizes |= {(name(path), made.name): num_fields(made) for made in classes}
    assert {made: size for made, size in sizes.items() if size > 10} == {}


def test_import_regard_stays_light():
    """On top of torch's import: what torch itself brings along is not ours."""
    program = f"""
import sys, time
import torch
before = set(sys.modules)
start = time.process_time()
import regard
regard.attend
print(time.process_time() - start)
print(*[name for name in {HEAVY} if name in sys.modules and name not in before])
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    seconds, heavy = run.stdout.split("\n")[:2]
    assert heavy == ""
    assert float(seconds) < 1  # of the processor: the machine may run other tests
