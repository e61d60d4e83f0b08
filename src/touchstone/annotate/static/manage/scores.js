// The scores of systems against the gold of a project: uploads, tables as the command line prints them, the report.
import { ApiError, api, el, shown, toast } from "../client.js";
import { base64 } from "./importing.js";
import { button, explained, guarded, moment, onSubmit, table } from "./parts.js";
/** @import { GoldCounts, Project, ScoreBoard, ScoreTable, UploadedRun } from "../types.js" */

const POLL_MS = 1_000;
const FORMS = {
  nli: "A label for each pair: JSONL or a table with id and label or probabilities. A pair of the gold without a label is a fault.",
  lexsub:
    "Ranked substitutes for each sentence: .best or .oot of the 2007 task, or JSONL. A sentence of the gold without a substitute scores 0.",
  mt: "A translation for each segment: JSONL or a table with ids, or one segment per line in the order of the gold. A segment of the gold without a translation is a fault.",
};

/**
 * Show the scores of a project in *section*.
 * @param {HTMLElement} section
 * @param {{project: Project}} context
 */
export function showScores(section, { project }) {
  const [status, scores, runs] = [el("div", { role: "status" }), el("div", {}), el("div", {})];
  const path = `/api/projects/${project.id}`;
  /** @type {number | undefined} */
  let timer;
  /** @param {ScoreBoard} board */
  const draw = (board) => {
    status.replaceChildren(...shown(statusView(board)));
    scores.replaceChildren(...shown(scoresView(board, project)));
    runs.replaceChildren(...shown(runsView(board, project, remove)));
    clearTimeout(timer);
    if (board.busy && section.contains(status)) timer = setTimeout(refresh, POLL_MS);
  };
  const refresh = async () => {
    try {
      draw(await api("GET", `${path}/scores`));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      status.replaceChildren(el("p", { class: "bad" }, explained(error)));
      if (error.code === "offline") timer = setTimeout(refresh, POLL_MS);
    }
  };
  /** @param {UploadedRun} run */
  const remove = (run) =>
    guarded(async () => {
      await api("DELETE", `${path}/runs/${run.id}`);
      await refresh();
    }, toast);
  section.replaceChildren(
    el("section", { class: "card" }, el("h2", {}, "Scores"), status, scores),
    el(
      "section",
      { class: "card" },
      el("h2", {}, "Systems"),
      runs,
      project.task in FORMS ? uploadForm(project, path, draw) : null,
    ),
  );
  refresh();
}

/**
 * @param {Project} project
 * @param {string} path
 * @param {(board: ScoreBoard) => void} draw
 */
function uploadForm(project, path, draw) {
  const file = el("input", { type: "file", required: true });
  const form = el("form", { class: "stack" }, [
    el("h3", {}, "Upload the output of a system"),
    el(
      "p",
      { class: "quiet" },
      `${FORMS[/** @type {keyof typeof FORMS} */ (project.task)]} What is not in the gold is ignored.`,
    ),
    el(
      "div",
      { class: "row end" },
      el(
        "label",
        {},
        "Name of the system",
        el("input", { name: "name", required: true, maxlength: 100, autocomplete: "off" }),
      ),
      el("label", {}, "File", file),
    ),
    el("label", {}, el("input", { type: "checkbox", name: "replace" }), "Replace an earlier run of the same name"),
    el("p", { role: "alert", class: "form-error", hidden: true }),
    el("div", {}, el("button", { class: "button primary" }, "Upload and score")),
  ]);
  onSubmit(form, async (/** @type {FormData} */ fields) => {
    const [chosen] = file.files ?? [];
    const content = { name: chosen.name, content: await base64(chosen) };
    draw(
      await api("POST", `${path}/runs`, { name: fields.get("name"), file: content, replace: fields.has("replace") }),
    );
    form.reset();
  });
  return form;
}

/** What is going on, and what went wrong. @param {ScoreBoard} board */
function statusView({ scores, current, failed, refused, uploads, busy }) {
  const doing = uploads.length ? `Checking ${uploads.join(", ")}…` : "Scoring…";
  return [
    busy ? el("p", { class: "row" }, el("progress", { "aria-label": doing }), doing) : null,
    refused ? faultView(`${refused.name} (${refused.file_name}) was not stored:`, refused.message) : null,
    failed ? faultView("The gold and the runs as they are now cannot be scored:", failed) : null,
    scores && !current
      ? el("p", { class: "warn" }, "The gold or the systems have changed since these scores were computed.")
      : null,
  ].filter(Boolean);
}

/** @param {string} about @param {string} message */
function faultView(about, message) {
  return el(
    "div",
    { class: "bad" },
    el("p", { dir: "auto" }, about),
    el("pre", { class: "fault", dir: "auto" }, message),
  );
}

/** @param {ScoreBoard} board @param {Project} project */
function scoresView({ scores, busy, failed }, project) {
  if (!scores) return busy || failed ? [] : [el("p", { class: "quiet" }, "No system has been scored yet.")];
  return [
    el(
      "p",
      { class: "row spread" },
      el("span", { class: "quiet" }, "Computed on ", moment(scores.at)),
      el(
        "a",
        { class: "button", href: `/projects/${project.id}/report`, target: "_blank", rel: "noopener" },
        "Open the report",
      ),
    ),
    ...scores.tables.flatMap((each) => tableView(each, "Scores")),
    ...scores.comparisons.map(({ measure, table: pairs }) =>
      el(
        "details",
        { open: pairs.rows.length <= 10 },
        el("summary", {}, `Pairs of systems: ${measure}`),
        ...tableView(pairs, `Pairs of systems: ${measure}`),
      ),
    ),
    scores.notes.length
      ? el(
          "ul",
          {},
          scores.notes.map((note) => el("li", { dir: "auto" }, note)),
        )
      : null,
    goldView(scores.gold),
    el("p", { class: "quiet detail" }, scores.short),
  ].filter(Boolean);
}

/** @param {ScoreTable} shown @param {string} caption */
function tableView({ columns, numbers, rows, notes }, caption) {
  const heads = columns.map((column, place) => (numbers[place] ? `${column}#` : column));
  const cells = rows.map((row) => row.map((cell) => el("span", { dir: "auto" }, cell)));
  return [table(heads, cells, { caption }), ...notes.map((note) => el("p", { class: "quiet detail" }, note))];
}

/** What is in the gold and what is not. @param {GoldCounts} gold */
function goldView({ decided, left_out: open }) {
  const total = (/** @type {Object<string, number>} */ counts) =>
    Object.values(counts).reduce((sum, count) => sum + count, 0);
  const ways = Object.entries(decided)
    .map(([how, count]) => `${count.toLocaleString("en-GB")} ${how}`)
    .join(", ");
  const reasons = Object.entries(open).map(([reason, count]) =>
    el("li", {}, `${count.toLocaleString("en-GB")}: ${reason}`),
  );
  return el("div", { class: "quiet" }, [
    el(
      "p",
      {},
      `Items that people have decided: ${total(decided).toLocaleString("en-GB")}${ways ? ` (${ways})` : ""}. ${reasons.length ? `Not decided: ${total(open).toLocaleString("en-GB")}.` : ""}`,
    ),
    reasons.length ? el("ul", {}, reasons) : null,
  ]);
}

/** @param {ScoreBoard} board @param {Project} project @param {(run: UploadedRun) => () => Promise<void>} remove */
function runsView({ runs }, project, remove) {
  if (!(project.task in FORMS)) {
    return [
      el(
        "p",
        { class: "quiet" },
        "The systems of this project are the peers whose summaries people annotate, so there is nothing to upload: each peer in the gold is scored. Import further peers to add systems.",
      ),
    ];
  }
  const mayDelete = project.role === "manager";
  const rows = runs.map((run) => [
    el("span", { dir: "auto" }, run.name),
    el("span", { dir: "auto" }, run.file_name),
    `${Math.ceil(run.size / 1000).toLocaleString("en-GB")} kB`,
    el("span", { dir: "auto" }, run.by),
    moment(run.created_at),
    ...(mayDelete ? [button("Delete", remove(run), "danger")] : []),
  ]);
  return [
    table(["System", "File", "Size#", "Uploaded by", "When", ...(mayDelete ? [""] : [])], rows, {
      caption: "Runs",
      empty: "No output of a system has been uploaded yet.",
    }),
  ];
}
