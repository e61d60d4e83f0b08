"""The pages of managers and reviewers, in a browser; and what holds for all pages: no script of others, contrast."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

import touchstone
from touchstone.annotate import background, staging

PYRAMID = Path(touchstone.__file__).parent / "examples" / "pyramid" / "T01.pyr"

HOSTILE = [
    "<script>window.hit = 1</script>",
    "</script><script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 1'>",
    "<svg onload=window.hit=1>",
    '"><b onmouseover=window.hit=1>bold</b>',
    "'-window.hit=1-'",
    "javascript:window.hit=1",
    "{{ 7 * 7 }}{% raw %}${7*7}<%= 7 * 7 %>",
    "<style>* { display: none }</style>",
    "<iframe srcdoc='<script>parent.hit = 1</script>'></iframe>",
    "<base href=//example.org><meta http-equiv=refresh content=0>",
    "<!--<textarea></title>]]>",
    "\u202egnp.exe\u202c \u2067right\u2069 e\u0301\u0301\u0301",
    "&lt;script&gt;window.hit=1&lt;/script&gt;",
    "<details open ontoggle=window.hit=1>",
]

RATIOS = """
() => {
  const probe = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = (colour) => {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    return [...probe.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, bottom) => top.slice(0, 3).map((c, i) => c * (top[3] / 255) + bottom[i] * (1 - top[3] / 255));
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) layers.push(rgba(getComputedStyle(one).backgroundColor));
    return layers.reduceRight((bottom, top) => over(top, bottom), [255, 255, 255]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    const exempt = ":disabled, script, noscript, .visually-hidden, option";
    if (!text || !element.checkVisibility() || element.closest(exempt)) continue;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const back = behind(element);
    const [one, other] = [light(over(rgba(style.color), back)), light(back)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < (large ? 3 : 4.5)) found.push(`${text.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return found;
}
"""


TABS = {
    "overview": "table",
    "items": "table",
    "people": "table",
    "import": "form",
    "scores": "form",
    "settings": "form",
    "log": "table",
}
"""The parts of a project's page, and what each has when it is there."""


def parts_of(project: int) -> list[tuple[str, str]]:
    """Return the address of each part of a project's page, and what to wait for."""
    return [(f"/projects/{project}#{tab}", f"[data-part={tab}]:not([hidden]) {what}") for tab, what in TABS.items()]


def answer(person, project: int, *labels):
    """Answer the next items by label: c, e or n."""
    bodies = {"c": (False, None), "e": (True, False), "n": (True, True)}
    for label in labels:
        q1, q2 = bodies[label]
        saved = person.save(person.next(project), {"q1": q1, "q2": q2, "q3": False}, done=True, seconds=20)
        assert saved.status_code == 200, saved.text


@pytest.fixture
def judged(site, pairs):
    """Give a project of four pairs which two people finished; they differ on the third and the fourth."""
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann, bob = (site.person("annotator", name, name=who) for who in ("Ann", "Bob"))
    site.assigned(project, ann, bob)
    answer(ann, project, "c", "e", "n", "e")
    answer(bob, project, "c", "e", "e", "n")
    return project, name


def test_a_manager_makes_imports_invites_and_assigns_in_the_browser_and_sees_the_work_come_in(
    site, pairs, page_of, figure
):
    page = page_of(site.admin, "/projects/new")
    page.get_by_label("Name", exact=True).fill("Pairs of May")
    page.get_by_label("Sentence pairs").check()
    page.get_by_label("Note to annotators").fill("Take your time.")
    page.get_by_role("button", name="Create project").click()
    files = [{"name": "pairs.jsonl", "mimeType": "application/json", "buffer": pairs.encode()}]
    page.get_by_label("Files").set_input_files(files)
    page.get_by_role("button", name="Import").click()
    page.get_by_text("4 items imported").wait_for()

    page.get_by_role("link", name="People").click()
    page.get_by_label("Email").fill("ann@example.org")
    page.get_by_role("button", name="Invite").click()
    address = page.get_by_label("Address").input_value()
    guest = page_of(None, address)
    guest.get_by_label("Name").fill("Ann Lee")
    guest.get_by_label("Password").fill("a long sentence")
    guest.get_by_role("button", name="Create account").click()
    guest.get_by_text("No items are assigned to you.").wait_for()

    page.reload()
    page.get_by_role("checkbox", name="Ann Lee").wait_for()
    page.get_by_label("People for each item").fill("1")
    page.get_by_role("button", name="Assign").click()
    page.get_by_text("Ann Lee has 4").wait_for()
    figure(page, "people")
    guest.reload()
    guest.get_by_role("link", name="Start").click()
    guest.get_by_role("dialog", name="Guidelines").get_by_text("Take your time.").wait_for()
    guest.keyboard.press("Enter")
    guest.locator("choice-question").first.wait_for()
    for key in ("2", "2", "Enter"):
        guest.keyboard.press(key)
    guest.get_by_text("1 of 4 done").wait_for()
    guest.keyboard.press("g")
    guest.get_by_text("Take your time.").wait_for()

    page.get_by_role("link", name="Overview").click()
    page.get_by_role("cell", name="1 of 4").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="Settings and export").click()
        page.get_by_role("link", name="Download the export").click()
    assert download.value.suggested_filename == "Pairs-of-May.zip"


def test_settings_are_changed_and_a_stale_change_is_refused_with_a_sentence(site, judged, page_of):
    project, _ = judged
    page, other = (page_of(site.admin, f"/projects/{project}#settings") for _ in range(2))
    for one, note in ((page, "first"), (other, "second")):
        one.get_by_label("Note to annotators").fill(note)
        one.get_by_role("button", name="Save", exact=True).click()
        one.get_by_text("Saved." if note == "first" else "somebody else changed this project").wait_for()
    assert site.admin.get(f"/api/projects/{project}").json()["settings"]["note"] == "first"


def test_adjudication_goes_from_difference_to_difference_by_keyboard(site, judged, page_of, figure):
    project, name = judged
    reviewer = site.person("reviewer", name, name="Rhea")
    page = page_of(reviewer, f"/projects/{project}")
    expect(page.get_by_role("link", name="Open item")).to_have_count(4)  # the page is ready
    page.get_by_label("Show").select_option("Answers differ")
    expect(page.get_by_role("link", name="Open item")).to_have_count(2)
    page.get_by_role("link", name="Open item 3").click()
    page.get_by_role("heading", name="annotator-").first.wait_for()
    expect(page.locator(".answers .differs")).to_have_text(["yes", "no"])
    page.keyboard.press("1")
    page.wait_for_function("() => document.activeElement.id === 'finish'")
    figure(page, "adjudicate")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Item 4").wait_for()
    page.get_by_role("heading", name="annotator-").first.wait_for()
    page.keyboard.press("2")
    page.wait_for_function("() => document.activeElement.id === 'finish'")
    page.keyboard.press("Enter")
    page.wait_for_url("**#items")
    rows = site.admin.get(f"/api/projects/{project}/items").json()["items"]
    assert [row["adjudicated"] for row in rows] == [False, False, True, True]
    last = site.admin.get(f"/api/items/{rows[3]['id']}").json()["answers"][-1]
    assert (last["kind"], last["body"]) == ("adjudicated", {"q1": True, "q2": True, "q3": False})


def test_the_last_word_may_differ_from_all_answers(site, judged, page_of):
    project, _ = judged
    item = site.admin.get(f"/api/projects/{project}/items").json()["items"][2]
    page = page_of(site.admin, f"/items/{item['id']}/adjudicate")
    questions = page.locator("choice-question")
    questions.nth(0).get_by_text("No").click()
    questions.nth(2).get_by_text("No").click()
    page.get_by_label("Comment").fill("neither of them")
    page.get_by_role("button", name="Adjudicate and continue").click()
    page.get_by_role("heading", name="Item 4").wait_for()
    last = site.admin.get(f"/api/items/{item['id']}").json()["answers"][-1]
    assert (last["kind"], last["done"], last["comment"]) == ("adjudicated", True, "neither of them")
    assert last["body"] == {"q1": False, "q2": None, "q3": False}


def test_pyramids_are_adjudicated_from_one_that_is_there(site, page_of):
    project, _ = site.project("pyramid", {"T01.pyr": PYRAMID.read_bytes()})
    item = site.admin.get(f"/api/projects/{project}/items").json()["items"][0]
    page = page_of(site.admin, f"/items/{item['id']}/adjudicate")
    page.get_by_role("heading", name="imported").wait_for()
    expect(page.locator(".answers dd").last).to_have_text("91 %")  # covered, as the page of the pyramid says it
    page.get_by_role("button", name="Adjudicate from this").click()
    page.wait_for_url("**/answers/*")
    last = site.admin.get(f"/api/items/{item['id']}").json()["answers"][-1]
    assert last["kind"] == "adjudicated"
    assert f"/answers/{last['id']}" in page.url


def test_who_learns_to_build_a_pyramid_sees_the_prepared_one(site, page_of):
    project, name = site.project("pyramid")
    person = site.person("annotator", name)
    site.imported(project, {"T01.pyr": PYRAMID.read_bytes()}, purpose="training")
    answer = person.next(project)
    assert person.save(answer, answer["body"], done=True).status_code == 200
    page = page_of(person, f"/answers/{answer['id']}/feedback")
    page.get_by_role("cell", name="missed").first.wait_for()
    expect(page.locator("[data-figure=F1] dd")).to_have_text("0.00")
    last, following = page.locator("td").last.bounding_box(), page.locator("#next").bounding_box()
    assert last["y"] + last["height"] <= following["y"]  # the whole table is above the button


def test_an_administrator_makes_others_invites_and_disables(site, page_of, figure):
    person = site.person("annotator", name="Ann Lee")
    page = page_of(site.admin, "/users")
    page.get_by_label("Ann Lee is an administrator").check()
    page.get_by_label("Email").fill("new@example.org")
    page.get_by_label("Administrator", exact=True).check()
    page.get_by_role("button", name="Invite").click()
    page.get_by_text("Send this address to").wait_for()
    figure(page, "users")
    page.get_by_role("button", name="Revoke").click()
    page.get_by_text("No invitation is open.").wait_for()
    assert person.get("/api/me").json()["admin"] is True
    page.get_by_role("row", name="Ann Lee").get_by_role("button", name="Disable").click()
    page.get_by_role("button", name="Enable").wait_for()
    assert person.get("/api/me").status_code == 401


def test_an_administrator_gives_somebody_a_link_for_a_new_password(site, page_of, figure):
    person = site.person("annotator", name="Ann Lee")
    page = page_of(site.admin, "/users")
    page.get_by_role("row", name="Ann Lee").get_by_role("button", name="New password").click()
    address = page.get_by_label("Address").input_value()
    figure(page, "accounts")
    guest = page_of(None, address)
    guest.get_by_text(person.email).wait_for()
    guest.get_by_label("New password").fill("a long new sentence")
    figure(guest, "reset")
    guest.get_by_role("button", name="Set password").click()
    guest.get_by_role("link", name="Ann Lee").wait_for()
    assert person.get("/api/me").status_code == 401


def test_a_manager_sees_the_people_of_the_project_adds_some_and_changes_a_role(site, page_of, figure):
    project, name = site.project("nli")
    manager = site.person("manager", name, "Mia")
    ann, elsewhere = site.person("annotator", name, "Ann Lee"), site.person(name="Bob Ray")
    page = page_of(manager, f"/projects/{project}#people")
    page.get_by_label("Role of Ann Lee").select_option("reviewer")
    expect(page.get_by_label("Role of Ann Lee")).to_have_value("reviewer")
    expect(page.get_by_text("Bob Ray")).to_have_count(0)
    expect(page.get_by_role("link", name="Accounts")).to_have_count(0)
    page.get_by_label("Email").fill(elsewhere.email.upper())
    page.get_by_role("button", name="Invite").click()
    page.get_by_text("Send this address to").wait_for()
    page.get_by_role("cell", name=elsewhere.email).wait_for()
    expect(page.get_by_text("Bob Ray")).to_have_count(0)
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("cell", name=elsewhere.email).wait_for(state="detached")
    page.get_by_label("Email").fill("new@example.org")
    page.locator("form select[name=role]").select_option("manager")
    page.get_by_role("button", name="Invite").click()
    page.get_by_text("Send this address to").wait_for()
    page.get_by_role("cell", name=f"manager in {name}").wait_for()
    figure(page, "members")
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("cell", name=f"manager in {name}").wait_for(state="detached")
    assert ann.get(f"/api/projects/{project}").json()["role"] == "reviewer"


def test_the_log_tells_who_did_what(site, judged, page_of):
    project, _ = judged
    page = page_of(site.admin, f"/projects/{project}#log")
    page.get_by_role("cell", name="import").first.wait_for()
    expect(page.get_by_role("row", name="Bob save")).to_have_count(4)
    page.goto("/audit")
    page.get_by_role("cell", name="create").first.wait_for()


@pytest.fixture
def hostile(site):
    """Give projects of each form in which every text is hostile, with the people who finished half of them."""
    text = iter(HOSTILE * 20)
    pair = [
        {"id": next(text) + str(i), "premise": next(text), "hypothesis": next(text), "gold": "neutral"}
        for i in range(6)
    ]
    word = [{"id": next(text) + str(i), "target": next(text), "left": next(text), "head": next(text)} for i in range(3)]
    rows = [
        {"segment": next(text), "system": next(text) + str(i), "hypothesis": next(text), "references": [next(text)]}
        for i in range(3)
    ]
    made = []
    for task, records in (("nli", pair), ("lexsub", word), ("mt", rows)):
        files = {"rows.jsonl": "".join(json.dumps(record) + "\n" for record in records)}
        project, name = site.project(task, files, note=next(text))
        person = site.person("annotator", name, name=next(text)[:90])
        other = site.person("annotator", name, name=next(text)[:90])
        site.assigned(project, person, other)
        made.append((task, project, person, other))
    return made


def finished(task: str, words) -> dict:
    bodies = {
        "nli": {"q1": True, "q2": True, "q3": False},
        "lexsub": {"substitutes": [next(words).replace(";", "")[:90]], "none": False},
        "mt": {"adequacy": 1, "fluency": 2},
    }
    return bodies[task]


def test_hostile_texts_run_no_script_on_any_page(site, hostile, page_of):
    words = iter(HOSTILE * 20)
    paths = [("/", ".cards"), ("/users", "#accounts table"), ("/audit", "#log table")]
    pages = []
    for task, project, person, other in hostile:
        renamed = {"version": 1, "name": f"{next(words)} {task}"}
        assert site.admin.patch(f"/api/projects/{project}", json=renamed).status_code == 200
        for one in (person, other):
            saved = one.save(one.next(project), finished(task, words), comment=next(words), done=True, unsure=True)
            assert saved.status_code == 200, saved.text
        item = site.admin.get(f"/api/projects/{project}/items").json()["items"][0]
        paths += [*parts_of(project), (f"/items/{item['id']}/adjudicate", "#answers section")]
        pages.append(page_of(person, f"/projects/{project}/work"))
        pages[-1].locator("#questions legend").first.wait_for()
        pages[-1].keyboard.press("Escape")
        pages[-1].keyboard.press("b")
        pages[-1].goto(f"/projects/{project}/guidelines")
        assert pages[-1].locator(".note").inner_text().strip()
    manager = page_of(site.admin)
    manager.on("dialog", lambda dialog: pytest.fail(dialog.message))
    for path, what in paths:
        manager.goto(path)
        manager.locator(what).first.wait_for()
        assert manager.evaluate("window.hit ?? null") is None, path
        assert manager.locator("main script, main img, main iframe, main style, main svg").count() == 0, path
    assert [page.evaluate("window.hit ?? null") for page in pages] == [None, None, None]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_has_the_contrast_of_wcag_aa(site, judged, pairs, page_of, theme):
    project, name = judged
    site.imported(project, {"test.jsonl": pairs}, purpose="qualification")
    person = site.person("annotator", name)
    item = site.admin.get(f"/api/projects/{project}/items").json()["items"][2]
    paths = [*parts_of(project), ("/projects/new", "form"), ("/users", "#accounts table"), ("/audit", "#log table")]
    paths += [(f"/items/{item['id']}/adjudicate", "#answers section"), (f"/projects/{project}/guidelines", "h1")]
    page = page_of(site.admin, theme=theme)
    for path, what in paths:
        page.goto(path)
        page.locator(what).first.wait_for()
        assert page.evaluate(RATIOS) == [], path
    page = page_of(person, f"/projects/{project}/work", theme=theme)
    page.locator("choice-question").first.wait_for()
    page.keyboard.press("2")
    assert page.evaluate(RATIOS) == []
    page.keyboard.press("?")
    assert page.evaluate(RATIOS) == []


def test_a_large_import_is_followed_on_its_page_even_after_a_reload(site, page_of, tmp_path, monkeypatch, wait_until):
    run, running = background._run, []
    monkeypatch.setattr(background, "LARGE", 10)
    monkeypatch.setattr(background, "_run", lambda *given: running.append(given))
    rows = ({"id": f"p{n}", "premise": "A cat.", "hypothesis": "A dog."} for n in range(700))
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    project, _ = site.project("nli")
    page = page_of(site.admin, f"/projects/{project}#import")
    page.get_by_label("Files").set_input_files(file)
    page.get_by_role("button", name="Import").click()
    page.get_by_text("Reading the files").wait_for()
    wait_until(page, lambda: running)
    ((store, import_id, _),) = running
    with store.writing() as session:
        staging.keep_alive(session, import_id, total=700, staged=500)
    page.get_by_text("500 of 700").wait_for()
    page.reload()
    page.get_by_text("500 of 700").wait_for()
    page.screenshot(path=str(tmp_path / "import.png"))
    run(*running[0])
    page.get_by_text("700 items imported").wait_for()


def test_somebody_who_has_an_account_logs_in_and_accepts_an_invitation(site, page_of, password):
    project, name = site.project("nli")
    bob = site.person(name="Bob Ray")
    body = {"email": bob.email, "role": "annotator"}
    made = site.admin.post(f"/api/projects/{project}/invitations", json=body).json()
    page = page_of(None, made["url"])
    page.get_by_role("link", name="Log in to accept").click()
    page.get_by_label("Email").fill(bob.email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    join = page.get_by_role("button", name="Join the project")
    join.click()
    join.wait_for(state="detached")  # the page of the invitation names the project too
    page.get_by_text(name).first.wait_for()
    assert bob.get(f"/api/projects/{project}").json()["role"] == "annotator"
