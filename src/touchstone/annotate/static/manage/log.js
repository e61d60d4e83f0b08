// The log, the latest first: who did what, and when.
import { api, el } from "../client.js";
import { button, moment, table } from "./parts.js";
/** @import { Children, LogEntry } from "../types.js" */

const LIMIT = 100;

/**
 * Show the log behind *path* in *place*, with a way to earlier lines.
 * @param {HTMLElement} place
 * @param {string} path
 */
export async function showLog(place, path) {
  /** @type {Children[][]} */
  const rows = [];
  /** @param {number|null} before */
  const more = async (before) => {
    /** @type {{ entries: LogEntry[] }} */
    const { entries } = await api("GET", `${path}?limit=${LIMIT}${before ? `&before=${before}` : ""}`);
    rows.push(...entries.map(row));
    const list = table(["When", "Who", "What", "On", "Detail"], rows, { caption: "Log" });
    place.replaceChildren(
      list,
      ...(entries.length === LIMIT ? [button("Earlier", () => more(entries.at(-1)?.id ?? null))] : []),
    );
  };
  await more(null);
}

/**
 * @param {LogEntry} entry
 * @returns {Children[]}
 */
function row({ at, actor, action, object, object_id: id, detail }) {
  const said =
    detail === null
      ? ""
      : Object.entries(detail)
          .filter(([, value]) => value !== null && value !== "")
          .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)
          .join(", ");
  return [
    moment(at),
    el("span", { dir: "auto" }, actor),
    action,
    `${object}${id === null ? "" : ` ${id}`}`,
    el("span", { class: "detail", dir: "auto" }, said),
  ];
}
