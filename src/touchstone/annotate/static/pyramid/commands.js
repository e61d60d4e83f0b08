// Everything that can be done, with its keys: the keyboard, the menus and the list of keys are made of this table.
import { closest, isTyping, keyHelp } from "../client.js";
import * as act from "./acting.js";
import { uncovered } from "./figures.js";
import { giveSelection, makeUnit, ownUnit, put } from "./moving.js";
import { parseKey } from "./workspace.js";
/** @import { Page } from "./page.js" */
/** @import { Workspace } from "./workspace.js" */
/** @import { Command, ListItem } from "../types.js" */

/** @param {Page} given */
const isPeer = ({ workspace }) => workspace.material.peer;
/** @param {Page} page */
const isPyramid = (page) => !isPeer(page);
/** @param {Page} given */
const edits = ({ workspace }) => workspace.editable;
/** @param {Page} page */
const editsPyramid = (page) => edits(page) && isPyramid(page);
/** @param {Workspace} workspace */
const dropSelection = (workspace) => {
  workspace.select([]);
  workspace.hold(null);
};
/** @type {ListItem} */
const NO_ITEM = { kind: "unassigned", uid: "", id: "", index: -1 };
const LIST = ["unit", "mark", "part"];

/** @type {Command[]} */
export const COMMANDS = [
  {
    keys: ["Enter", "n"],
    does: "make a unit of the selection",
    on: ["text"],
    when: editsPyramid,
    run: ({ workspace }) => makeUnit(workspace),
  },
  {
    keys: ["Shift+Enter"],
    does: "make a unit and type its label",
    on: ["text"],
    when: editsPyramid,
    run: ({ workspace }) => act.makeAndName(workspace),
  },
  {
    keys: ["Enter", "m"],
    does: "match the selection to a unit found by its label",
    on: ["text"],
    when: (page) => edits(page) && isPeer(page),
    run: ({ workspace }) => act.giveToChosen(workspace),
  },
  {
    keys: ["m"],
    does: "add the selection to a unit found by its label",
    on: ["text"],
    when: editsPyramid,
    run: ({ workspace }) => act.giveToChosen(workspace),
  },
  {
    keys: ["a"],
    does: "add the selection to the current unit, as a contributor",
    on: null,
    when: edits,
    run: ({ workspace }) => act.giveToCurrent(workspace),
  },
  {
    keys: ["p"],
    does: "add the selection to the current contributor, as a part",
    on: null,
    when: edits,
    run: ({ workspace }) => act.partToCurrent(workspace),
  },
  {
    keys: ["0"],
    does: "mark the selection as content that matches no unit",
    on: null,
    when: (page) => edits(page) && isPeer(page),
    run: ({ workspace }) => giveSelection(workspace, "0"),
  },
  {
    keys: ["Escape"],
    does: "drop the selection, or what was cut",
    on: null,
    run: ({ workspace }) => dropSelection(workspace),
  },
  {
    keys: ["w"],
    does: "select by words or by characters",
    on: null,
    run: (page) => page.setGranularity(page.workspace.granularity === "word" ? "grapheme" : "word"),
  },
  {
    keys: ["."],
    does: "go to the next words that no unit covers",
    on: null,
    when: isPyramid,
    run: (page) => nextUncovered(page),
  },
  {
    keys: ["r", "F2"],
    does: "rename the unit",
    on: ["unit"],
    when: editsPyramid,
    run: ({ workspace }, item) => act.rename(workspace, item),
  },
  {
    keys: ["c"],
    does: "comment on the unit or contributor",
    on: ["unit", "mark"],
    when: edits,
    run: ({ workspace }, item) => act.comment(workspace, item),
  },
  {
    keys: ["m"],
    does: "merge the unit into another",
    on: ["unit"],
    when: editsPyramid,
    run: ({ workspace }, item) => act.moveTo(workspace, item),
  },
  {
    keys: ["s"],
    does: "split the unit",
    on: ["unit"],
    when: editsPyramid,
    run: ({ workspace }, item) => act.splitUnit(workspace, item),
  },
  {
    keys: ["m"],
    does: "move the contributor or part to another unit",
    on: ["mark", "part"],
    when: edits,
    run: ({ workspace }, item) => act.moveTo(workspace, item),
  },
  {
    keys: ["j"],
    does: "join the contributor or part with another contributor",
    on: ["mark", "part"],
    when: edits,
    run: ({ workspace }, item) => act.joinTo(workspace, item),
  },
  {
    keys: ["n"],
    does: "give the contributor or part a unit of its own",
    on: ["mark", "part"],
    when: editsPyramid,
    run: ({ workspace }, { id, index }) => ownUnit(workspace, id, index < 0 ? null : [index]),
  },
  {
    keys: ["Delete", "Backspace"],
    does: "delete the unit (its words become unassigned), unassign the contributor or part, discard an unassigned one",
    on: LIST,
    when: edits,
    run: ({ workspace }, item) => act.takeOut(workspace, item),
  },
  {
    keys: ["x", "Ctrl+x"],
    does: "cut the item, to put it elsewhere",
    on: LIST,
    when: edits,
    run: ({ workspace }) => act.cut(workspace),
  },
  {
    keys: ["v", "Ctrl+v"],
    does: "put what was cut, or the selection, on this item",
    on: [...LIST, "unassigned"],
    when: edits,
    run: ({ workspace }) => paste(workspace),
  },
  {
    keys: ["Alt+ArrowUp"],
    does: "move the unit up",
    on: ["unit"],
    when: editsPyramid,
    run: ({ workspace }, item) => act.shift(workspace, item, -1),
  },
  {
    keys: ["Alt+ArrowDown"],
    does: "move the unit down",
    on: ["unit"],
    when: editsPyramid,
    run: ({ workspace }, item) => act.shift(workspace, item, 1),
  },
  {
    keys: ["e"],
    does: "open or close the unit",
    on: ["unit"],
    run: ({ units }, { uid }) => units.toggle(`unit:${uid}`),
  },
  {
    keys: ["Enter"],
    does: "show what can be done with the item",
    on: [...LIST, "unassigned"],
    run: (page) => page.openMenu(),
  },
  { keys: ["Ctrl+z"], does: "undo", on: null, when: edits, run: (page) => page.undo() },
  { keys: ["Ctrl+Shift+z", "Ctrl+y"], does: "redo", on: null, when: edits, run: (page) => page.redo() },
  { keys: ["t"], does: "go to the text", on: null, run: ({ text }) => text.focus() },
  { keys: ["u"], does: "go to the units", on: null, run: (page) => page.focusUnits() },
  { keys: ["/", "Ctrl+f"], does: "search", on: null, run: ({ searching }) => searching.focus() },
  { keys: ["F3"], does: "next hit", on: null, run: ({ searching }) => searching.step(1) },
  { keys: ["Shift+F3"], does: "previous hit", on: null, run: ({ searching }) => searching.step(-1) },
  {
    keys: ["i"],
    does: "suggestions: what may be merged or split",
    on: null,
    when: isPyramid,
    run: (page) => page.suggest(),
  },
  { keys: ["d"], does: "how the score is computed", on: null, when: isPeer, run: ({ figures }) => figures.derive() },
  { keys: ["h"], does: "history", on: null, run: (page) => page.showHistory() },
  { keys: ["g"], does: "guidelines", on: null, run: (page) => page.showGuidelines() },
  { keys: ["Ctrl+Enter"], does: "finish", on: null, run: (page) => page.finish() },
];

const IN_TEXT = [
  { keys: "← → ↑ ↓", does: "in the text: move the cursor; with Shift select" },
  { keys: "Page up, Page down", does: "in the text: go to the summary before or after" },
  { keys: "Space", does: "in the text: keep the selection as a part, and select another" },
  { keys: "Ctrl and the mouse", does: "select another part; Alt and the mouse: by characters" },
  { keys: "← → ↑ ↓", does: "in the list: walk through units, contributors and parts" },
];

/**
 * What can be done with an item of the list.
 * @param {Page} page
 * @param {string} kind
 */
export function commandsFor(page, kind) {
  return page.commands.filter(
    (one) => one.on?.includes(kind) && !one.keys.includes("Enter") && (one.when?.(page) ?? true),
  );
}

/**
 * Listen to the keys of all commands.
 * @param {Page} page
 */
export function listen(page) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]") || isTyping(event.target)) return;
    const combination = named(event);
    const kind = kindAt(page, event.target);
    /** @param {Command} one */
    const fits = (one) =>
      one.keys.includes(combination) && (one.on === null || one.on.includes(kind)) && (one.when?.(page) ?? true);
    const found = page.commands.find(fits);
    if (!found || (combination === "Enter" && closest(event, "button, a, summary"))) return;
    event.preventDefault();
    found.run(page, parseKey(page.workspace.current) ?? NO_ITEM);
  });
  const rows = page.commands
    .filter((one) => one.when?.(page) ?? true)
    .map(({ keys, does }) => ({ keys: keys.join(" or "), does }));
  return keyHelp([...IN_TEXT, ...rows, { keys: "?", does: "this list" }]);
}

/**
 * @param {Page} given
 * @param {EventTarget|null} target
 */
function kindAt({ text, units, workspace }, target) {
  if (!(target instanceof Node)) return "none";
  if (text.contains(target)) return "text";
  return (units.contains(target) && parseKey(workspace.current)?.kind) || "none";
}

/** @param {KeyboardEvent} event */
function named(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const shift = event.shiftKey && (event.key.length > 1 || (event.ctrlKey && /[a-z]/.test(key)));
  return [event.ctrlKey || event.metaKey ? "Ctrl+" : "", event.altKey ? "Alt+" : "", shift ? "Shift+" : "", key].join(
    "",
  );
}

/** @param {Workspace} workspace */
async function paste(workspace) {
  const what = workspace.held ?? (workspace.spans.length ? "selection" : null);
  if (!what) return workspace.say("nothing was cut or selected", "error");
  if (await put(workspace, what, workspace.current)) workspace.hold(null);
  return null;
}

/** @param {Page} given */
function nextUncovered({ workspace, selecting, text }) {
  const open = uncovered(workspace.material, workspace.doc).flatMap((span) => [
    workspace.material.text.lettered(span) ?? span,
  ]);
  if (!open.length) return workspace.say("every word belongs to a unit");
  const after = workspace.spans.at(-1)?.[0] ?? -1;
  const next = open.find(([start]) => start > after) ?? open[0];
  text.focus();
  selecting.goTo(next[0]);
  return workspace.select([next]);
}
