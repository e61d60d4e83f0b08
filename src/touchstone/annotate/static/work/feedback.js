// After a training item: one's own answer beside the prepared one.
import { closest, el, isTyping, pageData, part, shown } from "../client.js";
import { answerList, itemView } from "./showing.js";
/** @import { Answer, MtView } from "../types.js" */

/** @type {{ answer: Answer, known: any, feedback: any }} */
const { answer, known, feedback } = pageData();
/** What the feedback says, by task. @type {Record<string, (feedback: any) => string>} */
const VERDICTS = {
  nli: ({ right, known_label: label }) =>
    right
      ? "Correct: your answer agrees with the prepared one."
      : `Different from the prepared answer: the pair counts as ${label}.`,
  lexsub: ({ credit }) =>
    `Your words have ${Math.round(credit * 100)} % of the credit that this many words could earn.`,
  mt: ({ credit }) =>
    credit === 1
      ? "Correct: your answer agrees with the prepared one."
      : `Your answer agrees with the prepared one to ${Math.round(credit * 100)} %.`,
};

function preparedView() {
  if (answer.task !== "lexsub") return answerList(answer.task, answer.item.view, { body: known }, answer);
  const words = Object.entries(/** @type {Record<string, number>} */ (known)).sort(([, one], [, other]) => other - one);
  return el(
    "dl",
    { class: "answer" },
    words.map(([word, weight]) => [el("dt", { dir: "auto" }, word), el("dd", {}, `given by ${weight}`)]),
  );
}

function showForm() {
  part("item").append(...itemView(answer.task, answer.item.view));
  /** @type {MtView} */
  const view = answer.item.view;
  if (view.judgement === "ranking") {
    part("item").append(
      ...view.hypotheses.map(({ label, text }) => el("p", { class: "text", dir: "auto" }, `${label}  ${text}`)),
    );
  }
  part("verdict").textContent = VERDICTS[answer.task](feedback);
  part("verdict").classList.toggle("good", feedback.right ?? feedback.credit === 1);
  /**
   * @param {string} name
   * @param {Node} list
   */
  const card = (name, list) => el("section", { class: "card" }, el("h2", {}, name), list);
  part("compared").append(
    card("Your answer", answerList(answer.task, answer.item.view, answer)),
    card("The prepared answer", preparedView()),
  );
}

async function showPyramid() {
  const [{ feedbackContent }, { materialOf }] = await Promise.all([
    import("../pyramid/feedback-view.js"),
    import("../pyramid/document.js"),
  ]);
  part("item").hidden = true;
  part("verdict").hidden = true;
  part("compared").className = "card";
  part("compared").append(...shown(feedbackContent(materialOf(answer.item.view), answer.body, known, feedback)));
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !isTyping(event.target) && !closest(event, "a, button")) part("next").click();
});
if (answer.task === "pyramid") showPyramid();
else showForm();
part("next").focus();
