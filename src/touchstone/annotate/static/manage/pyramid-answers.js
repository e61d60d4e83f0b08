// The pyramids or annotations of one item: to look at, to review, to adjudicate, to publish.
import { api, el, find, shown, toast } from "../client.js";
import { button, duration, guarded, percent } from "./parts.js";
/** @import { Answer, ItemPage, Member } from "../types.js" */

/**
 * A card for each answer to an item of the task pyramid.
 * @param {ItemPage} item
 */
export function pyramidCards(item) {
  const { project, answers } = item;
  const last = answers.find((answer) => answer.kind === "adjudicated");
  const manager = project.role === "manager";
  const cards = answers.map((answer) => card(item, answer, Boolean(last), manager));
  const fresh = button("Start empty", adjudicate(item, null));
  return shown([
    ...cards,
    last || project.archived
      ? null
      : el(
          "section",
          { class: "card" },
          el("h3", {}, "Adjudicated answer"),
          el("p", { class: "quiet" }, "Start from one of the answers, or from nothing."),
          el("div", { class: "row" }, fresh),
        ),
  ]);
}

/**
 * @param {ItemPage} item
 * @param {ItemPage["answers"][number]} answer
 * @param {boolean} adjudicated
 * @param {boolean} manager
 */
function card(item, answer, adjudicated, manager) {
  const open = item.project.archived;
  const own = answer.mine && answer.kind === "annotation";
  const whose =
    answer.kind === "adjudicated" ? "the adjudicated answer" : `the answer of ${answer.author ?? "somebody"}`;
  return el("section", { class: answer.kind === "adjudicated" ? "card chosen" : "card" }, [
    el("h3", { dir: "auto" }, answer.kind === "adjudicated" ? "Adjudicated answer" : (answer.author ?? "somebody")),
    el(
      "p",
      { class: "quiet" },
      [
        answer.kind === "imported" && answer.author !== "imported" ? "imported" : null,
        answer.done ? "finished" : "not finished",
        answer.unsure ? "unsure" : null,
        answer.seconds ? duration(answer.seconds) : null,
      ]
        .filter(Boolean)
        .join(", "),
    ),
    el("dl", { class: "answer" }, figures(answer.derived.figures ?? {})),
    answer.comment ? el("p", { class: "pre", dir: "auto" }, answer.comment) : null,
    el("div", { class: "row" }, [
      el(
        "a",
        {
          class: "button",
          href: `/answers/${answer.id}`,
          "aria-label": `${answer.kind === "adjudicated" && !open ? "Work on it" : "Open"}: ${whose}`,
        },
        answer.kind === "adjudicated" && !open ? "Work on it" : "Open",
      ),
      adjudicated || open || answer.kind === "adjudicated"
        ? null
        : named(button("Adjudicate from this", adjudicate(item, answer.id)), whose),
      answer.kind === "annotation" && answer.done && !own && !open
        ? named(button("Review", review(answer)), whose)
        : null,
      answer.item.kind === "pyramid" && answer.done && !open
        ? button(`Publish ${pyramidOf(answer)}`, publish(answer))
        : null,
    ]),
    manager && answer.kind === "annotation" && answer.done && !open ? askReview(item, answer) : null,
  ]);
}

/**
 * A button that says for those who do not see its card what it is about.
 * @param {HTMLElement} control
 * @param {string} about
 */
function named(control, about) {
  control.setAttribute("aria-label", `${control.textContent}: ${about}`);
  return control;
}

/** Whose pyramid is published to the peers of its set. @param {Answer} answer */
function pyramidOf({ kind, author }) {
  if (kind === "adjudicated") return "the adjudicated pyramid";
  return author === "imported" ? "the imported pyramid" : `${author ?? "somebody"}’s pyramid`;
}

/** @param {Record<string, unknown>} given */
function figures(given) {
  return Object.entries(given).map(
    ([name, value]) =>
      typeof value === "number" && [
        el("dt", {}, name.replaceAll("_", " ")),
        el(
          "dd",
          {},
          name === "covered"
            ? percent(value)
            : Number.isInteger(value)
              ? String(value)
              : value.toFixed(name === "mean_weight" ? 2 : 4),
        ),
      ],
  );
}

/**
 * @param {ItemPage} item
 * @param {number|null} from
 */
const adjudicate = (item, from) =>
  guarded(async () => {
    /** @type {Answer} */
    const made = await api("POST", `/api/items/${item.id}/adjudication`, { from_answer_id: from });
    location.assign(`/answers/${made.id}`);
  }, toast);

/** @param {Answer} answer */
const review = (answer) =>
  guarded(async () => {
    /** @type {Answer} */
    const made = await api("POST", `/api/answers/${answer.id}/review`);
    location.assign(`/answers/${made.id}`);
  }, toast);

/** @param {Answer} answer */
const publish = (answer) =>
  guarded(async () => {
    /** @type {{ items: number, touched: { title: string, author: string|null, touched: string[] }[] }} */
    const { items, touched } = await api("POST", `/api/answers/${answer.id}/publish`);
    const said = touched.map(({ title, author, touched: what }) =>
      el("li", { dir: "auto" }, `${title}${author ? `, ${author}` : ""}: ${what.join("; ")}`),
    );
    const note = toast(
      `Published to ${items} peers; ${touched.length ? "these annotations are affected; they keep the old pyramid until their authors take the new one:" : "no annotation is affected."}`,
    );
    if (said.length) find(note, "span").append(el("ul", {}, said));
  }, toast);

/**
 * Choose a member and ask them to review.
 * @param {ItemPage} item
 * @param {Answer} answer
 */
function askReview(item, answer) {
  const select = el("select", { "aria-label": `Who reviews the answer of ${answer.author}` });
  const ask = named(
    button(
      "Ask for a review",
      guarded(async () => {
        await api("POST", `/api/projects/${item.project.id}/reviews`, {
          answer_id: answer.id,
          account_id: Number(select.value),
        });
        toast("Assigned.");
      }, toast),
    ),
    `the answer of ${answer.author}`,
  );
  const box = el("details", {}, el("summary", {}, "Partner review"), el("div", { class: "row" }, select, ask));
  box.addEventListener("toggle", async () => {
    if (!box.open || select.options.length) return;
    /** @type {{ members: Member[] }} */
    const { members } = await api("GET", `/api/projects/${item.project.id}/members`);
    const hidden = item.project.settings.pseudonyms !== false;
    const people = members.map((one) => ({ id: one.id, name: (hidden && one.pseudonym) || one.name }));
    select.append(
      ...people.filter(({ name }) => name !== answer.author).map(({ id, name }) => el("option", { value: id }, name)),
    );
  });
  return box;
}
