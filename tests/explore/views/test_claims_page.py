"""The claims view in a browser: found, opened and answered by hand and by keyboard, with the library's own words."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from regard.claims import catalogue, judge, select
from regard.grading import built_in_questions, compile_key, mark
from regard.grading import select as questions
from tests.explore.conftest import Look, settle

if TYPE_CHECKING:
    from playwright.sync_api import Page


NUMBER = r"\d+(?:\.\d+)?(?:e[-−+]?\d+)?"


def as_python(found: re.Match[str]) -> str:
    return repr(float(found[0].replace("−", "-")))


def test_a_claim_is_found_and_read(
    look: Look, violations: "Callable[[Page], list[str]]", shot: "Callable[[Page, str], object]"
) -> None:
    page = look("claims")
    page.wait_for_selector("[data-judged=true]")
    judgement = judge(select(["nyu.1e"])[0])
    detail = page.locator("article[data-claim='nyu.1e']")
    assert detail.locator("[data-verdict]").get_attribute("data-verdict") == judgement.verdict.value
    for role in ("document", "ours"):
        findings = sorted(getattr(judgement, role), key=lambda one: one.holds)
        shown = detail.locator(f"[data-role={role}] li").all_inner_texts()
        assert [re.sub(NUMBER, as_python, text.split("\n")[-1]) for text in shown] == [
            re.sub(NUMBER, as_python, one.shown) for one in findings
        ]
        assert not re.search(r"e-|e[+−]?0", "".join(shown))  # 2.2e-01 is 0.22, and 1e-06 is 1e−6
    assert detail.locator("math").count() > 0
    assert detail.locator("a[href^='#playground']").is_visible()
    assert not violations(page)
    shot(page, "claims")

    page.get_by_role("button", name="refuted").first.click()
    refuted = [claim.id for claim in catalogue() if claim.expected == "refuted"]
    assert page.locator("nav button[data-id] code").all_inner_texts() == refuted
    page.get_by_label("Search").fill("satruated")  # a slip of the fingers
    assert page.locator("nav button[data-id] code").all_inner_texts() == ["udl.4"]
    page.get_by_label("Search").fill("hard attention")  # which the question says, and the title does not
    assert "nyu.1c" in page.locator("nav button[data-id] code").all_inner_texts()
    page.get_by_label("Search").fill("noise")
    page.get_by_label("Search").press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settle(page)
    assert page.locator("article[data-claim='nyu.1e2'][data-judged=true]").is_visible()
    page.get_by_label("Document", exact=True).select_option("ist")
    assert page.get_by_text("No claims found.").is_visible()
    page.get_by_role("button", name="Show all claims").click()
    assert page.locator("nav button[data-id]").count() == len(catalogue())


def test_on_a_phone_a_claim_that_is_touched_comes_into_sight(look: Look) -> None:
    page = look("claims", width=390, height=844)
    for quiz, claim in ((False, "nyu.1c"), (True, "nyu.1d")):
        page.get_by_label("Quiz").set_checked(quiz)
        page.locator(f"nav button[data-id='{claim}']").click()
        settle(page)
        title = page.locator(f"article[data-claim='{claim}'] h2").bounding_box()
        assert title is not None
        assert 0 < title["y"] < 400


def test_an_answer_gets_its_counterexample(
    look: Look, violations: "Callable[[Page], list[str]]", shot: "Callable[[Page, str], object]"
) -> None:
    page = look("claims", {"claim": "udl.1a"}, width=820, dark=True)
    page.wait_for_selector("[data-judged=true]")
    box = page.get_by_label("Your answer")
    box.fill("3D² + 3")
    box.press("Enter")
    page.wait_for_selector("[data-word]")
    own = mark(compile_key(questions(built_in_questions(), ["udl.1a"]))["udl.1a"], "3D² + 3")
    assert own.counterexample is not None
    counter = page.locator("[data-counterexample]").inner_text()
    assert all(text in counter for text in (own.counterexample.yours, own.counterexample.true, "D = 2"))
    said = page.locator("[data-word='partly right']").inner_text()
    assert all(line in said for line in own.feedback)
    assert not violations(page)
    page.evaluate("() => scrollTo(0, 0)")
    shot(page, "claims-answer-dark")

    page.get_by_role("button", name="3D² + 3D", exact=True).click()
    page.wait_for_selector("[data-word=right]")
    box.fill("__import__('os')")
    page.get_by_role("button", name="Check").click()
    page.wait_for_selector("[data-word='not read']")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.locator("nav button[data-id='nyu.1e']").click()
    page.wait_for_selector("article[data-claim='nyu.1e']")
    page.locator("nav button[data-id='udl.1a']").click()
    page.wait_for_selector("[data-word='not read']")  # what was tried last is still there
    assert box.input_value() == "__import__('os')"


def test_a_quiz_asks_first(look: Look) -> None:
    page = look("claims", {"quiz": True, "claim": "conv.a2"})
    assert page.locator("article [data-verdict], article [data-role], nav [role=img], .claims-example").count() == 0
    page.get_by_role("button", name="false", exact=True).click()
    page.wait_for_selector("[data-word=wrong]")
    assert "read as" not in page.locator("[data-word]").inner_text()  # a button needs no reading
    own = page.locator(".claims-list [aria-current]")
    assert own.locator("code").inner_text() == "conv.a2"
    star = own.get_by_role("img", name="not right yet")
    assert star.inner_text() == "☆"  # ✗ would be a verdict
    assert page.get_by_role("heading", name="Why").count() == 0
    page.get_by_role("button", name="true", exact=True).click()
    page.wait_for_selector("[data-word=right]")
    assert own.get_by_role("img", name="answered right").inner_text() == "★"
    assert "none of them can be left out" in page.locator(".claims-box").inner_text()  # why
    assert page.locator("article [data-role]").count() == 0
    page.get_by_role("button", name="Show what is true").click()
    page.wait_for_selector("article [data-verdict='holds as corrected']")
    assert page.locator("article [data-role]").count() > 1
    page.get_by_role("button", name="Next question").click()
    page.wait_for_selector("article[data-claim='conv.b1']")
    settle(page)
    assert page.get_by_role("button", name="Show what is true").is_visible()
    page = look("claims", {"quiz": True, "claim": "nyu.3def"}, width=390, height=844)
    assert (
        page.get_by_role("button", name="true", exact=True).bounding_box()["y"] < 844
    )  # the question is first on a phone


def test_a_quiz_gives_no_answer_away_and_begins_with_the_easy_question(look: Look) -> None:
    page = look("claims")
    page.get_by_label("Quiz").check()
    settle(page)
    assert page.locator(".claims-list [aria-current] code").inner_text() == "nyu.3def"
    page.locator("nav button[data-id='nyu.1g']").click()
    settle(page)
    assert "Masking by −∞" not in page.locator("main").inner_text()
    assert page.locator(".claims-list [aria-current]").inner_text().count("How is a key masked") == 1
    page.get_by_role("button", name="Show what is true").click()
    assert page.locator("article h2").inner_text() == "Masking by −∞ before the softmax"


def test_what_is_true_comes_into_sight_and_so_does_what_is_found(look: Look) -> None:
    for width, height, option in ((390, 844, "c"), (1280, 720, "c")):
        page = look("claims", {"quiz": True, "claim": "nyu.1g"}, width=width, height=height)
        page.locator(".claims-options button", has_text=option).first.click()
        page.wait_for_selector("[data-word]")
        page.get_by_role("button", name="Show what is true").click()
        page.wait_for_selector("article [data-verdict]")
        settle(page)
        verdict = page.locator("article [data-verdict]").bounding_box()
        assert verdict is not None
        assert 50 < verdict["y"] < height / 2, width
    page = look("claims", {"quiz": True, "claim": "nyu.1g"}, width=390, height=844)
    page.locator(".claims-list").evaluate("(list) => { list.scrollTop = 300; }")
    page.get_by_label("Search").fill("mask")
    page.wait_for_function("() => document.querySelector('.claims-list').scrollTop === 0")
