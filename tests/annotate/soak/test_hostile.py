"""Whatever people write or upload stays text: no script runs, no page breaks, nothing takes the server down."""

import gzip
import html
import io
import json
import socket
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from touchstone.annotate.safety import COOKIE, MEGABYTE
from touchstone.tasks.mt.formats.lines import fits_a_line

from .conftest import refusal

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
SCRIPTS = (Path(__file__).parent / "hostile.txt").read_text().splitlines()
"""A hundred ways to have a script run; each would set ``window.hit``."""

ODD = [
    "\u202ereversed\u202c and \u2067isolated\u2069 \u200f\u200e",
    "שלום <b>عالم</b> \u202d123\u202e",
    "e\u0301" + "\u0316\u0317\u0318\u0319" * 60,
    "zero\u200b\u200c\u200d\ufeffwidth\u2028line\u2029paragraph",
    "🏳️‍🌈👩‍👩‍👧‍👦" * 40,
    "x" * 60_000,
    "ﷺ" * 2_000,
]
DOZEN = SCRIPTS[::9]
PLAIN = ["some words", "other words", "more words"]

TABS = ("", "#items", "#people", "#import", "#settings", "#log", "/guidelines")
"""Where the page of a project leads."""

PROBE = """
() => {
  const faults = window.hit === undefined ? [] : ["a script ran"];
  const tags = ["IFRAME", "OBJECT", "EMBED", "BASE", "MARQUEE", "MATH", "AUDIO", "VIDEO", "KEYGEN", "FRAME"];
  for (const element of document.querySelectorAll("*")) {
    if (tags.includes(element.tagName)) faults.push(element.outerHTML.slice(0, 200));
    for (const {name, value} of element.attributes)
      if (name.startsWith("on") || (/^(href|src|action|formaction)$/.test(name) && /^\\s*javascript:/i.test(value)))
        faults.push(`${name}=${value.slice(0, 200)}`);
  }
  return faults;
}
"""


def visited(visits):
    """Open pages in a real Chromium, each for somebody; return what went wrong on them."""
    # In a thread of its own, as another Chromium may be at work in this one.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(_visited, visits).result()


def _visited(visits):
    from playwright.sync_api import sync_playwright

    faults = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        pages = {}
        for client, address in visits:
            if client not in pages:
                pages[client] = _page(browser, client, faults)
            pages[client].goto(address, wait_until="load")
            if "/projects/" in address or address.endswith(("/users", "/audit")):
                pages[client].wait_for_load_state("networkidle")  # these ask for more once they are there
            faults += [f"{address}: {one}" for one in pages[client].evaluate(PROBE)]
        browser.close()
    return faults


def _page(browser, client, faults):
    context = browser.new_context()
    if client is not None:
        context.add_cookies([{"name": COOKIE, "value": client.cookies[COOKIE], "url": str(client.base_url)}])
    context.set_default_timeout(300_000)
    page = context.new_page()
    page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
    page.on("console", lambda said: faults.append(f"{page.url}: {said.text}") if _is_fault(said) else None)
    page.on("response", lambda got: faults.append(f"{got.status} {got.url}") if got.status >= 500 else None)
    return page


def _is_fault(said):
    return said.type == "error" and "Failed to load resource" not in said.text


def lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def in_path(text):
    return text.replace("/", "|")[:80]


def files_of(task, texts):
    """Return files for a task in which every text is hostile, and every name."""
    if task == "nli":
        rows = [{"id": one[:500], "premise": one, "hypothesis": f"{one} too", "category": one[:60]} for one in texts]
        return {f"{in_path(texts[0])}.jsonl": lines(rows)}
    if task == "lexsub":
        rows = [{"id": one[:500], "target": one, "pos": "a", "left": one, "head": one, "right": one} for one in texts]
        return {f"{in_path(texts[0])}.jsonl": lines(rows)}
    if task == "mt":
        rows = [
            {"segment": one[:500], "system": texts[0][:60], "hypothesis": one, "references": [one]} for one in texts
        ]
        return {f"{in_path(texts[0])}.jsonl": lines(rows)}
    # Only what would end a line of text is taken out: a line holds one.
    plain = "\n".join(one.replace("\u2028", " ").replace("\u2029", " ") for one in texts)
    folder = in_path(texts[0]).replace(" ", "_")
    return {f"{folder}/{in_path(texts[0])}.txt": plain, f"{folder}/b.txt": plain, f"{folder}/peers/p.txt": plain}


def body_of(answer, text):
    """Return a finished body for an answer, with the text wherever a text can be."""
    task, view = answer["task"], answer["item"]["view"]
    if task == "nli":
        return {"q1": True, "q2": False, "q3": False}
    if task == "lexsub":
        word = text.replace(";", ",").replace("\n", " ")[:90]
        return {"substitutes": [f"{word} 1", f"{word} 2"], "none": False}
    if task == "mt":
        return {"adequacy": 3, "fluency": 4}
    return _pyramid_body(answer["body"], view, view["kind"])


def _pyramid_body(body, view, kind):
    """Return a document with a unit for every line of the first summary, named as the line is."""
    marks, start = [], 0
    first = view["summaries"][0] if kind == "pyramid" else {"start": 0, "end": float("inf")}
    for line in view["lines"]:
        if line.strip() and first["start"] <= start < first["end"]:
            part = {"label": line, "start": start, "end": start + len(line)}
            number = len(marks) + 1
            marks.append({"id": f"c{number}", "label": line, "comment": line[:5_000], "parts": [part]})
        start += len(line) + 1
    numbers = {"unit": body["next"]["unit"], "contributor": len(marks) + 1}
    if kind == "peer":
        units = [{**unit, "contributors": []} for unit in body["units"]]
        for unit, mark in zip([one for one in units if one["uid"] != "0"], marks, strict=False):
            unit["contributors"] = [mark]
        return {**body, "units": units, "next": numbers}
    units = [
        {"uid": str(n), "label": one["label"], "comment": one["comment"], "contributors": [one]}
        for n, one in enumerate(marks, 1)
    ]
    return {**body, "units": units, "next": {**numbers, "unit": len(units) + 1}}


def saved(client, answer, text):
    """Finish an answer, with a hostile comment and a hostile word for the history."""
    body = body_of(answer, text)
    whole = {"version": answer["version"], "key": "hostile-1", "body": body, "done": True}
    whole |= {"comment": text[:10_000], "change": text[:2_000]}
    response = client.put(f"/api/answers/{answer['id']}", json=whole)
    assert response.status_code == 200, response.text
    return answer["id"]


def annotated(site, admin, task, texts, tabs):
    """Import texts, have them annotated by two people and adjudicated; return the project and the pages to look at."""
    name = f"{len(texts)} {task} {texts[0]}"[:190]
    project = site.project(admin, task, files_of(task, texts), name, note="\n".join(texts)[:20_000])
    people = site.people(2, project=project, names=[texts[1][:100], texts[-1][:100]])
    site.assign(admin, project, people)
    visits = []
    while answer := people[0].next(project):
        visits.append((people[0], f"{site.url}/answers/{saved(people[0], answer, texts[0])}"))
        if answer["item"]["kind"] == "pyramid":
            assert admin.post(f"/api/answers/{answer['id']}/publish").status_code == 200
        saved(people[1], people[1].post(f"/api/items/{answer['item_id']}/answer").json(), texts[1])
        adjudicated = admin.post(f"/api/items/{answer['item_id']}/adjudication", json={"from_answer_id": answer["id"]})
        assert adjudicated.status_code == 201, adjudicated.text
        saved(admin, adjudicated.json(), texts[-1])
        visits.append((admin, f"{site.url}/items/{answer['item_id']}/adjudicate"))
    visits += [(people[0], f"{site.url}{path}") for path in ("/", "/account", f"/projects/{project}/work")]
    return project, [*visits, *((admin, f"{site.url}/projects/{project}{tab}") for tab in tabs)]


def exported(admin, project, folder):
    response = admin.get(f"/api/projects/{project}/export", timeout=120)
    assert response.status_code == 200, response.text
    zipfile.ZipFile(io.BytesIO(response.content)).extractall(folder)
    inside = [path.resolve().is_relative_to(folder.resolve()) for path in folder.rglob("*")]
    assert inside, "an export has files"
    assert all(inside)


def report_of(task, folder, files):
    """Score what was exported, as ``touchstone TASK score … --report`` does; return the report."""
    people = sorted((folder / "annotators").iterdir()) if task != "mt" else []
    if task == "mt":
        rows = [row for row in next(iter(files.values())).split("\n")[:-1] if fits_a_line(json.loads(row)["segment"])]
        (folder / "table.jsonl").write_text("\n".join(rows))  # other names are refused with a sentence
        given = [folder / "table.jsonl", "--measure", "bleu"]
    elif task == "pyramid":
        given = [people[0]]
    else:
        given = [folder / "gold.jsonl", _predictions(people[0]) if task == "nli" else people[0]]
    report = folder / "report.html"
    words = [sys.executable, "-m", "touchstone", task, "score", *map(str, given), "--report", str(report)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return report


def _predictions(file):
    """Write what an annotator said of pairs as a system's predictions."""
    rows = [json.loads(line) for line in file.read_text().strip().split("\n")]
    out = file.with_name("as-system.jsonl")
    out.write_text(lines({"id": row["pair"], "label": "entailment"} for row in rows))
    return out


def check_harmless(site, admin, tasks, texts, folder, tabs=TABS):
    """Take texts through import, pages, export and report; return how many pages were looked at."""
    visits = []
    for task in tasks:
        (folder / task).mkdir()
        project, shown = annotated(site, admin, task, texts, tabs)
        exported(admin, project, folder / task)
        report = report_of(task, folder / task, files_of(task, texts))
        assert texts[0] not in report.read_text(), "markup must not stand in a report as it came"
        visits += [*shown, (None, report.as_uri())]
    visits += [(admin, f"{site.url}{path}") for path in ("/", "/users", "/audit", "/projects/new")]
    assert visited(visits) == []
    assert "Traceback" not in site.log
    return len(visits)


needs_browser = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no browser: {CHROMIUM} is not installed")
TASKS = ("nli", "lexsub", "mt", "pyramid")


@needs_browser
def test_hostile_words_are_shown_as_words(shared, tmp_path, record_property):
    texts = [" ".join(DOZEN), ODD[0]]
    pages = check_harmless(*shared("sqlite"), ("nli", "pyramid"), texts, tmp_path, ("#items", "#log"))
    record_property("said", f"hostile: {len(DOZEN)} strings on {pages} pages, no script ran")


@needs_browser
@pytest.mark.soak
@pytest.mark.parametrize("task", TASKS)
def test_a_hundred_injections_run_nowhere(task, shared, tmp_path, record_property):
    assert len(set(SCRIPTS)) == 100
    pages = check_harmless(*shared("sqlite"), [task], [*SCRIPTS, *ODD], tmp_path)
    record_property("said", f"hostile, {task}: {len(SCRIPTS)} strings on {pages} pages, no script ran")


def bombs(port):
    """Return uploads that would grow, reach out, or never end, by task and name."""
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    entities = f'<!DOCTYPE pyramid [<!ENTITY l0 "ha">{laughs}]>'
    outside = '<!DOCTYPE pyramid [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    remote = f'<!DOCTYPE pyramid [<!ENTITY % x SYSTEM "http://127.0.0.1:{port}/x.dtd"> %x;]>'
    square = f'<!DOCTYPE pyramid [<!ENTITY a "{"a" * 100_000}">]>'
    pyramid = "<pyramid><text><line>{}</line></text></pyramid>"
    peer = f"<peerAnnotation>{pyramid}<annotation><text><line>x</line></text></annotation></peerAnnotation>"
    corpus = (
        '<corpus lang="english"><lexelt item="a.a"><instance id="1"><context>{}</context></instance></lexelt></corpus>'
    )
    deep = "[" * 100_000 + "]" * 100_000
    for task, name, form in (
        ("pyramid", "D1.pyr", pyramid),
        ("pyramid", "1.D1.M.250.A.1.pan", peer),
        ("lexsub", "s.xml", corpus),
    ):
        yield task, name, entities + form.format("&l11;")
        yield task, name, outside + form.format("&x;")
        yield task, name, remote + form.format("x")
        yield task, name, square + form.format("&a;" * 10_000)
        yield task, name, "<a>" * 200_000
        yield task, name, form.format("\x00")
        yield task, name, b"\xff\xfe\x00"
    for task, name in (("nli", "p.jsonl"), ("lexsub", "s.jsonl"), ("mt", "t.jsonl"), ("pyramid", "p.json")):
        yield task, name, deep
        yield task, name, '{"id": "\\ud800", "premise": "\\udfff"}'
        yield task, name, '{"id": ' + "9" * 100_000 + "}"
        yield task, name, gzip.compress(b"0" * 50 * MEGABYTE)
        yield task, f"{name}.gz", gzip.compress(b"0" * 50 * MEGABYTE)
        yield task, f"../../{name}", "{}"
        yield task, name, b"\x00" * 1000
    nul = {"id": "a\0b", "premise": "a\0b", "hypothesis": "b\0", "target": "a\0b", "head": "a\0", "segment": "1\0"}
    nul |= {"system": "s\0", "hypothesis": "h\0", "reference": "r\0"}
    for task, name in (("nli", "p.jsonl"), ("lexsub", "s.jsonl"), ("mt", "t.jsonl")):
        yield task, name, json.dumps(nul)
    yield "pyramid", "D1/a.txt", "a\0b"
    yield "pyramid", "D1/peers/a.txt", "no pyramid"


def memory_mb(process):
    """Return the most memory that a process ever had."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1000


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.soak)])
def test_bombs_and_broken_files_are_refused_with_a_sentence(kind, shared, importing, record_property):
    site, admin = shared(kind)
    projects = {task: site.project(admin, task, files_of(task, PLAIN)) for task in TASKS}
    counts = [admin.get(f"/api/projects/{one}/items").json()["total"] for one in projects.values()]
    before, began, tried = memory_mb(site.process), time.monotonic(), 0
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        for task, name, content in bombs(listener.getsockname()[1]):
            response = importing(admin, projects[task], {name: content})
            tried += 1
            error = refusal(admin, projects[task], response)
            assert error["message"], (task, name, content[:200])
            assert "root:" not in str(error)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert [admin.get(f"/api/projects/{one}/items").json()["total"] for one in projects.values()] == counts
    grown, took = memory_mb(site.process) - before, time.monotonic() - began
    record_property("said", f"bombs, {kind}: {tried} refused in {took:.1f} s, {grown:.0f} MB more memory")
    assert grown < 500
    assert "Traceback" not in site.log


def test_more_than_an_import_may_hold_is_refused_before_it_is_read(shared):
    site, admin = shared("sqlite")
    project = site.project(admin, "nli", files_of("nli", PLAIN))
    path, kind = f"/api/projects/{project}/imports", {"Content-Type": "application/json"}
    many = (b" " * MEGABYTE for _ in range(70))
    assert admin.post(path, content=many, headers=kind).status_code == 413
    packed = gzip.compress(b" " * 70 * MEGABYTE)
    response = admin.post(path, content=packed, headers={**kind, "Content-Encoding": "gzip"})
    assert response.status_code == 400, "nothing is unpacked on the way in"
    files = [{"name": f"{n}.jsonl", "content": ""} for n in range(3_000)]
    assert admin.post(path, json={"files": files}).status_code == 422


STRANGE = [
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"version": ' + b"9" * 10_000 + b"}",
    b'{"version": 1e400, "key": "aaaaaaaa", "body": null}',
    b'{"version": 99999999999999999999, "key": "aaaaaaaa", "body": {}}',
    b'{"version": 0, "key": "aaaaaaaa", "body": {"q1": true, "q2": "\\u0000", "q3": false}}',
    b'{"version": 0, "key": "aaaaaaaa", "body": {"q1": true, "q2": "\\ud800", "q3": false}}',
    b'{"version": 0, "key": "aaaaaaaa", "body": ' + b"[" * 900 + b"]" * 900 + b"}",
    b'{"version": 0, "key": "aaaaaaaa", "body": {}, "restores": 99999999999999999999}',
    b'{"version": 0, "key": "aaaaaaaa", "body": {"q1": 99999999999999999999}}',
    b'{"version": 0, "key": "aaaaaaaa", "body": {}, "comment": "' + b"x" * 20_000 + b'"}',
    b"\xff\xfe",
    b"\xef\xbb\xbf{}",
    b"",
]


@pytest.mark.parametrize("task", ["nli", "pyramid"])
def test_strange_bodies_are_refused_with_a_sentence(kind, task, shared):
    site, admin = shared(kind)
    project = site.project(admin, task, files_of(task, PLAIN))
    (ann,) = site.people(1, project=project)
    site.assign(admin, project, [ann])
    answer = ann.next(project)
    paths = [("PUT", f"/api/answers/{answer['id']}"), ("POST", f"/api/answers/{answer['id']}/check")]
    paths += [("POST", f"/api/answers/{answer['id']}/read"), ("POST", "/api/session")]
    paths += [("POST", f"/api/projects/{project}/assignments"), ("PATCH", f"/api/projects/{project}")]
    for method, path in paths:
        for content in STRANGE:
            response = admin.request(method, path, content=content, headers={"Content-Type": "application/json"})
            if path.endswith(str(answer["id"])) or "/check" in path or "/read" in path:
                response = ann.request(method, path, content=content, headers={"Content-Type": "application/json"})
            checked = "/check" in path and response.status_code == 200 and response.json()["problems"]
            assert checked or 400 <= response.status_code < 500, (method, path, content[:80], response.text)
    assert ann.get(f"/api/answers/{answer['id']}").json()["version"] == 0
    assert "Traceback" not in site.log


def test_strange_addresses_and_headers_are_answered_with_a_refusal(kind, shared):
    site, admin = shared(kind)
    huge = "99999999999999999999999"
    paths = [
        *(f"/api/{what}/{huge}" for what in ("answers", "items", "projects")),
        *(f"/{what}/{huge}" for what in ("answers", "projects")),
        f"/api/projects/{huge}/work",
        f"/api/projects/{huge}/export",
        f"/api/answers/1/revisions?before={huge}",
        f"/api/answers/1/revisions/{huge}",
        f"/api/audit?before={huge}",
        f"/api/audit?before=-{huge}",
        "/api/answers/%00",
        "/api/invitations/%00%ff",
        "/invitation/%00",
        "/%ff%fe",
        "/static/%00",
        "/static/../../../etc/passwd",
        "/static/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/login?next=%00",
        "/api/answers/-1",
    ]
    for path in paths:
        response = admin.get(path)
        assert response.status_code < 500, (path, response.text)
        assert "root:" not in response.text
    project = site.project(admin, "nli", files_of("nli", PLAIN))
    assert admin.get(f"/api/projects/{project}/items?offset={huge}").status_code < 500
    for origin in ("http://[::1", "http://[x]", "\\", "http://a:b:c"):
        refused = admin.post("/api/projects", json={}, headers={"Origin": origin})
        assert refused.status_code == 403, (origin, refused.text)
    for cookie in (f"{COOKIE}=", f'{COOKIE}="x', f"{COOKIE}={'x' * 5_000}", "=;=;;"):
        assert site.nobody(Cookie=cookie).get("/api/me").status_code == 401
    assert "Traceback" not in site.log


def test_escaped_text_of_a_page_reads_as_it_was_written(shared):
    site, admin = shared("sqlite")
    name = f"escaped {SCRIPTS[0]}"
    site.project(admin, "nli", files_of("nli", PLAIN), name)
    page = admin.get("/").text
    assert html.escape(name) in page
    assert name not in page
