// A question with a few numbered answers, of which one is chosen: by mouse, by its number, or with the arrow keys.
import { el } from "../client.js";
/** @import { Asked } from "../types.js" */

let number = 0;

export class ChoiceQuestion extends HTMLElement {
  name = "";
  /** @type {Asked["options"]} */
  options = [];
  /** @type {HTMLInputElement[]} */
  inputs = [];
  fieldset = el("fieldset");

  /** @param {Asked} asked */
  ask({ name, legend, hint, options }) {
    number += 1;
    const id = `question-${number}`;
    this.name = name;
    this.options = options;
    this.inputs = options.map((_, place) => el("input", { type: "radio", name: id, value: String(place) }));
    const labels = options.map(({ label, note }, place) =>
      el(
        "label",
        { class: "choice" },
        this.inputs[place],
        el("kbd", { "aria-hidden": "true" }, String(place + 1)),
        el("span", {}, label),
        note ? el("small", {}, note) : null,
      ),
    );
    this.fieldset = el("fieldset", { "aria-describedby": hint ? `${id}-hint` : null }, [
      el("legend", {}, legend),
      hint ? el("p", { id: `${id}-hint`, class: "hint" }, hint) : null,
      el("div", { class: "choices" }, labels),
    ]);
    this.replaceChildren(this.fieldset);
    return this;
  }

  get value() {
    const chosen = this.inputs.findIndex((input) => input.checked);
    return chosen < 0 ? null : this.options[chosen].value;
  }

  /** @param {unknown} value */
  set value(value) {
    for (const [place, input] of this.inputs.entries()) {
      input.checked = value !== null && this.options[place].value === value;
    }
  }

  get disabled() {
    return this.fieldset.disabled;
  }

  /** @param {boolean} disabled */
  set disabled(disabled) {
    this.fieldset.disabled = disabled;
  }

  /**
   * Choose the answer of that number, counted from one, as a click would; say whether there is one.
   * @param {number} place
   */
  choose(place) {
    const input = this.inputs[place - 1];
    if (!input || this.disabled) return false;
    input.checked = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  }

  focus() {
    (this.inputs.find((input) => input.checked) ?? this.inputs[0]).focus();
  }
}

customElements.define("choice-question", ChoiceQuestion);
