// The page on which pyramids and annotations of peers are adjudicated: choose two answers, then decide.
import { api, el, keyHelp, pageData, part, toast } from "../client.js";
import { button, guarded } from "../manage/parts.js";
import { pyramidCards } from "../manage/pyramid-answers.js";
import { AdjudicationDesk, KEYS } from "./desk.js";
import { showQueue } from "./queue.js";

const item = pageData();

/** The form that chooses two answers to compare; null where there are fewer. */
function beginning() {
  const answers = item.answers.filter((/** @type {any} */ one) => one.kind !== "adjudicated" && one.done);
  if (answers.length < 2 || item.project.archived) return null;
  const own = answers.filter((/** @type {any} */ one) => one.kind === "annotation");
  const first = own.length > 1 ? own : answers; // an imported answer may be what people began with
  const choose = (/** @type {string} */ name, /** @type {number} */ place) =>
    el(
      "select",
      { "aria-label": name },
      answers.map((/** @type {any} */ one) =>
        el("option", { value: one.id, selected: one === first[place] }, one.author ?? "somebody"),
      ),
    );
  const [left, right] = /** @type {HTMLSelectElement[]} */ ([choose("Left", 0), choose("Right", 1)]);
  const begin = button(
    "Compare and decide",
    guarded(() => beginRound(Number(left.value), Number(right.value)), toast),
    "primary",
  );
  return el("div", { class: "row end" }, el("label", {}, "Left", left), el("label", {}, "Right", right), begin);
}

/**
 * @param {number} left
 * @param {number} right
 */
async function beginRound(left, right) {
  await api("POST", `/api/items/${item.id}/adjudication`, { from_answer_id: left, against_answer_id: right });
  location.reload();
}

async function begin() {
  const last = item.answers.find((/** @type {any} */ one) => one.kind === "adjudicated");
  const round = last?.body.adjudication;
  const form = beginning();
  if (form) {
    const again =
      "A new comparison begins with what the two answers agree on. The present adjudicated answer stays in the history.";
    part("begin").replaceChildren(
      el("h2", {}, round ? "Compare other answers" : "Compare two answers"),
      el(
        "p",
        { class: "quiet" },
        last ? again : "Units that agree are taken at once; what differs is decided one by one.",
      ),
      form,
    );
    part("begin").hidden = false;
    if (!round) form.querySelector("button")?.focus();
  }
  part("answers").replaceChildren(...pyramidCards(item));
  /** @type {HTMLDetailsElement} */ (part("others")).open = !round || last.done;
  if (round) new AdjudicationDesk(item, last, await api("GET", `/api/answers/${last.id}/decisions`));
  document.body.dataset.ready = "true";
}

const help = keyHelp(KEYS);
part("open-keys").addEventListener("click", () => help.showModal());
guarded(begin, toast)();
showQueue(part("queue"), item.project.id, false);
addEventListener("pageshow", ({ persisted }) => persisted && location.reload()); // it may have been edited meanwhile
