// The first page: says what this browser stores and the server does not have yet, and sends it.
import { api, el, find, pageData, part } from "./client.js";
import { unsentAnswers } from "./saving.js";
import { sendUnsent } from "./unsent.js";
/** @import { Project, Sent } from "./types.js" */

/** @type {{ projects: Project[] }} */
const { projects } = pageData();

/**
 * @param {number} count
 * @param {string} one
 * @param {string} several
 */
const counted = (count, one, several) => (count === 1 ? `One answer ${one}` : `${count} answers ${several}`);

/** What became of an answer that could not be saved, with the way to it. @param {Sent} sent */
function trouble({ id, answer, state, error }) {
  if (!answer) return el("li", {}, `An answer (${id}): you no longer have access to it.`);
  const title = answer.item.title.replace(/^i/, "I");
  const project = projects.find((one) => one.id === answer.project_id)?.name;
  const why =
    state === "conflict"
      ? "was also changed elsewhere; open it to choose one version"
      : `not saved: ${error?.problems[0]?.message ?? error?.message}`;
  return el(
    "li",
    {},
    el("a", { href: `/answers/${id}` }, title),
    `: ${why} `,
    project ? el("span", { class: "quiet", dir: "auto" }, `(${project})`) : null,
  );
}

async function refreshProgress() {
  /** @type {{ projects: Project[] }} */
  const now = await api("GET", "/api/projects");
  for (const { id, mine } of now.projects) {
    const card = document.querySelector(`[data-project="${id}"]`);
    if (!card || !mine.assigned) continue;
    find(card, "progress", HTMLProgressElement).value = mine.done;
    find(card, ".done").textContent = `${mine.done} of ${mine.assigned} done`;
  }
}

async function send() {
  const waiting = unsentAnswers();
  if (!waiting.size) return;
  const said = el(
    "p",
    {},
    `${counted(waiting.size, "is", "are")} stored in this browser, and not yet on the server. Leave this page open: everything is sent as soon as the server can be reached.`,
  );
  const list = el("ul", { hidden: true });
  part("unsent").append(el("h2", {}, "Unsent work"), said, list);
  part("unsent").hidden = false;
  let saved = 0;
  await sendUnsent(waiting, (sent) => {
    if (sent.state === "saved") saved += 1;
    else list.append(trouble(sent));
    list.hidden = !list.childElementCount;
  });
  said.hidden = !saved;
  said.textContent = counted(
    saved,
    "that was stored in this browser is now on the server.",
    "that were stored in this browser are now on the server.",
  );
  await refreshProgress();
}

send();
