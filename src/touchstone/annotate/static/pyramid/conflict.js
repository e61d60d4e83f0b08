// Two versions of one document: both are shown, and the person decides. Nothing is overwritten before that.
import { el, scrolled } from "../client.js";
import { apply, changeBetween } from "./changes.js";
import { guarded } from "./constraints.js";
import { ask } from "./dialogs.js";
import { Refusal, restored } from "./document.js";
/** @import { Keeper } from "./keeping.js" */
/** @import { Change, Conflict, Doc, Mark, Material, Unit } from "../types.js" */

/**
 * Show what was saved elsewhere beside one's own work, and go on with what is chosen.
 * @param {Keeper} keeper
 * @param {Conflict<Doc>} given
 */
export async function showConflict(keeper, { base, current, yours, waiting }) {
  const { workspace } = keeper;
  const mine = (waiting ?? yours).body;
  const [both, reason] = joinedOf(workspace.material, base?.body, current.body, mine);
  const said = [
    el(
      "p",
      {},
      `This was saved elsewhere, by ${current.by ?? "somebody"}, while you worked on it. Nothing is lost; choose how to go on.`,
    ),
    compared(changeBetween(current.body, mine, "", "")),
    el(
      "p",
      { class: "quiet" },
      both ? "Both changes fit together: “Join both” keeps them all." : `They cannot be joined: ${reason}.`,
    ),
  ];
  const buttons = [...(both ? ["Join both"] : []), "Keep mine", "Take the saved one"];
  let choice = null;
  while (choice === null) choice = await ask("Two versions", said, { buttons, wide: true, cancel: false });
  keeper.saver.adopt(current.version);
  if (choice === "Take the saved one")
    return workspace.commit(current.body, "took the version saved elsewhere", current.version);
  workspace.history.push(current.body, "saved elsewhere", current.version);
  const body = choice === "Join both" && both ? both : restored(mine, current.body);
  workspace.history.push(body, choice);
  workspace.tidy();
  workspace.emit("change", choice);
  return keeper.keep(choice === "Join both" ? "joined both versions" : "kept my version", base?.version ?? null);
}

/**
 * What both changed, as one document; or null and why not.
 * @param {Material} material
 * @param {Doc|undefined} base
 * @param {Doc} current
 * @param {Doc} mine
 * @returns {[Doc, null]|[null, string]}
 */
function joinedOf(material, base, current, mine) {
  if (!base) return [null, "the version that you began with is not known"];
  try {
    const both = guarded(material, current, apply(changeBetween(base, mine, "", ""), current));
    return [withChoicesOf(both, mine), null];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [null, error.reason];
  }
}

/**
 * A document that two people adjudicated at once, with the choices of both.
 * @param {Doc} doc
 * @param {Doc} mine
 */
function withChoicesOf(doc, { adjudication }) {
  if (!doc.adjudication || !adjudication) return doc;
  return {
    ...doc,
    adjudication: { ...doc.adjudication, choices: { ...adjudication.choices, ...doc.adjudication.choices } },
  };
}

/**
 * A table of what differs, the saved version on the left and one's own on the right.
 * @param {Change} change
 * @param {string[]} [names]
 */
export function compared(change, names = ["Saved elsewhere", "Yours"]) {
  const pairs = [...Object.entries(change.units.items), ...Object.entries(change.unassigned.items)];
  const rows = pairs.map(([key, pair]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, key),
      pair.map((one) => el("td", {}, brief(one))),
    ),
  );
  if (!rows.length) rows.push(el("tr", {}, el("td", { colspan: 3 }, "Only the order differs.")));
  const heads = ["", ...names].map((name) => el("th", { scope: "col" }, name));
  return scrolled(
    "What differs",
    el("table", { class: "table" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows)),
    "versions",
  );
}

/**
 * A unit or a contributor in short.
 * @param {Unit|Mark|null} one
 */
export function brief(one) {
  if (!one) return el("span", { class: "quiet" }, "not there");
  if (!("contributors" in one))
    return [el("span", { dir: "auto" }, one.label), el("span", { class: "quiet" }, " (unassigned)")];
  const marks = one.contributors.map((mark) => el("li", { dir: "auto" }, mark.label));
  return [
    el("strong", { dir: "auto" }, one.label),
    one.comment ? el("p", { class: "note" }, one.comment) : null,
    el("ul", {}, marks),
  ];
}
