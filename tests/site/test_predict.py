"""A real browser answers questions of the directive `predict`, by mouse, keyboard and finger."""

from pathlib import Path

import pytest

from tests.site.reading import assert_fits, barriers, built, opened, served, show

pytestmark = pytest.mark.site
PAGE = Path(__file__).with_name("predict.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out, told = built(tmp_path_factory.mktemp("book"), "predict", {"index": PAGE})
    assert told == ""
    with served(out) as address:
        yield address


@pytest.fixture(
    params=[{}, {"has_touch": True, "is_mobile": True}], ids=["mouse", "finger"]
)
def page(request, browser, site):
    size = (
        {"width": 390, "height": 844}
        if request.param
        else {"width": 1280, "height": 900}
    )
    with opened(browser, site, "index.html", viewport=size, **request.param) as page:
        page.press = "tap" if request.param else "click"
        yield page
        assert page.errors == page.outside == []


def box(page, name):
    return page.locator(f"#predict-{name}")


def press(page, target):
    getattr(target, page.press)()


def guess(page, name, text):
    """What is said to a number."""
    asked = box(page, name)
    asked.get_by_label("Your guess").fill(text)
    press(page, asked.get_by_role("button", name="Check"))
    return asked.get_by_role("status").inner_text()


RIGHT = "Right: 31%."
SMALL = "Too small. Try again."
LARGE = "Too large. Try again."


GUESSES = {  # of 31% ± 5%
    "Write a number, such as 2, 0.5, 7/3, 50% or 1e-3.": [
        "",
        "x",
        "1 or 2",
        "1/0",
        "1/2/3",
        "/3",
    ],
    SMALL: ["0.259", "25%", "1e-3", "2", "-2", "−.3"],
    LARGE: ["0.361", "37", "200%", "3/8"],
    RIGHT: [
        "0.31",
        ".31",
        "31%",
        "31 %",
        "0,31",
        "31",
        "3.1e-1",
        "0.26",
        "36%",
        "1/3",
        "0,62 / 2",
    ],
}


def test_a_guess_is_read_and_told_its_side(page):
    answer = box(page, "share").get_by_text("It was measured.")
    for said, texts in GUESSES.items():
        assert not answer.is_visible()
        for text in texts:
            assert guess(page, "share", text) == said, text
    assert answer.is_visible()
    for text, said in {"1,2": SMALL, "1,200": "Right: 1200."}.items():
        assert guess(page, "count", text) == said  # a comma may also part thousands


def test_a_wrong_choice_is_told_why_and_may_be_mended(page):
    asked = box(page, "choice")
    check = asked.get_by_role("button", name="Check")
    status = asked.get_by_role("status")
    press(page, check)
    assert status.inner_text() == "Choose an answer first."
    press(page, asked.locator("label").get_by_text("first"))
    press(page, check)
    assert status.inner_text() == "No. It is too short."
    assert not asked.get_by_text("Nothing more.").is_visible()
    press(page, asked.locator("label").get_by_text("The second."))
    press(page, check)
    assert status.inner_text() == "Right. It is just right."
    assert asked.get_by_text("Nothing more.").is_visible()


def test_the_answer_is_shown_on_request_and_hidden_again(page):
    shown = {"share": "Answer: 31%.", "choice": "Answer: The second. It is just right."}
    for name, said in shown.items():
        asked = box(page, name)
        button = asked.get_by_role("button", name="Show me")
        assert button.get_attribute("aria-expanded") == "false"
        press(page, button)
        assert asked.get_by_role("status").inner_text() == said
        button = asked.get_by_role("button", name="Hide")
        assert button.get_attribute("aria-expanded") == "true"
        assert asked.locator("details > p").last.is_visible()
        press(page, button)
        assert asked.get_by_role("status").inner_text() == ""
        assert not asked.locator("details > p").last.is_visible()


def test_by_keyboard_alone(page):
    box(page, "count").get_by_label("Your guess").focus()
    page.keyboard.type("1200")
    page.keyboard.press("Enter")
    assert box(page, "count").get_by_role("status").inner_text() == "Right: 1200."
    for _ in range(3):  # Check, Hide, the first choice
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    status = box(page, "choice").get_by_role("status")
    assert status.inner_text() == "No. It is too short."
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert status.inner_text() == "Right. It is just right."


def test_no_answer_stands_in_sight_before_it_is_asked_for(page):
    text = page.locator("article").inner_text()
    for secret in ("31", "1200", "measured", "too short", "just right", "Nothing more"):
        assert secret not in text


def test_targets_are_large_and_nothing_is_a_barrier(page):
    for target in page.locator(".predict :is(button, label)").all():
        size = target.bounding_box()
        assert min(size["width"], size["height"]) >= 24
    press(page, page.get_by_role("button", name="Show me").first)
    guess(page, "count", "1")
    for width, theme in [(390, "dark"), (1280, "light")]:
        show(page, width, theme)
        assert_fits(page, width)
    assert [each for each in barriers(page) if "predict" in str(each)] == []


def test_without_script_the_answer_is_a_fold(browser, site):
    with opened(browser, site, "index.html", java_script_enabled=False) as page:
        asked = box(page, "choice")
        assert asked.get_by_text("The second.").first.is_visible()
        assert not asked.get_by_text("It is just right.").is_visible()
        asked.locator("summary").click()
        for text in ("It is too short.", "It is just right.", "Nothing more."):
            assert asked.get_by_text(text).is_visible()
        box(page, "share").locator("summary").click()
        key = "Answer: 31% (anything within 5% is accepted)."
        assert box(page, "share").get_by_text(key).is_visible()


ORDER = "[...document.querySelectorAll('.predict, .predict-answer')].map((x) => x.className)"


@pytest.mark.parametrize("script", [True, False])
def test_in_print_the_answer_is_shown(browser, site, script):
    with opened(browser, site, "index.html", java_script_enabled=script) as page:
        page.emulate_media(media="print")
        if script:  # then they stand last, and afterwards in their places again
            before = page.evaluate(ORDER)
            page.evaluate("dispatchEvent(new Event('beforeprint'))")
            assert page.evaluate(ORDER)[-3:] == ["predict-answer"] * 3 != before[-3:]
        for text in (
            "Answer: 1200.",
            "It was counted.",
            "It is just right.",
            "Nothing more.",
        ):
            assert page.get_by_text(text, exact=True).is_visible(), text
        assert page.locator(".predict :is(input, button, summary):visible").count() == 0
        if script:
            page.evaluate("dispatchEvent(new Event('afterprint'))")
            assert page.evaluate(ORDER) == before


def test_questions_that_are_not_in_order_fail_the_build(tmp_path):
    page = PAGE.replace(":name: predict-count\n", "").replace("- [x]", "- [ ]")
    page = page.replace(":number: 31% ± 5%", ":number: many")
    _, told = built(tmp_path, "predict", {"index": page})
    faults = (
        "give it a :name:",
        "share: no number: many",
        "choice: 0 choices are marked",
    )
    assert [words for words in faults if words not in told] == []
