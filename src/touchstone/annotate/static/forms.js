// Forms that send their fields as JSON: <form data-api="/api/…" data-method="POST" data-then="/">.
import { ApiError, api, find } from "./client.js";

/** @param {HTMLFormElement} form */
function target(form) {
  const then = form.dataset.then ?? "/";
  if (then !== "next") return then;
  const next = new URLSearchParams(location.search).get("next") ?? "/";
  const url = new URL(next, location.origin);
  // A path that begins with two slashes would be taken for another site: "/.//a.example" becomes "//a.example".
  const inside = url.origin === location.origin && next.startsWith("/") && !url.pathname.startsWith("//");
  return inside ? url.pathname : "/";
}

/** @param {HTMLFormElement} form */
function fields(form) {
  const body = Object.fromEntries(new FormData(form));
  if (form.dataset.token === "query") body.token = new URLSearchParams(location.search).get("token") ?? "";
  return body;
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const alert = find(form, "[role=alert]");
  const button = find(form, "button", HTMLButtonElement);
  alert.hidden = true;
  button.disabled = true;
  try {
    await api(form.dataset.method ?? "POST", form.dataset.api ?? "", fields(form));
    location.assign(target(form));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const said = [error.message, error.hint].filter(Boolean).join(": ");
    alert.textContent = `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
    alert.hidden = false;
    button.disabled = false;
    /** @type {HTMLElement | null} */ (form.querySelector("input:not([type=hidden])"))?.focus();
  }
}

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-api]"))) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}

for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-delete]"))) {
  button.addEventListener("click", async () => {
    await api("DELETE", button.dataset.delete ?? "");
    location.reload();
  });
}
