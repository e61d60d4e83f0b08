// The items on which people differ, most disagreement first, and how far people agree.
import { api, el } from "../client.js";
/** @import { Queue } from "../types.js" */

/**
 * @param {number} project
 * @param {boolean} figures whether the agreement of the project is wanted, which takes longer
 * @returns {Promise<Queue>}
 */
function queueOf(project, figures = false) {
  return api("GET", `/api/projects/${project}/disagreements?figures=${figures}`);
}

/**
 * Say in a line how many items agree, how many are left, and the agreement of the project.
 * @param {HTMLElement} line
 * @param {number} project
 * @param {boolean} link whether to lead to the first item that is left
 */
export async function showQueue(line, project, link) {
  const { items, several, agreed, adjudicated, figures } = await queueOf(project, true);
  if (!several) return;
  const known = figures.filter(({ value }) => value !== null);
  const figure = known.find(({ name }) => /alpha|kappa/.test(name)) ?? known[0];
  const shown = figure
    ? `; ${figure.name.replaceAll("_", " ")} ${Number(figure.value).toFixed(2)} (${figure.about})`
    : "";
  const said = `${several} ${several === 1 ? "item" : "items"} with several answers: ${agreed} agreed, which need no decision; ${adjudicated} adjudicated; ${items.length} to adjudicate${shown}`;
  line.replaceChildren(
    `${said}. `,
    ...(link && items.length ? [el("a", { href: `/items/${items[0].id}/adjudicate` }, "Adjudicate")] : []),
  );
  line.hidden = false;
}

/**
 * Go to the item with most disagreement, or back to the list.
 * @param {any} item the item that was adjudicated
 */
export async function nextItem(item) {
  const { items } = await queueOf(item.project.id);
  leave(
    item,
    items.find(({ id }) => id !== item.id),
  );
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
 * @param {Queue["items"][number]|undefined} next
 */
function leave(item, next) {
  location.assign(next ? `/items/${next.id}/adjudicate` : `/projects/${item.project.id}#items`);
}
