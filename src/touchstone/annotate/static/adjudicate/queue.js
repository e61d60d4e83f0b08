// The items on which people differ, most disagreement first, and how far people agree.
import { api, el } from "../client.js";

/**
 * @typedef {{id: number, title: string, distance: number}} Row
 * @typedef {{items: Row[], several: number, agreed: number, adjudicated: number, figures: {name: string, about: string, value: number|null}[]}} Queue
 */

/**
 * @param {number} project
 * @returns {Promise<Queue>}
 */
function queueOf(project) {
  return api("GET", `/api/projects/${project}/disagreements`);
}

/**
 * Say in a line how many items agree, how many are left, and the agreement of the project.
 * @param {HTMLElement} line
 * @param {number} project
 * @param {boolean} link whether to lead to the first item that is left
 */
export async function showQueue(line, project, link) {
  const { items, several, agreed, adjudicated, figures } = await queueOf(project);
  if (!several) return;
  const known = figures.find(({ value }) => value !== null);
  const said = [`${several} items with several answers: ${agreed} agreed, which need no decision; ${adjudicated} adjudicated; ${items.length} to adjudicate`, known ? `${known.name} ${Number(known.value).toFixed(2)} (${known.about})` : null].filter(Boolean).join("; ");
  line.replaceChildren(`${said}. `, ...(link && items.length ? [el("a", { href: `/items/${items[0].id}/adjudicate` }, "Adjudicate")] : []));
  line.hidden = false;
}

/**
 * Go to the item with most disagreement, or back to the list.
 * @param {any} item the item that was adjudicated
 */
export async function nextItem(item) {
  const { items } = await queueOf(item.project.id);
  leave(item, items.find(({ id }) => id !== item.id));
}

/**
 * Go to the item after this one in the queue, without deciding it.
 * @param {any} item the item that is skipped
 */
export async function skipItem(item) {
  const { items } = await queueOf(item.project.id);
  leave(item, items[items.findIndex(({ id }) => id === item.id) + 1]);
}

/**
 * @param {any} item
 * @param {Row|undefined} next
 */
function leave(item, next) {
  location.assign(next ? `/items/${next.id}/adjudicate` : `/projects/${item.project.id}#items`);
}
