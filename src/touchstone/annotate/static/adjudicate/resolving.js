// The document that the choices of an adjudication make. The server finds the decisions; here their pieces are put together.
import { apply, changeBetween } from "../pyramid/changes.js";
import { restored, same } from "../pyramid/document.js";
/** @import { Adjudicated, Aligned, Choices, Doc, Unit } from "../types.js" */

/**
 * What is agreed and what was chosen, under the numbers and in the order of the left document.
 * @param {Aligned} aligned
 * @param {Choices} choices
 * @returns {Doc}
 */
function assembled(aligned, choices) {
  const chosen = aligned.decisions.flatMap((decision) => decision[choices[decision.key]] ?? []);
  const pieces = [...aligned.agreed, ...chosen].sort(
    (one, other) => one.place[0] - other.place[0] || one.place[1] - other.place[1],
  );
  /** @type {Map<string, Unit>} */
  const units = new Map();
  for (const { key, unit } of pieces) {
    const first = units.get(key);
    units.set(key, first ? { ...first, contributors: [...first.contributors, ...unit.contributors] } : unit);
  }
  return { ...aligned.left, units: [...units.values()] };
}

/**
 * The document of some choices; where all take the right, the right document itself.
 * @param {Aligned} aligned
 * @param {Choices} choices
 * @returns {Doc}
 */
export function resolved(aligned, choices) {
  const { decisions } = aligned;
  const right = decisions.length > 0 && decisions.every(({ key }) => choices[key] === "right");
  return right ? aligned.right : assembled(aligned, choices);
}

/**
 * The adjudicated document with other choices. What was edited by hand stays; a Refusal where a choice would change it.
 * @param {Aligned} aligned
 * @param {Adjudicated} doc
 * @param {Choices} choices
 * @returns {Adjudicated}
 */
export function withChoices(aligned, doc, choices) {
  const { adjudication, ...plain } = doc;
  const before = resolved(aligned, adjudication.choices);
  const untouched = same(before.units, plain.units) && same(before.unassigned, plain.unassigned);
  const change = () => changeBetween(assembled(aligned, adjudication.choices), assembled(aligned, choices), "", "");
  const after = untouched ? resolved(aligned, choices) : apply(change(), plain);
  return { ...restored(after, plain), adjudication: { ...adjudication, choices } };
}

/**
 * Whether somebody edited the document of these choices by hand.
 * @param {Aligned} aligned
 * @param {Adjudicated} doc
 */
export function isEdited(aligned, doc) {
  return !same(resolved(aligned, doc.adjudication.choices).units, doc.units);
}
