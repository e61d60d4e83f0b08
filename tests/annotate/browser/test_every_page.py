"""Pages: nothing serious for axe, and no page wider than its window; with a variable set, a screenshot of each.

axe-core comes from npm (`npm --prefix frontend ci`); without it these checks are skipped. With `-m soak` every page is
checked at three widths, light and dark, and the folder that TOUCHSTONE_SCREENSHOTS names gets a picture of each.
"""

import os
from importlib.resources import files
from pathlib import Path
from random import Random

import pytest

from touchstone.annotate.pyramid.exchange import document_of
from touchstone.annotate.pyramid.json_form import document_json
from touchstone.annotate.settings import database_url
from touchstone.pyramid import read

from ..pyramid.perturbing import ALL_STEPS, perturbed

AXE = Path(__file__).parents[3] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
SHOTS = os.environ.get("TOUCHSTONE_SCREENSHOTS")
EXAMPLES = files("touchstone.examples")
WIDTHS = (390, 1280, 1920)
SHORT = ("login", "mine", "project_scores", "nli", "pyramid", "pyramid_adjudication")
"""Pages that are checked each time; the others have parts of these."""
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
def pages(site, pairs, start_server, tmp_path):
    """Give the paths of all pages by name, each with who opens it."""
    admin = site.admin
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
    found |= {"guidelines": (f"/projects/{project}/guidelines", ann), "mine": (f"/projects/{project}/mine", ann)}
    found |= {"nli": (f"/answers/{ann.next(project)['id']}", ann)}
    found["lexsub"] = work_on(site, "lexsub", {"s.jsonl": SENTENCE})
    found["mt"] = work_on(site, "mt", {"r.tsv": RANKING}, judgement="ranking", at_once=3)
    found |= public_pages(site, start_server(database_url(str(tmp_path / "empty.sqlite"))))
    return found | learning_pages(site, pairs) | pyramid_pages(site)


def public_pages(site, empty):
    """Give the pages of people without an account, and of those who ask for what is not there."""
    invited = site.admin.post("/api/invitations", json={"email": "new@example.org"}).json()
    reset = site.admin.post(f"/api/accounts/{site.person('annotator').id}/reset").json()
    return {
        "setup": (f"{empty.url}/setup", None),
        "invitation": (invited["url"], None),
        "reset": (reset["url"], None),
        "error": ("/projects/99999", site.admin),
    }


def learning_pages(site, pairs):
    """Give the pages of somebody who learns, and of somebody who has nothing to do."""
    project, name = site.project("nli")
    site.imported(project, {"known.jsonl": pairs}, purpose="training")
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann)
    answer = ann.next(project)
    ann.save(answer, {"q1": True, "q2": False, "q3": False}, done=True)
    idle = site.person("annotator", site.project("nli", {"pairs.jsonl": pairs})[1], "Ida")
    nothing = f"/projects/{idle.get('/api/projects').json()['projects'][0]['id']}/work"
    return {"feedback": (f"/answers/{answer['id']}/feedback", ann), "nothing_to_do": (nothing, idle)}


def pyramid_pages(site):
    """Give the pages of a pyramid that two people built, of its review and adjudication, and of a peer."""
    folder = EXAMPLES / "pyramid"
    file = {"T01.pyr": (folder / "T01.pyr").read_bytes()}
    project, name = site.project("pyramid", file)
    people = [site.person("annotator", name, called) for called in ("Ann", "Bob")]
    site.assigned(project, *people)
    document = document_of(read(folder / "T01.pyr"))
    for person, side in zip(people, (document, perturbed(document, Random(5), ALL_STEPS, 0.8)), strict=True):
        answer = person.next(project)
        assert person.save(answer, document_json(side), done=True).status_code == 200
    reviewer = site.person("reviewer", name, "Rea")
    review = reviewer.post(f"/api/answers/{answer['id']}/review").json()
    peer = {**file, "T01/peers/heron.txt": "\n".join(read(folder / "eve.T01.M.60.A.heron.pan").lines)}
    other, other_name = site.project("pyramid", peer)
    cleo = site.person("annotator", other_name, "Cleo")
    site.assigned(other, cleo, kind="peer")
    return {
        "pyramid": work_on(site, "pyramid", file),
        "pyramid_finished": (f"/answers/{answer['id']}", people[1]),
        "pyramid_review": (f"/answers/{review['id']}", reviewer),
        "pyramid_adjudication": (f"/items/{answer['item_id']}/adjudicate", reviewer),
        "peer": (f"/answers/{cleo.next(other)['id']}", cleo),
    }


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
    check({name: pages[name] for name in SHORT}, page_of, "light", WIDTHS[:1])


@pytest.mark.soak
@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm --prefix frontend ci")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_has_a_serious_fault_for_axe_at_any_width(pages, page_of, theme):
    check(pages, page_of, theme, WIDTHS)


def check(pages, page_of, theme, widths):
    wrong = []
    for name, (path, person) in pages.items():
        page = page_of(person, path, theme=theme, bypass_csp=True)
        if name == "pyramid_adjudication":
            page.get_by_role("button", name="Compare and decide").click()
            page.locator("#decision-title").wait_for()
            for key in ("1", "k"):  # take one side, and go back to the decision, which looks different now
                page.keyboard.press(key)
            page.get_by_role("button", name="✓ Taken").wait_for()
        page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
        wrong += looked_at(page, name, theme, widths)
        page.close()
    assert not wrong, "\n".join(wrong)
