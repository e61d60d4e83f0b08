// Inviting somebody: the address is shown once, for whoever invites to send.
import { api, el, toast } from "../client.js";
import { button, copyable, guarded, moment, onSubmit, table } from "./parts.js";
/** @import { Invitation, InvitationLink } from "../types.js" */

export const ROLES = ["annotator", "reviewer", "manager"];

/**
 * The form that invites somebody.
 * @param {string} path where invitations are made
 * @param {HTMLElement} choice what the person will be
 * @param {(fields: FormData) => object} chosen that choice, for the request
 * @param {() => unknown} sent called afterwards
 * @returns {HTMLElement}
 */
export function invitationForm(path, choice, chosen, sent) {
  const outcome = el("div", { role: "status" });
  const form = el("form", { class: "stack" }, [
    el("div", { class: "row end" }, [
      el(
        "label",
        {},
        "Email",
        el("input", { name: "email", type: "email", required: true, maxlength: 300, autocomplete: "off" }),
      ),
      choice,
      el("button", { class: "button" }, "Invite"),
    ]),
    el("p", { role: "alert", class: "form-error", hidden: true }),
    outcome,
  ]);
  onSubmit(form, async (/** @type {FormData} */ fields) => {
    /** @type {InvitationLink} */
    const made = await api("POST", path, { email: fields.get("email"), ...chosen(fields) });
    outcome.replaceChildren(...toSend(made, made.url));
    form.reset();
    sent();
  });
  return form;
}

/**
 * What to do with a new address.
 * @param {{email: string, expires_at: string}} made whom it is for, and until when
 * @param {string} url
 * @returns {HTMLElement[]}
 */
export function toSend(made, url) {
  return [
    el(
      "p",
      {},
      "Send this address to ",
      el("strong", {}, made.email),
      ". It is shown only now, works once, and until ",
      moment(made.expires_at),
      ".",
    ),
    copyable(url),
  ];
}

/**
 * The choice of a role.
 * @param {string} [present] the role that is selected
 * @param {object} [more] attributes
 * @returns {HTMLSelectElement}
 */
export function roleChoice(present = ROLES[0], more = {}) {
  return el(
    "select",
    { name: "role", ...more },
    ROLES.map((role) => el("option", { value: role, selected: role === present }, role)),
  );
}

/**
 * The open invitations, each with a button that revokes it.
 * @param {Invitation[]} invitations
 * @param {() => unknown} again shows what has changed
 * @returns {HTMLElement}
 */
export function invitationTable(invitations, again) {
  const rows = invitations.map((one) => [
    one.email,
    one.admin ? "administrator" : one.project ? `${one.role} in ${one.project}` : "account",
    moment(one.expires_at),
    button(
      "Revoke",
      guarded(async () => {
        await api("DELETE", `/api/invitations/${one.id}`);
        await again();
      }, toast),
    ),
  ]);
  return table(["Email", "As", "Until", ""], rows, { caption: "Open invitations", empty: "No invitation is open." });
}
