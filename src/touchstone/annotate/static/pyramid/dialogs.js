// Questions to the person, each a promise: null when it was left with Escape.
import { el, find, findAll } from "../client.js";
/** @import { Children } from "../types.js" */

let number = 0;

/**
 * Show a dialog with a form; the answer is the button that was pressed. The first button is what Enter does.
 * @param {string} title
 * @param {Children} content
 * @param {{ buttons?: string[], wide?: boolean, cancel?: boolean }} [options]
 */
export function ask(title, content, options = {}) {
  return askFor(title, content, (_, button) => button, options);
}

/**
 * Show a dialog with a form; *read* makes the answer of the form and the button that was pressed.
 * @template Result
 * @param {string} title
 * @param {Children} content
 * @param {(form: HTMLFormElement, button: string) => Result} read
 * @param {{ buttons?: string[], wide?: boolean, cancel?: boolean }} [options]
 * @returns {Promise<Result|null>}
 */
export function askFor(title, content, read, { buttons = ["OK"], wide = false, cancel = true } = {}) {
  number += 1;
  const id = `ask-${number}`;
  const dialog = el("dialog", { class: wide ? "card ask wide" : "card ask", "aria-labelledby": id });
  const row = el("div", { class: "row dialog-buttons" }, [
    buttons.map((name, place) => el("button", { class: place ? "button" : "button primary", value: name }, name)),
    cancel ? el("button", { class: "button", type: "button", on: { click: () => dialog.close() } }, "Cancel") : null,
  ]);
  const form = el("form", { method: "dialog", class: "stack" }, el("h2", { id }, title), content, row);
  dialog.append(form);
  document.body.append(dialog);
  const back = document.activeElement;
  return new Promise((resolve) => {
    // The answer is given at once, so that keys typed right after it find the page as it is then.
    /** @param {Result|null} answer */
    const finish = (answer) => {
      if (!dialog.isConnected) return;
      dialog.close();
      dialog.remove();
      if (back instanceof HTMLElement) back.focus();
      resolve(answer);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      finish(read(form, event.submitter instanceof HTMLButtonElement ? event.submitter.value : buttons[0]));
    });
    dialog.addEventListener("close", () => finish(null));
    dialog.showModal();
    (findAll(form, "[autofocus]").at(0) ?? find(row, "button")).focus();
  });
}

/**
 * Ask for a line or several; null when left.
 * @param {string} title
 * @param {string} value
 * @param {{ label?: string, lines?: number, button?: string, note?: string|null }} [options]
 */
export function askText(title, value, { label = "Text", lines = 1, button = "Save", note = null } = {}) {
  const field =
    lines > 1
      ? el("textarea", { rows: lines, name: "text", autofocus: true, "aria-label": label })
      : el("input", { name: "text", autofocus: true, "aria-label": label, autocomplete: "off" });
  field.value = value;
  if (lines > 1) {
    field.addEventListener("keydown", (event) => {
      if (event instanceof KeyboardEvent && event.key === "Enter" && (event.ctrlKey || event.metaKey))
        field.form?.requestSubmit();
    });
  }
  const said = note ? el("p", { class: "quiet" }, note) : null;
  const shown = askFor(title, [said, field], () => field.value, { buttons: [button] });
  field.select();
  return shown;
}

/**
 * Choose one of many by typing some of its words, then Enter.
 * @param {string} title
 * @param {{ value: string, label: string, tag?: string, detail?: string|null }[]} options
 * @param {{ note?: string|null }} [more]
 */
export function pick(title, options, { note = null } = {}) {
  const field = el("input", {
    autofocus: true,
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "pick-list",
    "aria-label": "Words of the label",
    autocomplete: "off",
    placeholder: "type to find",
  });
  const list = el("ul", { id: "pick-list", class: "pick", role: "listbox", "aria-label": title });
  let [shown, at] = [options, 0];
  /** @param {number} place */
  const choose = (place) => {
    at = place;
    field.form?.requestSubmit();
  };
  const draw = () => {
    list.replaceChildren(
      ...shown.slice(0, 200).map((option, place) =>
        el(
          "li",
          {
            id: `pick-${place}`,
            role: "option",
            "aria-selected": String(place === at),
            on: { click: () => choose(place) },
          },
          el("span", { class: "weight" }, option.tag ?? ""),
          el("span", {}, option.label, option.detail ? el("small", { class: "quiet" }, ` ${option.detail}`) : null),
        ),
      ),
      ...(shown.length ? [] : [el("li", { class: "quiet" }, "no unit has these words")]),
    );
    field.setAttribute("aria-activedescendant", `pick-${at}`);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = options.filter((option) =>
      words.every((word) => `${option.label} ${option.detail ?? ""}`.toLowerCase().includes(word)),
    );
    at = 0;
    draw();
  });
  field.addEventListener("keydown", (event) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!by) return;
    event.preventDefault();
    at = Math.max(0, Math.min(shown.length - 1, at + by));
    draw();
  });
  draw();
  const said = note ? el("p", { class: "quiet" }, note) : null;
  return askFor(title, [said, field, list], () => shown[at]?.value ?? null, { buttons: ["Choose"] });
}
