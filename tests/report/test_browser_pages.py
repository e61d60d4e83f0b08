"""Reports in a browser: items open with and without scripts, nothing is clipped, axe finds nothing serious.

axe-core comes from npm (`npm --prefix frontend ci`); without it its check is skipped. The folder that the variable
TOUCHSTONE_FIGURES names gets the screenshots of the documentation.
"""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from touchstone.cli import app
from touchstone.report.page import render
from touchstone.report.results import task_page
from touchstone.tasks import mt

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
FIGURES = os.environ.get("TOUCHSTONE_FIGURES")
REPORTS = ("lexsub", "mt", "pyramid", "nli", "items", "mt-meta")
WIDTHS = (390, 1280, 1920)


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    assert CliRunner().invoke(app, ["demo", "--out", str(folder)]).exit_code == 0
    return {name: (folder / f"{name}.html").as_uri() for name in REPORTS}


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


@pytest.mark.parametrize("name", REPORTS)
def test_no_report_is_wider_than_its_window(reports, opened, name):
    page = opened(reports[name])
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


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
@pytest.mark.parametrize("name", REPORTS)
def test_axe_finds_nothing_serious_at_any_width(reports, opened, name, theme):
    for width in WIDTHS:
        page = opened(reports[name], width, color_scheme=theme, bypass_csp=True)
        assert serious(page) == []
        page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
        assert serious(page) == []


@pytest.mark.soak
def test_sixteen_systems_on_3003_segments_stay_below_four_megabytes_and_every_item_opens(data, opened, tmp_path):
    folder = data("wmt12")
    inputs = mt.TASK.read(folder / "ref.en", folder / "de-en")
    html = render(task_page(mt.TASK, inputs, mt.score(inputs, measures=["chrf", "bleu"])))
    assert len(html.encode()) < 4_000_000
    (tmp_path / "wmt.html").write_text(html, "utf-8")
    page = opened((tmp_path / "wmt.html").as_uri())
    page.locator(".filter").wait_for(timeout=60_000)
    assert page.locator(".strips a").count() == 3003
    for place in (0, 1500, 3002):
        page.locator(".strips a").nth(place).click()
        page.locator("article:target").wait_for()
        assert page.locator("article:target tr").count() == 17
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


@pytest.mark.skipif(not FIGURES, reason="set TOUCHSTONE_FIGURES to a folder to keep screenshots")
def test_screenshots_of_the_documentation_are_kept(reports, opened):
    for name, theme, height in (("lexsub", "light", 1180), ("lexsub", "dark", 1180), ("nli", "light", 1500)):
        page = opened(reports[name], 1100, color_scheme=theme)
        page.set_viewport_size({"width": 1100, "height": height})
        page.screenshot(path=str(Path(FIGURES) / f"report-{name}{'-dark' * (theme == 'dark')}.png"))
    page = opened(reports["lexsub"], 1100)
    page.locator(".strips a").nth(8).click()
    page.locator("article:target").wait_for()
    page.locator("#items").screenshot(path=str(Path(FIGURES) / "report-item.png"))
    page = opened(reports["lexsub"], 390)
    page.set_viewport_size({"width": 390, "height": 1000})
    page.screenshot(path=str(Path(FIGURES) / "report-phone.png"))
