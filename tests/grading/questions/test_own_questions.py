"""A teacher's own questions: the same format, functions of their own, and errors that name file, table and key."""

from pathlib import Path
from textwrap import dedent

import pytest

from regard.grading import BadQuestion, compile_key, mark, read_questions
from regard.grading.questions.key import Key

GOOD = """
[[question]]
id = "mine.1"
text = "How many parameters has a linear layer from D to H with a bias?"
kind = "formula"
points = 3
symbols = { D = "positive", H = "positive" }
answer = "D H + H"
counted = "layers.py:linear"
count = "parameters"
parts = { weights = "D H", biases = "H" }
"""

LAYERS = """
from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class Sizes:
    D: int
    H: int


def linear(D, H):
    return nn.Linear(Sizes(D, H).D, H)


def called(D, H):
    return nn.Linear(D, H), (torch.empty(1, D),)


def steps(n):
    return {"first": 1, "others": n * n - 1}


def squares(n):
    return n * n


def half(n):
    return n / 2


def infinite(n):
    return float("inf")


def leaves(D, H):
    raise SystemExit(3)


def fails(D, H):
    return nn.Linear(D, H), (torch.empty(1, D + 1),)


def nothing():
    return None


def raises(D, H):
    raise RuntimeError(f"no layer of {D}")


def text(D, H):
    return "many"


def truth():
    return True


def vector():
    return [0.1, 0.2]


class Sorted(nn.Module):
    def forward(self, x):
        return torch.linalg.eigh(x @ x.mT)[0]


def unknown(D, H):
    return Sorted(), (torch.empty(D, D),)


NUMBER = 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "layers.py").write_text(LAYERS)
    return tmp_path


def compiled(folder: Path, text: str) -> Key:
    path = folder / "mine.toml"
    path.write_text(dedent(text), "utf-8")
    return compile_key(read_questions(path))


def changed(**keys: str | None) -> str:
    """The good question with other lines for these keys; None leaves one out."""
    lines = [line for line in GOOD.strip().splitlines() if line.split(" = ")[0] not in keys]
    return "\n".join([*lines, *[f"{key} = {value}" for key, value in keys.items() if value is not None]])


def asked(kind: str) -> str:
    """The beginning of another question."""
    return f'[[question]]\nid = "q"\ntext = "?"\nkind = "{kind}"\n'


def formula(*symbols: str, quote: str = '"', **keys: str) -> str:
    """A formula in these symbols, or in D."""
    rules = ", ".join(f'"{symbol}" = "positive"' for symbol in symbols or ("D",))
    lines = [f"{key} = {quote}{value}{quote}" for key, value in keys.items()]
    return asked("formula") + "\n".join([f"symbols = {{ {rules} }}", *lines])


def ordered(answer: str) -> str:
    return asked("order") + f'symbols = {{ N = "positive", D = "positive" }}\nanswer = "{answer}"'


def chosen(choices: str) -> str:
    return asked("choice") + f'answer = "a"\nchoices = {{ {choices} }}'


MISTAKE = "\n[[question.mistake]]"
UNDECIDED = "floor(sqrt(H² + 1))"  # H wherever it is tried, which no case shows


def test_a_formula_is_checked_by_a_function_beside_the_file(folder: Path):
    key = compiled(folder, GOOD)
    entry = key["mine.1"]
    assert len(entry.counts) == 8
    assert mark(entry, "H(D+1)").right
    found = mark(entry, "DH + 1")
    assert found.counterexample is not None
    assert (found.points, found.counterexample.breakdown) == (1.5, {"weights": "2", "biases": "2"})


def test_a_count_alone_is_the_truth(folder: Path):
    text = changed(answer=None, parts=None) + MISTAKE + '\nanswer = "D H"\nname = "no bias"'
    entry = compiled(folder, text)["mine.1"]
    assert entry.truth is None
    assert mark(entry, "H + HD").right
    found = mark(entry, "DH")
    assert (found.mistake, found.points) == ("no bias", 0.0)
    assert found.counterexample is not None
    assert (found.counterexample.sizes, found.counterexample.true) == ({"D": 1, "H": 1}, "2")
    assert not mark(entry, "1/(D - D)").right


def test_multiply_adds_and_flops_and_values_by_part(folder: Path):
    adds = changed(answer='"D H"', parts=None, counted='"layers.py:called"', count='"multiply-adds"')
    assert mark(compiled(folder, adds)["mine.1"], "2DH").mistake == "FLOPs instead of multiply-adds"
    flops = changed(answer='"2 D H"', parts=None, counted='"layers.py:called"', count='"flops"')
    assert mark(compiled(folder, flops)["mine.1"], "2DH").right
    steps = asked("formula") + 'symbols = { n = "positive" }\ncounted = "layers.py:steps"'
    found = mark(compiled(folder, steps)["q"], "n")
    assert found.feedback[0] == "At n = 2 your formula gives 2; the count is 4 = 1 (first) + 3 (others)."
    halves = steps.replace("steps", "half") + '\nanswer = "n/2"'
    assert mark(compiled(folder, halves)["q"], "0.5n").right


def test_truths_and_vectors_can_be_computed_too(folder: Path):
    text = """
    [[question]]
    id = "t"
    text = "?"
    kind = "truth"
    counted = "layers.py:truth"
    [[question]]
    id = "v"
    text = "?"
    kind = "vector"
    answer = "(0.1, 0.2)"
    counted = "layers.py:vector"
    """
    key = compiled(folder, text)
    assert key["t"].truth is True
    assert mark(key["v"], "(0.100, 0.200)").right


PART = """
[[question]]
id = "p"
text = "Two."
{beside}
[[question.part]]
id = "a"
text = "?"
kind = "number"
answer = 1
[[question.part]]
id = "{second}"
text = "?"
kind = "number"
answer = {answer}
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "mine.toml has no question: write each one as a table [[question]]"),
        ("[[question]", "mine.toml is not TOML"),
        ("a = 1\n" + GOOD, "unknown key 'a' beside the questions"),
        (GOOD + GOOD, "question 2 (mine.1), id: 'mine.1' is there twice"),
        (changed(id=None), "question 1, id: is missing"),
        (changed(id='"a b"'), "id: must be letters, digits, dots, dashes: got 'a b'"),
        (changed(text=None), "question 1 (mine.1), text: is missing"),
        (changed(text="7"), "text: must be a text: got 7"),
        (changed(anser='"D"'), "question 1 (mine.1), anser: unknown key; did you mean answer?"),
        (
            changed(kind='"formular"'),
            "kind: must be one of number, vector, matrix, formula, order, choice, select, truth, text",
        ),
        (changed(kind='"formular"'), ": got 'formular'; did you mean formula?"),
        (changed(points='"3"'), "points: must be a number from 0: got '3'"),
        (changed(points="-1"), "points: must be a number from 0: got -1"),
        (changed(least_digits="0"), "least_digits: must be a whole number from 1 to 15: got 0"),
        (changed(symbols=None), "symbols: are missing: formulas have some"),
        (changed(symbols='"D"'), "symbols: must be a table of texts"),
        (changed(symbols='{ D = "positive", H = "divides X" }'), "symbols: the rule of H"),
        (changed(symbols='{ D = "positive", H = "large" }'), "got 'large'"),
        (changed(symbols='{ D = "positive" }'), "answer: unknown "),
        (changed(answer='"D H +"'), "question 1 (mine.1), answer: "),
        (changed(answer=None, counted=None, count=None, parts=None), "answer: is missing; give it, or counted"),
        (changed(answer=None), "parts: are summands of the answer: give the answer as a formula too"),
        (
            changed(parts='{ weights = "D H" }'),
            "parts: must add up to the answer: at D = 1, H = 1 they are 1, the answer 2",
        ),
        (changed(parts='{ weights = "D ? H" }'), "parts.weights: "),
        (
            changed(kind='"number"', symbols=None, answer="1", counted=None, count=None),
            "parts: are summands of a formula: the kind is 'number'",
        ),
        (changed(kind='"number"'), "symbols: are those of a formula or an order: the kind is 'number'; leave them out"),
        (changed(choices='{ a = "x", b = "y" }'), "choices: are those of a choice: the kind is 'formula'"),
        (changed(count='"weights"'), "count: must be one of parameters, multiply-adds, flops, value: got 'weights'"),
        (changed(counted=None), "count: says what of the counted thing is counted; give counted too"),
        (changed(counted='"linear"'), "counted: must be module:function or file.py:function: got 'linear'"),
        (changed(counted='"missing.py:linear"'), "missing.py is not there; it stands beside the questions"),
        (changed(counted='"no_such_module_here:linear"'), "counted: cannot import 'no_such_module_here'"),
        (changed(counted='"layers.py:line"'), "counted: layers.py has no function 'line'; write def line(…) there"),
        (changed(counted='"layers.py:NUMBER"'), "layers.py has no function 'NUMBER'"),
        (
            changed(counted='"layers.py:raises"'),
            "counted: layers.py:raises(D=1, H=1) raised RuntimeError: no layer of 1",
        ),
        (changed(counted='"layers.py:steps"'), "raised TypeError"),
        (
            changed(counted='"layers.py:text"'),
            "counted: must give a torch module, whose parameters are counted: got 'many'",
        ),
        (
            changed(counted='"layers.py:text"', count='"value"'),
            "counted: must give a number, or numbers by part: got 'many'",
        ),
        (
            changed(counted='"layers.py:linear"', count='"flops"'),
            "counted: must give a torch module and a tuple of its inputs",
        ),
        (changed(counted='"layers.py:unknown"', count='"flops"'), "counted: runs operations that cannot be counted: "),
        (
            changed(answer='"D H + D"', parts=None),
            "at D = 1, H = 2: D·H + D is 3, layers.py:linear counts 4 (parameters)",
        ),
        (
            changed(answer='"D H + H/(D-1)"', parts=None),
            "disagree at D = 1, H = 1: (D²·H − D·H + H)/(D − 1) is undefined",
        ),
        (formula(answer="1/(D-D)"), "question 1 (q), answer: formulas are compared where both have values"),
        (formula(answer="√(-D)"), "question 1 (q), answer: must have values: √(−D) has none at D = 1"),
        (formula(answer="2D = 3D"), "question 1 (q), answer: the sides of 2·D = 3·D differ: at D = 1 2 and 3"),
        (formula("2x", answer="1"), "question 1 (q), symbols: a symbol must be letters"),
        (formula("β", "beta", answer="β"), "question 1 (q), symbols: symbols must differ: got β, beta"),
        (formula(answer=f"0x{'f' * 6000}", quote=""), "question 1 (q), answer: a whole number may have 400 digits"),
        (formula(answer="9" * 5000, quote=""), "mine.toml is not TOML: Exceeds the limit"),
        (formula(answer="[" * 5000, quote=""), "mine.toml is not TOML: "),
        (ordered("Θ(min(N, D))"), "question 1 (q), answer: an order must be built of powers"),
        (ordered("O(0)"), "question 1 (q), answer: an order must have a term"),
        (ordered("O(1/0)"), "question 1 (q), answer: a division by zero"),
        (ordered("O(N)") + MISTAKE + '\nanswer = "O(0)"\nname = "m"', "mistake 'm': an order must have a term"),
        (
            changed(counted='"layers.py:leaves"'),
            "question 1 (mine.1), counted: layers.py:leaves(D=1, H=1) raised SystemExit: 3",
        ),
        (changed(counted='"layers.py:fails"', count='"flops"'), "counted: layers.py:fails(D=2, H=3) raised "),
        (asked("number") + 'counted = "layers.py:nothing"', "question 1 (q), counted: must give finite numbers"),
        (
            asked("truth") + 'counted = "layers.py:nothing"',
            "question 1 (q), counted: must give True or False: got None",
        ),
        (formula("n", counted="layers.py:infinite"), "counted: must give a number, or numbers by part: got inf"),
        (asked("number") + 'answer = "√2·10^350"', "question 1 (q), answer: is too large to be compared"),
        (chosen('a = "1", A = "2"'), "choices: must be told apart: the letters a and A differ by their case alone"),
        (chosen('a = "β → 0", b = "β→0"'), "choices: must be told apart: a and b have the same text 'β → 0'"),
        (chosen('a = "D", b = "H", c = "B"'), "the text 'B' of c is also the letter of another choice, b; change one"),
        (GOOD + MISTAKE + '\nanswer = "H + D H"\nname = "none"', "mistake 'none': 'H + D H' is the true answer"),
        (GOOD + MISTAKE + '\nanswer = "H +"\nname = "none"', "mistake 'none': "),
        (
            GOOD + MISTAKE + f'\nanswer = "D H + {UNDECIDED}"\nname = "m"',
            "question 1 (mine.1), mistake 'm': 'D·H + ⌊√(H² + 1)⌋' agrees",
        ),
        (
            GOOD.replace('biases = "H"', f'biases = "{UNDECIDED}"'),
            "question 1 (mine.1), parts: 'D·H + ⌊√(H² + 1)⌋' agrees",
        ),
        (
            GOOD + MISTAKE + '\nanswer = "H"\nname = "all"\npoints = 3',
            "mistake 1, points: must be fewer than the question's 3: got 3",
        ),
        (GOOD + MISTAKE + '\nname = "all"', "mistake 1, answer: is missing"),
        (GOOD + MISTAKE + '\nanswer = "H"\nnam = "all"', "mistake 1, nam: unknown key; did you mean name?"),
        (asked("choice") + 'answer = "a"', "choices: must be two or more: got 0"),
        (
            asked("choice") + 'answer = "c"\nchoices = { a = "1", b = "2" }',
            "answer: must be one of the choices a, b: got 'c'",
        ),
        (
            asked("choice") + 'counted = "layers.py:truth"\nchoices = { a = "1", b = "2" }',
            "counted: is for what a function can give: the kind is 'choice'; leave it out",
        ),
        (asked("truth") + 'answer = "yes"', "answer: must be true or false, without quotes: got 'yes'"),
        (asked("truth") + 'answer = false\ncounted = "layers.py:truth"', "answer: and count disagree"),
        (asked("truth") + 'counted = "layers.py:vector"', "counted: must give True or False"),
        (asked("truth") + "answer = true" + MISTAKE + '\nanswer = true\nname = "m"', "True is the true answer"),
        (asked("truth") + "answer = true" + MISTAKE + '\nanswer = "no"\nname = "m"', "The statement is true."),
        (GOOD + MISTAKE + '\nanswer = "D K"\nname = "m"', "'D K' is not marked as it: Unknown word 'K'"),
        (GOOD + MISTAKE + '\nanswer = "1/(D-D)"\nname = "m"', "your formula has no value"),
        (asked("number") + "answer = 0.667" + MISTAKE + '\nanswer = "0.7"\nname = "m"', "too few digits"),
        (
            asked("vector") + 'answer = "(0.1, 0.3)"\ncounted = "layers.py:vector"',
            "answer: and count disagree: the answer is 0.3, layers.py:vector gives 0.2",
        ),
        (asked("number") + 'counted = "layers.py:vector"', "counted: must give a number"),
        (asked("vector") + 'answer = "x"', "question 1 (q), answer: "),
        (
            asked("number") + "answer = 1" + MISTAKE + '\nanswer = "1.0"\nname = "m"',
            "mistake 'm': '1.0' is the true answer",
        ),
        (asked("order") + 'symbols = { N = "positive" }\nanswer = "O("', "question 1 (q), answer: "),
        (
            asked("order")
            + 'symbols = { N = "positive" }\nanswer = "O(N)"'
            + MISTAKE
            + '\nanswer = "O(2N)"\nname = "m"',
            "mistake 'm': 'O(2N)' is the true answer",
        ),
        (
            asked("order") + 'symbols = { N = "positive" }\ncounted = "layers.py:squares"',
            "counted: is for what a function can give: the kind is 'order'; leave it out",
        ),
        (
            PART.format(beside="points = 2", second="b", answer=1),
            "question 1 (p), points: stands in the tables [[question.part]] here",
        ),
        (PART.format(beside="", second="a", answer=1), "question 1 (p), part 2 (a), id: 'a' is there twice"),
        (PART.format(beside="", second="a.b", answer=1), "part 2 (a.b), id: 'a.b' and 'a' clash"),
        (
            PART.format(beside="", second="b", answer=1) + changed(id='"p.a"'),
            "question 2 (p.a), id: 'p.a' and 'p' clash: one is the beginning of the other",
        ),
        (GOOD + changed(id='"mine"'), "question 2 (mine), id: 'mine' and 'mine.1' clash"),
        (PART.format(beside="", second="b", answer='"x"'), "question 1 (p), part 2 (b), answer: "),
    ],
)
def test_a_bad_question_names_file_table_and_key(folder: Path, text: str, said: str):
    with pytest.raises(BadQuestion) as raised:
        compiled(folder, text)
    assert "mine.toml" in str(raised.value)
    assert said in str(raised.value)


def test_a_transposed_matrix_can_be_a_known_mistake(folder: Path):
    text = asked("matrix") + 'answer = "1 2; 3 4"' + MISTAKE + '\nanswer = "1 3; 2 4"\nname = "turned"\nhint = "Q Kᵀ"'
    found = mark(compiled(folder, text)["q"], "[[1, 3], [2, 4]]")
    said = "This is the transposed matrix: rows and columns are exchanged."
    assert (found.mistake, found.feedback) == ("turned", ("Turned: Q Kᵀ.", said))


def test_a_file_that_is_not_there_or_not_text(folder: Path):
    with pytest.raises(BadQuestion, match=r"nothing.toml is not there"):
        read_questions(folder / "nothing.toml")
    (folder / "latin.toml").write_bytes(b'text = "\xe4"')
    with pytest.raises(BadQuestion, match=r"latin.toml is not UTF-8 \(byte 8\)"):
        read_questions(folder / "latin.toml")
    (folder / "large.toml").write_bytes(b"#" * (1 << 23))
    with pytest.raises(BadQuestion, match=r"large.toml is larger than 4,194,304 bytes"):
        read_questions(folder / "large.toml")


def test_a_file_of_functions_that_fails_is_named(folder: Path):
    (folder / "broken.py").write_text("import nothing_like_this")
    with pytest.raises(BadQuestion, match=r"question 1 \(mine.1\), counted: .*broken.py raised ModuleNotFoundError"):
        compiled(folder, changed(counted='"broken.py:linear"'))
