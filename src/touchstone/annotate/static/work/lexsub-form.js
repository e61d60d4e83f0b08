// Up to three substitutes for a word, or the word that there is none.
import { el, part } from "../client.js";
/** @import { LexsubBody, LexsubView } from "../types.js" */

const MOST = 3;
const LONGEST = 100;

/**
 * What makes two spellings the same answer.
 * @param {string} word
 */
function plain(word) {
  return word
    .normalize("NFC")
    .toLowerCase()
    .trim()
    .split(/[\s_]+/u)
    .join(" ");
}

export class LexsubForm {
  static keys = [
    { keys: "Enter", does: "go to the next field; from an empty one, finish the item" },
    { keys: "1 2 3", does: "go to a field (leave it with Escape)" },
    { keys: "0", does: "no word fits" },
  ];

  /**
   * @param {LexsubView} view
   * @param {(how?: string) => void} changed
   */
  constructor(view, changed) {
    this.target = view.target;
    this.changed = changed;
    this.fields = Array.from({ length: MOST }, (_, place) => this.#field(place));
    this.none = el("input", { type: "checkbox", on: { change: () => this.#none() } });
    this.problem = el("p", { class: "bad", role: "status" });
    this.element = el("fieldset", { class: "questions substitutes" }, [
      el("legend", {}, "Which words could replace it? The best first."),
      this.fields.map((field, place) =>
        el(
          "label",
          {},
          el("span", {}, el("kbd", { "aria-hidden": "true" }, String(place + 1)), ` Substitute ${place + 1}`),
          field,
        ),
      ),
      el("label", {}, this.none, el("kbd", { "aria-hidden": "true" }, "0"), "No word or phrase fits here"),
      this.problem,
    ]);
  }

  read() {
    return { substitutes: this.fields.map((field) => field.value.trim()).filter(Boolean), none: this.none.checked };
  }

  /** @param {LexsubBody} body */
  write(body) {
    for (const [place, field] of this.fields.entries()) field.value = body.substitutes[place] ?? "";
    this.none.checked = body.none;
    this.#settle();
  }

  missing() {
    return (
      this.wrong() ??
      (this.none.checked || this.read().substitutes.length ? null : "Give a substitute, or say that there is none.")
    );
  }

  /** What the server would refuse, or null. */
  wrong() {
    const words = this.read().substitutes;
    const keys = words.map(plain);
    if (words.some((word) => word.includes(";"))) return "Enter one substitute per field, without semicolons.";
    if (keys.includes(plain(this.target))) return "The word itself is not a substitute.";
    if (new Set(keys).size < keys.length) return "Duplicate substitute.";
    return null;
  }

  /** @param {boolean} readOnly */
  set readOnly(readOnly) {
    this.element.disabled = readOnly;
  }

  focus() {
    if (this.none.checked || this.read().substitutes.length === MOST) return false;
    this.fields.find((field) => !field.value)?.focus();
    return true;
  }

  focusFirst() {
    if (!this.focus()) (this.none.checked ? this.none : this.fields[0]).focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const field = this.fields[Number(event.key) - 1];
    if (event.key === "0") this.none.click();
    else if (field) field.focus();
    return event.key === "0" || Boolean(field);
  }

  /** @param {number} place */
  #field(place) {
    const field = el("input", {
      type: "text",
      maxlength: LONGEST,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "true",
    });
    field.addEventListener("input", () => {
      if (field.value) this.none.checked = false;
      this.#settle();
      this.changed("typing");
    });
    field.addEventListener("change", () => this.changed());
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") field.blur();
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing || event.repeat) return;
      event.preventDefault();
      event.stopPropagation();
      if (field.value.trim() && place + 1 < MOST) this.fields[place + 1].focus();
      else part("finish").click();
    });
    return field;
  }

  #none() {
    if (this.none.checked) for (const field of this.fields) field.value = "";
    this.#settle();
    this.changed();
  }

  #settle() {
    this.problem.textContent = this.wrong() ?? "";
  }
}
