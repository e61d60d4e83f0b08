// Putting one thing on another, by dragging or by cut and paste: one rule for both.
//
// What is carried: "selection", or the key of a unit, a contributor or a part. Where to: the key of a unit or a
// contributor, "unassigned", or "new" for a unit of its own.
import { homeOf, touched, unitOf } from "./document.js";
import { ask } from "./dialogs.js";
import { el } from "../client.js";
import { foundMark } from "./editing.js";
import * as operations from "./operations.js";
import { parseKey } from "./workspace.js";
/** @import { Refusal } from "./document.js" */
/** @import { Workspace } from "./workspace.js" */
/** @import { ListItem, Mark, Part } from "../types.js" */

/**
 * Put *carried* on *target*; returns a promise of whether something was done.
 * @param {Workspace} workspace
 * @param {string} carried
 * @param {string|null} target
 * @returns {Promise<boolean>}
 */
export async function put(workspace, carried, target) {
  const [from, to] = [parseKey(carried), parseKey(target)];
  if (!from || !to) return false;
  /** @type {ListItem} */
  const goal = to.kind === "part" ? { ...to, kind: "mark" } : to;
  if (workspace.material.peer && (from.kind === "unit" || goal.kind === "new")) {
    return refuse(workspace, "the pyramid is not changed while a peer is annotated");
  }
  const step = STEPS[`${from.kind} on ${goal.kind}`];
  if (!step) return refuse(workspace, "that cannot be put there");
  const done = await step(workspace, from, goal);
  if (done && from.kind === "selection") workspace.select([]);
  return done;
}

/** @type {Record<string, (workspace: Workspace, from: ListItem, to: ListItem) => boolean|Promise<boolean>>} */
const STEPS = {
  "selection on unit": (workspace, _, { uid }) => giveSelection(workspace, uid),
  "selection on mark": (workspace, _, { id }) => partsTo(workspace, id),
  "selection on new": (workspace) => makeUnit(workspace),
  "unit on unit": (workspace, { uid }, to) => mergeUnits(workspace, to.uid, uid),
  "unit on mark": (workspace, { uid }, { id }) => {
    const home = homeOf(workspace.doc, id)?.unit;
    return home ? mergeUnits(workspace, home.uid, uid) : false;
  },
  "unit on unassigned": (workspace, { uid }) => workspace.run(`deleted unit ${uid}`, "deleteUnit", uid),
  "mark on unit": (workspace, { id }, { uid }) => moveMark(workspace, id, uid),
  "mark on mark": (workspace, { id }, to) => workspace.run(`joined ${id} to ${to.id}`, "joinContributors", to.id, id),
  "mark on unassigned": (workspace, { id }) => workspace.run(`unassigned ${id}`, "unassign", [id]),
  "mark on new": (workspace, { id }) => ownUnit(workspace, id, null),
  "part on unit": (workspace, { id, index }, { uid }) => movePart(workspace, id, index, uid),
  "part on mark": (workspace, { id, index }, to) =>
    workspace.run(`moved a part of ${id} to ${to.id}`, "movePartToContributor", id, index, to.id),
  "part on unassigned": (workspace, { id, index }) =>
    workspace.run(`unassigned a part of ${id}`, "unassignPart", id, index),
  "part on new": (workspace, { id, index }) => ownUnit(workspace, id, [index]),
};

/**
 * Make a unit of the selection; it becomes the current one.
 * @param {Workspace} workspace
 * @param {string|null} [label]
 */
export function makeUnit(workspace, label = null) {
  if (!workspace.spans.length) return refuse(workspace, "select some words first");
  const uid = String(workspace.doc.next.unit);
  const made = workspace.run(`made unit ${uid}`, "newUnit", workspace.spans, label);
  if (made) {
    workspace.setCurrent(`unit:${uid}`, true);
    workspace.select([]);
  }
  return made;
}

/**
 * Add the selection to a unit as a contributor; where it has one from that summary, offer to add a part to it.
 * @param {Workspace} workspace
 * @param {string} uid
 */
export async function giveSelection(workspace, uid) {
  if (!workspace.spans.length) return refuse(workspace, "select some words first");
  const note = workspace.material.peer ? operations.repeatNote(workspace.doc, uid) : null;
  const there = sharing(
    workspace,
    uid,
    workspace.spans.map(([start, end]) => ({ start, end })),
  );
  const id = `c${workspace.doc.next.contributor}`;
  const done = there
    ? await offerPart(workspace, uid, there, () => partsTo(workspace, there.id))
    : workspace.run(
        workspace.material.peer ? `matched unit ${uid}` : `added ${id} to unit ${uid}`,
        "addContributor",
        uid,
        workspace.spans,
      );
  if (done) {
    workspace.setCurrent(there ? `mark:${there.id}` : `mark:${id}`, true);
    workspace.select([]);
    if (note) workspace.say(note, "warn");
  }
  return done;
}

/**
 * Add the spans of the selection as parts to a contributor.
 * @param {Workspace} workspace
 * @param {string} id
 */
export function partsTo(workspace, id) {
  if (!workspace.spans.length) return refuse(workspace, "select some words first");
  const done = workspace.attempt(`added a part to ${id}`, (doc) =>
    workspace.spans.reduce((so_far, span) => operations.addPart(workspace.material, so_far, id, span), doc),
  );
  if (done) workspace.select([]);
  return done;
}

/**
 * Merge unit *other* into *uid*; where both have a contributor from one summary, offer to join them.
 * @param {Workspace} workspace
 * @param {string} uid
 * @param {string} other
 * @returns {Promise<boolean>}
 */
export async function mergeUnits(workspace, uid, other) {
  let done = workspace.run(`merged unit ${other} into unit ${uid}`, "merge", uid, other);
  const { refusal } = workspace;
  if (!done && refusal?.offer.length && (await offerJoin(workspace, refusal))) {
    done = workspace.run(`merged unit ${other} into unit ${uid}, joining contributors`, "mergeAndJoin", uid, other);
  }
  if (done) workspace.setCurrent(`unit:${uid}`, true);
  return done;
}

/**
 * @param {Workspace} workspace
 * @param {string} id
 * @param {string} uid
 */
export async function moveMark(workspace, id, uid) {
  const { mark, unit } = foundMark(workspace.doc, id);
  const there = unit?.uid === uid ? null : sharing(workspace, uid, mark.parts);
  if (!there) return workspace.run(`moved ${id} to unit ${uid}`, "moveContributor", id, uid);
  return offerPart(workspace, uid, there, () =>
    workspace.run(`joined ${id} to ${there.id}`, "joinContributors", there.id, id),
  );
}

/**
 * @param {Workspace} workspace
 * @param {string} id
 * @param {number} index
 * @param {string} uid
 */
export async function movePart(workspace, id, index, uid) {
  const { mark } = foundMark(workspace.doc, id);
  const there = sharing(workspace, uid, [mark.parts[index]]);
  if (!there || there.id === id)
    return workspace.run(`moved a part of ${id} to unit ${uid}`, "movePartToUnit", id, index, uid);
  return offerPart(workspace, uid, there, () =>
    workspace.run(`moved a part of ${id} to ${there.id}`, "movePartToContributor", id, index, there.id),
  );
}

/**
 * Give a contributor, or some of its parts, a unit of its own.
 * @param {Workspace} workspace
 * @param {string} id
 * @param {number[]|null} indexes
 */
export function ownUnit(workspace, id, indexes) {
  const { mark, unit } = foundMark(workspace.doc, id);
  if (unit) return workspace.run(`split unit ${unit.uid}`, "split", unit.uid, { [id]: indexes });
  const { material } = workspace;
  return workspace.attempt(`made a unit of ${id}`, (doc) => {
    const chosen = mark.parts.filter((_, index) => indexes === null || indexes.includes(index));
    const [index] = indexes ?? [];
    const freed = chosen.length < mark.parts.length ? operations.unassignPart(material, doc, id, index) : doc;
    const loose = freed === doc ? mark : (freed.unassigned.at(-1) ?? mark);
    const label = `c${freed.next.contributor}`;
    const made = operations.newUnit(
      material,
      freed,
      chosen.map((part) => [part.start, part.end]),
    );
    return operations.discard(material, operations.commentContributor(material, made, label, loose.comment), loose.id);
  });
}

/**
 * The contributor of a unit that stands in the same summary as *parts*, null where there is none.
 * @param {Workspace} workspace
 * @param {string} uid
 * @param {Pick<Part, 'start'|'end'>[]} parts
 */
function sharing(workspace, uid, parts) {
  const { summaries } = workspace.material;
  const here = new Set(touched(parts, summaries));
  const found = unitOf(workspace.doc, uid)?.contributors ?? [];
  return here.size === 1
    ? (found.find((mark) => touched(mark.parts, summaries).some((place) => here.has(place))) ?? null)
    : null;
}

/**
 * @param {Workspace} workspace
 * @param {string} uid
 * @param {Mark} there
 * @param {() => boolean} join
 */
async function offerPart(workspace, uid, there, join) {
  const place = touched(there.parts, workspace.material.summaries)[0];
  const reason = `Unit ${uid} has a contributor from the summary ${workspace.summaryName(place)} already, and takes one from each:`;
  const said = [
    el("p", {}, reason),
    el("blockquote", {}, there.label),
    el("p", {}, "The words can be added to it, as a further part."),
  ];
  const answer = await ask("One contributor from each summary", said, { buttons: ["Add as a part"] });
  if (answer) return join();
  workspace.say("nothing was changed");
  return false;
}

/**
 * Say why nothing is done.
 * @param {Workspace} workspace
 * @param {string} reason
 */
function refuse(workspace, reason) {
  workspace.say(reason, "error");
  return false;
}

/**
 * @param {Workspace} workspace
 * @param {Refusal} refusal
 */
async function offerJoin(workspace, refusal) {
  const rows = refusal.offer.map(([one, other]) =>
    el(
      "li",
      {},
      foundMark(workspace.doc, one).mark.label,
      el("br"),
      el("span", { class: "quiet" }, "with "),
      foundMark(workspace.doc, other).mark.label,
    ),
  );
  const said = [
    el("p", {}, `${refusal.reason}.`),
    el("p", {}, "Each pair can become one contributor with several parts:"),
    el("ul", {}, rows),
  ];
  return ask("Join the contributors?", said, { buttons: ["Join and merge"] });
}
