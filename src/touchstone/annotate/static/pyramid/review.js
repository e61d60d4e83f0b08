// Partner review as a value: proposals of a reviewer, decisions of the author; the document under review stays.
import { apply, changeBetween, isEmpty } from "./changes.js";
import { guarded } from "./constraints.js";
import { Refusal, unitOf } from "./document.js";
/** @import { Change, Doc, Material, Proposal, Review } from "../types.js" */

/** @param {Review} given */
function nextKey({ proposals }) {
  return `p${Math.max(0, ...proposals.map(({ key }) => Number(key.slice(1)))) + 1}`;
}

/**
 * @param {Review} review
 * @param {Proposal[]} others
 * @param {string} about
 * @param {Proposal['verdict']} verdict
 * @param {string} comment
 * @param {Change|null} [change]
 */
function added(review, others, about, verdict, comment, change = null) {
  return { ...review, proposals: [...others, { key: nextKey(review), about, verdict, comment, change }] };
}

/**
 * @param {Review} given
 * @param {string} about
 */
function unaccepted({ proposals }, about) {
  return proposals.filter((one) => one.about !== about || one.verdict !== "accept");
}

/**
 * Accept a unit as it is, in place of whatever was said about it before.
 * @param {Review} review
 * @param {string} about
 */
export function accept(review, about) {
  return added(
    review,
    review.proposals.filter((one) => one.about !== about),
    about,
    "accept",
    "",
  );
}

/**
 * @param {Review} review
 * @param {string} about
 * @param {string} comment
 */
export function remark(review, about, comment) {
  if (!comment.trim()) throw new Refusal("review", "a comment needs words");
  return added(review, unaccepted(review, about), about, "comment", comment);
}

/**
 * Propose to change *before* into *after*; it is about the first unit of *before* that it changes.
 * @param {Review} review
 * @param {Doc} before
 * @param {Doc} after
 * @param {string} comment
 */
export function propose(review, before, after, comment) {
  const [first] = Object.keys(changeBetween(before, after, "", "").units.items).filter((uid) => unitOf(before, uid));
  const about = first ?? "";
  const change = changeBetween(
    before,
    after,
    "proposal",
    comment.slice(0, 2000) || `a change of ${about || "the document"}`,
  );
  if (isEmpty(change)) throw new Refusal("review", "nothing was changed yet");
  return added(review, unaccepted(review, about), about, "change", comment, change);
}

/**
 * @param {Review} review
 * @param {string} key
 */
export function withdraw(review, key) {
  return { ...review, proposals: review.proposals.filter((one) => one.key !== key) };
}

/**
 * The author's decision: *taken* is true or false for a change, null for anything else.
 * @param {Review} review
 * @param {string} key
 * @param {boolean|null} taken
 * @param {string} [reply]
 */
export function decide(review, key, taken, reply = "") {
  return { ...review, decisions: { ...review.decisions, [key]: { taken, reply } } };
}

/**
 * The author's document with the change of a proposal; refused where it is out of date or breaks a rule.
 * @param {Material} material
 * @param {Doc} doc
 * @param {Proposal} proposal
 */
export function take(material, doc, proposal) {
  if (!proposal.change) throw new Refusal("review", "the proposal changes nothing");
  return guarded(material, doc, apply(proposal.change, doc));
}

/**
 * The units about which nothing was said yet; of a peer only those that it expresses.
 * @param {Material} material
 * @param {Doc} doc
 * @param {Review} review
 */
export function unreviewed(material, doc, review) {
  const seen = new Set(review.proposals.map(({ about }) => about));
  return doc.units.filter((unit) => !seen.has(unit.uid) && (unit.contributors.length || !material.peer));
}
