// What the pages of managers share: tables, times, forms that say what went wrong.
import { el } from "../client.js";

/** A table of heads and rows; a head that ends in # is of numbers. */
export function table(heads, rows, { caption = null, empty = "Nothing yet." } = {}) {
  const names = heads.map((head) => head.replace(/#$/, ""));
  const kind = (place) => (heads[place].endsWith("#") ? "number" : null);
  const body = rows.map((row) => el("tr", {}, row.map((cell, place) => el("td", { class: kind(place) }, cell ?? ""))));
  return el("div", { class: "scroll" }, [
    el("table", { class: "table" }, [
      caption ? el("caption", { class: "visually-hidden" }, caption) : null,
      el("thead", {}, el("tr", {}, names.map((name, place) => el("th", { scope: "col", class: kind(place) }, name)))),
      el("tbody", {}, body.length ? body : el("tr", {}, el("td", { colspan: heads.length, class: "quiet" }, empty))),
    ]),
  ]);
}

/** 75 as "1 min 15 s". */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function percent(share) {
  return share === null || share === undefined ? "–" : `${Math.round(share * 100)} %`;
}

/** A point in time to the minute, in the clock of whoever looks. */
export function moment(time) {
  const shown = new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
  return el("time", { datetime: time, title: time }, shown);
}

/** done of all, with a bar. */
export function bar(done, all, name) {
  return el("span", { class: "bar" }, el("progress", { value: done, max: Math.max(1, all), "aria-label": `${name}: ${done} of ${all}` }), ` ${done} of ${all}`);
}

export function button(name, click, kind = "") {
  return el("button", { type: "button", class: `button ${kind}`, on: { click } }, name);
}

/** What an error says, with its hint. */
export function explained(error) {
  const more = error.problems?.length > 1 ? ` (and ${error.problems.length - 1} more)` : "";
  return `${[error.message, error.hint].filter(Boolean).join(": ")}${more}`;
}

/** Run *act* with the fields of a form when it is sent; say beside it what went wrong. */
export function onSubmit(form, act) {
  const alert = form.querySelector("[role=alert]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const send = form.querySelector("button:not([type=button])");
    alert.hidden = true;
    send.disabled = true;
    try {
      await act(new FormData(form), form);
    } catch (error) {
      if (error.code === undefined) throw error;
      alert.textContent = explained(error);
      alert.hidden = false;
    } finally {
      send.disabled = false;
    }
  });
}

/** Run *act* at a click; say in a toast what went wrong. */
export function guarded(act, toast) {
  return async () => {
    try {
      await act();
    } catch (error) {
      if (error.code === undefined) throw error;
      toast(explained(error), "error");
    }
  };
}

/** Copy a text when the browser lets us; else it stands there to be selected. */
export function copyable(text) {
  const field = el("input", { readonly: true, value: text, "aria-label": "Address", class: "address", on: { focus: () => field.select() } });
  const copy = button("Copy", async () => {
    field.select();
    await navigator.clipboard?.writeText(text).catch(() => {});
  });
  return el("span", { class: "row copyable" }, field, copy);
}
