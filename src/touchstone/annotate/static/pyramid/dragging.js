// Drag and drop in the list: what is dropped on what is done by `put`, as cut and paste do.
import { closest } from "../client.js";
import { put } from "./moving.js";
/** @import { PyramidText } from "./text-view.js" */
/** @import { PyramidUnits } from "./unit-list.js" */
/** @import { Workspace } from "./workspace.js" */

const CARRIED = "application/x-touchstone";

/**
 * Make rows of the list and the selection draggable onto rows, the unassigned and the place for new units.
 * @param {{ workspace: Workspace, units: PyramidUnits, text: PyramidText, chip: HTMLElement, fresh: HTMLElement }} given
 */
export function makeDraggable({ workspace, units, text, chip, fresh }) {
  /** @type {string|null} */
  let carried = null;
  /**
   * @param {DragEvent} event
   * @param {string} what
   */
  const begin = (event, what) => {
    if (!workspace.editable) return event.preventDefault();
    event.stopPropagation();
    carried = what;
    event.dataTransfer?.setData(CARRIED, what);
    if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
    document.body.classList.add("dragging");
    return undefined;
  };
  /**
   * @param {DragEvent} event
   * @param {HTMLElement|null} target
   */
  const over = (event, target) => {
    if (!carried || !target || target.dataset.key === carried) return;
    event.preventDefault();
    event.stopPropagation();
    marked(target);
  };
  /**
   * @param {DragEvent} event
   * @param {HTMLElement|null} target
   * @param {string|null|undefined} key
   */
  const drop = (event, target, key) => {
    if (!carried || !target || key === carried) return;
    event.preventDefault();
    event.stopPropagation();
    const what = carried;
    finish();
    put(workspace, what, key ?? null);
  };
  /** @param {HTMLElement|null} target */
  const marked = (target) => {
    for (const one of document.querySelectorAll(".drop")) if (one !== target) one.classList.remove("drop");
    target?.classList.add("drop");
  };
  const finish = () => {
    carried = null;
    document.body.classList.remove("dragging");
    marked(null);
  };
  /** @param {Event} event */
  const keyOf = (event) => closest(event, "[data-key]")?.dataset.key;
  units.addEventListener("dragstart", (event) => begin(event, keyOf(event) ?? ""));
  for (const source of [chip, text]) {
    source.addEventListener("dragstart", (event) =>
      workspace.spans.length ? begin(event, "selection") : event.preventDefault(),
    );
  }
  units.addEventListener("dragover", (event) => over(event, closest(event, "[data-key]")));
  units.addEventListener("drop", (event) => drop(event, closest(event, "[data-key]"), keyOf(event)));
  fresh.addEventListener("dragover", (event) => over(event, fresh));
  fresh.addEventListener("drop", (event) => drop(event, fresh, "new"));
  document.addEventListener("dragend", finish);
}
