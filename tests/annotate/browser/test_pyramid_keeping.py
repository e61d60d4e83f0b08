"""Nothing is lost: not by a reload, a lost connection, a closed window, a second editor or an undo."""

import pytest
from playwright.sync_api import expect

MODELS = {f"S1/{name}.txt": f"Cats {name} sleep all day. They purr at night. Dogs bark.\n" for name in "abcd"}


@pytest.fixture
def ann(site):
    """Give somebody with an empty pyramid of four summaries."""
    project, name = site.project("pyramid", MODELS)
    person = site.person("annotator", name, "Ann")
    site.assigned(project, person)
    person.project, person.answer = project, person.next(project)["id"]
    return person


@pytest.fixture
def page(ann, page_of):
    return page_of(ann, f"/answers/{ann.answer}")


def saved(person):
    body = person.get(f"/api/answers/{person.answer}").json()["body"]
    return [unit["label"] for unit in body["units"]]


def listed(page):
    return page.locator("pyramid-units .unit > .unit-head .label").all_inner_texts()


def make(page, hands, words, summary=0):
    hands.select(page, words, summary)
    page.click("#make")


def test_a_reload_in_the_middle_of_work_loses_nothing_and_undo_goes_on_behind_it(page, ann, hands):
    make(page, hands, "They purr")
    make(page, hands, "Dogs bark")
    page.reload()
    make(page, hands, "sleep", 1)
    hands.wait_saved(page)
    assert listed(page) == saved(ann) == ["They purr", "Dogs bark", "sleep"]
    page.keyboard.press("Control+z")
    assert listed(page) == ["They purr", "Dogs bark"]
    hands.wait_saved(page)
    page.reload()
    page.click("#undo")
    page.get_by_text("undo:").wait_for()
    assert listed(page) == ["They purr"]
    page.click("#undo")
    page.locator(".empty").wait_for()
    page.click("#redo")
    hands.wait_saved(page)
    assert listed(page) == saved(ann) == ["They purr"]


def test_a_page_that_was_made_before_the_last_save_goes_on_from_that_save(page, ann, hands):
    stale = page.context.request.get(page.url)
    make(page, hands, "They purr")
    hands.wait_saved(page)
    page.route(page.url, lambda route: route.fulfill(response=stale), times=1)
    page.reload()
    assert listed(page) == ["They purr"]
    make(page, hands, "Dogs bark")
    hands.wait_saved(page)
    assert listed(page) == saved(ann) == ["They purr", "Dogs bark"]


def hold_saves(page):
    """Hold every save of a page back; return the list that they are put on."""
    held = []
    page.route("**/api/answers/*", lambda route: held.append(route))
    return held


def test_a_save_that_arrives_after_the_reload_is_ones_own(page, ann, hands, wait_until):
    held = hold_saves(page)
    make(page, hands, "They purr")
    make(page, hands, "Dogs bark")
    page.reload()
    wait_until(page, lambda: len(held) == 2)
    late = held[0].request.post_data_json
    assert ann.put(f"/api/answers/{ann.answer}", json=late).status_code == 200
    make(page, hands, "sleep", 1)
    page.unroute("**/api/answers/*")
    hands.wait_saved(page)
    assert listed(page) == saved(ann) == ["They purr", "Dogs bark", "sleep"]
    for left in (["They purr", "Dogs bark"], ["They purr"], []):
        page.click("#undo")
        hands.wait_saved(page)
        assert listed(page) == saved(ann) == left


def test_work_that_the_server_had_before_others_went_on_does_not_come_back_over_theirs(page, ann, hands, wait_until):
    held = hold_saves(page)
    make(page, hands, "They purr")
    wait_until(page, lambda: held)
    assert ann.put(f"/api/answers/{ann.answer}", json=held[0].request.post_data_json).status_code == 200
    answer = ann.get(f"/api/answers/{ann.answer}").json()
    answer["body"]["units"][0]["label"] = "Cats purr"
    assert ann.save(answer, answer["body"]).status_code == 200
    page.unroute("**/api/answers/*")
    page.reload()
    assert listed(page) == ["Cats purr"]
    make(page, hands, "Dogs bark")
    hands.wait_saved(page)
    assert listed(page) == saved(ann) == ["Cats purr", "Dogs bark"]


def test_two_windows_of_one_browser_keep_their_unsent_work_apart(page, ann, hands):
    other = page.context.new_page()
    other.goto(page.url)
    held = hold_saves(page)
    make(page, hands, "They purr")
    make(other, hands, "Dogs bark", 1)
    hands.wait_saved(other)
    page.unroute("**/api/answers/*")
    assert held
    page.reload()
    dialog = page.get_by_role("dialog", name="Two versions")
    dialog.get_by_role("button", name="Keep mine").click()
    hands.wait_saved(page)
    assert listed(page) == saved(ann) == ["They purr"]


def test_what_was_undone_can_be_redone_after_a_reload(page, ann, hands):
    for words in ("They purr", "Dogs bark", "Cats a sleep"):
        make(page, hands, words)
        hands.wait_saved(page)
    for _ in range(2):
        page.click("#undo")
        hands.wait_saved(page)
    page.reload()
    page.locator("#redo:enabled").click()
    page.get_by_text("redo: ").wait_for()
    hands.wait_saved(page)
    assert listed(page) == saved(ann) == ["They purr", "Dogs bark"]
    page.reload()
    page.locator("#redo:enabled").click()
    page.get_by_text("redo: ").wait_for()
    hands.wait_saved(page)
    assert listed(page) == saved(ann) == ["They purr", "Dogs bark", "Cats a sleep"]
    expect(page.locator("#redo")).to_be_disabled()
    make(page, hands, "sleep", 1)
    hands.wait_saved(page)
    page.reload()
    page.click("#undo")
    page.locator("#redo:enabled").wait_for()
    assert listed(page) == ["They purr", "Dogs bark", "Cats a sleep"]


def test_a_lost_connection_keeps_the_work_and_sends_it_later(page, ann, hands):
    page.context.set_offline(True)
    make(page, hands, "They purr")
    make(page, hands, "Dogs bark")
    page.locator("#saved[data-state=offline]").wait_for()
    assert saved(ann) == []
    page.context.set_offline(False)
    hands.wait_saved(page)
    assert saved(ann) == ["They purr", "Dogs bark"]


def test_rules_hold_without_a_connection_so_that_what_is_sent_later_is_not_refused(page, ann, hands):
    page.context.set_offline(True)
    make(page, hands, "They purr")
    hands.select(page, "Dogs bark", 1)
    hands.drag(page, page.locator("#chip"), hands.mark(page, "They purr"))
    expect(page.locator("#status")).to_contain_text("would reach over the summaries S1.M.11.A.a, S1.M.11.A.b")
    page.context.set_offline(False)
    hands.wait_saved(page)
    assert listed(page) == saved(ann) == ["They purr"]


def test_a_window_closed_without_a_connection_brings_the_work_back_when_opened_again(page, ann, hands):
    page.context.set_offline(True)
    make(page, hands, "They purr")
    make(page, hands, "Dogs bark")
    page.locator("#saved[data-state=offline]").wait_for()
    context, address = page.context, page.url
    page.close()
    assert saved(ann) == []
    context.set_offline(False)
    page = context.new_page()
    page.goto(address)
    hands.wait_saved(page)
    assert listed(page) == saved(ann) == ["They purr", "Dogs bark"]
    make(page, hands, "sleep")
    hands.wait_saved(page)
    assert len(saved(ann)) == 3
    assert page.evaluate("() => Object.keys(localStorage).filter((key) => key.includes('unsent'))") == []


def test_of_two_editors_one_succeeds_and_one_is_shown_both_versions(page, ann, page_of, hands, figure):
    other = page_of(ann, f"/answers/{ann.answer}")
    make(page, hands, "They purr")
    hands.wait_saved(page)
    make(other, hands, "Dogs bark", 1)
    dialog = other.get_by_role("dialog", name="Two versions")
    dialog.wait_for()
    figure(other, "conflict")
    assert saved(ann) == ["They purr"]
    cells = dialog.locator("tbody td").all_inner_texts()
    assert any("They purr" in cell for cell in cells)
    assert any("Dogs bark" in cell for cell in cells)
    dialog.get_by_role("button", name="Keep mine").click()
    hands.wait_saved(other)
    assert saved(ann) == ["Dogs bark"]
    other.click("#undo")
    hands.wait_saved(other)
    assert saved(ann) == ["They purr"]


def test_changes_of_two_editors_that_fit_together_can_be_joined(page, ann, page_of, hands):
    make(page, hands, "They purr")
    make(page, hands, "Dogs bark")
    hands.wait_saved(page)
    other = page_of(ann, f"/answers/{ann.answer}")
    for editor, label, name in ((page, "They purr", "Cats purr"), (other, "Dogs bark", "Dogs are loud")):
        hands.unit(editor, label).focus()
        editor.keyboard.press("r")
        editor.keyboard.press("Control+a")
        editor.keyboard.type(name)
        editor.keyboard.press("Enter")
        if editor is page:
            hands.wait_saved(editor)
    other.get_by_role("button", name="Join both").click()
    hands.wait_saved(other)
    assert saved(ann) == ["Cats purr", "Dogs are loud"]


def test_an_import_lists_what_it_breaks_keeps_it_and_is_undone_like_anything_else(page, ann, hands, tmp_path):
    make(page, hands, "They purr")
    make(page, hands, "Cats a sleep")
    hands.wait_saved(page)
    file = ann.get(f"/api/answers/{ann.answer}/file?form=pyr").text
    first, second = (file.index("<scu"), file.rindex("<scu"))
    inner = file[file.index(">", second) + 1 : file.index("</scu>", second)]
    broken = file[:second] + file[file.index("</scu>", second) + 6 :]
    broken = broken[: broken.index("</scu>", first)] + inner + broken[broken.index("</scu>", first) :]
    (tmp_path / "S1.pyr").write_text(broken, encoding="utf-8")
    page.click("#import")
    page.get_by_label("File", exact=True).set_input_files(tmp_path / "S1.pyr")
    page.get_by_role("button", name="Import", exact=True).last.click()
    page.get_by_role("dialog").get_by_text("two contributors from the summary").wait_for()
    page.get_by_role("button", name="OK", exact=True).click()
    expect(page.locator("#violations")).to_have_text("1 broken rule")
    make(page, hands, "Dogs bark", 1)
    hands.wait_saved(page)
    assert len(saved(ann)) == 2
    page.click("#undo")
    page.click("#undo")
    hands.wait_saved(page)
    assert saved(ann) == ["They purr", "Cats a sleep"]
    page.click("#redo")
    hands.wait_saved(page)
    expect(page.locator("#violations")).to_have_text("1 broken rule")
    assert saved(ann) == ["They purr"]


def test_a_file_of_another_text_is_refused_with_a_sentence(page, ann, hands, tmp_path):
    make(page, hands, "They purr")
    hands.wait_saved(page)
    file = ann.get(f"/api/answers/{ann.answer}/file?form=pyr").text.replace("Dogs bark", "Dogs bank")
    (tmp_path / "S1.pyr").write_text(file, encoding="utf-8")
    page.click("#import")
    page.get_by_label("File", exact=True).set_input_files(tmp_path / "S1.pyr")
    page.get_by_role("button", name="Import", exact=True).last.click()
    page.get_by_text("the file has another text than this document").wait_for()
    assert saved(ann) == ["They purr"]


def test_any_earlier_version_can_be_looked_at_and_taken_again(page, ann, hands):
    make(page, hands, "They purr")
    hands.wait_saved(page)
    make(page, hands, "Dogs bark")
    hands.wait_saved(page)
    page.click("#history")
    rows = page.get_by_role("dialog").locator("tbody tr")
    rows.nth(2).wait_for()
    rows.nth(1).get_by_role("button").click()
    page.get_by_role("button", name="Go back to it").click()
    hands.wait_saved(page)
    assert listed(page) == saved(ann) == ["They purr"]
