"""Every page: nothing serious for axe, and no page wider than its window; with a variable set, a screenshot of each.

axe-core comes from npm (`npm --prefix frontend ci`); without it these checks are skipped. With `-m soak` each page is
checked at three widths, light and dark, and the folder that TOUCHSTONE_SCREENSHOTS names gets a picture of each.
"""

import os
from importlib.resources import files
from pathlib import Path

import pytest

AXE = Path(__file__).parents[3] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
SHOTS = os.environ.get("TOUCHSTONE_SCREENSHOTS")
EXAMPLES = files("touchstone.examples")
WIDTHS = (390, 1280, 1920)
TABS = ("overview", "items", "people", "import", "scores", "settings", "log")
RANKING = "segment\tsystem\thypothesis\treference\tsource\n" + "".join(
    f"1\ts{number}\t{text}\tThe cat sleeps.\tLe chat dort.\n"
    for number, text in enumerate(("The cat sleeps.", "Cat is asleep.", "The dog sleeps."))
)
SENTENCE = '{"id": "bright.a 1", "target": "bright", "pos": "a", "left": "A", "head": "bright", "right": "day."}\n'


def work_on(site, task, files, **settings):
    """Give somebody's path to the first item of a project of that task, and the person."""
    project, name = site.project(task, files, **settings)
    person = site.person("annotator", name, "Ann")
    site.assigned(project, person)
    return f"/answers/{person.next(project)['id']}", person


@pytest.fixture
def pages(site, pairs):
    """Give the paths of all pages by name, each with who opens it."""
    admin = site.admin
    folder = EXAMPLES / "pyramid"
    found = {"login": ("/login", None), "home": ("/", admin), "account": ("/account", admin)}
    found |= {"users": ("/users", admin), "audit": ("/audit", admin), "project_new": ("/projects/new", admin)}
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann, bob = site.person("annotator", name, "Ann"), site.person("annotator", name, "Bob")
    site.assigned(project, ann, bob)
    for place, person in enumerate((ann, bob)):
        person.save(person.next(project), {"q1": True, "q2": bool(place), "q3": False}, done=True)
    item = admin.get(f"/api/projects/{project}/items").json()["items"][0]["id"]
    found |= {f"project_{tab}": (f"/projects/{project}#{tab}", admin) for tab in TABS}
    found |= {"adjudicate": (f"/items/{item}/adjudicate", admin)}
    found |= {"guidelines": (f"/projects/{project}/guidelines", ann)}
    found |= {"nli": (f"/answers/{ann.next(project)['id']}", ann)}
    found["lexsub"] = work_on(site, "lexsub", {"s.jsonl": SENTENCE})
    found["mt"] = work_on(site, "mt", {"r.tsv": RANKING}, judgement="ranking", at_once=3)
    pyramid = {"T01.pyr": (folder / "T01.pyr").read_bytes()}
    found["pyramid"] = work_on(site, "pyramid", pyramid)
    return found


def looked_at(page, name, theme, widths):
    """Return what is wrong with a page; keep a picture of it where they are wanted."""
    page.wait_for_load_state("networkidle")
    wrong = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 844 if width == 390 else 900})
        wide = page.evaluate("document.documentElement.scrollWidth")
        wrong += [f"{name} is {wide} wide in a window of {width}"] if wide > width else []
        if SHOTS:
            page.screenshot(path=str(Path(SHOTS) / f"{name}-{width}-{theme}.png"))
        found = page.evaluate("async () => (await axe.run()).violations")
        wrong += [
            f"{name} at {width}, {theme}: {one['id']} {one['nodes'][0]['html'][:160]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
    return wrong


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm --prefix frontend ci")
def test_no_page_has_a_serious_fault_for_axe_or_is_wider_than_a_phone(pages, page_of):
    check(pages, page_of, "light", WIDTHS[:1])


@pytest.mark.soak
@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm --prefix frontend ci")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_has_a_serious_fault_for_axe_at_any_width(pages, page_of, theme):
    check(pages, page_of, theme, WIDTHS)


def check(pages, page_of, theme, widths):
    wrong = []
    for name, (path, person) in pages.items():
        page = page_of(person, path, theme=theme, bypass_csp=True)
        page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
        wrong += looked_at(page, name, theme, widths)
        page.close()
    assert not wrong, "\n".join(wrong)
