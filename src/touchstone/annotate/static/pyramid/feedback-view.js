// What a newcomer sees after a training sample: the prepared answer beside the own one, and how far they agree.
import { el, scrolled } from "../client.js";
import { ask } from "./dialogs.js";
import { pyramidUnit, unitOf } from "./document.js";
/** @import { Doc, Material, PyramidFeedback } from "../types.js" */

/**
 * @param {number|null|undefined} value
 * @param {number} [digits]
 */
const shown = (value, digits = 2) => (value === null || value === undefined ? "–" : value.toFixed(digits));

/**
 * Show the feedback on an answer in a dialog.
 * @param {Material} material
 * @param {Doc} own
 * @param {{ known: Doc, feedback: PyramidFeedback }} given
 */
export function showFeedback(material, own, { known, feedback }) {
  return ask("Your answer and the prepared one", feedbackContent(material, own, known, feedback), {
    wide: true,
    cancel: false,
    buttons: ["Close"],
  });
}

/**
 * The feedback as elements, for a dialog or a page.
 * @param {Material} material
 * @param {Doc} own
 * @param {Doc} known
 * @param {PyramidFeedback} feedback
 */
export function feedbackContent(material, own, known, feedback) {
  const figures = [
    ["F1", shown(feedback.f1)],
    ["kappa", shown(feedback.kappa)],
  ];
  if (material.peer)
    figures.push(
      ["your score", shown(feedback.modified, 4)],
      ["prepared score", shown(feedback.prepared, 4)],
      ["difference", shown(feedback.difference, 4)],
    );
  else
    figures.push(
      ["alpha", shown(feedback.alpha)],
      ["your mean weight", shown(feedback.mean_weight)],
      ["prepared mean weight", shown(feedback.prepared_mean_weight)],
    );
  return [
    el(
      "dl",
      { class: "facts" },
      figures.map(([name, value]) => el("div", { dataset: { figure: name } }, el("dt", {}, name), el("dd", {}, value))),
    ),
    feedback.reason ? el("p", { class: "quiet" }, feedback.reason) : null,
    material.peer ? peerTable(material, own, known, feedback) : pyramidTable(own, known, feedback),
  ];
}

/**
 * @param {Material} material
 * @param {Doc} own
 * @param {Doc} known
 * @param {PyramidFeedback} feedback
 */
function peerTable(material, own, known, feedback) {
  /**
   * @param {Doc} doc
   * @param {string} uid
   */
  const words = (doc, uid) =>
    el(
      "ul",
      {},
      (unitOf(doc, uid)?.contributors ?? []).map((mark) => el("li", { dir: "auto" }, mark.label)),
    );
  /** @param {string} verdict */
  const row = (verdict) => (/** @type {string} */ uid) =>
    line(verdict, `${uid}: ${pyramidUnit(material, uid)?.label ?? ""}`, words(own, uid), words(known, uid));
  return table([
    ...feedback.hit.map(row("hit")),
    ...feedback.missed.map(row("missed")),
    ...feedback.extra.map(row("extra")),
  ]);
}

/**
 * @param {Doc} own
 * @param {Doc} known
 * @param {PyramidFeedback} feedback
 */
function pyramidTable(own, known, feedback) {
  /**
   * @param {Doc} doc
   * @param {string} uid
   */
  const words = (doc, uid) => {
    const unit = unitOf(doc, uid);
    return unit
      ? [
          el("strong", { dir: "auto" }, `(${unit.contributors.length}) ${unit.label}`),
          el(
            "ul",
            {},
            unit.contributors.map((mark) => el("li", { dir: "auto" }, mark.label)),
          ),
        ]
      : "";
  };
  const hits = feedback.pairs.filter((pair) => feedback.hit.includes(pair.prepared));
  return table([
    ...hits.map((pair) =>
      line("hit", `shares ${shown(100 * pair.similarity, 0)} %`, words(own, pair.own), words(known, pair.prepared)),
    ),
    ...feedback.missed.map((uid) => line("missed", "", "", words(known, uid))),
    ...feedback.extra.map((uid) => line("extra", "", words(own, uid), "")),
  ]);
}

/**
 * @param {string} verdict
 * @param {string} about
 * @param {Node|string|(Node|string)[]} yours
 * @param {Node|string|(Node|string)[]} prepared
 */
function line(verdict, about, yours, prepared) {
  return el(
    "tr",
    { class: verdict },
    el("td", {}, el("span", { class: `tag ${verdict}` }, verdict)),
    el("td", {}, about),
    el("td", {}, yours),
    el("td", {}, prepared),
  );
}

/** @param {Node[]} rows */
function table(rows) {
  const heads = ["", "Unit", "Yours", "Prepared"].map((name) => el("th", { scope: "col" }, name));
  return scrolled(
    "Comparison",
    el("table", { class: "table" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows)),
    "versions",
  );
}
