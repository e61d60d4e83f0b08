// Who takes part, what they are given to do, and how they did on the test.
import { api, el, toast } from "../client.js";
import { invitationForm } from "./inviting.js";
import { bar, button, duration, guarded, onSubmit, percent, table } from "./parts.js";

export async function showPeople(section, context) {
  const { project } = context;
  const [{ members }, { accounts }] = await Promise.all([api("GET", `/api/projects/${project.id}/members`), api("GET", "/api/accounts")]);
  const again = () => showPeople(section, context);
  const outside = accounts.filter((one) => !one.disabled && !members.some((member) => member.id === one.id));
  section.replaceChildren(
    el("section", { class: "card" }, el("h2", {}, "Members"), membersTable(project, members, again), outside.length ? addForm(project, outside, again) : null),
    assignForm(project, members, again),
    el("section", { class: "card" }, el("h2", {}, "Invite somebody new"), invitationForm(context.account, project.id)),
  );
}

function membersTable(project, members, again) {
  const rows = members.map((one) => [
    el("span", { dir: "auto" }, one.name),
    one.email,
    one.role,
    one.assigned ? bar(one.done, one.assigned, one.name) : el("span", { class: "quiet" }, "nothing assigned"),
    duration(one.seconds),
    testResult(project, one, again),
    button("Remove", guarded(() => remove(project, one, again), toast), "quiet"),
  ]);
  const heads = ["Name", "Email", "Role", "Done", "Time#", "Test", ""];
  return table(heads, rows, { caption: "Members of the project" });
}

function testResult(project, member, again) {
  const { required, score, passed, done, items, attempt } = member.qualification;
  if (!required || member.role !== "annotator") return "–";
  if (passed === null) return `${done} of ${items} answered`;
  const text = el("span", { class: passed ? "good" : "bad" }, `${passed ? "passed" : "not passed"}, ${percent(score)}`);
  const reset = button("New attempt", guarded(async () => {
    await api("POST", `/api/projects/${project.id}/qualifications/${member.id}/reset`);
    await again();
  }, toast));
  return el("span", { class: "row" }, text, attempt > 1 ? `attempt ${attempt}` : null, passed ? null : reset);
}

async function remove(project, member, again) {
  if (!confirm(`Remove ${member.name} from the project? Their answers are kept.`)) return;
  await api("DELETE", `/api/projects/${project.id}/members/${member.id}`);
  await again();
}

function addForm(project, outside, again) {
  const options = outside.map((one) => el("option", { value: one.id }, `${one.name}, ${one.email} (${one.role})`));
  const form = el("form", { class: "row end" }, [
    el("label", {}, "Add somebody who has an account", el("select", { name: "account" }, options)),
    el("button", { class: "button" }, "Add"),
    el("p", { role: "alert", class: "form-error", hidden: true }),
  ]);
  onSubmit(form, async (fields) => {
    await api("PUT", `/api/projects/${project.id}/members/${fields.get("account")}`);
    await again();
  });
  return form;
}

function assignForm(project, members, again) {
  const people = members.map((one) =>
    el("label", {}, el("input", { type: "checkbox", name: "account", value: one.id, checked: one.role === "annotator" }), el("span", { dir: "auto" }, one.name)),
  );
  const kinds = [["", "all items"], ["pyramid", "pyramids"], ["peer", "peers"]].map(([value, name]) => el("option", { value }, name));
  const form = el("form", { class: "stack" }, [
    el("fieldset", { class: "plain" }, el("legend", {}, "To whom"), el("div", { class: "row" }, people)),
    el("div", { class: "row end" }, [
      project.task === "pyramid" ? el("label", {}, "What", el("select", { name: "kind" }, kinds)) : null,
      el("label", {}, "People for each item", el("input", { name: "per_item", type: "number", min: 1, max: 1000, value: 2, required: true })),
      el("label", {}, "Share of items annotated by that many people (%)", el("input", { name: "overlap", type: "number", min: 0, max: 100, value: 100, required: true })),
      el("label", {}, "Seed of the draw", el("input", { name: "seed", type: "number", min: 0, value: 0, required: true })),
    ]),
    el("p", { class: "quiet" }, "The other items go to one person each. Existing assignments are kept: run this again after adding items or people."),
    el("p", { role: "alert", class: "form-error", hidden: true }),
    el("div", {}, el("button", { class: "button primary" }, "Assign")),
  ]);
  onSubmit(form, async (fields) => {
    const said = await api("POST", `/api/projects/${project.id}/assignments`, {
      accounts: fields.getAll("account").map(Number),
      per_item: Number(fields.get("per_item")),
      overlap: Number(fields.get("overlap")) / 100,
      seed: Number(fields.get("seed")),
      kind: fields.get("kind") || null,
    });
    toast(said.made ? `Assigned: ${said.made} answers. ${said.by.map((one) => `${one.name} has ${one.assigned}`).join(", ")}.` : "All items were already assigned.");
    await again();
  });
  return el("section", { class: "card" }, el("h2", {}, "Assign items"), form);
}
