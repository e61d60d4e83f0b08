// What somebody thinks of translations: two scales for one, or a rank for each of several.
import { el } from "../client.js";
import { ChoiceForm } from "./choice-form.js";
import { SCALES } from "./showing.js";
/** @import { Hypothesis, MtBody, MtView } from "../types.js" */

const QUESTIONS = [
  { name: "adequacy", legend: "Adequacy: how much of the meaning is there?", options: SCALES.adequacy },
  { name: "fluency", legend: "Fluency: how good is the English?", options: SCALES.fluency },
];

/** @param {{ name: string, legend: string, options: string[] }} given */
function scaleQuestion({ name, legend, options }) {
  return { name, legend, options: options.map((label, place) => ({ value: place + 1, label })) };
}

/**
 * @param {Hypothesis} given
 * @param {number} count
 */
function rankQuestion({ label, text }, count) {
  const legend = el(
    "span",
    { class: "hypothesis" },
    el("span", { class: "letter" }, label),
    " ",
    el("span", { dir: "auto" }, text || "(empty)"),
  );
  const options = Array.from({ length: count }, (_, place) => ({
    value: place + 1,
    label: `rank ${place + 1}`,
    note: place === 0 ? "best" : place === count - 1 ? "worst" : "",
  }));
  return { name: label, legend, options };
}

export class MtForm extends ChoiceForm {
  /**
   * @param {MtView} view
   * @param {(how?: string) => void} changed
   */
  constructor(view, changed) {
    const ranking = view.judgement === "ranking";
    super(
      ranking ? view.hypotheses.map((one) => rankQuestion(one, view.hypotheses.length)) : QUESTIONS.map(scaleQuestion),
      changed,
    );
    this.ranking = ranking;
    this.element.classList.add(ranking ? "ranking" : "scales");
  }

  read() {
    const given = this.questions.map((question) => [question.name, question.value]);
    return this.ranking
      ? { ranks: Object.fromEntries(given.filter(([, rank]) => rank !== null)) }
      : Object.fromEntries(given);
  }

  /** @param {MtBody} body */
  write(body) {
    const given = Object.entries(this.ranking ? body.ranks : body);
    for (const question of this.questions) question.value = given.find(([name]) => name === question.name)?.[1] ?? null;
  }
}
