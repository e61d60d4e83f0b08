// How far a project is and how far its people agree, kept up to date while somebody looks.
import { ApiError, api, el, shown } from "../client.js";
import { bar, duration, explained, table } from "./parts.js";
/** @import { Estimates, Figure, PartnerSide, Progress, Project } from "../types.js" */

const PROGRESS_MS = 10_000;
const AGREEMENT_MS = 30_000;
const NOTHING = "Nobody has finished an answer yet.";

/**
 * @param {HTMLElement} section
 * @param {{ project: Project }} given
 */
export function showOverview(section, { project }) {
  const [progress, agreement, annotators, partner] = [el("div", {}), el("div", {}), el("div", {}), el("div", {})];
  section.replaceChildren(
    el("section", { class: "card" }, el("h2", {}, "Progress"), progress),
    el("section", { class: "card" }, el("h2", {}, "Agreement"), agreement),
    project.task === "pyramid" ? "" : el("section", { class: "card" }, el("h2", {}, "Annotators"), annotators), // their labels are compared, and pyramids have none
    project.settings.partner && project.settings.partner !== "off"
      ? el("section", { class: "card" }, el("h2", {}, "With and without the machine partner"), partner)
      : "",
  );
  const path = `/api/projects/${project.id}`;
  keepFresh(
    section,
    PROGRESS_MS,
    async () => progress.replaceChildren(...shown(progressView(await api("GET", `${path}/progress`)))),
    progress,
  );
  keepFresh(
    section,
    AGREEMENT_MS,
    async () => agreement.replaceChildren(...shown(agreementView(await api("GET", `${path}/agreement`)))),
    agreement,
  );
  if (annotators.isConnected)
    keepFresh(
      section,
      AGREEMENT_MS,
      async () => annotators.replaceChildren(...shown(annotatorsView(await api("GET", `${path}/annotators`)))),
      annotators,
    );
  if (partner.isConnected)
    keepFresh(
      section,
      AGREEMENT_MS,
      async () => partner.replaceChildren(...partnerView(await api("GET", `${path}/partner`))),
      partner,
    );
}

/**
 * Run *draw* now and again while the section can be seen.
 * @param {HTMLElement} section
 * @param {number} pause
 * @param {() => Promise<unknown>} draw
 * @param {HTMLElement} place
 */
async function keepFresh(section, pause, draw, place) {
  try {
    await draw();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!place.childElementCount) place.replaceChildren(el("p", { class: "bad" }, explained(error)));
  }
  setTimeout(() => {
    const seen = !section.hidden && document.visibilityState === "visible";
    keepFresh(section, pause, seen ? draw : async () => {}, place);
  }, pause);
}

/** @param {Progress} progress */
function progressView({ items, assigned, done, adjudicated, annotators, days }) {
  const numbers = [
    ["items", items],
    ["answers assigned", assigned],
    ["answers done", done],
    ["items adjudicated", adjudicated],
  ].map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value.toLocaleString("en-GB"))));
  const rows = annotators
    .filter((one) => one.assigned)
    .map((one) => [
      el("span", { class: "name", dir: "auto" }, one.name),
      bar(one.done, one.assigned, one.name),
      one.unsure,
      duration(one.median_seconds),
      duration(one.seconds),
    ]);
  return [
    el("dl", { class: "numbers" }, numbers),
    table(["Annotator", "Done", "Unsure#", "Time per item (median)#", "Time in all#"], rows, {
      caption: "Progress by annotator",
      empty: items
        ? "Nothing is assigned yet: assign items under People."
        : "There are no items yet: import files under Import.",
    }),
    days.length ? daysView(days.slice(-14)) : null,
  ];
}

/** @param {Progress["days"]} days */
function daysView(days) {
  const most = Math.max(...days.map((one) => one.done));
  const rows = days.map(({ day, done }) => [
    el("time", { datetime: day }, day),
    el("progress", { value: done, max: most, "aria-label": `${done} answers` }),
    done,
  ]);
  return el("details", {}, el("summary", {}, "Answers by day"), table(["Day", "", "Answers#"], rows));
}

/** A note of the statistics as a sentence of this page. @param {string} note */
const sentence = (note) => note.replace(/^this project: /, "").replace(/^./, (first) => first.toUpperCase());

/** @param {number|null} value */
const digits = (value) => (value === null ? "–" : value.toFixed(3));

/**
 * What the model of annotators says: whom the others confirm, and which items are uncertain.
 * @param {{ questions: Estimates[] }} given
 */
function annotatorsView({ questions }) {
  if (!questions.length) return [el("p", { class: "quiet" }, NOTHING)];
  return questions.flatMap(({ question, annotators, items, notes }) => {
    const people = annotators.map((one) => [
      el("span", { class: "name", dir: "auto" }, one.name),
      one.answers,
      el("strong", {}, digits(one.accuracy)),
      one.low === null ? "–" : `${digits(one.low)} to ${digits(one.high)}`,
      one.another_look ? el("span", { class: "tag bad" }, "needs another look") : "",
    ]);
    const rows = items.map((one) => [
      el("span", { dir: "auto" }, [one.item, one.part].join(" · ")),
      Object.entries(one.votes)
        .map(([label, count]) => `${label} ${count}`)
        .join(", "),
      one.majority ?? "tie",
      one.estimate,
      digits(one.probability),
    ]);
    return [
      questions.length > 1 ? el("h3", {}, sentence(question)) : null,
      people.length
        ? table(["Annotator", "Shared answers#", "Confirmed by the others#", "Interval#", ""], people, {
            caption: `Annotators: ${question}`,
          })
        : null,
      rows.length
        ? el(
            "details",
            {},
            el("summary", {}, `Uncertain items (${rows.length})`),
            table(["Item", "Votes", "Majority", "Estimate", "Probability#"], rows),
          )
        : null,
      ...notes.map((note) => el("p", { class: "quiet" }, sentence(note))),
    ];
  });
}

/** @param {{ sides: PartnerSide[] }} given */
function partnerView({ sides }) {
  const rows = sides.map((one) => [
    one.kind,
    one.helped ? "with help" : "without",
    one.answers,
    duration(one.median_seconds),
    one.score === null ? "–" : `${digits(one.score.mean)} (${digits(one.score.low)} to ${digits(one.score.high)})`,
    el(
      "ul",
      { class: "plain" },
      one.agreement.figures.map((figure) => el("li", {}, `${figure.about}: ${figure.name} ${digits(figure.value)}`)),
    ),
  ]);
  return [
    table(["Kind", "Partner", "Answers#", "Time per item (median)#", "Mean score#", "Agreement"], rows, {
      caption: "Finished answers",
      empty: NOTHING,
    }),
  ];
}

/** @param {{ figures: Figure[], notes: string[] }} given */
function agreementView({ figures, notes }) {
  const rows = figures.map((one) => [
    one.about,
    one.distance ? `${one.name} (${one.distance})` : one.name,
    one.value === null ? el("span", { class: "quiet" }, one.reason ?? "–") : el("strong", {}, digits(one.value)),
    one.low === null ? "–" : `${digits(one.low)} to ${digits(one.high)}`,
    `${one.units.toLocaleString("en-GB")} ${one.unit}${one.units === 1 ? "" : "s"}, ${one.answers.toLocaleString("en-GB")} answers${one.left_out ? `; ${one.left_out} left out` : ""}`,
  ]);
  return [
    figures.length
      ? table(["About", "Figure", "Value#", "95% interval#", "Over"], rows, { caption: "Agreement of the annotators" })
      : null,
    ...notes.map((note) => el("p", { class: "quiet" }, sentence(note))),
  ];
}
