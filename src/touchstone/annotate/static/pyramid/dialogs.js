// Questions to the person, each a promise: null when it was left with Escape.
import { el } from "../client.js";

let number = 0;

/** Show a dialog with a form; *read* makes the answer of it. The first button is what Enter does. */
export function ask(title, content, { buttons = ["OK"], read = (form, button) => button, wide = false, cancel = true } = {}) {
  const id = `ask-${(number += 1)}`;
  const row = el("div", { class: "row dialog-buttons" }, [
    buttons.map((name, place) => el("button", { class: place ? "button" : "button primary", value: name }, name)),
    cancel ? el("button", { class: "button", type: "button", on: { click: () => dialog.close() } }, "Cancel") : null,
  ]);
  const form = el("form", { method: "dialog", class: "stack" }, el("h2", { id }, title), content, row);
  const dialog = el("dialog", { class: wide ? "card ask wide" : "card ask", "aria-labelledby": id }, form);
  document.body.append(dialog);
  const back = document.activeElement;
  return new Promise((resolve) => {
    // The answer is given at once, so that keys typed right after it find the page as it is then.
    /** @param {unknown} answer */
    const finish = (answer) => {
      if (!dialog.isConnected) return;
      dialog.close();
      dialog.remove();
      back?.focus?.();
      resolve(answer);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      finish(read(form, event.submitter?.value ?? buttons[0]));
    });
    dialog.addEventListener("close", () => finish(null));
    dialog.showModal();
    (form.querySelector("[autofocus]") ?? row.querySelector("button")).focus();
  });
}

/** Ask for a line or several; null when left. */
export function askText(title, value, { label = "Text", lines = 1, button = "Save", note = null } = {}) {
  const field = lines > 1
    ? el("textarea", { rows: lines, name: "text", autofocus: true, "aria-label": label })
    : el("input", { name: "text", autofocus: true, "aria-label": label, autocomplete: "off" });
  field.value = value;
  if (lines > 1) {
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) field.form.requestSubmit();
    });
  }
  const said = note ? el("p", { class: "quiet" }, note) : null;
  const shown = ask(title, [said, field], { buttons: [button], read: () => field.value });
  field.select();
  return shown;
}

/**
 * Choose one of many by typing some of its words, then Enter. options: {value, label, tag, detail}.
 * @param {string} title
 * @param {any} options
 * @param {{ note?: string|null }} [given]
 */
export function pick(title, options, { note = null } = {}) {
  const field = el("input", { autofocus: true, role: "combobox", "aria-expanded": "true", "aria-controls": "pick-list", "aria-label": "Words of the label", autocomplete: "off", placeholder: "type to find" });
  const list = el("ul", { id: "pick-list", class: "pick", role: "listbox", "aria-label": title });
  let [shown, at] = [options, 0];
  const draw = () => {
    list.replaceChildren(
      ...shown.slice(0, 200).map((option, place) =>
        el("li", { id: `pick-${place}`, role: "option", "aria-selected": String(place === at), on: { click: () => (at = place, field.form.requestSubmit()) } },
          el("span", { class: "weight" }, option.tag ?? ""), el("span", {}, option.label, option.detail ? el("small", { class: "quiet" }, ` ${option.detail}`) : null)),
      ),
      ...(shown.length ? [] : [el("li", { class: "quiet" }, "no unit has these words")]),
    );
    field.setAttribute("aria-activedescendant", `pick-${at}`);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = options.filter((option) => words.every((word) => `${option.label} ${option.detail ?? ""}`.toLowerCase().includes(word)));
    at = 0;
    draw();
  });
  field.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    at = Math.max(0, Math.min(shown.length - 1, at + by));
    draw();
  });
  draw();
  const said = note ? el("p", { class: "quiet" }, note) : null;
  return ask(title, [said, field, list], { buttons: ["Choose"], read: () => shown[at]?.value ?? null });
}
