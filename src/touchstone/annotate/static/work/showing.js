// Items and answers as people read them. All of it is text.
import { el } from "../client.js";

const POS = { n: "noun", v: "verb", a: "adjective", r: "adverb" };

function passage(name, text, kind = "") {
  return el("div", { class: `passage ${kind}` }, el("h2", {}, name), el("p", { dir: "auto", class: "text" }, text || "(empty)"));
}

const ITEMS = {
  nli: ({ premise, hypothesis }) => [passage("First sentence", premise), passage("Second sentence", hypothesis)],
  lexsub: ({ target, pos, left, head, right }) => [
    el("p", { class: "text sentence", dir: "auto" }, left ?? "", " ", el("mark", {}, head ?? target), " ", right ?? ""),
    el("p", { class: "quiet" }, "The word is ", el("strong", { dir: "auto" }, target), POS[pos] ? `, a${pos === "n" || pos === "v" ? "" : "n"} ${POS[pos]}.` : "."),
  ],
  mt: ({ judgement, source, references, hypotheses }) => [
    source === null ? null : passage("Source", source),
    references.map((text, place) => passage(references.length > 1 ? `Reference ${place + 1}` : "Reference", text)),
    judgement === "ranking" ? null : passage("Translation to judge", hypotheses[0].text, "judged"),
  ],
};

/** What is asked about, as elements. */
export function itemView(task, view) {
  return ITEMS[task](view);
}

const said = (value) => (value === null || value === undefined ? "no answer" : value === true ? "yes" : value === false ? "no" : String(value));

const ROWS = {
  nli: (view, { q1, q2, q3 }) => [
    ["Same event", said(q1)],
    ["Adds information", q1 === false ? "not asked" : said(q2)],
    ["Wrong or ungrammatical", said(q3)],
  ],
  lexsub: (view, { substitutes, none }) => [["Substitutes", none ? "no substitute fits" : substitutes.join(", ") || "no answer"]],
  mt: (view, body) =>
    view.judgement === "ranking"
      ? view.hypotheses.map(({ label }) => [`Rank of ${label}`, said(body.ranks[label])])
      : [["Adequacy", said(body.adequacy)], ["Fluency", said(body.fluency)]],
};

/** An answer in rows of a name and what was said. */
export function answerRows(task, view, { body, unsure, comment }) {
  return [...ROWS[task](view, body), ...(unsure ? [["Unsure", "yes"]] : []), ...(comment ? [["Comment", comment]] : [])];
}

/** An answer as a list of terms; what differs from *other* is marked. */
export function answerList(task, view, content, other = null) {
  const beside = other && Object.fromEntries(answerRows(task, view, other));
  const rows = answerRows(task, view, content).map(([name, text]) => [
    el("dt", {}, name),
    el("dd", { dir: "auto", class: beside && beside[name] !== text ? "differs" : null }, text),
  ]);
  return el("dl", { class: "answer" }, rows);
}
