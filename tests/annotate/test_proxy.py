"""The examples of the documentation work: nginx with HTTPS in front of the server, and its settings."""

import json
import os
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from touchstone.annotate.configuring import configured
from touchstone.annotate.hosts import allowed_hosts
from touchstone.annotate.settings import database_url

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = DOCS / "examples"
NAME = "annotate.example.org"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
PATIENCE_S = 600

needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed: apt-get install nginx-light")

MAIN = """
daemon off;
{user}
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{example}
}}
"""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def answers(port):
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def certified(folder):
    """Make a certificate for the name of the example."""
    key, certificate = folder / "annotate.key", folder / "annotate.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    words += ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    return key, certificate


def adapted(folder, port, behind):
    """Give the example with the ports and files of this test in place of its own."""
    key, certificate = certified(folder)
    text = (EXAMPLES / "nginx.conf").read_text()
    for old, new in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/ssl/annotate.pem", str(certificate)),
        ("/etc/ssl/annotate.key", str(key)),
        ("http://127.0.0.1:8000", behind),
    ):
        assert old in text
        text = text.replace(old, new)
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "nginx.conf").write_text(MAIN.format(user=user, folder=folder, example=text))
    return certificate


class Proxied:
    """A server behind nginx."""

    def __init__(self, site, port, certificate):
        self.site, self.port = site, port
        self.url = f"https://{NAME}:{port}"
        self.trust = ssl.create_default_context(cafile=str(certificate))

    def client(self, sni=NAME, host=None, address="127.0.0.2", **headers):
        """Give a browser on another address, which finds the name at the port of this test."""
        transport = httpx.HTTPTransport(verify=self.trust, local_address=address)
        headers = {"Host": host or f"{NAME}:{self.port}", "Origin": self.url, **headers}
        made = httpx.Client(
            base_url=f"https://127.0.0.1:{self.port}", headers=headers, transport=transport, timeout=300
        )
        made.event_hooks["request"].append(lambda request: request.extensions.update(sni_hostname=sni))
        return self.site.stack.enter_context(made)


@pytest.fixture
def proxied(start_server, tmp_path):
    """Give a server as it is started with ``--name``, and nginx with the example in front of it."""
    hosts = allowed_hosts("127.0.0.1", [NAME])
    site = start_server(database_url(str(tmp_path / "site.sqlite")), behind_proxy=True, hosts=hosts)
    port = free_port()
    certificate = adapted(tmp_path, port, site.url)
    with (tmp_path / "nginx.log").open("wb") as log:
        process = subprocess.Popen([NGINX, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")], stderr=log)
    try:
        until = time.monotonic() + PATIENCE_S
        while not answers(port):
            assert process.poll() is None, (tmp_path / "nginx.log").read_text()
            assert time.monotonic() < until, "nginx did not start in time"
            time.sleep(0.05)
        yield Proxied(site, port, certificate)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


@needs_nginx
def test_somebody_logs_in_through_the_proxy_with_a_secure_cookie_from_their_own_address(proxied, password):
    person = proxied.site.person()
    client = proxied.client(**{"X-Forwarded-For": "203.0.113.9"})
    response = client.post("/api/session", json={"email": person.email, "password": password})
    assert response.status_code == 200, response.text
    assert "secure" in response.headers["set-cookie"].lower()
    client.headers["Cookie"] = response.headers["set-cookie"].partition(";")[0]
    sessions = client.get("/api/me/sessions").json()["sessions"]
    assert [row["address"] for row in sessions if row["current"]] == ["127.0.0.2"]
    assert client.get("/").status_code == 200


@needs_nginx
def test_other_host_names_are_refused_in_front_and_behind(proxied):
    assert proxied.client().get("/api/health").status_code == 200
    for names in ({"sni": "elsewhere.example"}, {"host": "elsewhere.example"}):
        with pytest.raises(httpx.TransportError):
            proxied.client(**names).get("/api/health")
    assert httpx.get(f"{proxied.site.url}/api/health", headers={"Host": "elsewhere.example"}).status_code == 403


@needs_nginx
def test_links_that_the_server_makes_lead_through_the_proxy(proxied):
    admin = proxied.client(Cookie=f"touchstone_session={proxied.site.admin.cookies['touchstone_session']}")
    made = admin.post("/api/invitations", json={"email": "new@example.org"})
    assert made.json()["url"].startswith(f"{proxied.url}/invitation/")


@needs_nginx
def test_another_site_changes_nothing_through_the_proxy(proxied):
    cookie = f"touchstone_session={proxied.site.admin.cookies['touchstone_session']}"
    for origin in ("https://elsewhere.example", f"http://{NAME}:{proxied.port}", proxied.site.url):
        client = proxied.client(Cookie=cookie, Origin=origin)
        assert client.post("/api/projects", json={"name": "x", "task": "nli"}).status_code == 403


@needs_nginx
def test_an_import_of_some_megabytes_passes_the_proxy(proxied):
    from tests.annotate.conftest import as_base64

    rows = [{"id": f"p{n}", "premise": f"premise {n} " + "x" * 2_000, "hypothesis": "h"} for n in range(2_000)]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    project, _ = proxied.site.project("nli")
    admin = proxied.client(Cookie=f"touchstone_session={proxied.site.admin.cookies['touchstone_session']}")
    files = [{"name": "p.jsonl", "content": as_base64(content)}]
    response = admin.post(f"/api/projects/{project}/imports", json={"files": files})
    assert response.is_success, response.text
    assert len(response.request.content) > 5_000_000


@needs_nginx
def test_metrics_are_not_for_whoever_comes_through_the_proxy(proxied):
    for address in ("127.0.0.1", "127.0.0.2"):
        assert proxied.client(address=address).get("/api/metrics").status_code == 403


@pytest.mark.parametrize("name", ["nginx.conf", "annotate.toml", "touchstone.service"])
def test_the_documentation_shows_the_examples_as_they_are(name):
    assert f"```\n{(EXAMPLES / name).read_text()}```" in (DOCS / "annotate.md").read_text()


def test_the_settings_of_the_example_can_be_read():
    found = configured({}, EXAMPLES / "annotate.toml", {})
    assert (found.names, found.workers, found.url.startswith("postgresql+psycopg://")) == ((NAME,), 2, True)
