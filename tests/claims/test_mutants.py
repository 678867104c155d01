"""The library broken in one place at a time: every claim that cites the place must notice.

A mutant is a table of `mutants/<document>.toml`: what is broken, the file, the text there, the text in its place, and
the claims that must not come out as the catalogue says. Each runs in a process of its own, on a copy of the package.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from regard.claims import catalogue

HERE, PACKAGE = Path(__file__).parent, Path(__file__).parents[2] / "regard"
MUTANTS = [
    pytest.param(mutant, id=f"{path.stem}: {mutant['what']}")
    for path in sorted((HERE / "mutants").glob("*.toml"))
    for mutant in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_changes_one_place(mutant: dict[str, Any]) -> None:
    """A mutant whose place is gone, or is not the only one, would break nothing or something else."""
    text = (PACKAGE.parent / mutant["file"]).read_text(encoding="utf-8")
    assert text.count(mutant["old"]) == 1, f"{mutant['file']} must hold this once: {mutant['old']!r}"
    assert mutant["new"] != mutant["old"]
    assert set(mutant["claims"]) <= {claim.id for claim in catalogue()}


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_claims_notice(mutant: dict[str, Any], tmp_path: Path) -> None:
    shutil.copytree(
        PACKAGE, tmp_path / "regard", copy_function=os.symlink, ignore=shutil.ignore_patterns("__pycache__")
    )
    broken = tmp_path / mutant["file"]
    text = broken.read_text(encoding="utf-8")
    broken.unlink()  # the link; the package itself stays whole
    broken.write_text(text.replace(mutant["old"], mutant["new"]), encoding="utf-8")
    command = [sys.executable, "-m", "regard", "claims", *mutant["claims"], "--json", "--jobs", "1"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "OMP_NUM_THREADS": "1"}
    found = subprocess.run(
        [*command, *mutant.get("options", [])],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if found.stdout:  # else a check ended with an error, which is to notice
        judged = {one["id"]: one for one in json.loads(found.stdout)}
        blind = {name: judged[name]["evidence"] for name in mutant["claims"] if judged[name]["as expected"]}
        assert not blind
    else:
        assert found.returncode != 0, found.stderr
