// The tools beside the work: suggestions, history, import and export, comments on the whole.
import { ApiError, api, el, scrolled } from "../client.js";
import { compared } from "./conflict.js";
import { changeBetween } from "./changes.js";
import { ask, askFor } from "./dialogs.js";
import { restored } from "./document.js";
import { mergeUnits } from "./moving.js";
import { mergeCandidates, splitCandidates } from "./suggestions.js";
import { splitUnit } from "./acting.js";
/** @import { Keeper } from "./keeping.js" */
/** @import { Workspace } from "./workspace.js" */
/** @import { Answer, Doc, Revision, Violation } from "../types.js" */

/**
 * Show units that may say the same, and units that may say two things.
 * @param {Workspace} workspace
 */
export async function suggest(workspace) {
  const merges = mergeCandidates(workspace.material, workspace.doc);
  const splits = splitCandidates(workspace.doc);
  /**
   * @param {string} value
   * @param {string} name
   */
  const choose = (value, name) => el("button", { class: "button small", value }, name);
  const content = [
    el("h3", {}, "May say the same"),
    merges.length
      ? el(
          "ul",
          { class: "suggestions" },
          merges.map(({ first, second, similarity }, place) =>
            el(
              "li",
              {},
              el("span", { class: "tag" }, similarity.toFixed(2)),
              el("span", {}, `${first.uid}: ${first.label}`, el("br"), `${second.uid}: ${second.label}`),
              choose(`merge ${place}`, "Merge"),
            ),
          ),
        )
      : el("p", { class: "quiet" }, "No two units of weight 1 have similar labels."),
    el("h3", {}, "May say two things"),
    splits.length
      ? el(
          "ul",
          { class: "suggestions" },
          splits.map(({ unit, words }, place) =>
            el(
              "li",
              {},
              el("span", { class: "tag" }, `${words.toFixed(1)} words`),
              el("span", {}, `${unit.uid}: ${unit.label}`),
              choose(`split ${place}`, "Split"),
            ),
          ),
        )
      : el("p", { class: "quiet" }, "No unit of weight 2 or more has long contributors."),
  ];
  const answer = await ask("Suggestions", content, { buttons: ["Close"], wide: true, cancel: false });
  const [what, number] = (answer ?? "").split(" ");
  const place = Number(number);
  if (what === "merge") await mergeUnits(workspace, merges[place].first.uid, merges[place].second.uid);
  if (what === "split") await splitUnit(workspace, splits[place].unit);
}

/**
 * Show the versions of an answer; any of them can be compared with the present one and taken again.
 * @param {Workspace} workspace
 * @param {Keeper} keeper
 */
export async function showHistory(workspace, keeper) {
  /** @type {{ revisions: Revision[] }} */
  const { revisions } = await api("GET", `/api/answers/${keeper.answer.id}/revisions`);
  const rows = revisions.map((one) =>
    el(
      "tr",
      {},
      el("td", { class: "number" }, String(one.version)),
      el("td", {}, new Date(one.saved_at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" })),
      el("td", {}, one.by ?? ""),
      el("td", {}, one.version ? one.change : "opened"),
      el("td", {}, el("button", { class: "button small", value: String(one.version) }, "Compare")),
    ),
  );
  const table = scrolled("Versions", el("table", { class: "table" }, el("tbody", {}, rows)), "versions");
  const version = await ask("History", table, { buttons: ["Close"], wide: true, cancel: false });
  if (version === null || version === "Close") return;
  /** @type {Revision<Doc>} */
  const found = await api("GET", `/api/answers/${keeper.answer.id}/revisions/${version}`);
  const differs = compared(changeBetween(found.body, workspace.doc, "", ""), [`Version ${version}`, "Now"]);
  const buttons = workspace.editable ? ["Go back to it"] : [];
  if ((await ask(`Version ${version} and now`, differs, { buttons, wide: true })) !== "Go back to it") return;
  workspace.history.push(restored(found.body, workspace.doc), `version ${version}`);
  workspace.tidy();
  workspace.emit("change", "went back");
  keeper.keep(`went back to version ${version}`, found.version);
}

/**
 * Import a file over the present work; its faults are listed.
 * @param {Workspace} workspace
 * @param {Keeper} keeper
 */
export async function importFile(workspace, keeper) {
  const field = el("input", {
    type: "file",
    accept: ".pyr,.pan,.json",
    autofocus: true,
    "aria-label": "File",
    required: true,
  });
  const said = el("p", {}, "The units of the file take the place of yours; undo brings yours back.");
  const file = await askFor("Import a file of this text", [said, field], () => field.files?.[0] ?? null, {
    buttons: ["Import"],
  });
  if (!file) return;
  try {
    const notes = await keeper.readFile(file);
    const list = notes.length
      ? [
          el("p", {}, "The file breaks these rules. They are kept as they are; nothing new may break them."),
          el(
            "ul",
            {},
            notes.map((one) => el("li", {}, one)),
          ),
        ]
      : el("p", {}, "No rule is broken.");
    await ask(`Imported ${file.name}`, list, { cancel: false });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    workspace.say(error.message, "error", error instanceof ApiError ? error.hint : null);
  }
}

/**
 * List the rules that the document breaks.
 * @param {Violation[]} found
 */
export function showViolations(found) {
  const rows = found.map((one) => el("li", {}, el("span", { class: "tag" }, one.rule), ` ${one.reason}`));
  return ask(
    "Broken rules",
    [el("p", {}, "They came with an imported file and are kept; nothing new may break a rule."), el("ul", {}, rows)],
    { cancel: false, wide: true },
  );
}

/**
 * Show what a new pyramid changes for an annotation, and take it if its annotator wants.
 * @param {Answer} answer
 */
export async function confirmRebase(answer) {
  /** @type {{ touched: string[] }} */
  const { touched } = await api("GET", `/api/answers/${answer.id}/changes`);
  const content = touched.length
    ? [
        el("p", {}, "It changes these of your matches:"),
        el(
          "ul",
          {},
          touched.map((one) => el("li", {}, one)),
        ),
      ]
    : el("p", {}, "It changes none of your matches.");
  if (!(await ask("Take the new pyramid?", content, { buttons: ["Take it"], wide: true }))) return false;
  await api("POST", `/api/answers/${answer.id}/rebase`);
  return true;
}
