// Who takes part, what they are given to do, and how they did on the test.
import { api, el, toast } from "../client.js";
import { invitationForm, invitationTable, roleChoice } from "./inviting.js";
import { bar, button, duration, guarded, onSubmit, percent, table } from "./parts.js";
/** @import { Invitation, Member, Project } from "../types.js" */

/**
 * @param {HTMLElement} section
 * @param {{project: Project}} context
 */
export async function showPeople(section, { project }) {
  const [members, assigning, invitations] = [el("div"), el("div"), el("div")];
  const again = () => fill(project, members, assigning, invitations);
  const form = invitationForm(
    `/api/projects/${project.id}/invitations`,
    el("label", {}, "Role", roleChoice()),
    (fields) => ({ role: fields.get("role") }),
    again,
  );
  section.replaceChildren(
    el("section", { class: "card" }, el("h2", {}, "Members"), members),
    el("section", { class: "card" }, el("h2", {}, "Add somebody"), el("div", { class: "stack" }, form, invitations)),
    assigning,
  );
  await again();
}

/**
 * Show the present state in the parts of the page.
 * @param {Project} project
 * @param {HTMLElement} members
 * @param {HTMLElement} assigning
 * @param {HTMLElement} invitations
 */
async function fill(project, members, assigning, invitations) {
  const path = `/api/projects/${project.id}`;
  /** @type {[{ members: Member[] }, { invitations: Invitation[] }]} */
  const [people, open] = await Promise.all([api("GET", `${path}/members`), api("GET", `${path}/invitations`)]);
  const again = () => fill(project, members, assigning, invitations);
  members.replaceChildren(membersTable(project, people.members, again));
  assigning.replaceChildren(assignForm(project, people.members, again));
  invitations.replaceChildren(
    ...(open.invitations.length ? [el("h3", {}, "Open invitations"), invitationTable(open.invitations, again)] : []),
  );
}

/**
 * @param {Project} project
 * @param {Member[]} members
 * @param {() => unknown} again
 */
function membersTable(project, members, again) {
  const rows = members.map((one) => [
    el(
      "span",
      { dir: "auto" },
      one.name,
      one.pseudonym ? el("span", { class: "quiet nowrap" }, ` (${one.pseudonym})`) : null,
    ),
    one.email,
    role(project, one, again),
    one.assigned ? bar(one.done, one.assigned, one.name) : el("span", { class: "quiet" }, "nothing assigned"),
    duration(one.seconds),
    testResult(project, one, again),
    button(
      "Remove",
      guarded(() => remove(project, one, again), toast),
      "quiet",
    ),
  ]);
  const heads = ["Name", "Email", "Role", "Done", "Time#", "Test", ""];
  return table(heads, rows, { caption: "Members of the project" });
}

/**
 * The role of a member, to be changed.
 * @param {Project} project
 * @param {Member} member
 * @param {() => unknown} again
 */
function role(project, member, again) {
  const choice = roleChoice(member.role, { "aria-label": `Role of ${member.name}` });
  const change = guarded(
    () => api("PATCH", `/api/projects/${project.id}/members/${member.id}`, { role: choice.value }),
    toast,
  );
  choice.addEventListener("change", async () => {
    await change();
    await again();
  });
  return choice;
}

/**
 * @param {Project} project
 * @param {Member} member
 * @param {() => unknown} again
 */
function testResult(project, member, again) {
  const { required, score, passed, done, items, attempt } = member.qualification;
  if (!required || member.role !== "annotator") return "–";
  if (passed === null) return `${done} of ${items} answered`;
  const text = el("span", { class: passed ? "good" : "bad" }, `${passed ? "passed" : "not passed"}, ${percent(score)}`);
  const reset = button(
    "New attempt",
    guarded(async () => {
      await api("POST", `/api/projects/${project.id}/qualifications/${member.id}/reset`);
      await again();
    }, toast),
  );
  return el("span", { class: "row" }, text, attempt > 1 ? `attempt ${attempt}` : null, passed ? null : reset);
}

/**
 * @param {Project} project
 * @param {Member} member
 * @param {() => unknown} again
 */
async function remove(project, member, again) {
  if (!confirm(`Remove ${member.name} from the project? Their answers are kept.`)) return;
  await api("DELETE", `/api/projects/${project.id}/members/${member.id}`);
  await again();
}

/**
 * @param {Project} project
 * @param {Member[]} members
 * @param {() => unknown} again
 */
function assignForm(project, members, again) {
  const people = members.map((one) =>
    el(
      "label",
      {},
      el("input", { type: "checkbox", name: "account", value: one.id, checked: one.role === "annotator" }),
      el("span", { dir: "auto" }, one.name),
    ),
  );
  const annotators = members.filter((one) => one.role === "annotator").length;
  const kinds = [
    ["", "all items"],
    ["pyramid", "pyramids"],
    ["peer", "peers"],
  ].map(([value, name]) => el("option", { value }, name));
  const form = el("form", { class: "stack" }, [
    el("fieldset", { class: "plain" }, el("legend", {}, "To whom"), el("div", { class: "row" }, people)),
    el("div", { class: "row end" }, [
      project.task === "pyramid" ? el("label", {}, "What", el("select", { name: "kind" }, kinds)) : null,
      el(
        "label",
        {},
        "People for each item",
        el("input", {
          name: "per_item",
          type: "number",
          min: 1,
          max: 1000,
          value: Math.max(1, Math.min(2, annotators)),
          required: true,
        }),
      ),
      el(
        "label",
        {},
        "Share of items annotated by that many people (%)",
        el("input", { name: "overlap", type: "number", min: 0, max: 100, value: 100, required: true }),
      ),
      el(
        "label",
        {},
        "Seed of the draw",
        el("input", { name: "seed", type: "number", min: 0, value: 0, required: true }),
      ),
    ]),
    el(
      "p",
      { class: "quiet" },
      "The other items go to one person each. Existing assignments are kept: run this again after adding items or people.",
    ),
    el("p", { role: "alert", class: "form-error", hidden: true }),
    el("div", {}, el("button", { class: "button primary" }, "Assign")),
  ]);
  onSubmit(form, async (fields) => {
    /** @type {{ made: number, by: { name: string, assigned: number }[] }} */
    const said = await api("POST", `/api/projects/${project.id}/assignments`, {
      accounts: fields.getAll("account").map(Number),
      per_item: Number(fields.get("per_item")),
      overlap: Number(fields.get("overlap")) / 100,
      seed: Number(fields.get("seed")),
      kind: fields.get("kind") || null,
    });
    toast(
      said.made
        ? `Assigned: ${said.made} answers. ${said.by.map((one) => `${one.name} has ${one.assigned}`).join(", ")}.`
        : "All items were already assigned.",
    );
    await again();
  });
  return el("section", { class: "card" }, el("h2", {}, "Assign items"), form);
}
