// Making a project; its files come next.
import { api, findAll, pageData, part } from "../client.js";
import { onSubmit } from "./parts.js";
/** @import { Project } from "../types.js" */

const form = part("new-project", HTMLFormElement);
const judgement = part("judgement");
const choices = findAll(form, "[name=task]").filter((input) => input instanceof HTMLInputElement);
/** @type {{ tasks: string[] }} */
const { tasks } = pageData();

function settle() {
  const fields = new FormData(form);
  judgement.hidden = fields.get("task") !== "mt";
  part("at-once").hidden = fields.get("judgement") !== "ranking";
}

for (const input of choices) input.disabled = !tasks.includes(input.value);
form.addEventListener("change", settle);
settle();
onSubmit(form, async (fields) => {
  const task = fields.get("task");
  const own = task === "mt" ? { judgement: fields.get("judgement"), at_once: Number(fields.get("at_once")) } : {};
  /** @type {Project} */
  const made = await api("POST", "/api/projects", {
    name: fields.get("name"),
    task,
    settings: { note: fields.get("note"), ...own },
  });
  location.assign(`/projects/${made.id}#import`);
});
