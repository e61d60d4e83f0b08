// What the pages of managers share: tables, times, forms that say what went wrong.
import { ApiError, el, find, scrolled } from "../client.js";
/** @import { Children } from "../types.js" */

/**
 * A table of heads and rows; a head that ends in # is of numbers.
 * @param {string[]} heads
 * @param {Children[][]} rows
 * @param {{ caption?: string|null, empty?: string }} [options]
 */
export function table(heads, rows, { caption = null, empty = "Nothing yet." } = {}) {
  const names = heads.map((head) => head.replace(/#$/, ""));
  /** @param {number} place */
  const kind = (place) => (heads[place].endsWith("#") ? "number" : null);
  const body = rows.map((row) =>
    el(
      "tr",
      {},
      row.map((cell, place) => el("td", { class: kind(place) }, cell ?? "")),
    ),
  );
  return scrolled(
    caption ?? "Table",
    el("table", { class: "table" }, [
      caption ? el("caption", { class: "visually-hidden" }, caption) : null,
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          names.map((name, place) => el("th", { scope: "col", class: kind(place) }, name)),
        ),
      ),
      el("tbody", {}, body.length ? body : el("tr", {}, el("td", { colspan: heads.length, class: "quiet" }, empty))),
    ]),
  );
}

/**
 * 75 as "1 min 15 s".
 * @param {number|null|undefined} seconds
 */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** @param {number|null|undefined} share */
export function percent(share) {
  return share === null || share === undefined ? "–" : `${Math.round(share * 100)} %`;
}

/**
 * A point in time to the minute, in the clock of whoever looks.
 * @param {string} time
 */
export function moment(time) {
  const shown = new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
  return el("time", { datetime: time, title: time }, shown);
}

/**
 * done of all, with a bar.
 * @param {number} done
 * @param {number} all
 * @param {string} name
 */
export function bar(done, all, name) {
  return el(
    "span",
    { class: "bar" },
    el("progress", { value: done, max: Math.max(1, all), "aria-label": `${name}: ${done} of ${all}` }),
    ` ${done} of ${all}`,
  );
}

/**
 * @param {Children} name
 * @param {(event: Event) => unknown} click
 * @param {string} [kind]
 */
export function button(name, click, kind = "") {
  return el("button", { type: "button", class: `button ${kind}`, on: { click } }, name);
}

/** How many further problems an error lists. */
const LISTED = 10;

/**
 * What an error says, with its hint and its further problems.
 * @param {ApiError} error
 */
export function explained(error) {
  const others = error.problems.slice(1).map((problem) => problem.message);
  const rest = others.length > LISTED ? ` and ${others.length - LISTED} more` : "";
  const also = others.length ? ` Also: ${others.slice(0, LISTED).join("; ")}${rest}.` : "";
  return `${[error.message, error.hint].filter(Boolean).join(": ")}${also}`;
}

/**
 * Run *act* with the fields of a form when it is sent; say beside it what went wrong.
 * @param {HTMLFormElement} form
 * @param {(fields: FormData) => Promise<unknown>} act
 */
export function onSubmit(form, act) {
  const alert = find(form, "[role=alert]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const send = find(form, "button:not([type=button])", HTMLButtonElement);
    alert.hidden = true;
    send.disabled = true;
    try {
      await act(new FormData(form));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      alert.textContent = explained(error);
      alert.hidden = false;
    } finally {
      send.disabled = false;
    }
  });
}

/**
 * Run *act* at a click; say in a toast what went wrong.
 * @param {() => unknown} act
 * @param {(message: string, kind: string) => unknown} toast
 */
export function guarded(act, toast) {
  return async () => {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      toast(explained(error), "error");
    }
  };
}

/**
 * Copy a text when the browser lets us; else it stands there to be selected.
 * @param {string} text
 */
export function copyable(text) {
  const field = el("input", { readonly: true, value: text, "aria-label": "Address", class: "address" });
  field.addEventListener("focus", () => field.select());
  const copy = button("Copy", async () => {
    field.select();
    await navigator.clipboard?.writeText(text).catch(() => {});
  });
  return el("span", { class: "row copyable" }, field, copy);
}
