// The page of a project: one part of it at a time, named in the address.
import { find, findAll, pageData } from "../client.js";
import { showImport } from "./importing.js";
import { showItems } from "./items.js";
import { showLog } from "./log.js";
import { showOverview } from "./overview.js";
import { showPeople } from "./people.js";
import { showScores } from "./scores.js";
import { showSettings } from "./settings.js";
/** @import { Project } from "../types.js" */

/** @type {{ project: Project }} */
const context = pageData();
const tabs = [...document.querySelectorAll(".tabs a")].filter((tab) => tab instanceof HTMLAnchorElement);

/** @type {Record<string, (section: HTMLElement, context: { project: Project }) => unknown>} */
const SECTIONS = {
  overview: showOverview,
  items: showItems,
  people: showPeople,
  import: showImport,
  scores: showScores,
  settings: showSettings,
  log: (section, { project }) => showLog(find(section, "div"), `/api/projects/${project.id}/audit`),
};

function show() {
  const names = tabs.map((tab) => tab.hash.slice(1));
  const wanted = names.includes(location.hash.slice(1)) ? location.hash.slice(1) : names[0];
  for (const tab of tabs) {
    if (tab.hash === `#${wanted}`) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
  for (const section of findAll(document, ".part")) section.hidden = section.dataset.part !== wanted;
  const section = find(document, `[data-part=${wanted}]`);
  if (wanted !== "overview" || !section.childElementCount) SECTIONS[wanted](section, context);
}

addEventListener("hashchange", show);
show();
