// A form of numbered questions: a number answers the question that has the focus, and the next open one is up.
import { el, part } from "../client.js";
import { ChoiceQuestion } from "./question.js";
/** @import { Asked } from "../types.js" */

export class ChoiceForm {
  static keys = [
    { keys: "1 – 9", does: "answer the focused question and go to the next" },
    { keys: "↑ ↓", does: "go to the previous or next question" },
    { keys: "← →", does: "choose the neighbouring answer" },
  ];

  /**
   * @param {Asked[]} asked
   * @param {(how?: string) => void} changed is called after each choice
   */
  constructor(asked, changed) {
    this.questions = asked.map((one) => new ChoiceQuestion().ask(one));
    this.changed = changed;
    this.element = el("div", { class: "questions", on: { change: () => this.#chosen() } }, this.questions);
  }

  /** The names of questions that still need an answer. */
  get open() {
    return this.questions.filter((question) => !question.disabled && question.value === null);
  }

  /** Why the form is not complete, or null. */
  missing() {
    const count = this.open.length;
    return count ? `${count === 1 ? "One question has" : `${count} questions have`} no answer yet.` : null;
  }

  settle() {}

  /** @param {boolean} readOnly */
  set readOnly(readOnly) {
    for (const question of this.questions) question.disabled = readOnly;
    if (!readOnly) this.settle();
  }

  /** Put the focus where the person goes on; false where nothing is open. */
  focus() {
    const [first] = this.open;
    first?.focus();
    return Boolean(first);
  }

  focusFirst() {
    if (!this.focus()) this.questions.find((question) => !question.disabled)?.focus();
  }

  /**
   * Answer keys; say whether the key was one.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const current = this.questions.find((question) => question.contains(document.activeElement));
    if (event.key >= "1" && event.key <= "9") {
      const asked = current ?? this.open[0];
      if (!asked?.choose(Number(event.key))) return false;
      const after = this.questions
        .slice(this.questions.indexOf(asked) + 1)
        .find((question) => this.open.includes(question));
      if (after) after.focus();
      else if (!this.focus()) part("finish").focus();
      return true;
    }
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    return by ? this.#step(current, by) : false;
  }

  /**
   * @param {ChoiceQuestion|undefined} current
   * @param {number} by
   */
  #step(current, by) {
    const there = this.questions.filter((question) => !question.disabled);
    const at = current ? there.indexOf(current) : by > 0 ? -1 : there.length;
    const next = there[at + by];
    if (next) next.focus();
    else if (by > 0) part("finish").focus();
    return true;
  }

  #chosen() {
    this.settle();
    this.changed();
  }
}
