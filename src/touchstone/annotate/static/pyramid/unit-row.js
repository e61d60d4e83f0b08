// How a unit, its contributors and their parts look in the list.
import { el } from "../client.js";
import { NO_UNIT, byPlace, pyramidUnit, weightOf } from "./document.js";
import { colourOf } from "./text-view.js";
/** @import { Workspace } from "./workspace.js" */
/** @import { Mark, Material, Part, Unit } from "../types.js" */

/**
 * A row for a unit with its contributors. *tools* makes what stands at its end.
 * @param {Workspace} workspace
 * @param {Unit} unit
 * @param {string} key
 * @param {{ open: boolean, extras: Node[] }} given
 */
export function unitRow(workspace, unit, key, { open, extras }) {
  const { material } = workspace;
  const found = unit.contributors.length;
  const weight = weightOf(material, unit);
  const loose = unit.uid === NO_UNIT && material.peer;
  const head = el(
    "div",
    { class: "unit-head" },
    el("span", { class: "weight", title: loose ? "not scored" : `weight ${weight}` }, loose ? "–" : String(weight)),
    el("span", { class: "label", dir: "auto" }, labelShown(material, unit)),
    material.peer && found
      ? el(
          "span",
          { class: "tag found" },
          found > 1 && !loose ? `found, ${found - 1} repeat${found > 2 ? "s" : ""}` : loose ? String(found) : "found",
        )
      : null,
    el("span", { class: "uid" }, unit.uid),
    menuButton(`unit ${unit.uid}`),
  );
  const row = item(key, 1, "unit", [head, note(unit.comment), ...extras]);
  row.setAttribute("aria-label", `unit ${unit.uid}, weight ${weight}: ${unit.label}`);
  row.style.setProperty("--unit", `var(--mark-${colourOf(unit.uid)})`);
  if (material.peer && found) row.classList.add("expressed");
  const children = unit.contributors.map((mark) => markRow(workspace, mark));
  if (open && material.peer) row.append(models(material, unit.uid));
  row.setAttribute("aria-expanded", String(open));
  if (children.length) row.append(el("ul", { role: "group" }, children));
  return row;
}

/**
 * The row of a contributor; its parts have rows of their own where there are several.
 * @param {Workspace} workspace
 * @param {Mark} mark
 */
export function markRow(workspace, mark) {
  const names = workspace.namesOf(mark.parts);
  const parts = byPlace(mark.parts.map((part, index) => ({ ...part, index })));
  const line = el(
    "div",
    { class: "mark-head" },
    names ? el("span", { class: "from", title: `summary ${names}` }, names) : null,
    parts.length > 1
      ? el(
          "ul",
          { role: "group", class: "parts" },
          parts.map((part) => partRow(mark, part)),
        )
      : el("span", { class: "words", dir: "auto" }, mark.parts[0]?.label ?? mark.label),
    menuButton(`contributor ${mark.id}`),
  );
  const row = item(`mark:${mark.id}`, 2, "mark", [line, note(mark.comment)]);
  row.setAttribute("aria-label", `contributor${names ? ` from ${names}` : ""}: ${mark.label}`);
  return row;
}

/**
 * @param {Mark} mark
 * @param {Part & { index: number }} part
 */
function partRow(mark, part) {
  const row = item(`part:${mark.id}:${part.index}`, 3, "part", [el("span", { dir: "auto" }, part.label)]);
  row.setAttribute("aria-label", `part: ${part.label}`);
  return row;
}

/**
 * @param {string} key
 * @param {number} level
 * @param {string} kind
 * @param {(Node|string|null)[]} children
 */
function item(key, level, kind, children) {
  return el(
    "li",
    { class: kind, role: "treeitem", "aria-level": level, tabindex: -1, draggable: "true", dataset: { key } },
    children,
  );
}

/** @param {string} what */
function menuButton(what) {
  return el(
    "button",
    { type: "button", class: "more", tabindex: -1, "aria-label": `Actions for ${what}`, title: "Actions (Enter)" },
    "⋯",
  );
}

/** @param {string|null} comment */
function note(comment) {
  return comment ? el("p", { class: "note", dir: "auto" }, comment) : null;
}

/**
 * What the models say for a unit of the pyramid that a peer is read against.
 * @param {Material} material
 * @param {string} uid
 */
function models(material, uid) {
  const unit = pyramidUnit(material, uid);
  if (!unit) return "";
  return el(
    "ul",
    { class: "models", "aria-label": "in the model summaries" },
    unit.contributors.map((one) => el("li", { dir: "auto" }, one.label)),
  );
}

/**
 * The label of a unit; in a peer without the "(weight) " that files put before it.
 * @param {Material} material
 * @param {Unit} unit
 */
export function labelShown(material, unit) {
  if (!material.peer) return unit.label;
  return unit.uid === NO_UNIT ? "Content that matches no unit" : (pyramidUnit(material, unit.uid)?.label ?? unit.label);
}
