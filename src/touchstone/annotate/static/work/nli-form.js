// The three questions about a pair of sentences.
import { ChoiceForm } from "./choice-form.js";
/** @import { NliBody, NliView } from "../types.js" */

const YES_NO = [
  { value: true, label: "Yes" },
  { value: false, label: "No" },
];

export class NliForm extends ChoiceForm {
  /**
   * @param {NliView} view
   * @param {(how?: string) => void} changed
   */
  constructor(view, changed) {
    super(
      [
        { name: "q1", legend: "Do both sentences describe the same event?", options: YES_NO },
        {
          name: "q2",
          legend: "Does the second add information to the first?",
          hint: "Only asked if the event is the same.",
          options: YES_NO,
        },
        { name: "q3", legend: "Is the second sentence wrong or ungrammatical?", options: YES_NO },
      ],
      changed,
    );
    this.settle();
  }

  read() {
    const [q1, q2, q3] = this.questions.map((question) => question.value);
    return { q1, q2: q1 === false ? null : q2, q3 };
  }

  /** @param {NliBody} body */
  write(body) {
    for (const question of this.questions) question.value = body[/** @type {keyof NliBody} */ (question.name)];
    this.settle();
  }

  /** Where the events differ, nobody asks what the second sentence adds. */
  settle() {
    const [first, second] = this.questions;
    second.disabled = first.value === false;
    if (second.disabled) second.value = null;
  }
}
