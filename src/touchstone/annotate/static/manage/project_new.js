// Making a project; its files come next.
import { api, pageData } from "../client.js";
import { onSubmit } from "./parts.js";

const form = document.querySelector("form#new-project");
const judgement = document.getElementById("judgement");
const { tasks } = pageData();

function settle() {
  judgement.hidden = form.elements.task.value !== "mt";
}

for (const input of form.elements.task) input.disabled = !tasks.includes(input.value);
form.addEventListener("change", settle);
settle();
onSubmit(form, async (fields) => {
  const task = fields.get("task");
  const own = task === "mt" ? { judgement: fields.get("judgement"), at_once: Number(fields.get("at_once")) } : {};
  const made = await api("POST", "/api/projects", { name: fields.get("name"), task, settings: { note: fields.get("note"), ...own } });
  location.assign(`/projects/${made.id}#import`);
});
