// Two versions of one answer, side by side; nothing is overwritten before somebody chose.
import { el } from "../client.js";
import { answerList } from "./showing.js";
/** @import { Content, Revision, TaskName } from "../types.js" */

/**
 * Show both and return the one that was chosen: "mine" or "theirs".
 * @param {TaskName} task
 * @param {any} view
 * @param {string} title
 * @param {{ current: Revision, yours: Content }} given
 */
export function chooseVersion(task, view, title, { current, yours }) {
  const cards = [
    ["mine", "Yours", "Keep mine", answerList(task, view, yours, current)],
    [
      "theirs",
      `Saved elsewhere${current.by ? `, by ${current.by}` : ""}`,
      "Take this one",
      answerList(task, view, current, yours),
    ],
  ].map(([value, name, button, list], place) =>
    el(
      "section",
      { class: "card" },
      el("h3", {}, name),
      list,
      el("button", { class: "button", value, autofocus: place === 0 }, button),
    ),
  );
  const dialog = el("dialog", { class: "card wide", "aria-labelledby": "versions-title" }, [
    el("form", { method: "dialog", class: "stack" }, [
      el("h2", { id: "versions-title" }, `Two versions of ${title}`),
      el(
        "p",
        {},
        "This answer was saved in another window while you worked on it here. Both are kept. Which one should count?",
      ),
      el("div", { class: "beside" }, cards),
    ]),
  ]);
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}
