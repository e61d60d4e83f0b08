"""The page of a pyramid: spans, rules with their reasons, lights on both sides, search, and hostile texts."""

import pytest
from playwright.sync_api import expect

CATS = {
    "S1/a.txt": "Cats sleep all day. They purr at night.\n",
    "S1/b.txt": "A cat sleeps a lot. It purrs.\n",
    "S1/c.txt": "Dogs bark; cats sleep.\n",
    "S1/d.txt": "Birds sing in the morning.\n",
}
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=document.title='owned'>\"'--><svg onload=alert(1)>"
BIDI = "\u202e\u05d0\u05d1\u05d2 \u0643\u062a\u0627\u0628\u202c"


@pytest.fixture
def opened(site, page_of):
    """Give a function that opens the pyramid of some files, and who works on it."""

    def open_it(files):
        project, name = site.project("pyramid", files)
        person = site.person("annotator", name, "Ann")
        site.assigned(project, person, kind="pyramid")
        person.answer = person.next(project)["id"]
        return page_of(person, f"/answers/{person.answer}"), person

    return open_it


@pytest.fixture
def page(opened):
    return opened(CATS)[0]


def body_of(person):
    return person.get(f"/api/answers/{person.answer}").json()["body"]


def make(page, hands, words, summary=0):
    hands.select(page, words, summary)
    page.click("#make")


def labels(page):
    return page.locator("pyramid-units .unit > .unit-head .label").all_inner_texts()


def test_emoji_and_combining_marks_are_counted_in_code_points(opened, hands):
    text = "Cats 😀 sleep. The cafe\u0301 👩\u200d👧 opens 𝒳 early.\nIt 🏳️\u200d🌈 rains.\n"
    page, ann = opened({"S1/a.txt": text, "S1/b.txt": "A cat.\n"})
    for words in ("😀", "cafe\u0301", "👩\u200d👧 opens", "early.\nIt 🏳️\u200d🌈", "rains"):
        if "\n" not in words:
            make(page, hands, words)
    hands.select(page, "early")
    hands.select(page, "🏳️\u200d🌈", key="Control")
    page.click("#make")
    hands.wait_saved(page)
    whole = "\n".join(ann.get(f"/api/answers/{ann.answer}").json()["item"]["view"]["lines"])
    parts = [part for unit in body_of(ann)["units"] for part in unit["contributors"][0]["parts"]]
    wanted = ["😀", "cafe\u0301", "👩\u200d👧 opens", "rains", "early", "🏳️\u200d🌈"]
    assert [whole[part["start"] : part["end"]] for part in parts] == wanted
    assert [part["label"] for part in parts] == wanted


def test_words_are_selected_by_taps_on_a_tablet(site, page_of, hands):
    project, name = site.project("pyramid", CATS)
    person = site.person("annotator", name, "Ann")
    site.assigned(project, person, kind="pyramid")
    answer = person.next(project)["id"]
    page = page_of(person, f"/answers/{answer}", has_touch=True, viewport={"width": 820, "height": 1180})
    chip = page.locator("#chip")
    hands.tap(page, "sleep")
    expect(chip).to_have_text("sleep")
    hands.tap(page, "day")
    expect(chip).to_have_text("sleep all day")
    page.locator("#further").tap()
    hands.tap(page, "purr")
    expect(chip).to_have_text("sleep all day...purr")
    page.locator("#make").tap()
    assert labels(page) == ["sleep all day...purr"]
    hands.wait_saved(page)  # the text moves while the unit is drawn and saved
    hands.tap(page, "cat", 1)
    expect(chip).to_have_text("cat")
    hands.tap(page, "cat", 1)
    expect(page.locator("#selection")).to_be_hidden()
    hands.tap(page, "cat", 1)
    page.locator("#give").tap()
    page.locator("#pick-list").get_by_role("option").first.tap()
    page.locator("pyramid-units .mark", has_text="cat").wait_for()


def test_four_summaries_stand_side_by_side_on_a_small_screen(page):
    page.set_viewport_size({"width": 1280, "height": 800})
    boxes = [one.bounding_box() for one in page.locator("pyramid-text .summary").all()]
    assert len({box["y"] for box in boxes}) == 1
    assert min(box["width"] for box in boxes) > 150
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert page.locator("pyramid-text").evaluate("one => one.scrollWidth <= one.clientWidth")


def test_buttons_say_what_a_press_does_now(page):
    for button, words in (
        ("#grain", ["Select characters", "Select words"]),
        ("#columns", ["One after the other", "Side by side"]),
        ("#uncovered", ["Show uncovered", "Hide uncovered"]),
        ("[data-theme-toggle]", ["Dark", "Light"]),
        ("#finish", ["Finish", "Reopen"]),
    ):
        for said in (*words, words[0]):
            page.locator(button, has_text=said).wait_for()
            page.click(button)


def test_characters_can_be_selected_instead_of_words(page, hands):
    hands.select(page, "at", 0, key="Alt")
    expect(page.locator("#chip")).to_have_text("at")
    hands.select(page, "leep")
    expect(page.locator("#chip")).to_have_text("sleep")
    page.keyboard.press("w")
    hands.select(page, "leep")
    expect(page.locator("#chip")).to_have_text("leep")
    page.keyboard.press("Shift+ArrowRight")
    assert page.locator("#chip").text_content() == "leep "


def test_a_selection_over_two_summaries_is_refused_with_the_reason(page, hands):
    hands.select(page, "They purr")
    hands.select(page, "It purrs", 1, key="Control")
    page.click("#make")
    expect(page.locator("#status")).to_contain_text("a contributor would reach over the summaries")
    assert labels(page) == []
    expect(page.locator("#chip")).to_have_text("They purr...It purrs")


def test_a_second_contributor_from_a_summary_is_offered_as_a_part(page, hands):
    make(page, hands, "Cats sleep")
    hands.select(page, "They purr")
    page.keyboard.press("a")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("has a contributor from the summary a already")
    dialog.get_by_role("button", name="Add as a part").click()
    expect(page.locator(".part")).to_have_text(["Cats sleep", "They purr"])


def test_a_merge_of_units_that_share_a_summary_offers_to_join_or_is_left(page, hands):
    for words in ("Cats sleep", "They purr"):
        make(page, hands, words)
    hands.drag(page, hands.unit(page, "They purr").locator(".unit-head"), hands.unit(page, "Cats sleep"))
    dialog = page.get_by_role("dialog")
    assert "units 1 and 2 both have a contributor from the summary" in dialog.inner_text()
    dialog.get_by_role("button", name="Cancel").click()
    assert labels(page) == ["Cats sleep", "They purr"]
    hands.unit(page, "They purr").focus()
    page.keyboard.press("m")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Join and merge").click()
    assert labels(page) == ["Cats sleep"]
    expect(page.locator(".part")).to_have_count(2)


def test_a_unit_is_split_by_choosing_contributors_and_parts(page, hands):
    hands.select(page, "Cats sleep")
    hands.select(page, "They purr", key="Control")
    page.click("#make")
    hands.select(page, "cat sleeps", 1)
    page.keyboard.press("a")
    hands.unit(page, "Cats sleep").focus()
    page.keyboard.press("s")
    page.get_by_role("dialog").get_by_label("They purr", exact=True).check()
    page.keyboard.press("Enter")
    assert labels(page) == ["Cats sleep...They purr", "They purr"]
    hands.drag(page, hands.mark(page, "cat sleeps"), page.locator("#fresh"))
    assert labels(page) == ["Cats sleep...They purr", "cat sleeps", "They purr"]
    hands.mark(page, "They purr").focus()
    page.keyboard.press("Delete")
    page.locator(".unassigned .mark").focus()
    page.keyboard.press("n")
    assert labels(page)[-1] == "They purr"
    expect(page.locator(".unassigned .mark")).to_have_count(0)
    for _ in range(3):
        page.keyboard.press("Control+z")
    assert labels(page) == ["Cats sleep...They purr", "They purr"]


def test_text_and_units_light_each_other_up(page, hands):
    make(page, hands, "Cats sleep")
    make(page, hands, "They purr")
    page.mouse.move(0, 0)
    hands.unit(page, "They purr").locator(".label").hover()
    expect(page.locator(".seg.lit")).to_have_text(["They purr"])
    page.locator(".seg.held", has_text="Cats sleep").hover()
    expect(page.locator(".unit.lit .label")).to_have_text(["Cats sleep"])
    hands.unit(page, "They purr").focus()
    expect(page.locator(".seg.lit")).to_have_text(["They purr"])
    page.keyboard.press("t")
    page.keyboard.press("ArrowRight")
    assert page.locator(".unit.lit").count() <= 1
    page.locator(".seg.held", has_text="Cats sleep").click()
    expect(page.locator(".unit.current .label")).to_have_text("Cats sleep")


def test_words_that_no_unit_has_are_stepped_through(page, hands):
    make(page, hands, "Cats sleep all day")
    page.keyboard.press(".")
    expect(page.locator("#chip")).to_have_text("They purr at night")
    page.keyboard.press("Enter")
    page.keyboard.press(".")
    expect(page.locator("#chip")).to_have_text("A cat sleeps a lot. It purrs")
    page.click("#uncovered")
    assert page.evaluate("() => CSS.highlights.get('uncovered').size") == 3


def test_units_are_sorted_by_weight_label_and_place(page, hands):
    make(page, hands, "They purr")
    make(page, hands, "Cats sleep")
    hands.select(page, "cat sleeps", 1)
    page.keyboard.press("a")
    for sort, wanted in (
        ("weight", "Cats sleep"),
        ("label", "Cats sleep"),
        ("place", "Cats sleep"),
        ("order", "They purr"),
    ):
        page.select_option("#sort", sort)
        assert labels(page)[0] == wanted
    hands.unit(page, "Cats sleep").focus()
    page.keyboard.press("Alt+ArrowUp")
    assert labels(page) == ["Cats sleep", "They purr"]


def test_similar_units_are_suggested_for_a_merge(page, hands):
    make(page, hands, "Cats sleep")
    make(page, hands, "cats sleep", 2)
    make(page, hands, "Birds sing", 3)
    page.click("#suggest")
    page.get_by_role("dialog").get_by_role("button", name="Merge").first.click()
    assert labels(page) == ["Cats sleep", "Birds sing"]


def test_comments_stand_at_units_and_contributors(page, hands):
    make(page, hands, "Cats sleep")
    for row in (hands.unit(page, "Cats sleep"), hands.mark(page, "Cats sleep")):
        row.focus()
        page.keyboard.press("c")
        page.keyboard.type("is this one?")
        page.keyboard.press("Control+Enter")
    expect(page.locator(".note")).to_have_text(["is this one?"] * 2)


def test_search_counts_hits_in_text_and_labels_and_steps_through_them(page, hands):
    make(page, hands, "Cats sleep")
    page.keyboard.press("/")
    page.keyboard.type("sleep")
    page.get_by_text("5", exact=True).wait_for()
    page.keyboard.press("Enter")
    expect(page.locator("#search output")).to_have_text("1 of 5")
    page.keyboard.press("Shift+Enter")
    expect(page.locator("#search output")).to_have_text("5 of 5")
    expect(page.locator(".mark.current")).to_have_count(1)
    page.fill("#search [name=sought]", "s.eep")
    page.get_by_text("not found").wait_for()


def test_a_regular_expression_is_searched_for_and_ended_when_it_takes_too_long(opened, hands):
    page, _ = opened({"S1/a.txt": "a" * 200 + "! Cats sleep.\n", "S1/b.txt": "A cat.\n"})
    page.fill("#search [name=sought]", r"\bcats?\b")
    page.check("#search [name=expression]")
    page.get_by_text("2", exact=True).wait_for()
    page.fill("#search [name=sought]", "(a+)+$")
    page.get_by_text("the search took longer than 1 s").wait_for()
    page.fill("#search [name=sought]", "(")
    page.get_by_text("not a regular expression").wait_for()


def test_keys_and_guidelines_are_one_key_away(page, figure):
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text("make a unit of the selection")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    expect(page.locator("#guidelines")).to_contain_text("Building a pyramid")
    figure(page, "guidelines")


def test_texts_and_labels_that_try_to_run_a_script_are_shown_as_text(opened, hands, page_of):
    page, ann = opened({"S1/a.txt": f"Cats {HOSTILE} sleep {BIDI} today.\n", "S1/b.txt": f"{HOSTILE}\n"})
    spoken = []
    page.on("dialog", lambda dialog: (spoken.append(dialog.message), dialog.dismiss()))
    title = page.title()
    make(page, hands, "Cats")
    for key, words in (("r", HOSTILE + BIDI), ("c", HOSTILE)):
        page.locator(".unit").focus()
        page.keyboard.press(key)
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(words)
        page.keyboard.press("Control+Enter" if key == "c" else "Enter")
    hands.select(page, "sleep")
    page.keyboard.press("m")
    expect(page.locator(".pick [role=option]")).to_contain_text(HOSTILE)
    page.keyboard.press("Escape")
    page.fill("#search [name=sought]", HOSTILE)
    page.get_by_text("4", exact=True).wait_for()
    page.click("#suggest")
    page.keyboard.press("Escape")
    hands.wait_saved(page)
    page.reload()
    expect(page.locator(".unit .label")).to_contain_text(HOSTILE)
    expect(page.locator(".note")).to_contain_text(HOSTILE)
    other = page_of(ann, f"/answers/{ann.answer}")
    for editor in (page, other):
        make(editor, hands, "today")
    other.get_by_role("dialog", name="Two versions").wait_for()
    assert [editor.title() for editor in (page, other)] == [title, title]
    assert not spoken
    assert page.locator("main img, main svg, main script").count() == 0


def test_huge_labels_are_refused_and_long_ones_do_not_break_the_page(page, hands):
    make(page, hands, "Cats sleep")
    page.locator(".unit").focus()
    page.keyboard.press("r")
    page.get_by_role("textbox", name="Label").fill("x" * 20_000)
    page.keyboard.press("Enter")
    assert page.locator(".unit").bounding_box()["height"] < 400
    page.keyboard.press("r")
    page.get_by_role("textbox", name="Label").fill("x" * 100_001)
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("100,000 are the most")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


CONTRASTS = """
() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const channel = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      const striped = style.backgroundImage.match(/rgb[^)]*\\)/g);
      if (striped) return striped.map(numbers);
      const colour = numbers(style.backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return [colour];
    }
    return [[255, 255, 255]];
  };
  const ratio = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const shown = [...document.querySelectorAll("body *")].filter((element) =>
    element.checkVisibility() && !element.closest(":disabled, .visually-hidden, .skip") &&
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  const worst = shown.map((element) => {
    const ink = numbers(getComputedStyle(element).color);
    return [Math.min(...behind(element).map((paper) => ratio(ink, paper))), element.className || element.tagName];
  });
  return {seen: worst.length, poor: worst.filter(([value]) => value < 4.5)};
}
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_of_the_page_has_the_contrast_of_wcag_aa(opened, page_of, hands, theme):
    page, ann = opened(CATS)
    make(page, hands, "Cats sleep")
    make(page, hands, "sleep all")
    hands.wait_saved(page)
    page = page_of(ann, f"/answers/{ann.answer}", theme=theme)
    hands.select(page, "They purr")
    found = page.evaluate(CONTRASTS)
    assert found["seen"] > 30
    assert found["poor"] == []
