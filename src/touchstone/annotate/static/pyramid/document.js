// What a person works on: units whose contributors have ids, over a material that stays as it is.
//
// Documents are values. An operation returns a new one that shares what did not change, so earlier states stay.
import { Text } from "./text.js";
/** @import { Doc, Home, Material, Part, PyramidView, Summary, Unit } from "../types.js" */

export const NO_UNIT = "0";

/** A step that is not taken, and why. The document stays as it was. */
export class Refusal extends Error {
  /**
   * @param {string} rule
   * @param {string} reason
   * @param {string|null} [hint]
   * @param {[string, string][]} [offer]
   */
  constructor(rule, reason, hint = null, offer = []) {
    super(reason);
    this.rule = rule;
    this.reason = reason;
    this.hint = hint;
    this.offer = offer;
  }

  toJSON() {
    return { rule: this.rule, reason: this.reason, hint: this.hint, offer: this.offer };
  }
}

/**
 * @param {PyramidView} view
 * @returns {Material} what an item shows, ready to work with
 */
export function materialOf(view) {
  const text = new Text(view.lines.join("\n"));
  if (view.pyramid) return { peer: true, text, summaries: [], models: null, pyramid: view.pyramid };
  const models = view.models ?? (view.summaries.length || null);
  return { peer: false, text, summaries: view.summaries, models, pyramid: null };
}

/**
 * All contributors, assigned first, each with the place of its unit (null for the unassigned).
 * @param {Doc} doc
 * @returns {Generator<Home>}
 */
export function* marksOf(doc) {
  for (const [place, unit] of doc.units.entries()) for (const mark of unit.contributors) yield { mark, place, unit };
  for (const mark of doc.unassigned) yield { mark, place: null, unit: null };
}

/**
 * The contributor with this id and where it is, or null.
 * @param {Doc} doc
 * @param {string} id
 * @returns {Home|null}
 */
export function homeOf(doc, id) {
  for (const found of marksOf(doc)) if (found.mark.id === id) return found;
  return null;
}

/**
 * @param {Doc} doc
 * @param {string} uid
 */
export function unitOf(doc, uid) {
  return doc.units.find((unit) => unit.uid === uid) ?? null;
}

/**
 * The words of parts in the order of the text, joined by "...".
 * @param {Part[]} parts
 */
export function labelOf(parts) {
  return byPlace(parts)
    .map((part) => part.label)
    .join("...");
}

/**
 * Parts as they are shown: in the order of the text.
 * @template {Part} Kind
 * @param {Kind[]} parts
 */
export function byPlace(parts) {
  return [...parts].sort((one, other) => one.start - other.start || one.end - other.end);
}

/**
 * Where the first word of a unit stands; units without words stand last.
 * @param {Unit} unit
 */
export function placeInText(unit) {
  return Math.min(Infinity, ...unit.contributors.flatMap((mark) => mark.parts.map((part) => part.start)));
}

/**
 * The weight of a unit: how many contributors it has; of an entry of a peer, what the pyramid says.
 * @param {Material} material
 * @param {Unit} unit
 */
export function weightOf(material, unit) {
  if (!material.peer) return unit.contributors.length;
  return pyramidUnit(material, unit.uid)?.contributors.length ?? 0;
}

/**
 * The unit of the pyramid that a peer is read against, or null.
 * @param {Material} material
 * @param {string} uid
 */
export function pyramidUnit(material, uid) {
  return material.pyramid?.scus.find((unit) => unit.uid === uid) ?? null;
}

/**
 * The indices of the summaries that parts have a character in.
 * @param {Pick<Part, 'start'|'end'>[]} parts
 * @param {Summary[]} summaries
 */
export function touched(parts, summaries) {
  return [...summaries.keys()].filter((index) => parts.some((part) => shared(part, summaries[index]) > 0));
}

/**
 * How many characters a part has in common with a summary.
 * @param {Pick<Part, 'start'|'end'>} part
 * @param {Summary} summary
 */
export function shared(part, { start, end }) {
  return Math.max(0, Math.min(part.end, end) - Math.max(part.start, start));
}

/**
 * An earlier state to go back to: as it was, but no number is ever given twice.
 * @param {Doc} earlier
 * @param {Doc} present
 */
export function restored(earlier, present) {
  return {
    ...earlier,
    next: {
      unit: Math.max(earlier.next.unit, present.next.unit),
      contributor: Math.max(earlier.next.contributor, present.next.contributor),
    },
  };
}

/**
 * Whether two values are the same JSON, whatever the order of their keys.
 * @param {unknown} one
 * @param {unknown} other
 * @returns {boolean}
 */
export function same(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [here, there] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  return here.size === there.size && [...here].every(([key, value]) => there.has(key) && same(value, there.get(key)));
}
