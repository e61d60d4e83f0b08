// The items of a project and how far each is; those on which people differ lead to adjudication.
import { showQueue } from "../adjudicate/queue.js";
import { api, el, toast } from "../client.js";
import { button, guarded, table } from "./parts.js";
/** @import { Children, ItemRow, Project } from "../types.js" */

const SHOWN = 100;
const CHUNK = 500;

/** @type {Record<string, [string, (item: ItemRow) => boolean]>} */
const FILTERS = {
  all: ["All", () => true],
  differ: ["Answers differ", (item) => item.agree === false && !item.adjudicated],
  unsure: ["Somebody was unsure", (item) => item.unsure > 0],
  several: ["Several answers, not adjudicated", (item) => item.done > 1 && !item.adjudicated],
  waiting: ["Waiting", (item) => item.waits_for !== null],
  adjudicated: ["Adjudicated", (item) => item.adjudicated],
};

/**
 * Yield the items that a filter lets through; asks the server for more only when more are wanted.
 * @param {number} project
 * @param {string} filter
 * @param {string} [purpose]
 */
export async function* itemsOf(project, filter, purpose = "work") {
  const chunk = filter === "all" ? SHOWN : CHUNK;
  for (let [offset, total] = [0, Infinity]; offset < total; offset += chunk) {
    /** @type {{ total: number, items: ItemRow[] }} */
    const found = await api("GET", `/api/projects/${project}/items?offset=${offset}&limit=${chunk}&purpose=${purpose}`);
    total = found.total;
    yield* found.items.filter(FILTERS[filter][1]);
  }
}

/**
 * @param {HTMLElement} section
 * @param {{ project: Project }} given
 */
export function showItems(section, { project }) {
  const options = Object.entries(FILTERS).map(([value, [name]]) => el("option", { value }, name));
  const purposes = [
    ["work", "Work"],
    ["qualification", "Test"],
    ["training", "Training"],
  ].map(([value, name]) => el("option", { value }, name));
  const filter = el("select", {}, options);
  const purpose = el("select", {}, purposes);
  const list = el("div", {});
  const queue = el("p", { hidden: true });
  section.replaceChildren(
    el("section", { class: "card" }, [
      el("h2", {}, "Items"),
      queue,
      el("div", { class: "row filters" }, el("label", {}, "Purpose", purpose), el("label", {}, "Show", filter)),
      list,
    ]),
  );
  const none = () =>
    filter.value === "all" ? "There are no items for this purpose yet: import files under Import." : "No item matches.";
  const begin = () => fill(list, itemsOf(project.id, filter.value, purpose.value), none());
  for (const choice of [filter, purpose]) choice.addEventListener("change", begin);
  begin();
  showQueue(queue, project.id, true);
}

/**
 * @param {HTMLElement} list
 * @param {AsyncGenerator<ItemRow>} items
 * @param {string} empty what to say where there are none
 */
async function fill(list, items, empty) {
  /** @type {Children[][]} */
  const rows = [];
  const more = async () => {
    const upTo = rows.length + SHOWN;
    let over = false;
    while (rows.length < upTo && !over) {
      const { value, done } = await items.next();
      over = Boolean(done);
      if (!done) rows.push(row(value));
    }
    const heads = ["Item", "Key", "People", "Answers#", "Unsure#", "Agreement", "Adjudicated", ""];
    list.replaceChildren(table(heads, rows, { caption: "Items", empty }), ...(over ? [] : [button("More", more)]));
  };
  await more();
}

/**
 * Whom an item is assigned to; what is not begun can be taken back.
 * @param {{title: string, people?: {id: number, name: string, done: boolean}[]}} item
 */
function people({ title, people }) {
  if (!people?.length) return "";
  const list = el("ul", { class: "plain" });
  for (const one of people) {
    const line = el("li", { class: "row" }, el("span", { dir: "auto" }, one.name));
    const takeBack = guarded(async () => {
      await api("DELETE", `/api/assignments/${one.id}`);
      line.replaceChildren(el("span", { class: "quiet" }, `taken back from ${one.name}`));
    }, toast);
    if (!one.done) line.append(button("Take back", takeBack, "quiet"));
    list.append(line);
  }
  return el(
    "details",
    {},
    el("summary", { "aria-label": `Whom ${title} is assigned to` }, String(people.length)),
    list,
  );
}

/**
 * @param {ItemRow} item
 * @returns {Children[]}
 */
function row(item) {
  const agree = item.agree === null ? "–" : item.agree ? "alike" : el("span", { class: "warn" }, "differ");
  return [
    el("span", { class: "nowrap" }, item.title),
    el("span", { class: "key", dir: "auto" }, item.key),
    people(item),
    item.waits_for ? el("span", { class: "quiet" }, `waits for ${item.waits_for}`) : `${item.done} of ${item.assigned}`,
    item.unsure || "",
    agree,
    item.adjudicated ? "yes" : "",
    el("a", { href: `/items/${item.id}/adjudicate`, "aria-label": `Open ${item.title}` }, "Open"),
  ];
}
