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

const IDLE_MS = 60_000;

/** Counts the seconds in which somebody works: the page is shown, and something was touched within a minute. */
class Stopwatch {
  #seconds = 0;
  #touched = Date.now();

  constructor() {
    for (const event of ["keydown", "pointerdown", "wheel"]) {
      addEventListener(event, () => (this.#touched = Date.now()), { passive: true, capture: true });
    }
    setInterval(() => {
      if (document.visibilityState === "visible" && Date.now() - this.#touched < IDLE_MS) this.#seconds += 1;
    }, 1000);
  }

  take() {
    const seconds = Math.min(this.#seconds, 3600);
    this.#seconds = 0;
    return seconds;
  }
}

const RETRY_MS = [1000, 2000, 4000, 8000, 15_000, 30_000];

/**
 * Saves an answer so that nothing is lost: one request at a time, the newest content next, the same key on every retry;
 * what was not acknowledged waits in the browser and is sent on the next visit.
 *
 * options: onState(state, error), onSaved(acknowledgement), onConflict(payload). States: "saved", "saving", "offline",
 * "conflict", "invalid".
 */
export class Saver {
  #waiting = null; // content that has not been sent
  #sending = null; // the request under way, whose key must not change
  #busy = false;
  #wake = null;
  #watch = new Stopwatch();
  #promises = [];
  #store;
  #leaving = false;
  state = "saved";

  constructor(answer, options = {}) {
    this.id = answer.id;
    this.version = answer.version;
    this.options = options;
    this.#store = `touchstone:unsent:${document.documentElement.dataset.account}:${answer.id}`;
    addEventListener("online", () => this.#wake?.());
    addEventListener("beforeunload", () => (this.#leaving = true));
  }

  /** Whether something is not yet acknowledged. */
  get pending() {
    return this.#waiting !== null || this.#sending !== null;
  }

  /** Save {body, unsure, comment, done, change, restores}; the promise is kept when it, or what followed it, is safe. */
  save(content) {
    this.#waiting = content;
    this.#leaving = false;
    this.#keep();
    const promise = new Promise((resolve, reject) => this.#promises.push({ resolve, reject }));
    promise.catch(() => {}); // whoever does not look at the promise is told by onState
    this.#pump();
    return promise;
  }

  /** Return what an earlier visit could not send, the newest content first, and go on sending it; null if nothing. */
  restore() {
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(this.#store));
    } catch {
      return null;
    }
    if (!kept || !(kept.sending || kept.waiting)) return null;
    this.#sending = kept.sending;
    this.#waiting = kept.waiting;
    this.#pump();
    return kept.waiting ?? kept.sending;
  }

  /** Go on after a conflict: what is saved next follows *version*. */
  adopt(version) {
    this.version = version;
    this.#sending = null;
    this.#waiting = null;
    this.#keep();
    this.#set("saved");
  }

  #set(state, error = null) {
    this.state = state;
    this.options.onState?.(state, error);
  }

  #keep() {
    try {
      if (this.pending) {
        localStorage.setItem(this.#store, JSON.stringify({ sending: this.#sending, waiting: this.#waiting }));
      } else {
        localStorage.removeItem(this.#store);
      }
    } catch {
      // a browser that keeps nothing can still send
    }
  }

  async #pump() {
    if (this.#busy || this.state === "conflict") return;
    this.#busy = true;
    for (let failures = 0; this.pending; ) {
      if (this.#sending === null) {
        this.#sending = { ...this.#waiting, version: this.version, key: crypto.randomUUID(), seconds: this.#watch.take() };
        this.#waiting = null;
        this.#keep();
      }
      this.#set("saving");
      try {
        this.#acknowledged(await api("PUT", `/api/answers/${this.id}`, this.#sending));
        failures = 0;
      } catch (error) {
        if (!(await this.#failed(error, failures))) break;
        failures += 1;
      }
    }
    this.#busy = false;
  }

  #acknowledged(acknowledgement) {
    this.version = acknowledgement.version;
    this.#sending = null;
    // The next page may have been made before this save. It finds the save in the browser and sends it again, which
    // the server acknowledges without changing anything.
    if (!this.#leaving) this.#keep();
    this.options.onSaved?.(acknowledgement);
    if (this.pending) return;
    this.#set("saved");
    for (const { resolve } of this.#promises.splice(0)) resolve(acknowledgement);
  }

  /** Whether to try again. */
  async #failed(error, failures) {
    if (error.status === 0 || error.status === 401 || error.status === 429 || error.status >= 500) {
      this.#set("offline", error);
      const pause = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
      await new Promise((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, pause);
      });
      return true;
    }
    if (error.code === "conflict") {
      this.#set("conflict", error);
      this.options.onConflict?.({ ...error.payload, waiting: this.#waiting });
    } else {
      this.#sending = null;
      this.#keep();
      this.#set("invalid", error);
      if (this.#waiting !== null) return true;
    }
    for (const { reject } of this.#promises.splice(0)) reject(error);
    return false;
  }
}
