// What the modules of all pages share: data, requests, elements, saving, messages, offsets.

/** The object that the server gave this page. */
export function pageData() {
  return JSON.parse(document.getElementById("page-data").textContent);
}

/** A request that was not carried out: what the server said, or that it could not be reached (status 0). */
export class ApiError extends Error {
  constructor(status, payload) {
    const error = payload?.error ?? {};
    super(error.message ?? "the server cannot be reached");
    this.status = status;
    this.code = error.code ?? "offline";
    this.hint = error.hint ?? null;
    this.problems = error.problems ?? [];
    this.payload = payload;
  }
}

/** Send a request and return the JSON of its answer, null where there is none. */
export async function api(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      redirect: "error",
    });
  } catch {
    throw new ApiError(0, null);
  }
  const text = await response.text();
  let payload = null;
  try {
    payload = text ? JSON.parse(text) : null;
  } catch {
    throw new ApiError(response.status || 0, null);
  }
  if (!response.ok) throw new ApiError(response.status, payload);
  return payload;
}

/** Make an element: el("button", {class: "button", on: {click}}, "text", child). Strings become text, never markup. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    } else if (name === "dataset") {
      Object.assign(element.dataset, value);
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Show a message for a while; errors stay until they are dismissed. */
export function toast(message, kind = "info") {
  const close = el("button", { type: "button", class: "button quiet", "aria-label": "Dismiss" }, "×");
  const note = el("div", { class: `toast ${kind}` }, el("span", {}, message), close);
  close.addEventListener("click", () => note.remove());
  document.getElementById("toasts").append(note);
  if (kind !== "error") setTimeout(() => note.remove(), 6000);
  return note;
}

/** The code points before a UTF-16 offset of a text: browsers count units, files count code points. */
export function codePoints(text, utf16Offset) {
  let count = 0;
  for (let place = 0; place < utf16Offset && place < text.length; count += 1) {
    place += text.codePointAt(place) > 0xffff ? 2 : 1;
  }
  return count;
}

/** The UTF-16 offset of a code point of a text. */
export function utf16(text, codePointOffset) {
  let place = 0;
  for (let count = 0; count < codePointOffset && place < text.length; count += 1) {
    place += text.codePointAt(place) > 0xffff ? 2 : 1;
  }
  return place;
}

/** List the keys of a page in a dialog that "?" opens: [{keys: "1", does: "yes"}, …]. Returns the dialog. */
export function keyHelp(rows) {
  const list = el(
    "dl",
    { class: "keys" },
    rows.map(({ keys, does }) => [el("dt", {}, el("kbd", {}, keys)), el("dd", {}, does)]),
  );
  const close = el("button", { type: "button", class: "button primary", autofocus: true }, "Close");
  const dialog = el("dialog", { class: "card", "aria-labelledby": "key-help-title" }, [
    el("h2", { id: "key-help-title" }, "Keys"),
    list,
    close,
  ]);
  close.addEventListener("click", () => dialog.close());
  document.body.append(dialog);
  document.addEventListener("keydown", (event) => {
    if (event.key === "?" && !isTyping(event.target) && !dialog.open) {
      event.preventDefault();
      dialog.showModal();
    }
  });
  return dialog;
}

/** Whether keys go into a field, and so are no commands. */
export function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=radio], [type=checkbox], [type=button]), textarea, select"));
}
