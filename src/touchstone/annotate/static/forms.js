// Forms that send their fields as JSON: <form data-api="/api/…" data-method="POST" data-then="/">.
import { api } from "./client.js";

function target(form) {
  if (form.dataset.then !== "next") return form.dataset.then;
  const next = new URLSearchParams(location.search).get("next") ?? "/";
  const url = new URL(next, location.origin);
  // A path that begins with two slashes would be taken for another site: "/.//a.example" becomes "//a.example".
  const inside = url.origin === location.origin && next.startsWith("/") && !url.pathname.startsWith("//");
  return inside ? url.pathname : "/";
}

function fields(form) {
  const body = Object.fromEntries(new FormData(form));
  if (form.dataset.token === "query") body.token = new URLSearchParams(location.search).get("token") ?? "";
  return body;
}

async function send(form) {
  const alert = form.querySelector("[role=alert]");
  const button = form.querySelector("button");
  alert.hidden = true;
  button.disabled = true;
  try {
    await api(form.dataset.method, form.dataset.api, fields(form));
    location.assign(target(form));
  } catch (error) {
    alert.textContent = [error.message, error.hint].filter(Boolean).join(": ");
    alert.hidden = false;
    button.disabled = false;
    form.querySelector("input:not([type=hidden])").focus();
  }
}

for (const form of document.querySelectorAll("form[data-api]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}

for (const button of document.querySelectorAll("[data-delete]")) {
  button.addEventListener("click", async () => {
    await api("DELETE", button.dataset.delete);
    location.reload();
  });
}
