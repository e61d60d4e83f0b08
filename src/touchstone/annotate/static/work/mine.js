// One's own items in a project, and how far each is: the way back to what was answered.
import { el, pageData, part } from "../client.js";
import { button, table } from "../manage/parts.js";
/** @import { Children, Project, WorkRow } from "../types.js" */

const SHOWN = 100;
const PURPOSE = { work: "", qualification: " (test)", training: " (training)" };

/** @type {{ project: Project, work: { items: WorkRow[] } }} */
const { work } = pageData();

/** @type {Record<string, [string, (row: WorkRow) => boolean]>} */
const FILTERS = {
  all: ["All", () => true],
  open: ["To do", (row) => !row.done && !row.closed],
  done: ["Finished", (row) => row.done],
  unsure: ["Marked as unsure", (row) => Boolean(row.unsure)],
};
const filter = part("filter", HTMLSelectElement);

/** @param {WorkRow} row */
function state({ closed, done, answer_id: answer, waits_for: waits }) {
  if (closed) return "closed";
  if (done) return "finished";
  return waits ? `waits for ${waits}` : answer === null ? "not begun" : "begun";
}

/** @param {WorkRow} row @returns {Children[]} */
function cells(row) {
  const what = `${row.title}${PURPOSE[row.purpose]}${row.duty === "review" ? ", a review" : ""}`;
  const open =
    row.answer_id === null
      ? ""
      : el("a", { href: `/answers/${row.answer_id}`, "aria-label": `Open ${row.title}` }, "Open");
  return [el("span", { class: "nowrap" }, what), state(row), row.unsure ? "unsure" : "", open];
}

/** @param {number} [most] */
function draw(most = SHOWN) {
  const rows = work.items.filter(FILTERS[filter.value][1]);
  const more = rows.length > most ? [button("More", () => draw(most + SHOWN))] : [];
  const empty = work.items.length ? "No item matches." : "No items are assigned to you in this project yet.";
  part("list").replaceChildren(
    table(["Item", "State", "Marked", ""], rows.slice(0, most).map(cells), { caption: "My items", empty }),
    ...more,
  );
}

function begin() {
  const wanted = location.hash.slice(1);
  filter.append(
    ...Object.entries(FILTERS).map(([value, [name]]) => el("option", { value, selected: value === wanted }, name)),
  );
  filter.addEventListener("change", () => {
    history.replaceState(null, "", `#${filter.value}`);
    draw();
  });
  draw();
}

begin();
addEventListener("pageshow", ({ persisted }) => persisted && location.reload()); // answers may have changed meanwhile
