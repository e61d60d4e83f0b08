// What the modules of all pages share: data, requests, elements, messages.
/** @import { Attributes, Children, KeyRow, Problem } from "./types.js" */

/**
 * The element with this id, of this kind; pages are made so that it is there.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export function part(id, kind) {
  return checked(document.getElementById(id), id, kind);
}

/**
 * The first element that a selector finds, of this kind.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {ParentNode} inside
 * @param {string} selector
 * @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export function find(inside, selector, kind) {
  return checked(inside.querySelector(selector), selector, kind);
}

/**
 * Every element that a selector finds.
 * @param {ParentNode} inside
 * @param {string} selector
 */
export function findAll(inside, selector) {
  return [...inside.querySelectorAll(selector)].filter((element) => element instanceof HTMLElement);
}

/**
 * @template {HTMLElement} Kind
 * @param {Element|null} element
 * @param {string} name
 * @param {new () => Kind} [kind]
 */
function checked(element, name, kind) {
  if (!(element instanceof (kind ?? HTMLElement))) throw new Error(`the page has no ${name}`);
  return /** @type {Kind} */ (element);
}

/**
 * The nearest element around the target of an event that fits a selector, or null.
 * @param {Event} event
 * @param {string} selector
 */
export function closest(event, selector) {
  const { target } = event;
  return target instanceof Element ? /** @type {HTMLElement|null} */ (target.closest(selector)) : null;
}

/**
 * The object that the server gave this page.
 * @template Data
 * @returns {Data}
 */
export function pageData() {
  return JSON.parse(part("page-data").textContent ?? "null");
}

/** A request that was not carried out: what the server said, or that it could not be reached (status 0). */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {any} payload  the JSON of the answer
   */
  constructor(status, payload) {
    const error = payload?.error ?? {};
    super(error.message ?? "the server cannot be reached");
    this.status = status;
    /** @type {string} */
    this.code = error.code ?? "offline";
    /** @type {string|null} */
    this.hint = error.hint ?? null;
    /** @type {Problem[]} */
    this.problems = error.problems ?? [];
    this.payload = payload;
  }
}

/**
 * Send a request and return the JSON of its answer, null where there is none.
 * @template Result
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<Result>}
 */
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

/**
 * Make an element: el("button", {class: "button", on: {click}}, "text", child). Strings become text, never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {Children[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, attributes = {}, ...children) {
  const { on = {}, dataset = {}, ...plain } = attributes;
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(plain)) {
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [event, handler] of Object.entries(on)) element.addEventListener(event, handler);
  Object.assign(element.dataset, dataset);
  element.append(...shown(children));
  return element;
}

/**
 * Something that is scrolled where it is too large, with the keyboard too.
 * @param {string} name  for those who do not see it
 * @param {Children} content
 * @param {string} [kind]
 */
export function scrolled(name, content, kind = "") {
  return el("div", { class: `scroll ${kind}`, tabindex: 0, role: "region", "aria-label": name }, content);
}

/**
 * The nodes and texts among some children.
 * @param {Children[]} children
 * @returns {(Node|string)[]}
 */
export function shown(children) {
  return children.flatMap((child) => {
    if (Array.isArray(child)) return shown(child);
    if (child === null || child === undefined || child === false) return [];
    return [child instanceof Node ? child : String(child)];
  });
}

/**
 * Show a message for a while; errors stay until they are dismissed.
 * @param {string} message
 * @param {string} [kind]
 */
export function toast(message, kind = "info") {
  const close = el("button", { type: "button", class: "button quiet", "aria-label": "Dismiss" }, "×");
  const note = el("div", { class: `toast ${kind}` }, el("span", {}, message), close);
  close.addEventListener("click", () => note.remove());
  part("toasts").append(note);
  if (kind !== "error") setTimeout(() => note.remove(), 6000);
  return note;
}

/**
 * List the keys of a page in a dialog that "?" opens: [{keys: "1", does: "yes"}, …]. Returns the dialog.
 * @param {KeyRow[]} rows
 */
export function keyHelp(rows) {
  const list = el(
    "dl",
    { class: "keys" },
    rows.map(({ keys, does }) => [el("dt", {}, el("kbd", {}, keys)), el("dd", {}, does)]),
  );
  const close = el("button", { type: "button", class: "button primary", autofocus: true }, "Close");
  const head = el("div", { class: "row spread" }, el("h2", { id: "key-help-title" }, "Keys"), close);
  const dialog = el("dialog", { class: "card", "aria-labelledby": "key-help-title" }, head, list);
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

/**
 * Whether keys go into a field, and so are no commands.
 * @param {EventTarget|null} target
 */
export function isTyping(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches("input:not([type=radio], [type=checkbox], [type=button]), textarea, select"))
  );
}
