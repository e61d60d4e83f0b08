// What is done to the item of the list that is current: named, commented, moved, split, taken out.
import { el } from "../client.js";
import { askFor, askText, pick } from "./dialogs.js";
import { byPlace, marksOf, weightOf } from "./document.js";
import { foundMark, unitAt } from "./editing.js";
import { giveSelection, makeUnit, mergeUnits, moveMark, movePart, partsTo } from "./moving.js";
import { labelShown } from "./unit-row.js";
/** @import { Workspace } from "./workspace.js" */
/** @import { Doc, ListItem, Material } from "../types.js" */

/**
 * The units to choose from, heaviest first.
 * @param {{ doc: Doc, material: Material }} given
 * @param {string|null} [without]
 */
function unitOptions({ doc, material }, without = null) {
  return doc.units
    .filter((unit) => unit.uid !== without)
    .map((unit) => ({
      value: unit.uid,
      tag: String(weightOf(material, unit)),
      label: labelShown(material, unit),
      detail: material.peer ? null : unit.contributors.map((mark) => mark.label).join(" · "),
    }))
    .sort((one, other) => Number(other.tag) - Number(one.tag));
}

/**
 * Give the selection to a unit that is chosen by words of its label.
 * @param {Workspace} workspace
 */
export async function giveToChosen(workspace) {
  if (!workspace.spans.length) return workspace.say("select some words first", "error");
  const uid = await pick(
    workspace.material.peer ? "Which unit do these words express?" : "Add to which unit?",
    unitOptions(workspace),
    { note: `“${workspace.words}”` },
  );
  return uid === null ? null : giveSelection(workspace, uid);
}

/** @param {Workspace} workspace */
export function giveToCurrent(workspace) {
  const unit = workspace.currentUnit;
  return unit ? giveSelection(workspace, unit.uid) : giveToChosen(workspace);
}

/** @param {Workspace} workspace */
export function partToCurrent(workspace) {
  const id = workspace.currentMark ?? workspace.currentUnit?.contributors.at(-1)?.id;
  return id ? partsTo(workspace, id) : workspace.say("go to a contributor first", "error");
}

/** @param {Workspace} workspace */
export async function makeAndName(workspace) {
  if (!workspace.spans.length) return workspace.say("select some words first", "error");
  const label = await askText("A new unit", workspace.words.split(/\s+/).join(" "), {
    label: "Label",
    button: "Make the unit",
    note: "Say in a short sentence what the unit states.",
  });
  return label === null ? null : makeUnit(workspace, label);
}

/**
 * @param {Workspace} workspace
 * @param {{ uid: string }} given
 */
export async function rename(workspace, { uid }) {
  const label = await askText(`Label of unit ${uid}`, unitAt(workspace.doc, uid).label, { label: "Label" });
  if (label !== null && label !== unitAt(workspace.doc, uid).label)
    workspace.run(`renamed unit ${uid}`, "renameUnit", uid, label);
}

/**
 * @param {Workspace} workspace
 * @param {ListItem} item
 */
export async function comment(workspace, item) {
  const isUnit = item.kind === "unit";
  const what = isUnit ? `unit ${item.uid}` : `contributor ${item.id}`;
  const now = isUnit ? unitAt(workspace.doc, item.uid).comment : foundMark(workspace.doc, item.id).mark.comment;
  const said = await askText(`Comment on ${what}`, now ?? "", {
    label: "Comment",
    lines: 4,
    note: "Ctrl+Enter saves; an empty comment is removed.",
  });
  if (said === null || said === (now ?? "")) return;
  if (isUnit) workspace.run(`commented on ${what}`, "commentUnit", item.uid, said);
  else workspace.run(`commented on ${what}`, "commentContributor", item.id, said);
}

/**
 * Move a contributor or part to a unit that is chosen, or merge a unit with one.
 * @param {Workspace} workspace
 * @param {ListItem} item
 */
export async function moveTo(workspace, item) {
  const own = item.kind === "unit" ? item.uid : foundMark(workspace.doc, item.id).unit?.uid;
  const title = item.kind === "unit" ? `Merge unit ${item.uid} into` : "Move to";
  const uid = await pick(title, unitOptions(workspace, own));
  if (uid === null) return null;
  if (item.kind === "unit") return mergeUnits(workspace, uid, item.uid);
  return item.kind === "mark" ? moveMark(workspace, item.id, uid) : movePart(workspace, item.id, item.index, uid);
}

/**
 * Join a contributor, or move a part, to another contributor that is chosen.
 * @param {Workspace} workspace
 * @param {ListItem} item
 */
export async function joinTo(workspace, item) {
  const options = [...marksOf(workspace.doc)]
    .filter(({ mark }) => mark.id !== item.id)
    .map(({ mark, unit }) => ({
      value: mark.id,
      tag: workspace.namesOf(mark.parts),
      label: mark.label,
      detail: unit ? `in ${unit.label}` : "unassigned",
    }));
  const id = await pick(item.kind === "part" ? "Move the part to" : "Join with", options);
  if (id === null) return null;
  if (item.kind === "part")
    return workspace.run(`moved a part of ${item.id} to ${id}`, "movePartToContributor", item.id, item.index, id);
  return workspace.run(`joined ${item.id} to ${id}`, "joinContributors", id, item.id);
}

/**
 * Choose contributors or parts of a unit, and give them a unit of their own.
 * @param {Workspace} workspace
 * @param {{ uid: string }} given
 */
export async function splitUnit(workspace, { uid }) {
  const unit = unitAt(workspace.doc, uid);
  /**
   * @param {string} value
   * @param {string} words
   */
  const box = (value, words) =>
    el("label", {}, el("input", { type: "checkbox", name: "chosen", value }), el("span", { dir: "auto" }, words));
  const rows = unit.contributors.map((mark) => {
    const parts = mark.parts.length > 1 ? byPlace(mark.parts.map((part, index) => ({ ...part, index }))) : [];
    return el(
      "li",
      {},
      box(mark.id, `${workspace.namesOf(mark.parts)} ${mark.label}`),
      el(
        "ul",
        {},
        parts.map((part) => el("li", {}, box(`${mark.id}:${part.index}`, part.label))),
      ),
    );
  });
  const label = el("input", { name: "label", placeholder: "its first words", autocomplete: "off" });
  const content = [
    el("p", {}, "Choose what the new unit takes:"),
    el("ul", { class: "choices" }, rows),
    el("label", {}, "Label of the new unit", label),
  ];
  rows[0]?.querySelector("input")?.setAttribute("autofocus", "");
  /** @param {HTMLFormElement} form */
  const read = (form) => ({ chosen: chosenOf(form), label: label.value || null });
  const answer = await askFor(`Split unit ${uid}`, content, read, { buttons: ["Split"], wide: true });
  if (answer) workspace.run(`split unit ${uid}`, "split", uid, answer.chosen, answer.label);
}

/** @param {HTMLFormElement} form */
function chosenOf(form) {
  /** @type {Record<string, number[]|null>} */
  const chosen = {};
  for (const value of new FormData(form).getAll("chosen").map(String)) {
    const [id, index] = value.split(":");
    if (index === undefined) chosen[id] = null;
    else if (chosen[id] !== null) chosen[id] = [...(chosen[id] ?? []), Number(index)];
  }
  return chosen;
}

/**
 * Take an item out: a unit is dissolved, a contributor or part unassigned, an unassigned one discarded.
 * @param {Workspace} workspace
 * @param {ListItem} item
 */
export function takeOut(workspace, item) {
  const { doc, material } = workspace;
  if (item.kind === "unit") {
    return material.peer
      ? workspace.run(
          `took back unit ${item.uid}`,
          "unassign",
          unitAt(doc, item.uid).contributors.map((mark) => mark.id),
        )
      : workspace.run(`deleted unit ${item.uid}; its words are unassigned`, "deleteUnit", item.uid);
  }
  const loose = foundMark(doc, item.id).place === null;
  if (item.kind === "mark" && loose) return workspace.run(`discarded ${item.id}`, "discard", item.id);
  if (item.kind === "mark") return workspace.run(`unassigned ${item.id}`, "unassign", [item.id]);
  return workspace.run(`unassigned a part of ${item.id}`, "unassignPart", item.id, item.index);
}

/**
 * Move a unit up or down the list.
 * @param {Workspace} workspace
 * @param {{ uid: string }} given
 * @param {number} by
 */
export function shift(workspace, { uid }, by) {
  if (workspace.sort !== "order") return workspace.say("units can be moved when the list is sorted “as made”", "error");
  const at = workspace.doc.units.findIndex((unit) => unit.uid === uid);
  const to = at + by;
  if (to < 0 || to >= workspace.doc.units.length) return null;
  return workspace.run(`moved unit ${uid} ${by < 0 ? "up" : "down"}`, "moveUnit", uid, to);
}

/** @param {Workspace} workspace */
export function cut(workspace) {
  workspace.hold(workspace.current);
  workspace.say("cut: go to where it belongs, and press v");
}
