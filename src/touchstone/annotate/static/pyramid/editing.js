// The small steps that every operation is made of: find, take out, put in, relabel; each refuses what is not there.
import { check, filled, spanFacts } from "./constraints.js";
import { NO_UNIT, Refusal, homeOf, labelOf, pyramidUnit } from "./document.js";
import { RULES } from "./rules.js";
import { grouped } from "./text.js";
/** @import { Doc, Mark, Material, Part, Span, Unit } from "../types.js" */

/**
 * @param {Doc} doc
 * @param {string} uid
 */
export function placeOf(doc, uid) {
  const place = doc.units.findIndex((unit) => unit.uid === uid);
  if (place < 0) throw new Refusal("missing", `there is no unit ${shown(uid)}`);
  return place;
}

/**
 * @param {Doc} doc
 * @param {string} uid
 */
export function unitAt(doc, uid) {
  return doc.units[placeOf(doc, uid)];
}

/**
 * @param {Doc} doc
 * @param {string} id
 */
export function foundMark(doc, id) {
  const found = homeOf(doc, id);
  if (!found) throw new Refusal("missing", `there is no contributor ${shown(id)}`);
  return found;
}

/**
 * @param {Doc} doc
 * @param {string} id
 * @param {number} index
 */
export function partOf(doc, id, index) {
  const { mark } = foundMark(doc, id);
  if (!(index >= 0 && index < mark.parts.length))
    throw new Refusal("missing", `contributor ${id} has no part ${index}`);
  return mark.parts[index];
}

/**
 * A document with an entry for *uid*: a peer may lack one for a unit that its pyramid has.
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} uid
 */
export function listing(material, doc, uid) {
  if (!material.peer || doc.units.some((unit) => unit.uid === uid)) return doc;
  const unit = pyramidUnit(material, uid);
  if (!unit && uid !== NO_UNIT) return doc;
  const { labels } = RULES;
  const label = unit ? filled(labels.entry, { weight: unit.contributors.length, label: unit.label }) : labels.unmatched;
  return { ...doc, units: [...doc.units, { uid, label, comment: null, contributors: [] }] };
}

/**
 * The parts that spans make, each once, with their words.
 * @param {Material} material
 * @param {Span[]} spans
 */
export function words(material, spans) {
  check("contributor", { empty: !spans.length });
  const distinct = new Map(spans.map(([start, end]) => [`${start} ${end}`, [start, end]]));
  const parts = [...distinct.values()].map(([start, end]) => ({ label: material.text.slice(start, end), start, end }));
  for (const part of parts) check("span", spanFacts(part, material.text));
  return parts;
}

/**
 * A new contributor of parts, in no unit yet, and the document that has counted it.
 * @param {Doc} doc
 * @param {Part[]} parts
 * @returns {[Doc, Mark]}
 */
export function freshMark(doc, parts) {
  const number = doc.next.contributor;
  const mark = withParts({ id: `c${number}`, label: "", comment: null, parts: [] }, parts);
  return [{ ...doc, next: { ...doc.next, contributor: number + 1 } }, mark];
}

/**
 * A document with a new unit of marks at a place; without a label it is called by its first words.
 * @param {Doc} doc
 * @param {Mark[]} marks
 * @param {string|null|undefined} label
 * @param {number} place
 */
export function freshUnit(doc, marks, label, place) {
  const name = label === null || label === undefined ? marks[0].label.split(/\s+/u).filter(Boolean).join(" ") : label;
  const unit = { uid: String(doc.next.unit), label: checkedLabel(name), comment: null, contributors: marks };
  const units = [...doc.units.slice(0, place), unit, ...doc.units.slice(place)];
  return { ...doc, units, next: { ...doc.next, unit: doc.next.unit + 1 } };
}

/**
 * @param {Doc} doc
 * @param {number} place
 * @param {Unit} unit
 */
export function withUnit(doc, place, unit) {
  return { ...doc, units: doc.units.with(place, unit) };
}

/**
 * @param {Doc} doc
 * @param {Mark} mark
 */
export function withMark(doc, mark) {
  const { place, unit } = foundMark(doc, mark.id);
  /** @param {Mark[]} marks */
  const replaced = (marks) => marks.map((one) => (one.id === mark.id ? mark : one));
  if (place === null || !unit) return { ...doc, unassigned: replaced(doc.unassigned) };
  return withUnit(doc, place, { ...unit, contributors: replaced(unit.contributors) });
}

/**
 * @param {Doc} doc
 * @param {string} id
 */
export function withoutMark(doc, id) {
  const { place, unit } = foundMark(doc, id);
  /** @param {Mark[]} marks */
  const without = (marks) => marks.filter((one) => one.id !== id);
  if (place === null || !unit) return { ...doc, unassigned: without(doc.unassigned) };
  return withUnit(doc, place, { ...unit, contributors: without(unit.contributors) });
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {Mark[]} marks
 * @param {string} uid
 */
export function putIn(material, doc, marks, uid) {
  const listed = listing(material, doc, uid);
  const place = placeOf(listed, uid);
  const unit = listed.units[place];
  return withUnit(listed, place, { ...unit, contributors: [...unit.contributors, ...marks] });
}

/**
 * @param {Doc} doc
 * @param {Mark[]} marks
 */
export function putAside(doc, marks) {
  return { ...doc, unassigned: [...doc.unassigned, ...marks] };
}

/**
 * @param {Mark} mark
 * @param {Part[]} parts
 */
export function withParts(mark, parts) {
  return { ...mark, label: checkedText(labelOf(parts), "a contributor"), parts };
}

/**
 * A contributor with the parts of another behind its own, spans that it has already left out.
 * @param {Mark} mark
 * @param {Pick<Mark, 'parts'|'comment'>} other
 */
export function joined(mark, other) {
  const here = new Set(mark.parts.map((part) => `${part.start} ${part.end}`));
  const parts = [...mark.parts, ...other.parts.filter((part) => !here.has(`${part.start} ${part.end}`))];
  return { ...withParts(mark, parts), comment: joinedComments(mark.comment, other.comment) };
}

/**
 * @param {string|null} one
 * @param {string|null} other
 */
export function joinedComments(one, other) {
  return checkedText([one, other].filter(Boolean).join("\n"), "a comment") || one;
}

/** @param {string} label */
export function checkedLabel(label) {
  if (!label.trim()) throw new Refusal("label", "a unit needs a label");
  return checkedText(label, "a label");
}

/**
 * @param {string} text
 * @param {string} what
 */
export function checkedText(text, what) {
  const [length, most] = [Array.from(text).length, RULES.limits.text];
  if (length > most)
    throw new Refusal("label", `${what} of ${grouped(length)} characters; ${grouped(most)} are the most`);
  return text;
}

/** @param {string} name */
function shown(name) {
  return name.length <= 40 ? name : `${name.slice(0, 40)}…`;
}
