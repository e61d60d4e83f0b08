// Operations on contributors and parts, the same in a pyramid and in a peer.
//
// Each takes the material and a document, and returns the document after the step or throws a Refusal. What leaves a
// unit is unassigned; only `discard` takes a span away.
import { guarded } from "./constraints.js";
import { Refusal } from "./document.js";
import * as edit from "./editing.js";
/** @import { Doc, Material, Span } from "../types.js" */

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} uid
 * @param {Span[]} spans
 */
export function addContributor(material, doc, uid, spans) {
  const [counted, mark] = edit.freshMark(doc, edit.words(material, spans));
  return guarded(material, doc, edit.putIn(material, counted, [mark], uid));
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} id
 * @param {Span} span
 */
export function addPart(material, doc, id, span) {
  const { mark } = edit.foundMark(doc, id);
  if (mark.parts.some((part) => part.start === span[0] && part.end === span[1])) {
    throw new Refusal("same", "the span is already there");
  }
  const parts = [...mark.parts, ...edit.words(material, [span])];
  return guarded(material, doc, edit.withMark(doc, edit.withParts(mark, parts)));
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} uid
 * @param {string|null} comment
 */
export function commentUnit(material, doc, uid, comment) {
  const listed = edit.listing(material, doc, uid);
  const place = edit.placeOf(listed, uid);
  const said = edit.checkedText(comment ?? "", "a comment") || null;
  return edit.withUnit(listed, place, { ...listed.units[place], comment: said });
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} id
 * @param {string|null} comment
 */
export function commentContributor(material, doc, id, comment) {
  const { mark } = edit.foundMark(doc, id);
  return edit.withMark(doc, { ...mark, comment: edit.checkedText(comment ?? "", "a comment") || null });
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} id
 * @param {string} uid
 */
export function moveContributor(material, doc, id, uid) {
  const { mark, unit } = edit.foundMark(doc, id);
  if (unit?.uid === uid) throw new Refusal("same", "the contributor is already there");
  return guarded(material, doc, edit.putIn(material, edit.withoutMark(doc, id), [mark], uid));
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} id
 * @param {string} other
 */
export function joinContributors(material, doc, id, other) {
  const [{ mark }, { mark: second }] = [edit.foundMark(doc, id), edit.foundMark(doc, other)];
  if (id === other) throw new Refusal("same", "a contributor cannot be joined with itself");
  return guarded(material, doc, edit.withMark(edit.withoutMark(doc, other), edit.joined(mark, second)));
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} id
 * @param {number} index
 * @param {string} uid
 */
export function movePartToUnit(material, doc, id, index, uid) {
  const part = edit.partOf(doc, id, index);
  if (edit.foundMark(doc, id).mark.parts.length === 1) return moveContributor(material, doc, id, uid);
  const [counted, mark] = edit.freshMark(withoutPart(doc, id, index), [part]);
  return guarded(material, doc, edit.putIn(material, counted, [mark], uid));
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} id
 * @param {number} index
 * @param {string} target
 */
export function movePartToContributor(material, doc, id, index, target) {
  const part = edit.partOf(doc, id, index);
  const { mark } = edit.foundMark(doc, target);
  if (id === target) throw new Refusal("same", "the span is already there");
  if (edit.foundMark(doc, id).mark.parts.length === 1) return joinContributors(material, doc, target, id);
  const moved = edit.joined(mark, { parts: [part], comment: null });
  return guarded(material, doc, edit.withMark(withoutPart(doc, id, index), moved));
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string[]} ids
 */
export function unassign(material, doc, ids) {
  let after = doc;
  for (const id of new Set(ids)) {
    const { mark, place } = edit.foundMark(after, id);
    if (place !== null) after = edit.putAside(edit.withoutMark(after, id), [mark]);
  }
  return guarded(material, doc, after);
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} id
 * @param {number} index
 */
export function unassignPart(material, doc, id, index) {
  const part = edit.partOf(doc, id, index);
  if (edit.foundMark(doc, id).mark.parts.length === 1) return unassign(material, doc, [id]);
  const [counted, mark] = edit.freshMark(withoutPart(doc, id, index), [part]);
  return guarded(material, doc, edit.putAside(counted, [mark]));
}

/**
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} id
 */
export function discard(material, doc, id) {
  if (edit.foundMark(doc, id).place !== null) {
    throw new Refusal("assigned", `contributor ${id} belongs to a unit`, "unassign it before it is discarded");
  }
  return edit.withoutMark(doc, id);
}

/**
 * @param {Doc} doc
 * @param {string} id
 * @param {number} index
 */
function withoutPart(doc, id, index) {
  const { mark } = edit.foundMark(doc, id);
  return edit.withMark(doc, edit.withParts(mark, mark.parts.toSpliced(index, 1)));
}
