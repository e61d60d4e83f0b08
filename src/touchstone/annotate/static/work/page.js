// The page of the forms: keys, buttons, and the desk behind them.
import { closest, isTyping, keyHelp, pageData, part } from "../client.js";
import { showAtFirst } from "../guidelines.js";
import { Desk } from "./desk.js";
import { FORMS } from "./forms.js";
/** @import { Answer, Project, WorkRow } from "../types.js" */

/** @type {{ answer: Answer, project: Project, work: { items: WorkRow[] } }} */
const data = pageData();
const guidelines = part("guidelines", HTMLDialogElement);
function openGuidelines() {
  if (!guidelines.open) guidelines.showModal();
}

function openComment() {
  part("comment-box", HTMLDetailsElement).open = true;
  part("comment").focus();
}

/** @type {Record<string, ((desk: Desk) => unknown)|undefined>} */
const COMMANDS = {
  b: (desk) => desk.back(),
  Backspace: (desk) => desk.back(),
  u: (desk) => desk.toggleUnsure(),
  c: openComment,
  g: openGuidelines,
};

/**
 * @param {Desk} desk
 * @param {KeyboardEvent} event
 */
function onKey(desk, event) {
  const chord = event.ctrlKey || event.metaKey;
  if (document.querySelector("dialog[open]") || event.isComposing) return;
  if (event.key === "Enter" && (chord || !hasOwnEnter(event))) {
    event.preventDefault();
    if (!event.repeat) desk.finish();
  } else if (event.key === "Escape" && isTyping(event.target)) {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  } else if (chord && event.key.toLowerCase() === "z" && !isTyping(event.target)) {
    event.preventDefault();
    event.shiftKey ? desk.redo() : desk.undo();
  } else if (!chord && !event.altKey && !isTyping(event.target)) {
    const command = COMMANDS[event.key];
    if (command && !event.repeat) command(desk);
    if (command || desk.key(event)) event.preventDefault();
  }
}

/**
 * Whether Enter means something else here: a button is pressed, a link followed, a line begun.
 * @param {KeyboardEvent} event
 */
function hasOwnEnter(event) {
  return isTyping(event.target) || closest(event, "button, a, summary") !== null;
}

function begin() {
  const { answer } = data;
  if (answer.kind === "adjudicated") return location.replace(`/items/${answer.item_id}/adjudicate`);
  const desk = new Desk(data);
  document.addEventListener("keydown", (event) => onKey(desk, event));
  part("form").addEventListener("submit", (event) => event.preventDefault());
  part("finish").addEventListener("click", () => desk.finish());
  part("back").addEventListener("click", () => desk.back());
  part("unsure").addEventListener("change", () => desk.changed());
  part("comment").addEventListener("input", () => desk.changed("typing"));
  part("close-guidelines").addEventListener("click", () => guidelines.close());
  part("open-guidelines").addEventListener("click", openGuidelines);
  addEventListener("pagehide", () => desk.flush());
  addEventListener("popstate", () => desk.visit(Number(location.pathname.split("/").at(-1))));
  const help = keyHelp([
    ...FORMS[answer.task].keys,
    { keys: "Enter", does: "finish this item and go to the next (Ctrl+Enter from a text field)" },
    { keys: "b", does: "go to the previous item (also Backspace)" },
    { keys: "Ctrl+Z", does: "undo the last change, then go to the previous item" },
    { keys: "Ctrl+Shift+Z", does: "redo the change that was undone" },
    { keys: "u", does: "mark that you are unsure" },
    { keys: "c", does: "write a comment (Escape leaves it)" },
    { keys: "g", does: "read the guidelines" },
    { keys: "?", does: "show these keys" },
  ]);
  part("open-keys").addEventListener("click", () => help.showModal());
  showAtFirst(guidelines, data.project, answer);
  return desk;
}

begin();
