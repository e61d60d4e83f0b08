// Items and answers as people read them. All of it is text.
import { el, shown } from "../client.js";
import { differing } from "./differing.js";
/** @import { Children, LexsubBody, LexsubView, MtBody, MtView, NliBody, NliView, Shown, TaskName } from "../types.js" */

const POS = { n: "noun", v: "verb", a: "adjective", r: "adverb" };

/**
 * @param {string} name
 * @param {string|Children[]} text
 * @param {string} [kind]
 */
function passage(name, text, kind = "") {
  return el(
    "div",
    { class: `passage ${kind}` },
    el("h2", {}, name),
    el("p", { dir: "auto", class: "text" }, text.length ? text : "(empty)"),
  );
}

/** What is asked about, by task. @type {Record<TaskName, (view: any) => Children>} */
const ITEMS = {
  /** @param {NliView} view */
  nli: ({ premise, hypothesis }) => {
    const [first, second] = differing(premise, hypothesis).map((side) =>
      side.map(({ text, differs }) => (differs ? el("mark", { class: "changed" }, text) : text)),
    );
    return [passage("First sentence", first), passage("Second sentence", second)];
  },
  /** @param {LexsubView} view */
  lexsub: ({ target, pos, left, head, right }) => [
    el("p", { class: "text sentence", dir: "auto" }, left ?? "", " ", el("mark", {}, head ?? target), " ", right ?? ""),
    el(
      "p",
      { class: "quiet" },
      "The word is ",
      el("strong", { dir: "auto" }, target),
      pos ? `, a${pos === "n" || pos === "v" ? "" : "n"} ${POS[pos]}.` : ".",
    ),
  ],
  /** @param {MtView} view */
  mt: ({ judgement, source, references, hypotheses }) => [
    source === null ? null : passage("Source", source),
    references.map((text, place) => passage(references.length > 1 ? `Reference ${place + 1}` : "Reference", text)),
    judgement === "ranking" ? null : passage("Translation to judge", hypotheses[0].text, "judged"),
  ],
  pyramid: () => [],
};

/**
 * What is asked about, as elements.
 * @param {TaskName} task
 * @param {any} view
 */
export function itemView(task, view) {
  return shown([ITEMS[task](view)]);
}

/** @param {unknown} value */
const said = (value) =>
  value === null || value === undefined ? "no answer" : value === true ? "yes" : value === false ? "no" : String(value);

/** What the steps of the two scales are called, the worst first. */
export const SCALES = {
  adequacy: ["none", "little", "much", "most", "all"],
  fluency: ["incomprehensible", "hard to follow", "not native", "good", "flawless"],
};

/**
 * A step of a scale: its number, and what it is called.
 * @param {keyof typeof SCALES} scale
 * @param {number|null|undefined} step
 */
const marked = (scale, step) =>
  step === null || step === undefined ? said(step) : `${step}, ${SCALES[scale][step - 1]}`;

/** What was said, by task. @type {Record<TaskName, (body: any, view: any) => [string, string][]>} */
const ROWS = {
  /** @param {NliBody} body */
  nli: ({ q1, q2, q3 }) => [
    ["Same event", said(q1)],
    ["Adds information", q1 === false ? "not asked" : said(q2)],
    ["Wrong or ungrammatical", said(q3)],
  ],
  /** @param {LexsubBody} body */
  lexsub: ({ substitutes, none }) => [
    ["Substitutes", none ? "no substitute fits" : substitutes.join(", ") || "no answer"],
  ],
  /**
   * @param {MtBody} body
   * @param {MtView} view
   */
  mt: (body, view) =>
    view.judgement === "ranking"
      ? view.hypotheses.map(({ label }) => [`Rank of ${label}`, said(body.ranks[label])])
      : [
          ["Adequacy", marked("adequacy", body.adequacy)],
          ["Fluency", marked("fluency", body.fluency)],
        ],
  pyramid: () => [],
};

/**
 * A row of a name and a text, where there is one.
 * @param {string} name
 * @param {string|false|undefined} text
 * @returns {[string, string][]}
 */
function row(name, text) {
  return text ? [[name, text]] : [];
}

/**
 * An answer in rows of a name and what was said.
 * @param {TaskName} task
 * @param {any} view
 * @param {Shown} given
 * @returns {[string, string][]}
 */
export function answerRows(task, view, { body, unsure, comment }) {
  return [...ROWS[task](body, view), ...row("Unsure", unsure && "yes"), ...row("Comment", comment)];
}

/**
 * An answer as a list of terms; what differs from *other* is marked.
 * @param {TaskName} task
 * @param {any} view
 * @param {Shown} content
 * @param {Shown|null} [other]
 */
export function answerList(task, view, content, other = null) {
  const beside = other && Object.fromEntries(answerRows(task, view, other));
  const rows = answerRows(task, view, content).map(([name, text]) => [
    el("dt", {}, name),
    el("dd", { dir: "auto", class: beside && beside[name] !== text ? "differs" : null }, text),
  ]);
  return el("dl", { class: "answer" }, rows);
}
