// The small steps that every operation is made of: find, take out, put in, relabel; each refuses what is not there.
import { noSpan } from "./constraints.js";
import { NON_MATCHING, NO_UNIT, Refusal, homeOf, labelOf, pyramidUnit } from "./document.js";
import { grouped } from "./text.js";

const MAX_TEXT = 100_000;

export function placeOf(doc, uid) {
  const place = doc.units.findIndex((unit) => unit.uid === uid);
  if (place < 0) throw new Refusal("missing", `there is no unit ${shown(uid)}`);
  return place;
}

export function foundMark(doc, id) {
  const found = homeOf(doc, id);
  if (!found) throw new Refusal("missing", `there is no contributor ${shown(id)}`);
  return found;
}

export function partOf(doc, id, index) {
  const { mark } = foundMark(doc, id);
  if (!(index >= 0 && index < mark.parts.length)) throw new Refusal("missing", `contributor ${id} has no part ${index}`);
  return mark.parts[index];
}

/** A document with an entry for *uid*: a peer may lack one for a unit that its pyramid has. */
export function listing(material, doc, uid) {
  if (!material.peer || doc.units.some((unit) => unit.uid === uid)) return doc;
  const unit = pyramidUnit(material, uid);
  if (!unit && uid !== NO_UNIT) return doc;
  const label = unit ? `(${unit.contributors.length}) ${unit.label}` : NON_MATCHING;
  return { ...doc, units: [...doc.units, { uid, label, comment: null, contributors: [] }] };
}

/** The parts that spans make, each once, with their words. */
export function words(material, spans) {
  if (!spans.length) throw new Refusal("parts", "a contributor needs at least one part");
  for (const [start, end] of spans) {
    const fault = noSpan(start, end, material.text);
    if (fault) throw new Refusal("span", fault);
  }
  const once = new Map(spans.map(([start, end]) => [`${start} ${end}`, [start, end]]));
  return [...once.values()].map(([start, end]) => ({ label: material.text.slice(start, end), start, end }));
}

/** A new contributor of parts, in no unit yet, and the document that has counted it. */
export function freshMark(doc, parts) {
  const number = doc.next.contributor;
  const mark = withParts({ id: `c${number}`, label: "", comment: null, parts: [] }, parts);
  return [{ ...doc, next: { ...doc.next, contributor: number + 1 } }, mark];
}

/** A document with a new unit of marks at a place; without a label it is called by its first words. */
export function freshUnit(doc, marks, label, place) {
  const name = label === null || label === undefined ? marks[0].label.split(/\s+/u).filter(Boolean).join(" ") : label;
  const unit = { uid: String(doc.next.unit), label: checkedLabel(name), comment: null, contributors: marks };
  const units = [...doc.units.slice(0, place), unit, ...doc.units.slice(place)];
  return { ...doc, units, next: { ...doc.next, unit: doc.next.unit + 1 } };
}

export function withUnit(doc, place, unit) {
  return { ...doc, units: doc.units.with(place, unit) };
}

export function withMark(doc, mark) {
  const { place, unit } = homeOf(doc, mark.id);
  const replaced = (marks) => marks.map((one) => (one.id === mark.id ? mark : one));
  if (place === null) return { ...doc, unassigned: replaced(doc.unassigned) };
  return withUnit(doc, place, { ...unit, contributors: replaced(unit.contributors) });
}

export function withoutMark(doc, id) {
  const { place, unit } = homeOf(doc, id);
  const without = (marks) => marks.filter((one) => one.id !== id);
  if (place === null) return { ...doc, unassigned: without(doc.unassigned) };
  return withUnit(doc, place, { ...unit, contributors: without(unit.contributors) });
}

export function putIn(material, doc, marks, uid) {
  const listed = listing(material, doc, uid);
  const place = placeOf(listed, uid);
  const unit = listed.units[place];
  return withUnit(listed, place, { ...unit, contributors: [...unit.contributors, ...marks] });
}

export function putAside(doc, marks) {
  return { ...doc, unassigned: [...doc.unassigned, ...marks] };
}

export function withParts(mark, parts) {
  return { ...mark, label: checkedText(labelOf(parts), "a contributor"), parts };
}

/** A contributor with the parts of another behind its own, spans that it has already left out. */
export function joined(mark, other) {
  const here = new Set(mark.parts.map((part) => `${part.start} ${part.end}`));
  const parts = [...mark.parts, ...other.parts.filter((part) => !here.has(`${part.start} ${part.end}`))];
  return { ...withParts(mark, parts), comment: joinedComments(mark.comment, other.comment) };
}

export function joinedComments(one, other) {
  return checkedText([one, other].filter(Boolean).join("\n"), "a comment") || one;
}

export function checkedLabel(label) {
  if (!label.trim()) throw new Refusal("label", "a unit needs a label");
  return checkedText(label, "a label");
}

export function checkedText(text, what) {
  const length = Array.from(text).length;
  if (length > MAX_TEXT) throw new Refusal("label", `${what} of ${grouped(length)} characters; ${grouped(MAX_TEXT)} are the most`);
  return text;
}

function shown(name) {
  return name.length <= 40 ? name : `${name.slice(0, 40)}…`;
}
