"""The page as one text, and a view as one file."""

import json
import re
from pathlib import Path

import pytest

from regard.explore import bundle, files
from regard.explore.api import question
from regard.explore.desk import Desk


def page(tmp_path: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (tmp_path / f"{name}.js").write_text(text)
    return tmp_path


def test_every_module_comes_after_those_that_it_imports_from():
    modules = bundle.ordered("widget.js")
    seen = set[str]()
    for module in modules:
        assert set(module.needs) <= seen, module.path
        seen.add(module.path)
    assert modules[-1].path == "widget.js"
    assert {"views/maps.js", "vendor/preact.js", "parts/heatmap.js"} <= seen


def test_every_import_names_something_that_is_exported():
    """In a browser a wrong name is an error; in the bundle it would be undefined."""
    given = {module.path: set(module.gives) for module in bundle.ordered("saved.js")}
    for module in bundle.ordered("saved.js"):
        for names, of in re.findall(r'^const \{([^}]*)\} = \$\("([^"]+)"\);', module.body, re.M):
            wanted = {one.partition(":")[0].strip() for one in names.split(",") if one.strip()}
            assert wanted <= given[of], (module.path, of)


@pytest.mark.parametrize(
    "text",
    [
        'import x from "preact";',
        'import x from "https://example.org/x.js";',
        'import "./b.js";',
        'import x, { y } from "./b.js";',
        'export * from "./b.js";',
        'const x = await import("./b.js");',
        "const here = import.meta.url;",
        "export let x = 1;",
        "export const { x } = {};",
        'import x from "../outside.js";',
        'const x = "</script>";',
        'const x = "<!-- x";',
    ],
)
def test_what_the_bundle_cannot_hold_is_refused(tmp_path: Path, text: str):
    with pytest.raises(ValueError, match=r"a\.js must"):
        bundle.ordered("a.js", page(tmp_path, a=text, b="export default 1;"))


def test_a_circle_of_imports_is_refused(tmp_path: Path):
    circle = page(
        tmp_path, a='import b from "./b.js";\nexport default b;', b='import a from "./a.js";\nexport default a;'
    )
    with pytest.raises(ValueError, match=re.escape("a.js → b.js → a.js")):
        bundle.ordered("a.js", circle)


def test_styles_reach_nothing_outside():
    for head in re.findall(r"(?:^|[{}])([^{}@%]+)\{", bundle.style()):
        selectors = [one for one in bundle._split(head) if one not in ("from", "to", "")]
        assert all(".regard" in one for one in selectors), head
    assert ":where(.regard) .menu" in bundle.style()


def test_a_file_holds_what_it_is_given_and_ends_where_it_should():
    hostile = {"text": "</script><script>alert(1)</script><!--"}
    text = files.document("playground", hostile, [["example", {}, hostile]])
    assert text.count("</script>") == 2
    assert "<!--" not in text
    data = re.search(r'id="regard-saved">(.*?)</script>', text, re.S)
    assert data is not None
    saved = json.loads(data[1])
    assert saved["state"] == hostile
    assert saved["answers"] == [["example", {}, hostile]]
    assert "default-src 'none'" in text
    assert not re.search(r'(?:src|href)="', text.partition("</head>")[0])


def test_a_file_that_is_too_large_is_refused():
    with pytest.raises(ValueError, match="at most 24 MB of answers: got 25 MB; show fewer"):
        files.document("maps", {}, [["tile", {}, "A" * 25 * 2**20]])


def test_answers_are_recorded_as_they_are_given():
    desk, wanted = Desk(), [("example", {}), ("playground", {"x": "no matrix"})]
    ((name, asked, reply),) = files.recorded(desk, wanted)
    one = question("example")
    assert (name, asked, reply) == ("example", {}, json.loads(one.answer(desk, one.read({})).model_dump_json()))


def test_the_question_gives_the_same_file_as_python():
    one = question("bundle")
    reply = one.answer(Desk(), one.read({}))
    text = files.document("runs", {}, [])
    assert text.startswith(reply.before)
    assert text.endswith(reply.after)
