"""Nothing is lost: not by a reload, a lost connection, a closed window, a second editor or an undo."""

import pytest

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


def test_a_page_that_was_sent_before_the_last_save_still_goes_on_from_it(page, ann, hands):
    stale, saves = page.context.request.get(page.url), []
    page.route("**/api/answers/*", lambda route: saves.append(route), times=1)
    make(page, hands, "They purr")
    page.locator("#saved[data-state=saving]").wait_for()
    # What a reload does: the page is told, its next state is asked for, and then its save is acknowledged.
    page.evaluate("() => { dispatchEvent(new Event('beforeunload')); }")
    saves.pop().continue_()
    hands.wait_saved(page)
    page.route(page.url, lambda route: route.fulfill(response=stale), times=1)
    page.reload()
    make(page, hands, "Dogs bark")
    hands.wait_saved(page)
    assert listed(page) == saved(ann) == ["They purr", "Dogs bark"]


def test_a_lost_connection_keeps_the_work_and_sends_it_later(page, ann, hands):
    page.context.set_offline(True)
    make(page, hands, "They purr")
    make(page, hands, "Dogs bark")
    page.locator("#saved[data-state=offline]").wait_for()
    assert saved(ann) == []
    page.context.set_offline(False)
    hands.wait_saved(page)
    assert saved(ann) == ["They purr", "Dogs bark"]


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
    assert page.locator("#violations").inner_text() == "1 broken rule"
    make(page, hands, "Dogs bark", 1)
    hands.wait_saved(page)
    assert len(saved(ann)) == 2
    page.click("#undo")
    page.click("#undo")
    hands.wait_saved(page)
    assert saved(ann) == ["They purr", "Cats a sleep"]
    page.click("#redo")
    hands.wait_saved(page)
    assert page.locator("#violations").inner_text() == "1 broken rule"
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
