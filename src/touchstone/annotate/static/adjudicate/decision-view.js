// One decision on the screen: what each side has, the texts beside each other, and what can be taken.
import { el } from "../client.js";
import { touched } from "../pyramid/document.js";
import { textRows } from "./texts.js";
/** @import { Choice, DecisionDesk, Disagreement, Piece } from "../types.js" */

/** @type {{[kind: string]: string}} */
const PYRAMID = {
  label: "the same contributors under another label or comment",
  missing: "only one side has this unit",
  bounds: "the same unit with other boundaries",
  contributors: "the same unit with other contributors",
  unit: "the same words in other units",
  split: "one unit on the left, several on the right",
  merged: "several units on the left, one on the right",
  moved: "the same words distributed over other units",
};

/** @type {{[kind: string]: string}} */
const PEER = {
  ...PYRAMID,
  label: "another comment",
  missing: "only one side matches these words to this unit",
  bounds: "the same unit, with other boundaries",
  unit: "which unit do these words express?",
  split: "one span on the left, several on the right",
  merged: "several spans on the left, one on the right",
  moved: "other spans and other units",
};

/**
 * How the sides of a decision differ, in words.
 * @param {Disagreement} decision
 * @param {boolean} peer
 */
export function described({ kind }, peer) {
  return (peer ? PEER : PYRAMID)[kind] ?? kind;
}

/**
 * The two sides of a decision, with buttons and texts.
 * @param {Disagreement} decision
 * @param {Choice|undefined} chosen
 * @param {DecisionDesk} desk
 */
export function decisionView(decision, chosen, desk) {
  const { names, workspace } = desk;
  const texts =
    decision.kind === "label"
      ? []
      : textRows(workspace.material, [decision.left, decision.right], names, (place) => workspace.summaryName(place));
  return [
    el("div", { class: "sides" }, side("left", decision, chosen, desk), side("right", decision, chosen, desk)),
    both(decision, chosen, desk),
    texts.length
      ? el(
          "p",
          { class: "quiet legend" },
          el("mark", { class: "alike" }, "both sides"),
          " ",
          el("mark", { class: "differs" }, "this side only, or in another unit"),
          " ",
          el("span", { class: "absent" }, "the other side only"),
        )
      : null,
    el("div", { class: "texts" }, texts),
  ].filter((shown) => shown !== null);
}

/**
 * @param {"left"|"right"} which
 * @param {Disagreement} decision
 * @param {Choice|undefined} chosen
 * @param {DecisionDesk} desk
 */
function side(which, decision, chosen, desk) {
  const name = desk.names[which === "left" ? 0 : 1];
  const other = decision[which === "left" ? "right" : "left"];
  const taken = chosen === which || chosen === "both";
  const units = decision[which].map((piece) => unitView(piece, other, desk));
  return el("section", { class: taken ? "card side chosen" : "card side", "aria-label": name }, [
    el("div", { class: "row spread" }, [
      el("h3", { dir: "auto" }, name),
      takeButton(
        which,
        which === "left" ? "1" : "2",
        chosen === which,
        desk,
        decision[which].length ? "Take" : "Take nothing",
      ),
    ]),
    units.length ? el("ul", { class: "pieces" }, units) : el("p", { class: "quiet" }, "Nothing here."),
  ]);
}

/**
 * @param {Disagreement} decision
 * @param {Choice|undefined} chosen
 * @param {DecisionDesk} desk
 */
function both({ kind, both: pieces, reason }, chosen, desk) {
  if (kind === "missing" || kind === "label") return null; // there is nothing to join
  return el(
    "p",
    { class: "row both" },
    pieces
      ? takeButton("both", "3", chosen === "both", desk, "Take both")
      : el("span", { class: "quiet" }, `Both cannot be taken: ${reason}.`),
  );
}

/**
 * @param {Choice} choice
 * @param {string} key
 * @param {boolean} pressed
 * @param {DecisionDesk} desk
 * @param {string} name
 */
function takeButton(choice, key, pressed, desk, name) {
  const shown = [pressed ? "✓ Taken" : name, " ", el("kbd", { "aria-hidden": "true" }, key)];
  return el(
    "button",
    {
      type: "button",
      class: pressed ? "button primary" : "button",
      "data-take": choice,
      "aria-pressed": String(pressed),
      disabled: !desk.editable,
      on: { click: () => desk.take(choice) },
    },
    shown,
  );
}

/**
 * @param {Piece} piece
 * @param {Piece[]} others
 * @param {DecisionDesk} desk
 */
function unitView({ key, unit }, others, { workspace }) {
  const partner = others.find((one) => one.key === key)?.unit;
  const differs = (/** @type {"label"|"comment"} */ field) =>
    partner && (partner[field] ?? "") !== (unit[field] ?? "") ? "differs" : null;
  const { summaries, peer } = workspace.material;
  const marks = unit.contributors.map(({ parts, label, comment }) =>
    el("li", {}, [
      touched(parts, summaries).map((place) => el("span", { class: "tag" }, workspace.summaryName(place))),
      el("q", { dir: "auto" }, label),
      comment ? el("span", { class: "quiet pre", dir: "auto" }, ` ${comment}`) : null,
    ]),
  );
  return el("li", {}, [
    el(
      "p",
      { class: "unit-label" },
      el("span", { class: "key" }, unit.uid),
      " ",
      el("strong", { dir: "auto", class: differs("label") }, unit.label || "(no label)"),
      peer ? null : el("span", { class: "quiet" }, ` weight ${unit.contributors.length}`),
    ),
    unit.comment ? el("p", { dir: "auto", class: `pre ${differs("comment") ?? "quiet"}` }, unit.comment) : null,
    marks.length ? el("ul", { class: "marks" }, marks) : null,
  ]);
}
