// The settings of a project, its archive and its export.
import { api, el, part, toast } from "../client.js";
import { button, guarded, onSubmit } from "./parts.js";
/** @import { Project, TaskName } from "../types.js" */

/** @type {Record<TaskName, string>} */
const SCORED = {
  nli: "touchstone nli score gold.jsonl SYSTEM.jsonl",
  lexsub: "touchstone lexsub score gold.jsonl SYSTEM.oot",
  mt: "touchstone mt score gold.jsonl SYSTEM.txt",
  pyramid: "touchstone pyramid score gold/*.pan",
};

/**
 * @param {HTMLElement} section
 * @param {{ project: Project }} context
 */
export function showSettings(section, context) {
  section.replaceChildren(settingsCard(context), exportCard(context), archiveCard(context));
}

/** @param {{ project: Project }} context */
function settingsCard(context) {
  const { project } = context;
  const { settings } = project;
  const note = el("textarea", { name: "note", rows: 4, maxlength: 20000 });
  note.value = settings.note;
  const form = el("form", { class: "stack" }, [
    el("label", {}, "Name", el("input", { name: "name", value: project.name, required: true, maxlength: 200 })),
    el("label", {}, "Note to annotators, shown above the guidelines", note),
    el(
      "label",
      { class: "fit" },
      "Needed to pass the test (%)",
      el("input", {
        name: "pass_mark",
        type: "number",
        min: 0,
        max: 100,
        value: Math.round(settings.pass_mark * 100),
        required: true,
      }),
    ),
    el(
      "label",
      {},
      el("input", { type: "checkbox", name: "pseudonyms", checked: settings.pseudonyms !== false }),
      "Exports and adjudicators get pseudonyms (annotator-1); People shows who is who",
    ),
    settings.partner === undefined ? null : partnerField(settings.partner),
    el("p", { role: "alert", class: "form-error", hidden: true }),
    el("div", {}, el("button", { class: "button primary" }, "Save")),
  ]);
  onSubmit(form, async (fields) => {
    const wanted = {
      note: fields.get("note"),
      pass_mark: Number(fields.get("pass_mark")) / 100,
      pseudonyms: fields.has("pseudonyms"),
    };
    const partner = fields.has("partner") ? { partner: fields.get("partner") } : {};
    await change(context, { name: fields.get("name"), settings: { ...wanted, ...partner } });
    toast("Saved.");
  });
  return el("section", { class: "card" }, el("h2", {}, "Settings"), form);
}

/** @param {string} chosen */
function partnerField(chosen) {
  const names = { off: "off", half: "for a random half of the items, to compare", all: "for all items" };
  const options = Object.entries(names).map(([value, name]) =>
    el("option", { value, selected: value === chosen }, name),
  );
  return el(
    "label",
    { class: "fit" },
    "Machine partner, which proposes units and matches",
    el("select", { name: "partner" }, options),
  );
}

/**
 * @param {{ project: Project }} context
 * @param {object} what
 */
async function change(context, what) {
  context.project = await api("PATCH", `/api/projects/${context.project.id}`, {
    version: context.project.version,
    ...what,
  });
  part("project-name").textContent = context.project.name;
}

/** @param {{ project: Project }} context */
function exportCard({ project }) {
  return el("section", { class: "card" }, [
    el("h2", {}, "Export"),
    el("p", {}, "The gold, and the answers of each annotator, in files for Touchstone's commands:"),
    el("p", {}, el("code", {}, SCORED[project.task]), project.task === "pyramid" ? " once peers are annotated" : null),
    el(
      "p",
      {},
      el("a", { class: "button", href: `/api/projects/${project.id}/export`, download: true }, "Download the export"),
    ),
    project.settings.pseudonyms === false
      ? null
      : el(
          "p",
          {},
          el(
            "a",
            { href: `/api/projects/${project.id}/export?names=true`, download: true },
            "Download it with the names of annotators",
          ),
        ),
  ]);
}

/** @param {{ project: Project }} context */
function archiveCard(context) {
  const { archived } = context.project;
  const flip = guarded(async () => {
    await change(context, { archived: !archived });
    location.reload();
  }, toast);
  const text = archived
    ? "This project is archived: it can be read and exported, but not changed."
    : "An archived project can be read and exported, but no longer annotated.";
  return el(
    "section",
    { class: "card" },
    el("h2", {}, "Archive"),
    el("p", {}, text),
    button(archived ? "Restore from the archive" : "Archive the project", flip, archived ? "" : "danger"),
  );
}
