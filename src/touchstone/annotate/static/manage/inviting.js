// Inviting somebody: the address is shown once, for the manager to send.
import { api, el } from "../client.js";
import { copyable, moment, onSubmit } from "./parts.js";

const ROLES = ["annotator", "reviewer", "manager", "admin"];

/** The form of an invitation, to a project where one is given. */
export function invitationForm(account, project = null, sent = () => {}) {
  const roles = account.role === "admin" ? ROLES : ROLES.slice(0, 2);
  const outcome = el("div", { role: "status" });
  const form = el("form", { class: "stack" }, [
    el("div", { class: "row end" }, [
      el("label", {}, "Email", el("input", { name: "email", type: "email", required: true, maxlength: 300, autocomplete: "off" })),
      el("label", {}, "Role", el("select", { name: "role" }, roles.map((role) => el("option", { value: role }, role)))),
      el("button", { class: "button" }, "Invite"),
    ]),
    el("p", { role: "alert", class: "form-error", hidden: true }),
    outcome,
  ]);
  onSubmit(form, async (fields) => {
    const made = await api("POST", "/api/invitations", { email: fields.get("email"), role: fields.get("role"), project_id: project });
    outcome.replaceChildren(
      el("p", {}, "Send this address to ", el("strong", {}, made.email), ". It is shown only now, works once, and until ", moment(made.expires_at), "."),
      copyable(made.url),
    );
    form.reset();
    sent();
  });
  return form;
}
