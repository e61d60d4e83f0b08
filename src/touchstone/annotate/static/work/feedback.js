// After a training item: one's own answer beside the prepared one.
import { el, isTyping, pageData } from "../client.js";
import { answerList, itemView } from "./showing.js";

const { answer, known, feedback } = pageData();
const part = (id) => document.getElementById(id);

const VERDICTS = {
  nli: ({ right, known_label: label }) => (right ? "Right." : `Different from the prepared answer: the pair counts as ${label}.`),
  lexsub: ({ credit }) => `Your words have ${Math.round(credit * 100)} % of the credit that this many words could earn.`,
  mt: ({ credit }) => (credit === 1 ? "As prepared." : `${Math.round(credit * 100)} % as prepared.`),
};

function preparedView() {
  if (answer.task !== "lexsub") return answerList(answer.task, answer.item.view, { body: known }, answer);
  const words = Object.entries(known).sort(([, one], [, other]) => other - one);
  return el("dl", { class: "answer" }, words.map(([word, weight]) => [el("dt", { dir: "auto" }, word), el("dd", {}, `given by ${weight}`)]));
}

function showForm() {
  part("item").append(...itemView(answer.task, answer.item.view).flat().filter(Boolean));
  if (answer.item.view.judgement === "ranking") {
    part("item").append(...answer.item.view.hypotheses.map(({ label, text }) => el("p", { class: "text", dir: "auto" }, `${label}  ${text}`)));
  }
  part("verdict").textContent = VERDICTS[answer.task](feedback);
  const card = (name, list) => el("section", { class: "card" }, el("h2", {}, name), list);
  part("compared").append(card("Your answer", answerList(answer.task, answer.item.view, answer)), card("The prepared answer", preparedView()));
}

async function showPyramid() {
  const [{ feedbackContent }, { materialOf }] = await Promise.all([import("../pyramid/feedback-view.js"), import("../pyramid/document.js")]);
  part("item").hidden = true;
  part("verdict").hidden = true;
  part("compared").classList.remove("beside");
  part("compared").append(...[feedbackContent(materialOf(answer.item.view), answer.body, known, feedback)].flat(Infinity).filter(Boolean));
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !isTyping(event.target) && !event.target.matches("a, button")) part("next").click();
});
if (answer.task === "pyramid") showPyramid();
else showForm();
part("next").focus();
