// Files into items: chosen, sent as they are, and what the server found in them.
import { ApiError, api, el } from "../client.js";
import { onSubmit } from "./parts.js";
/** @import { ImportState, Project, TaskName } from "../types.js" */

/** @type {Record<TaskName, string>} */
const FILES = {
  nli: "Pairs in any form that touchstone nli score reads. For a test or training every pair needs a gold label.",
  lexsub:
    "Sentences as XML of the 2007 task or JSONL with id, target, pos, left, head, right; or gold with its sentences. For a test or training give the gold too.",
  mt: "A table with segment, system, hypothesis, reference, perhaps source; or texts with one segment per line: ref.en, and a file for each system. For a test or training add adequacy and fluency, or rank.",
  pyramid:
    ".pyr and .pan files, JSON, or plain texts: SET/NAME.txt are model summaries of SET, SET/peers/NAME.txt its peers. Choose a folder to keep its names.",
};
const PURPOSES = [
  ["work", "Work"],
  ["qualification", "Test: decides who may annotate"],
  ["training", "Training: the prepared answer is shown afterwards"],
];

/**
 * The content of a file in base64.
 * @param {File} file
 * @returns {Promise<string>}
 */
export function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** @param {HTMLInputElement[]} inputs */
async function uploads(inputs) {
  const files = inputs.flatMap((input) => [...(input.files ?? [])]);
  return Promise.all(
    files.map(async (file) => ({ name: file.webkitRelativePath || file.name, content: await base64(file) })),
  );
}

/**
 * @param {HTMLElement} section
 * @param {{ project: Project }} given
 */
export function showImport(section, { project }) {
  const files = el("input", { type: "file", multiple: true });
  const folder = el("input", { type: "file", webkitdirectory: true });
  const isPyramid = project.task === "pyramid";
  const outcome = el("div", { role: "status" });
  const form = el("form", { class: "stack" }, [
    el("p", { class: "quiet" }, FILES[project.task]),
    el("div", { class: "row end" }, el("label", {}, "Files", files), el("label", {}, "or a folder", folder)),
    el(
      "label",
      { class: "fit" },
      "What the items are for",
      el(
        "select",
        { name: "purpose" },
        PURPOSES.map(([value, name]) => el("option", { value }, name)),
      ),
    ),
    isPyramid
      ? el(
          "label",
          {},
          el("input", { type: "checkbox", name: "start" }),
          "Annotators begin with the annotation in the files",
        )
      : null,
    el("p", { role: "alert", class: "form-error", hidden: true }),
    el("div", {}, el("button", { class: "button primary" }, "Import")),
    outcome,
  ]);
  onSubmit(form, async (fields) => {
    outcome.replaceChildren(el("p", { class: "quiet" }, "Reading…"));
    try {
      const given = await uploads([files, folder]);
      if (!given.length) return void outcome.replaceChildren(el("p", { class: "bad" }, "Choose a file first."));
      /** @type {{ id: number }|{ items: number, answers: number, notes: string[] }} */
      const said = await api("POST", `/api/projects/${project.id}/imports`, {
        files: given,
        purpose: fields.get("purpose"),
        start: fields.has("start"),
      });
      form.reset();
      if ("id" in said) await follow(project.id, outcome);
      else outcome.replaceChildren(...imported(said));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      outcome.replaceChildren(...refused(error));
    }
  });
  section.replaceChildren(el("section", { class: "card" }, el("h2", {}, "Import"), form));
  follow(project.id, outcome, true).catch(() => {}); // an import may be under way since before this page was loaded
}

const POLL_MS = 1000;
const MOST_FAULTS = 20;

/**
 * Show how far the latest import of a project is, until it ends.
 * @param {number} projectId
 * @param {HTMLElement} outcome where to show it
 * @param {boolean} [onlyRunning] whether to show nothing of an import that has ended already
 */
async function follow(projectId, outcome, onlyRunning = false) {
  for (let first = onlyRunning; ; first = false) {
    /** @type {{ imports: ImportState[] }} */
    const { imports } = await api("GET", `/api/projects/${projectId}/imports`);
    const [latest] = imports;
    const ended = !latest || latest.state === "finished" || latest.state === "failed";
    if (ended && (first || !latest)) return;
    if (!outcome.isConnected) return;
    outcome.replaceChildren(...shown(latest));
    if (ended) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * What an import has come to.
 * @param {ImportState} latest
 * @returns {HTMLElement[]}
 */
function shown(latest) {
  if (latest.state === "finished") return imported(latest);
  if (latest.error) return refused(latest.error);
  /** @param {number} number */
  const count = (number) => number.toLocaleString("en-GB");
  const text =
    latest.state === "reading"
      ? "Reading the files…"
      : `Importing: ${count(latest.staged)} of ${count(latest.total)} items`;
  const bar = el("progress", { max: latest.total || 1, value: latest.state === "reading" ? null : latest.staged });
  return [
    el("label", { class: "quiet" }, text, bar),
    el("p", { class: "quiet" }, "It goes on if you leave this page. The items appear when all of them are there."),
  ];
}

/**
 * Why nothing was imported: all that is wrong with the files, and what to do.
 * @param {{ message: string, hint: string|null, problems: { message: string }[] }} error
 * @returns {HTMLElement[]}
 */
function refused({ message, hint, problems }) {
  const listed = problems.length > 1 ? problems.slice(0, MOST_FAULTS) : [];
  const left = problems.length - MOST_FAULTS;
  return [
    el(
      "p",
      { class: "bad", dir: "auto" },
      `Nothing was imported: ${listed.length ? `${problems.length} faults` : message}.`,
    ),
    el(
      "ul",
      { hidden: !listed.length },
      listed.map((problem) => el("li", { dir: "auto" }, problem.message)),
      left > 0 ? el("li", {}, `and ${left} more`) : null,
    ),
    el("p", { class: "quiet", dir: "auto", hidden: !hint }, hint),
  ];
}

/**
 * @param {{ items: number, answers: number, notes: string[] }} outcome
 * @returns {HTMLElement[]}
 */
function imported({ items, answers, notes }) {
  const said = el(
    "p",
    { class: "good" },
    `${items.toLocaleString("en-GB")} items imported${answers ? `, with ${answers.toLocaleString("en-GB")} answers` : ""}. Assign them under People.`,
  );
  if (!notes.length) return [said];
  const list = el(
    "ul",
    {},
    notes.map((note) => el("li", { dir: "auto" }, note)),
  );
  return [said, el("details", { open: notes.length < 8 }, el("summary", {}, `${notes.length} remarks`), list)];
}
