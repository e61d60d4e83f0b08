// Accounts and invitations, for administrators.
import { api, el, pageData, part, toast } from "../client.js";
import { invitationForm, invitationTable, toSend } from "./inviting.js";
import { button, guarded, table } from "./parts.js";
/** @import { Account, Invitation } from "../types.js" */

/** @type {{account: Account}} */
const { account } = pageData();

async function showAccounts() {
  /** @type {{accounts: Account[]}} */
  const { accounts } = await api("GET", "/api/accounts");
  const rows = accounts.map((one) => [
    el("span", { dir: "auto" }, one.name),
    one.email,
    administrator(one),
    one.disabled ? el("span", { class: "warn" }, "disabled") : "",
    el("span", { class: "row" }, resetting(one), disabling(one)),
  ]);
  part("accounts").replaceChildren(table(["Name", "Email", "Administrator", "", ""], rows, { caption: "Accounts" }));
}

/** @param {Account} one */
function administrator(one) {
  const box = el("input", { type: "checkbox", checked: one.admin, "aria-label": `${one.name} is an administrator` });
  box.addEventListener("change", () => change(one, { admin: box.checked }));
  return box;
}

/** @param {Account} one */
function resetting(one) {
  if (one.disabled) return "";
  return button(
    "New password",
    guarded(async () => {
      /** @type {{ email: string, expires_at: string, url: string }} */
      const made = await api("POST", `/api/accounts/${one.id}/reset`);
      part("reset").replaceChildren(...toSend(made, made.url));
    }, toast),
  );
}

/** @param {Account} one */
function disabling(one) {
  if (one.id === account.id) return "";
  return button(
    one.disabled ? "Enable" : "Disable",
    () => change(one, { disabled: !one.disabled }),
    one.disabled ? "" : "danger",
  );
}

/**
 * @param {Account} one
 * @param {{admin?: boolean, disabled?: boolean}} what
 */
async function change(one, what) {
  await guarded(() => api("PATCH", `/api/accounts/${one.id}`, what), toast)();
  await showAccounts();
}

async function showInvitations() {
  /** @type {{ invitations: Invitation[] }} */
  const { invitations } = await api("GET", "/api/invitations");
  part("invitations").replaceChildren(invitationTable(invitations, showInvitations));
}

const choice = el("label", {}, el("input", { type: "checkbox", name: "admin" }), " Administrator");
part("invite").append(
  invitationForm("/api/invitations", choice, (fields) => ({ admin: fields.has("admin") }), showInvitations),
);
showAccounts();
showInvitations();
