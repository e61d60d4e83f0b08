"""Reports in a browser: items open with and without scripts, nothing is clipped, axe finds nothing serious.

axe-core comes from npm (`npm --prefix frontend ci`); without it its check is skipped.
"""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import touchstone
from touchstone import mt, nli
from touchstone.cli import app
from touchstone.core.report.results import scores_page
from touchstone.show.page import render
from touchstone.systems.inference.experiments import experiment
from touchstone.systems.inference.runs import ModelRun

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
REPORTS = ("lexsub", "mt", "pyramid", "nli", "items", "mt-meta")
EXAMPLES = Path(touchstone.__file__).parent / "examples"
OTHERS = {
    "mt-compare": "mt compare {mt}/refA.en {mt}/de-en --ref {mt}/refB.en -m maxsim(n+d) -m bleu -m chrf",
    "mt-explain": "mt explain {mt}/refA.en {mt}/de-en --ref {mt}/refB.en --item 3",
    "mt-mqm": "mt meta {mt}/ratings.tsv {mt}/de-en --ref {mt}/refA.en -m chrf -m bleu --draws 20",
    "items-estimate": "items estimate {items}/human.csv {items}/judge.csv",
    "items-judge": "items judge {items}/human.csv {items}/judge.csv",
    "nli-breakdown": "nli breakdown {nli}/gold.jsonl {nli}/overlap.jsonl {nli}/careful.jsonl --train {nli}/pairs.jsonl",
    "nli-verify": "nli verify {nli}/pairs.jsonl {nli}/answers.jsonl",
    "pyramid-auto": "pyramid auto {pyramid}/T01.pyr {pyramid}/eve.T01.M.60.A.heron.pan",
    "pyramid-explain": "pyramid explain {pyramid}/eve.T01.M.60.A.magpie.pan",
}
"""The commands of the pages that the demonstration does not write."""

WIDTHS = (390, 1280, 1920)

CLIPPED = """() => {
  const wide = (one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline";
  const heard = (one) => getComputedStyle(one).clipPath === "inset(50%)"; // only for those who hear the page
  const boxes = [...document.querySelectorAll("body *:not(svg *)")].filter(
    (one) => one.clientWidth && wide(one) && !heard(one),
  );
  const outside = [...document.querySelectorAll("svg text")].filter((one) => {
    const at = one.getBoundingClientRect(), frame = one.closest("svg").parentElement.getBoundingClientRect();
    return at.width && (at.left < frame.left - 8 || at.right > frame.right + 8);
  });
  return [...boxes, ...outside].map((one) => `${one.tagName}.${one.className}: ${one.textContent.trim().slice(0, 60)}`);
}"""
"""What is wider than its box, and texts of drawings that stick out of theirs."""


def experiment_pages():
    """Return the pages of ``nli drop`` and ``nli curve`` of models whose runs are made up."""
    labels = ("contradiction", "entailment", "neutral")
    golds = {
        name: nli.read_gold(
            [
                {
                    "id": f"{n}",
                    "premise": f"p {n // 2} dog",
                    "hypothesis": "a cat",
                    "gold": labels[n % 3],
                    "category": "c",
                }
                for n in range(30)
            ]
        )
        for name in ("usual", "challenge")
    }

    def run(name, wrong):
        rows = [{"id": f"{n}", "label": labels[(n + (n < wrong)) % 3]} for n in range(30)]
        return nli.read_run(rows, name=name)

    models = ("decomposable_attention", "esim")
    runs = {
        one: [(run(f"{one}-{n}", n), run(f"{one}-{n}", 9 + n * n * k)) for n in (1, 2)]
        for k, one in enumerate(models, 1)
    }
    dropped = nli.drop(*golds.values(), runs)
    given = [
        ModelRun(one, size, test, run(f"{one}-{size}-{n}", 20 - size + n))
        for one in models
        for size in (5, 10)
        for test in golds
        for n in (1, 2)
    ]
    return dropped.page(), experiment("Learning curves", "training pairs", golds, given).page()


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    assert CliRunner().invoke(app, ["demo", "--out", str(folder)]).exit_code == 0
    table = folder / "sets.csv"
    sets = [f"D{n % 4},{n // 4},{(n * 7 % 11) / 10}" for n in range(24)]
    table.write_text("\n".join(["setid,peerid,score", *sets]))
    given = {
        **OTHERS,
        "pyramid-analyse": f"pyramid analyse {table}",
        "pyramid-power": f"pyramid power {table} --peers 1,2",
    }
    folders = {task.name: task for task in EXAMPLES.iterdir()}
    for name, command in given.items():
        arguments = [*command.format(**folders).split(), "--report", str(folder / f"{name}.html"), "--quiet"]
        found = CliRunner().invoke(app, arguments)
        assert found.exit_code == 0, found.output
    drop, experiment = experiment_pages()
    (folder / "nli-drop.html").write_text(render(drop), "utf-8")
    (folder / "nli-curve.html").write_text(render(experiment), "utf-8")
    return {page.stem: page.as_uri() for page in folder.glob("*.html")}


@pytest.fixture
def opened(browser):
    """Give a function that opens a page, with options of the browser's context."""
    contexts = []

    def page(address, width=1280, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **options))
        one = contexts[-1].new_page()
        one.goto(address)
        return one

    yield page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_column_of_the_map_opens_its_item_with_and_without_scripts(reports, opened, scripts):
    page = opened(reports["lexsub"], java_script_enabled=scripts)
    assert page.locator("article:visible").count() == 0
    column = page.locator(".strips a").nth(5)
    target = column.get_attribute("href")
    column.click()
    page.locator(f"article{target}").wait_for()
    assert page.locator("article:visible").count() == 1
    assert "sentence" in page.locator("article:visible").inner_text()
    page.locator("article:visible >> text=next").click()
    page.locator(f"article{page.locator('.strips a').nth(6).get_attribute('href')}").wait_for()
    assert page.locator("article:visible").count() == 1


def test_the_filter_keeps_the_items_whose_text_has_the_words(reports, opened):
    page = opened(reports["nli"])
    page.locator(".filter input").fill("ANTONYMS")
    assert page.locator(".filter output").inner_text() == "10 of 38 items"
    assert page.locator(".strips a:visible").count() == 10
    page.locator(".filter input").fill("")
    assert page.locator(".strips a:visible").count() == 38


def test_the_switch_shows_values_relative_to_the_mean_of_the_item(reports, opened):
    page = opened(reports["lexsub"], java_script_enabled=False)
    image = "getComputedStyle(document.querySelector('.strips a')).backgroundImage"
    with_values = page.locator(".strips a").first.evaluate("one => getComputedStyle(one).backgroundImage")
    page.locator("#view1").check()
    assert page.locator(".strips a").first.evaluate(f"() => {image}") != with_values


def test_every_report_opens_with_a_verdict_and_those_of_one_item_with_their_item(reports, opened):
    page = opened("about:blank")
    for name, address in reports.items():
        page.goto(address)
        verdict = page.locator(".verdict").all_inner_texts()
        assert (name, len(verdict)) == (name, 0 if name.endswith("-explain") else 1)
        assert all(re.search(r"\d", text) and text.endswith((".", ")")) for text in verdict), name
        assert page.locator("nav").count() == (page.locator("h2").count() > 1)


def test_no_report_is_wider_than_its_window_and_nothing_in_it_is_clipped(reports, opened):
    assert len(reports) == len(REPORTS) + len(OTHERS) + 4
    page = opened("about:blank")
    problems = {}
    for name, address in reports.items():
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
        for width in (390, 400, 800, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate("document.documentElement.scrollWidth")
            found = page.evaluate(CLIPPED) + ([f"the page is {wide} wide"] if wide > width else [])
            problems |= {(name, width): found} if found else {}
    assert problems == {}


def test_frames_end_where_their_figures_end(reports, opened):
    """A frame has half a rem inside on both sides, and its border."""
    page = opened("about:blank")
    for name, address in reports.items():
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            spare = page.evaluate(
                """() => [...document.querySelectorAll(".sheet > svg")].map((one) => {
                  return one.parentElement.getBoundingClientRect().width - one.getBoundingClientRect().width;
                })"""
            )
            assert max(spare, default=0) <= 20, (name, width)


@pytest.mark.parametrize(("width", "abreast"), [(390, 1), (1280, 3), (1920, 4)])
def test_panels_side_by_side_show_their_names_once_and_have_the_same_rows(reports, opened, width, abreast):
    page = opened(reports["nli"], width)
    panels = page.locator("#ranking .panel")
    named = [
        place
        for place in range(panels.count())
        if panels.nth(place).locator("th span").last.bounding_box()["width"] > 1
    ]
    assert named == list(range(0, 7, abreast))
    for line in range(0, 7, abreast):
        tops = {
            round(panels.nth(place).locator("tbody tr").last.bounding_box()["y"])
            for place in range(line, min(7, line + abreast))
        }
        assert len(tops) == 1


def test_groups_have_one_order_in_the_differences_and_in_the_panels(reports, opened):
    page = opened(reports["nli"])
    rows = page.locator("#groups .wide tbody th").all_inner_texts()
    panels = page.locator("#groups .beside caption").all_inner_texts()
    assert rows
    assert [panel.split()[0] for panel in panels] == rows


def test_labels_of_an_axis_do_not_touch(reports, opened):
    page = opened("about:blank")
    for name in ("lexsub", "nli", "mt-compare", "items"):
        page.goto(reports[name])
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            touching = page.evaluate(
                """() => [...document.querySelectorAll(".ticks")].flatMap((axis) => {
                  const all = [...axis.querySelectorAll("text")].map((one) => one.getBoundingClientRect());
                  const at = all.filter((one) => one.width);
                  return at.filter((one, place) => place && one.left < at[place - 1].right + 2).map((one) => one.left);
                })"""
            )
            assert (name, width, touching) == (name, width, [])


def test_names_in_an_opened_item_are_not_broken_and_numbers_stand_under_their_names(reports, opened):
    page = opened(reports["lexsub"])
    page.locator(".strips a").nth(8).click()
    page.locator("article:target").wait_for()
    careful, frequent, _ = page.locator("article:target tbody tr").all()
    assert careful.bounding_box()["height"] == pytest.approx(frequent.bounding_box()["height"], abs=2)
    head = page.locator("article:target thead th").last
    assert head.evaluate("one => getComputedStyle(one).textAlign") == "right"


def test_an_opened_item_fits_a_narrow_window(reports, opened):
    page = opened(reports["mt"], 390)
    page.locator(".strips a").first.click()
    page.locator("article:target").wait_for()
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def serious(page) -> list[str]:
    page.add_script_tag(path=str(AXE))
    found = page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm --prefix frontend ci")
@pytest.mark.parametrize(("name", "width", "theme"), [("lexsub", 390, "light"), ("nli", 1280, "dark")])
def test_axe_finds_nothing_serious(reports, opened, name, width, theme):
    assert serious(opened(reports[name], width, color_scheme=theme, bypass_csp=True)) == []


@pytest.mark.soak
@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm --prefix frontend ci")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_at_any_width(reports, opened, theme):
    for address in reports.values():
        for width in WIDTHS:
            page = opened(address, width, color_scheme=theme, bypass_csp=True)
            assert serious(page) == []
            page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
            assert serious(page) == []


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")  # one of the outputs is tokenised
def test_sixteen_systems_on_3003_segments_stay_below_four_megabytes_and_every_item_opens(data, opened, tmp_path):
    folder = data("wmt12")
    inputs = mt.TASK.read(folder / "ref.en", folder / "de-en")
    html = render(scores_page(mt.score(inputs, measures=["chrf", "bleu"])))
    assert len(html.encode()) < 4_000_000
    (tmp_path / "wmt.html").write_text(html, "utf-8")
    page = opened((tmp_path / "wmt.html").as_uri())
    page.locator(".filter").wait_for()
    assert page.locator(".strips a").count() == 3003
    for place in (0, 1500, 3002):
        page.locator(".strips a").nth(place).click()
        page.locator("article:target").wait_for()
        assert page.locator("article:target tr").count() == 17
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
