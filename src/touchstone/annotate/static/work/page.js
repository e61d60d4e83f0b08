// The page of the forms: keys, buttons, and the desk behind them.
import { isTyping, keyHelp, pageData } from "../client.js";
import { Desk } from "./desk.js";
import { FORMS } from "./forms.js";

const data = pageData();
const part = (id) => document.getElementById(id);

function openGuidelines() {
  if (!part("guidelines").open) part("guidelines").showModal();
}

function openComment() {
  part("comment-box").open = true;
  part("comment").focus();
}

const COMMANDS = {
  b: (desk) => desk.back(),
  Backspace: (desk) => desk.back(),
  u: (desk) => desk.toggleUnsure(),
  c: openComment,
  g: openGuidelines,
};

function onKey(desk, event) {
  const chord = event.ctrlKey || event.metaKey;
  if (document.querySelector("dialog[open]") || event.isComposing) return;
  if (event.key === "Enter" && (chord || !hasOwnEnter(event.target))) {
    event.preventDefault();
    if (!event.repeat) desk.finish();
  } else if (event.key === "Escape" && isTyping(event.target)) {
    event.target.blur();
  } else if (chord && event.key.toLowerCase() === "z" && !isTyping(event.target)) {
    event.preventDefault();
    event.shiftKey ? desk.redo() : desk.undo();
  } else if (!chord && !event.altKey && !isTyping(event.target)) {
    const command = COMMANDS[event.key];
    if (command && !event.repeat) command(desk);
    if (command || desk.key(event)) event.preventDefault();
  }
}

/** Whether Enter means something else here: a button is pressed, a link followed, a line begun. */
function hasOwnEnter(target) {
  return isTyping(target) || target.matches("button, a, summary");
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
  part("close-guidelines").addEventListener("click", () => part("guidelines").close());
  part("open-guidelines").addEventListener("click", openGuidelines);
  addEventListener("pagehide", () => desk.flush());
  addEventListener("popstate", () => desk.visit(Number(location.pathname.split("/").at(-1))));
  const help = keyHelp([
    ...FORMS[answer.task].keys,
    { keys: "Enter", does: "finish this item and go to the next (Ctrl+Enter from a text field)" },
    { keys: "b", does: "go to the previous item (also Backspace)" },
    { keys: "Ctrl+Z", does: "undo the last change, then go to the previous item" },
    { keys: "Ctrl+Shift+Z", does: "do it again" },
    { keys: "u", does: "mark that you are unsure" },
    { keys: "c", does: "write a comment (Escape leaves it)" },
    { keys: "g", does: "read the guidelines" },
    { keys: "?", does: "show these keys" },
  ]);
  part("open-keys").addEventListener("click", () => help.showModal());
  return desk;
}

begin();
