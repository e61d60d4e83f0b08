"""The forms, in a browser: fast by keyboard alone, nothing lost, and what they make is scored like any file."""

import io
import json
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from playwright.sync_api import expect

import touchstone
from touchstone.cli import app

EXAMPLES = Path(touchstone.__file__).parent / "examples"
LABELS = {(False, None): "contradiction", (True, True): "neutral", (True, False): "entailment"}
CONTRADICTION, ENTAILMENT, NEUTRAL = ("2", "2"), ("1", "2", "2"), ("1", "1", "2")
"""The keys of each label: the second question falls away where the events differ."""


def touch(*words) -> dict:
    """Run a command and return its JSON, or its text where there is none."""
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout) if "--json" in words else {"text": result.stdout}


def exported(site, project: int, folder: Path) -> Path:
    content = site.admin.get(f"/api/projects/{project}/export").content
    zipfile.ZipFile(io.BytesIO(content)).extractall(folder)
    return folder


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def at_item(page, number: int):
    """Wait until that item is on the screen."""
    page.wait_for_function("n => document.getElementById('item-title')?.textContent === `Item ${n}`", arg=number)


def all_saved(page):
    page.wait_for_function("() => document.getElementById('save-state').textContent === 'Saved'")


def chosen(page) -> list:
    """Return the number that is chosen in each question, None where there is none."""
    return page.evaluate(
        """[...document.querySelectorAll("choice-question")].map((question) => {
          const place = question.inputs.findIndex((input) => input.checked);
          return place < 0 ? null : place + 1;
        })"""
    )


def finish_all(page, answers, first: int = 1):
    """Answer the items one after the other with the keys of each, until the page says that all is done."""
    for number, keys in enumerate(answers, first):
        at_item(page, number)
        press(page, *keys, "Enter")
    page.get_by_role("heading", name="All done").wait_for()


@pytest.fixture
def nli(site, pairs):
    """Give a project of four pairs."""
    return site.project("nli", {"pairs.jsonl": pairs}, pseudonyms=False)


@pytest.fixture
def annotator(site, nli, page_of):
    """Give a page on which somebody works on the first of the four pairs, and its project."""
    project, name = nli
    person = site.person("annotator", name)
    site.assigned(project, person)
    page = page_of(person, f"/projects/{project}/work")
    at_item(page, 1)
    return page, person, project


def test_two_people_answer_by_keyboard_alone_and_the_agreement_is_the_command_lines(
    site, nli, pairs, page_of, tmp_path
):
    project, name = nli
    people = [site.person("annotator", name, name=who) for who in ("Ann", "Bob")]
    site.assigned(project, *people)
    said = [
        [CONTRADICTION, ENTAILMENT, NEUTRAL, ENTAILMENT],
        [CONTRADICTION, ENTAILMENT, ENTAILMENT, NEUTRAL],
    ]
    for person, answers in zip(people, said, strict=True):
        page = page_of(person, "/")
        while page.evaluate("document.activeElement.textContent") != "Start":
            press(page, "Tab")
        press(page, "Enter")
        finish_all(page, answers)

    out = exported(site, project, tmp_path / "out")
    rows = [json.loads(line) for line in (out / "answers.jsonl").read_text().splitlines()]
    labels = {(row["pair"], row["annotator"]): LABELS[row["q1"], row["q2"]] for row in rows}
    assert [labels[pair, "Ann"][0] for pair in ("cat", "tea", "bus", "sun")] == ["c", "e", "n", "e"]
    assert [labels[pair, "Bob"][0] for pair in ("cat", "tea", "bus", "sun")] == ["c", "e", "e", "n"]

    labelled = tmp_path / "labelled.jsonl"
    whole = [json.loads(line) for line in pairs.splitlines()]
    given = [pair | {"annotators": [labels[pair["id"], who] for who in ("Ann", "Bob")]} for pair in whole]
    labelled.write_text("".join(json.dumps(pair | {"gold": None}) + "\n" for pair in given))
    figures = {
        row["measure"]: row["value"]
        for row in touch("nli", "agreement", labelled, "--json")["rows"]
        if row["kind"] == "coefficient"
    }
    # Both say C C, E E E N N over eight labels: p_e = (2² + 4² + 2²) / 8², p_o = 2 / 4.
    assert figures["kappa"] == pytest.approx((2 / 4 - 24 / 64) / (1 - 24 / 64))
    page = page_of(site.admin, f"/projects/{project}")
    row = page.locator("tr", has=page.get_by_role("cell", name="kappa (nominal)", exact=True))
    row.wait_for()
    expect(row.locator("strong")).to_have_text(f"{figures['kappa']:.3f}")


def test_three_readers_make_gold_that_verify_keeps_with_the_agreement_that_is_shown(site, page_of, tmp_path, figure):
    kept = [json.loads(line) for line in (EXAMPLES / "nli" / "gold.jsonl").read_text("utf-8").splitlines()][:12]
    asked = [{name: pair[name] for name in ("id", "premise", "hypothesis", "category")} for pair in kept]
    project, _ = site.project("nli", {"pairs.jsonl": "".join(json.dumps(pair) + "\n" for pair in asked)})
    assert site.admin.patch(f"/api/projects/{project}", json={"version": 1, "name": "Captions"}).status_code == 200
    readers = [site.person("annotator", "Captions", name=who) for who in ("Ana", "Ben", "Cleo")]
    site.assigned(project, *readers)
    keys = {"contradiction": CONTRADICTION, "entailment": ENTAILMENT, "neutral": NEUTRAL}
    page = page_of(readers[0], f"/projects/{project}/work")
    finish_all(page, [keys[pair["annotators"][0]] for pair in kept])
    bodies = {label: {"q1": q1, "q2": q2, "q3": False} for (q1, q2), label in LABELS.items()}
    for place, reader in enumerate(readers[1:], 1):
        for pair in kept:
            said = bodies[pair["annotators"][place]]
            reader.save(reader.next(project), said, done=True, seconds=15 + 2 * place, unsure=pair["id"] == "d03")

    out = exported(site, project, tmp_path / "out")
    touch("nli", "verify", out / "pairs.jsonl", out / "answers.jsonl", "--kept", out / "gold.jsonl")
    gold = [json.loads(line) for line in (out / "gold.jsonl").read_text("utf-8").splitlines()]
    assert [(pair["gold"], pair["annotators"]) for pair in gold] == [
        (pair["gold"], pair["annotators"]) for pair in kept
    ]
    rows = touch("nli", "agreement", out / "gold.jsonl", "--json")["rows"]
    rows = [row for row in rows if row["kind"] == "coefficient"]
    assert rows
    shown = page_of(site.admin, f"/projects/{project}")
    for row in rows:
        line = shown.locator("tr", has=shown.get_by_text(row["measure"] + " (", exact=False).first)
        expect(line.first.locator("strong")).to_have_text(f"{row['value']:.3f}")
    figure(shown, "overview")


def test_a_form_says_what_is_missing_and_keeps_the_item(annotator, figure):
    page, _, _ = annotator
    press(page, "1", "2")
    figure(page, "nli")
    page.locator("#item-title").click()
    press(page, "Enter")
    expect(page.locator("#notice")).to_have_text("One question has no answer yet.")
    at_item(page, 1)


def test_undo_takes_back_a_choice_and_then_goes_to_the_item_before(annotator):
    page, person, project = annotator
    press(page, *CONTRADICTION, "Enter")
    at_item(page, 2)
    press(page, "1")
    assert chosen(page) == [1, None, None]
    press(page, "Control+z")
    assert chosen(page) == [None, None, None]
    press(page, "Control+Shift+Z")
    assert chosen(page) == [1, None, None]
    press(page, "Control+z", "Control+z")
    at_item(page, 1)
    assert chosen(page) == [2, None, 2]
    press(page, "ArrowDown", "1", "Enter")
    at_item(page, 2)
    all_saved(page)
    first = person.get(f"/api/projects/{project}/work").json()["items"][0]
    answer = person.get(f"/api/answers/{first['answer_id']}").json()
    assert (answer["body"], answer["done"]) == ({"q1": False, "q2": None, "q3": True}, True)


def test_unsure_and_a_comment_are_saved_by_key(annotator):
    page, person, _ = annotator
    press(page, "u", "c")
    page.keyboard.type("which dog? 1 2 3")
    press(page, "Escape", *NEUTRAL, "Enter")
    at_item(page, 2)
    expect(page.locator("#comment")).to_have_value("")
    all_saved(page)
    answer = person.get("/api/answers/1").json()
    assert (answer["unsure"], answer["comment"], answer["done"]) == (True, "which dog? 1 2 3", True)
    assert answer["body"] == {"q1": True, "q2": True, "q3": False}


PAIRS = [
    ("A cat sleeps.", "A dog sleeps.", ["cat"], ["dog"]),
    ("He waits.", "He waits for a bus.", [], ["for a bus"]),
    ("Two old men sit outside.", "Three men sit outside, laughing.", ["Two old"], ["Three", "laughing"]),
    ("The sun is up.", "Nobody swims here today.", [], []),
]


@pytest.mark.parametrize(("first", "second", "gone", "new"), PAIRS)
def test_the_words_in_which_two_sentences_differ_are_marked(site, page_of, first, second, gone, new):
    project, name = site.project("nli", {"p.jsonl": json.dumps({"id": "1", "premise": first, "hypothesis": second})})
    person = site.person("annotator", name)
    site.assigned(project, person)
    page = page_of(person, f"/projects/{project}/work")
    at_item(page, 1)
    passages = page.locator(".passage")
    assert [passages.nth(place).locator(".text").inner_text() for place in (0, 1)] == [first, second]
    assert [passages.nth(place).locator("mark").all_inner_texts() for place in (0, 1)] == [gone, new]


def test_the_list_of_keys_opens_at_its_top_and_the_button_says_what_it_does_now(annotator):
    page, _, _ = annotator
    page.set_viewport_size({"width": 900, "height": 300})
    press(page, "?")
    assert page.evaluate("document.querySelector('dialog[open]').scrollTop") == 0
    assert page.locator("dialog[open] button").evaluate("one => one === document.activeElement")
    press(page, "Escape")
    assert page.locator("#finish").inner_text() == "Finish and continue"
    press(page, *NEUTRAL, "Enter")
    at_item(page, 2)
    press(page, "b")
    at_item(page, 1)
    expect(page.locator("#finish")).to_have_text("Next")


def test_a_form_that_was_made_before_the_last_save_goes_on_from_that_save(annotator):
    page, person, _ = annotator
    stale = page.context.request.get(page.url)
    press(page, "1", "1")
    all_saved(page)
    page.route(page.url, lambda route: route.fulfill(response=stale), times=1)
    page.reload()
    at_item(page, 1)
    assert chosen(page) == [1, 1, None]
    press(page, "2")
    all_saved(page)
    body = person.get(page.url.replace("/answers", "/api/answers")).json()["body"]
    assert body == {"q1": True, "q2": True, "q3": False}


def test_a_reload_in_the_middle_loses_nothing(annotator):
    page, _, _ = annotator
    press(page, "1", "1", "c")
    page.keyboard.type("half a thou")
    page.reload()
    at_item(page, 1)
    assert chosen(page) == [1, 1, None]
    expect(page.locator("#comment")).to_have_value("half a thou")


def test_work_goes_on_without_a_connection_and_is_sent_by_the_next_visit(annotator):
    page, person, project = annotator
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    for number, keys in enumerate((CONTRADICTION, ENTAILMENT, NEUTRAL), 1):
        at_item(page, number)
        press(page, *keys, "Enter")
    at_item(page, 4)
    press(page, "1")
    page.wait_for_function(
        "() => document.getElementById('save-state').textContent.startsWith('No connection: 4 answers')"
    )
    context, last = page.context, page.url
    page.close()
    assert not any(item["done"] for item in person.get(f"/api/projects/{project}/work").json()["items"])
    context.set_offline(False)
    again = context.new_page()
    again.goto(last)
    at_item(again, 4)
    assert chosen(again) == [1, None, None]
    again.wait_for_function("() => document.getElementById('progress-text').textContent === '3 of 4 done'")
    all_saved(again)
    items = person.get(f"/api/projects/{project}/work").json()["items"]
    assert [item["done"] for item in items] == [True, True, True, False]
    bodies = [person.get(f"/api/answers/{item['answer_id']}").json()["body"] for item in items]
    assert [body["q1"] for body in bodies] == [False, True, True, True]


def test_an_answer_whose_acknowledgement_was_lost_is_saved_once(annotator):
    page, person, _ = annotator
    lost = []

    def lose(route):
        if route.request.method == "PUT" and not lost:
            lost.append(route.fetch())
            route.abort()
        else:
            route.continue_()

    page.route("**/api/answers/*", lose)
    press(page, "2")
    page.wait_for_function("() => document.getElementById('save-state').textContent.startsWith('No connection')")
    all_saved(page)
    assert lost[0].ok
    assert person.get("/api/answers/1").json()["version"] == 1


def test_two_windows_of_one_person_show_both_versions_and_overwrite_nothing(annotator):
    page, person, _ = annotator
    other = page.context.new_page()
    other.goto("/answers/1")
    at_item(other, 1)
    press(other, "1")
    all_saved(other)
    press(page, "2")
    dialog = page.get_by_role("dialog", name="Two versions of item 1")
    dialog.wait_for()
    assert dialog.locator(".differs").count() >= 2
    assert person.get("/api/answers/1").json()["body"]["q1"] is True
    dialog.get_by_role("button", name="Keep mine").click()
    all_saved(page)
    assert person.get("/api/answers/1").json()["body"] == {"q1": False, "q2": None, "q3": None}
    history = person.get("/api/answers/1/revisions").json()["revisions"]
    assert [one["version"] for one in history] == [2, 1, 0]


def test_the_guidelines_and_the_keys_are_one_key_away(annotator, figure):
    page, _, _ = annotator
    press(page, "g")
    page.get_by_role("dialog", name="Guidelines").get_by_role("heading", name="Pairs of sentences").wait_for()
    press(page, "Escape", "?")
    keys = page.get_by_role("dialog", name="Keys")
    keys.wait_for()
    expect(keys).to_contain_text("unsure")
    figure(page, "keys")
    press(page, "Escape", "2")
    assert chosen(page) == [2, None, None]


def test_substitutes_are_typed_and_score_as_gold(site, page_of, tmp_path, figure):
    rows = [
        {"id": "1", "target": "plot", "pos": "n", "left": "The", "head": "plot", "right": "of the novel is thin."},
        {"id": "2", "target": "plot", "pos": "n", "left": "Beans grow on the", "head": "plot", "right": "behind us."},
        {"id": "3", "target": "hand", "pos": "n", "left": "He lives from", "head": "hand", "right": "to mouth."},
    ]
    items = "".join(json.dumps(row) + "\n" for row in rows)
    project, name = site.project("lexsub", {"items.jsonl": items}, pseudonyms=False)
    people = [site.person("annotator", name, name=who) for who in ("Ann", "Bob")]
    site.assigned(project, *people)
    for person, words in zip(people, (["story"], ["story", "narrative"]), strict=True):
        page = page_of(person, f"/projects/{project}/work")
        at_item(page, 1)
        for word in words:
            page.keyboard.type(word)
            press(page, "Enter")
        figure(page, "lexsub")
        press(page, "Enter")
        at_item(page, 2)
        page.keyboard.type("Plot")
        expect(page.locator(".substitutes .bad")).to_have_text("The word itself is not a substitute.")
        press(page, "Control+a")
        page.keyboard.type("field")
        press(page, "Control+Enter")
        at_item(page, 3)
        press(page, "Escape", "0", "Enter")
        page.get_by_role("heading", name="All done").wait_for()
    out = exported(site, project, tmp_path / "out")
    runs = [out / "annotators" / f"{who}.jsonl" for who in ("Ann", "Bob")]
    results = touch("lexsub", "score", out / "gold.jsonl", *runs, "--measure", "R", "--json")["rows"]
    # Item 1 weighs story 2, narrative 1; item 2 field 2; nobody had a word for item 3, so it is not gold.
    assert {row["system"]: row["value"] for row in results} == {
        "Ann": pytest.approx((2 / 3 + 1) / 2),
        "Bob": pytest.approx(1.0),
    }


def translations(segments: int) -> str:
    """Return the example's first segments as rows to judge."""
    folder = EXAMPLES / "mt" / "de-en"
    reference = (EXAMPLES / "mt" / "refA.en").read_text("utf-8").splitlines()
    systems = sorted(path.name for path in folder.iterdir())
    rows = [
        {"segment": str(number), "system": system, "hypothesis": text, "references": [reference[number - 1]]}
        for system in systems
        for number, text in enumerate((folder / system).read_text("utf-8").splitlines()[:segments], 1)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def example_texts(folder: Path, segments: int) -> tuple[Path, Path]:
    """Write the example's first segments as files; return the reference and the folder of systems."""
    (folder / "de-en").mkdir(parents=True)
    for path in [EXAMPLES / "mt" / "refA.en", *(EXAMPLES / "mt" / "de-en").iterdir()]:
        lines = path.read_text("utf-8").splitlines(keepends=True)[:segments]
        target = folder / "ref.en" if path.name == "refA.en" else folder / "de-en" / path.name
        target.write_text("".join(lines), "utf-8")
    return folder / "ref.en", folder / "de-en"


def by_bleu(reference: Path, folder: Path) -> list[str]:
    """Return the systems of a folder, the best by BLEU first."""
    rows = touch("mt", "score", reference, *folder.iterdir(), "--measure", "bleu", "--draws", 20, "--json")
    values = {row["system"]: row["value"] for row in rows["rows"] if row["group"] is None}
    assert len(set(values.values())) == len(values) == 4
    return sorted(values, key=lambda system: -values[system])


def kappas(judgements: Path) -> dict:
    """Return how far the judges of a file agree with each other, for each criterion."""
    rows = touch("mt", "agreement", judgements, "--draws", 20, "--json")["rows"]
    chosen = [row for row in rows if (row.get("among"), row.get("measure")) == ("inter", "kappa")]
    return {row["criterion"]: row["value"] for row in chosen}


def spearmans(judgements: Path, reference: Path, folder: Path) -> dict:
    """Return how BLEU correlates with the judgements of a file over systems, for each criterion."""
    rows = touch("mt", "meta", judgements, folder, "--ref", reference, "--measure", "bleu", "--draws", 20, "--json")[
        "rows"
    ]
    chosen = [
        row for row in rows if row["kind"] == "agreement" and (row["statistic"], row["group"]) == ("spearman", None)
    ]
    return {row["criterion"]: row["value"] for row in chosen}


def order_of(page) -> list[str]:
    return page.locator(".hypothesis [dir=auto]").all_inner_texts()


def test_rankings_by_keyboard_are_judgements_for_meta_and_agreement(site, page_of, tmp_path, figure):
    rows = translations(3)
    project, name = site.project("mt", {"rows.jsonl": rows}, judgement="ranking")
    people = [site.person("annotator", name, name=who) for who in ("ann", "ben")]
    site.assigned(project, *people)
    texts = {(row["segment"], row["hypothesis"]): row["system"] for row in map(json.loads, rows.splitlines())}
    reference, folder = example_texts(tmp_path / "texts", 3)
    best = {system: str(rank) for rank, system in enumerate(by_bleu(reference, folder), 1)}
    by_text = {text: best[system] for (_, text), system in texts.items()}
    for person in people:
        page = page_of(person, f"/projects/{project}/work")
        for number in (1, 2, 3):
            at_item(page, number)
            press(page, *(by_text[text] for text in order_of(page)))
            if number == 1:
                figure(page, "ranking")
            press(page, "Enter")
        page.get_by_role("heading", name="All done").wait_for()
    out = exported(site, project, tmp_path / "out")
    assert kappas(out / "rankings.csv") == {"rank": 1.0}
    assert spearmans(out / "rankings.csv", reference, folder) == {"rank": pytest.approx(1)}


def test_ratings_by_keyboard_are_judgements_for_meta_and_agreement(site, page_of, tmp_path, figure):
    rows = translations(2)
    project, name = site.project("mt", {"rows.jsonl": rows}, judgement="ratings")
    people = [site.person("annotator", name, name=who) for who in ("ann", "ben")]
    site.assigned(project, *people)
    reference, folder = example_texts(tmp_path / "texts", 2)
    # Adequacy falls as the metric does, fluency rises.
    marks = dict(zip(by_bleu(reference, folder), (("5", "1"), ("4", "3"), ("2", "4"), ("1", "5")), strict=True))
    by_text = {row["hypothesis"]: marks[row["system"]] for row in map(json.loads, rows.splitlines())}
    for person in people:
        page = page_of(person, f"/projects/{project}/work")
        for number in range(1, 9):
            at_item(page, number)
            press(page, *by_text[page.locator(".judged .text").inner_text()])
            if number == 1:
                figure(page, "ratings")
            press(page, "Enter")
        page.get_by_role("heading", name="All done").wait_for()
    out = exported(site, project, tmp_path / "out")
    header, *lines = (out / "ratings.tsv").read_text("utf-8").splitlines()
    given = [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]
    assert len(given) == 2 * 8
    assert all((row["adequacy"], row["fluency"]) == marks[row["system"]] for row in given)
    assert kappas(out / "ratings.tsv") == {"adequacy": 1.0, "fluency": 1.0}
    found = spearmans(out / "ratings.tsv", reference, folder)
    assert found == {"adequacy": pytest.approx(1), "fluency": pytest.approx(-1)}


@pytest.fixture
def tested(site, pairs):
    """Give a project of which two items are a test and one is to learn from; its work is four other pairs."""
    lines = pairs.splitlines(keepends=True)
    project, name = site.project("nli", {"pairs.jsonl": pairs}, pass_mark=0.8)
    site.imported(project, {"test.jsonl": "".join(lines[:2]).replace('"id": "', '"id": "t-')}, purpose="qualification")
    site.imported(project, {"learn.jsonl": lines[2].replace('"id": "', '"id": "l-')}, purpose="training")
    return project, name


def test_a_test_that_is_passed_leads_to_training_and_to_work(site, tested, page_of, figure):
    project, name = tested
    person = site.person("annotator", name)
    site.assigned(project, person)
    page = page_of(person, f"/projects/{project}/work")
    at_item(page, 5)
    expect(page.locator("#purpose")).to_have_text("test")
    press(page, *CONTRADICTION, "Enter")
    at_item(page, 6)
    press(page, *ENTAILMENT, "Enter")
    dialog = page.get_by_role("dialog", name="You passed the test")
    dialog.wait_for()
    expect(dialog).to_contain_text("100 %")
    press(page, "Enter")
    at_item(page, 7)
    press(page, *CONTRADICTION, "Enter")
    page.get_by_role("heading", name="Feedback on item 7").wait_for()
    page.locator("#compared .differs").first.wait_for()
    expect(page.locator("#verdict")).to_have_text("Different from the prepared answer: the pair counts as neutral.")
    expect(page.locator(".differs")).to_have_count(2)
    figure(page, "feedback")
    press(page, "Enter")
    finish_all(page, [CONTRADICTION, ENTAILMENT, NEUTRAL, ENTAILMENT])


def test_who_does_not_pass_the_test_does_not_annotate_until_given_a_new_attempt(site, tested, page_of):
    project, name = tested
    person = site.person("annotator", name)
    site.assigned(project, person)
    work = [row for row in person.get(f"/api/projects/{project}/work").json()["items"] if row["purpose"] == "work"]
    assert person.post(f"/api/items/{work[0]['item_id']}/answer").status_code == 403
    page = page_of(person, f"/projects/{project}/work")
    for number in (5, 6):
        at_item(page, number)
        press(page, *NEUTRAL, "Enter")
    at_item(page, 7)
    press(page, *NEUTRAL, "Enter")
    page.get_by_role("heading", name="Feedback on item 7").wait_for()
    page.wait_for_function("() => document.activeElement.id === 'next'")
    press(page, "Enter")
    page.get_by_role("heading", name="You did not pass the test").wait_for()
    expect(page.locator("main")).to_contain_text("0 %")
    assert person.post(f"/api/items/{work[0]['item_id']}/answer").status_code == 403
    manager = page_of(site.admin, f"/projects/{project}#people")
    manager.get_by_role("button", name="New attempt").click()
    manager.get_by_text("0 of 2 answered").wait_for()
    page.goto(f"/projects/{project}/work")
    at_item(page, 5)
    assert chosen(page) == [None, None, None]


def test_the_focus_moves_through_a_form_in_the_order_in_which_it_is_read_and_is_seen(annotator):
    page, _, _ = annotator
    page.locator(".skip").focus()
    seen = []
    for _ in range(30):
        press(page, "Tab")
        name, outlined = page.evaluate(
            """() => {
              const here = document.activeElement;
              const shown = here.closest(".choice") ?? here;
              const legend = here.closest("fieldset")?.querySelector("legend").textContent;
              return [here.id || legend || here.textContent.trim(), getComputedStyle(shown).outlineStyle !== "none"];
            }"""
        )
        if page.evaluate("document.activeElement === document.body"):
            break
        assert outlined, name
        seen.append(name)
    start = seen.index("Do both sentences describe the same event?")
    assert seen[start : start + 6] == [
        "Do both sentences describe the same event?",
        "Does the second add information to the first?",
        "Is the second sentence wrong or ungrammatical?",
        "unsure",
        "Comment c",
        "finish",
    ]
    expect(page.locator("[tabindex]:not([tabindex='-1'], [tabindex='0'])")).to_have_count(0)


@pytest.mark.parametrize(
    "beyond",
    ["/.//evil.example/x", "//evil.example/x", "/\\evil.example/x", "https://evil.example/x", "/..//evil.example"],
)
def test_logging_in_never_leads_to_another_site(site, page_of, password, beyond):
    person = site.person("annotator")
    page = page_of(None, f"/login?next={quote(beyond)}")
    page.fill("[name=email]", person.email)
    page.fill("[name=password]", password)
    page.click("form button")
    page.wait_for_url(lambda url: "/login" not in url)
    assert page.url == f"{site.url}/"
