"""Somebody uploads the output of a system with the keyboard, sees its score, and opens the report."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

import touchstone

EXAMPLES = Path(touchstone.__file__).parent / "examples"
NLI = EXAMPLES / "nli"
BODIES = {
    "contradiction": {"q1": False, "q2": None, "q3": False},
    "entailment": {"q1": True, "q2": False, "q3": False},
    "neutral": {"q1": True, "q2": True, "q3": False},
}
SCORED = 900_000
"""Milliseconds that a scoring may take on a busy machine."""


@pytest.fixture
def judged(site):
    """Give a project whose gold has the example pairs, but for the last three, and its name."""
    project, name = site.project("nli", {"pairs.jsonl": (NLI / "gold.jsonl").read_text()})
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann)
    gold = [json.loads(line)["gold"] for line in (NLI / "gold.jsonl").read_text().splitlines()]
    for label in gold[:-3]:
        assert ann.save(ann.next(project), BODIES[label], done=True).status_code == 200
    return project, name


def by_command(site, project, folder, *runs):
    """Return what the real command prints for the exported gold."""
    zipfile.ZipFile(io.BytesIO(site.admin.get(f"/api/projects/{project}/export").content)).extractall(folder)
    words = [
        sys.executable,
        "-m",
        "touchstone",
        "nli",
        "score",
        str(folder / "gold.jsonl"),
        *runs,
        "--unknown",
        "ignore",
    ]
    done = subprocess.run([*words, "--json"], capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["rows"]


def picture(page, name):
    """Keep a picture for whoever looks at the page, where the variable TOUCHSTONE_PICTURES names a folder."""
    if folder := os.environ.get("TOUCHSTONE_PICTURES"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def send(page, name, file):
    """Fill in the form with the keyboard, and send it with Enter; only the choice of the file is the browser's own."""
    field = page.get_by_label("Name of the system")
    field.focus()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    expect(page.get_by_label("File")).to_be_focused()
    page.get_by_label("File").set_input_files(file)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")


def test_a_run_is_uploaded_by_keyboard_and_scores_what_the_command_says(site, page_of, judged, figure, tmp_path):
    project, name = judged
    page = page_of(
        site.person("manager", name, "Maria"), f"/projects/{project}#scores", viewport={"width": 1280, "height": 900}
    )
    expect(page.get_by_text("No system has been scored yet.")).to_be_visible()
    for system in ("overlap", "careful"):
        send(page, system, NLI / f"{system}.jsonl")
        expect(page.locator("[data-part=scores] progress")).to_be_visible()
        row = page.locator("[data-part=scores] table").first.locator("tr", has_text=system).first
        expect(row).to_be_visible(timeout=SCORED)
    expect(page.locator("[data-part=scores] progress")).to_have_count(0, timeout=SCORED)
    expected = by_command(site, project, tmp_path, *(f"{one}={NLI / one}.jsonl" for one in ("overlap", "careful")))
    (value,) = [one for one in expected if (one["system"], one["measure"]) == ("careful", "accuracy")]
    row = page.locator("[data-part=scores] table").first.locator("tbody tr").first
    shown = [value["system"], f"{value['value']:.3f}", f"{value['low']:.3f}–{value['high']:.3f}", str(value["n"])]
    assert row.locator("td").all_text_contents() == ["accuracy", *shown]
    expect(page.locator("summary", has_text="Pairs of systems: accuracy")).to_be_visible()
    expect(page.get_by_text("overlap: ids that the gold does not have, which are ignored: 3")).to_be_visible()
    expect(page.get_by_text("3: some of the people who have it have not finished it")).to_be_visible()
    figure(page, "scores")
    picture(page, "scores-1280")
    page.set_viewport_size({"width": 390, "height": 800})
    picture(page, "scores-390")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_report_opens_without_a_fault_and_cannot_run_scripts(site, page_of, judged):
    project, name = judged
    page = page_of(site.person("reviewer", name), f"/projects/{project}#scores")
    hostile = "<img src=x onerror=alert(1)>"
    send(page, hostile, NLI / "careful.jsonl")
    link = page.get_by_role("link", name="Open the report")
    expect(link).to_be_visible(timeout=SCORED)
    said = []
    page.context.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    with page.context.expect_page() as opened:
        link.click()
    report = opened.value
    expect(report.get_by_role("heading", name="Ranking")).to_be_visible()
    assert report.locator("svg, table").count() > 2
    assert report.evaluate("getComputedStyle(document.body).maxWidth") != "none"  # its own styles apply
    report.get_by_role("link", name="Ranking").click()
    assert report.url.endswith("#ranking")
    assert report.evaluate("window.origin") == "null"
    expect(report.locator("body")).to_contain_text(hostile)
    assert said == []


@pytest.mark.soak
def test_a_fault_is_shown_with_its_place_and_the_form_stays_usable(site, page_of, judged, tmp_path):
    project, name = judged
    page = page_of(site.person("reviewer", name), f"/projects/{project}#scores", viewport={"width": 390, "height": 800})
    bad = tmp_path / "bad.jsonl"
    lines = (NLI / "careful.jsonl").read_text().splitlines()
    bad.write_text("\n".join([lines[0], '{"id": "d02", "label": "perhaps"}', *lines[2:]]))
    send(page, "mine", bad)
    expect(page.locator(".fault")).to_contain_text("mine/bad.jsonl:2: ", timeout=SCORED)
    expect(page.get_by_text("No output of a system has been uploaded yet.")).to_be_visible()
    picture(page, "scores-fault-390")
    send(page, "mine", NLI / "careful.jsonl")
    expect(page.get_by_role("link", name="Open the report")).to_be_visible(timeout=SCORED)
    expect(page.locator(".fault")).to_have_count(0)
    send(page, "mine", NLI / "careful.jsonl")
    expect(page.get_by_role("alert")).to_contain_text("there is already a run of the system 'mine'")


@pytest.mark.soak
def test_peers_of_a_pyramid_are_shown_with_the_reason_why_there_is_no_upload(site, page_of):
    files = {path.name: path.read_bytes() for path in (EXAMPLES / "pyramid").glob("*.p*n")}
    project, name = site.project("pyramid", files)
    page = page_of(site.person("reviewer", name), f"/projects/{project}#scores")
    expect(page.get_by_text("there is nothing to upload")).to_be_visible()
    expect(page.locator("[data-part=scores] td", has_text="heron").first).to_be_visible(timeout=SCORED)
    expect(page.locator("[data-part=scores] form")).to_have_count(0)
    picture(page, "scores-pyramid")


def test_an_annotator_has_no_way_to_the_scores(site, page_of, judged):
    project, name = judged
    page = page_of(site.person("annotator", name), f"/projects/{project}#scores")
    expect(page).to_have_url(f"{site.url}/projects/{project}/work#scores")
    expect(page.locator("[data-part=scores]")).to_have_count(0)
