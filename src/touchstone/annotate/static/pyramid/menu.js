// The menu of an item: what can be done with it, with the keys that do it.
import { el } from "../client.js";
import { commandsFor } from "./commands.js";
import { parseKey } from "./workspace.js";
/** @import { Page } from "./page.js" */
/** @import { Command } from "../types.js" */

/**
 * Open the menu of the current item at its row.
 * @param {Page} page
 */
export function openMenu(page) {
  const { workspace, units } = page;
  const row = units.row(workspace.current);
  const item = parseKey(workspace.current);
  if (!row || !item) return;
  const entries = commandsFor(page, item.kind);
  if (!entries.length) return workspace.say("nothing can be done with this item here");
  const menu = el("dialog", { class: "menu", "aria-label": "Actions" });
  /** @param {Command} command */
  const choose = (command) => {
    menu.close();
    row.focus();
    command.run(page, item);
  };
  menu.append(
    ...entries.map((command, place) =>
      el(
        "button",
        { type: "button", autofocus: place === 0, on: { click: () => choose(command) } },
        el("span", {}, sentence(command.does)),
        el("kbd", {}, command.keys[0]),
      ),
    ),
  );
  menu.addEventListener("close", () => menu.remove());
  menu.addEventListener("click", (event) => event.target === menu && menu.close());
  menu.addEventListener("keydown", (event) => walk(event, menu));
  document.body.append(menu);
  menu.showModal();
  const box = row.getBoundingClientRect();
  menu.style.top = `${Math.max(8, Math.min(box.top + 28, innerHeight - menu.offsetHeight - 8))}px`;
  menu.style.left = `${Math.max(8, Math.min(box.right - menu.offsetWidth, innerWidth - menu.offsetWidth - 8))}px`;
  return undefined;
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLDialogElement} menu
 */
function walk(event, menu) {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (!by) return;
  event.preventDefault();
  const buttons = [...menu.querySelectorAll("button")];
  const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  buttons[(at + by + buttons.length) % buttons.length].focus();
}

/** @param {string} words */
function sentence(words) {
  return words[0].toUpperCase() + words.slice(1);
}
