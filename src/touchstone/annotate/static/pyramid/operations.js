// All operations by their names: those on the units of a pyramid are here, the others come from `marking`.
import { guarded } from "./constraints.js";
import { NO_UNIT, Refusal, touched } from "./document.js";
import * as edit from "./editing.js";
/** @import { Doc, Mark, Material, Span } from "../types.js" */

export * from "./marking.js";

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {Span[]} spans
 * @param {string|null} [label]
 */
export function newUnit(material, doc, spans, label = null) {
  const [counted, mark] = edit.freshMark(doc, edit.words(material, spans));
  return guarded(material, doc, edit.freshUnit(counted, [mark], label, doc.units.length));
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} uid
 * @param {string} label
 */
export function renameUnit(material, doc, uid, label) {
  const place = edit.placeOf(doc, uid);
  return edit.withUnit(doc, place, { ...doc.units[place], label: edit.checkedLabel(label) });
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} uid
 * @param {string} other
 */
export function merge(material, doc, uid, other) {
  const pairs = shared(material, doc, uid, other);
  if (pairs.length) {
    const names = new Set(pairs.map(([, , place]) => material.summaries[place].id));
    const said = `units ${uid} and ${other} both have a contributor from the summary ${[...names].join(", ")}`;
    const hint = "join the two into one contributor with several parts, or cancel";
    throw new Refusal(
      "C2",
      said,
      hint,
      pairs.map(([one, two]) => [one, two]),
    );
  }
  return guarded(material, doc, merged(doc, uid, other, edit.unitAt(doc, uid).contributors));
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} uid
 * @param {string} other
 */
export function mergeAndJoin(material, doc, uid, other) {
  const pairs = new Map(
    shared(material, doc, uid, other)
      .reverse()
      .map(([one, two]) => [two, one]),
  );
  const marks = new Map(edit.unitAt(doc, uid).contributors.map((mark) => [mark.id, mark]));
  for (const mark of edit.unitAt(doc, other).contributors) {
    const into = pairs.get(mark.id);
    const there = into && marks.get(into);
    if (there) marks.set(there.id, edit.joined(there, mark));
  }
  return guarded(material, doc, merged(doc, uid, other, [...marks.values()], new Set(pairs.keys())));
}

/**
 * chosen*: contributors by their ids, whole (null) or some of their parts (indexes).
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} uid
 * @param {Record<string, number[]|null>} chosen
 * @param {string|null} [label]
 */
export function split(material, doc, uid, chosen, label = null) {
  const place = edit.placeOf(doc, uid);
  const unit = doc.units[place];
  const here = new Set(unit.contributors.map((mark) => mark.id));
  const [stranger] = Object.keys(chosen)
    .filter((id) => !here.has(id))
    .sort();
  if (stranger) throw new Refusal("missing", `there is no contributor ${stranger} in unit ${uid}`);
  let after = doc;
  /** @type {Mark[]} */
  const kept = [];
  /** @type {Mark[]} */
  const taken = [];
  for (const mark of unit.contributors) {
    const [counted, stays, goes] = parted(after, mark, mark.id in chosen ? chosen[mark.id] : []);
    after = counted;
    if (stays) kept.push(stays);
    if (goes) taken.push(goes);
  }
  if (!taken.length) throw new Refusal("split", "choose what the new unit takes");
  if (!kept.length) {
    const said = `choose some of the contributors or parts, not all: nothing would be left in unit ${uid}`;
    throw new Refusal("split", said);
  }
  after = edit.withUnit(after, place, { ...unit, contributors: kept });
  return guarded(material, doc, edit.freshUnit(after, taken, label, place + 1));
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} uid
 */
export function deleteUnit(material, doc, uid) {
  const place = edit.placeOf(doc, uid);
  const rest = { ...doc, units: doc.units.toSpliced(place, 1) };
  return guarded(material, doc, edit.putAside(rest, doc.units[place].contributors));
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} uid
 * @param {number} place
 */
export function moveUnit(material, doc, uid, place) {
  const from = edit.placeOf(doc, uid);
  const others = doc.units.toSpliced(from, 1);
  if (!(place >= 0 && place <= others.length)) throw new Refusal("same", `the unit cannot be moved to place ${place}`);
  return { ...doc, units: others.toSpliced(place, 0, doc.units[from]) };
}

/**
 * What to say before a unit is matched once more; null where it is not expressed yet.
 * @param {Doc} doc
 * @param {string} uid
 */
export function repeatNote(doc, uid) {
  const expressed = doc.units.some((unit) => unit.uid === uid && unit.contributors.length);
  if (uid === NO_UNIT || !expressed) return null;
  return `unit ${uid} is expressed already: this counts as a repeat and earns nothing`;
}

/**
 * The pairs of contributors of two units that touch one summary, and its place.
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} uid
 * @param {string} other
 * @returns {[string, string, number][]}
 */
function shared(material, doc, uid, other) {
  const [here, there] = [edit.unitAt(doc, uid), edit.unitAt(doc, other)];
  if (uid === other) throw new Refusal("same", "a unit cannot be merged with itself");
  /** @type {[string, string, number][]} */
  const pairs = [];
  for (const two of there.contributors) {
    for (const one of here.contributors) {
      const also = new Set(touched(two.parts, material.summaries));
      const both = touched(one.parts, material.summaries).filter((place) => also.has(place));
      if (both.length) pairs.push([one.id, two.id, both[0]]);
    }
  }
  return pairs;
}

/**
 * @param {Doc} doc
 * @param {string} uid
 * @param {string} other
 * @param {Mark[]} marks
 * @param {Set<string>} [gone]
 */
function merged(doc, uid, other, marks, gone = new Set()) {
  const [here, there] = [edit.unitAt(doc, uid), edit.unitAt(doc, other)];
  const rest = there.contributors.filter((mark) => !gone.has(mark.id));
  const unit = {
    ...here,
    comment: edit.joinedComments(here.comment, there.comment),
    contributors: [...marks, ...rest],
  };
  return { ...doc, units: doc.units.filter((one) => one !== there).map((one) => (one === here ? unit : one)) };
}

/**
 * What stays of a contributor and what goes with a split; the document counts a new contributor.
 * @param {Doc} doc
 * @param {Mark} mark
 * @param {number[]|null} indexes
 * @returns {[Doc, Mark|null, Mark|null]}
 */
function parted(doc, mark, indexes) {
  if (indexes !== null && !indexes.length) return [doc, mark, null];
  const chosen = new Set(indexes ?? mark.parts.keys());
  const goes = [...chosen].sort((a, b) => a - b).map((index) => edit.partOf(doc, mark.id, index));
  const stays = mark.parts.filter((_, index) => !chosen.has(index));
  if (!stays.length) return [doc, null, mark];
  const [counted, made] = edit.freshMark(doc, goes);
  return [counted, edit.withParts(mark, stays), made];
}
