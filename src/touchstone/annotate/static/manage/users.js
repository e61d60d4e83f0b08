// Accounts and invitations.
import { api, el, pageData, toast } from "../client.js";
import { invitationForm } from "./inviting.js";
import { button, guarded, moment, table } from "./parts.js";

const { account } = pageData();
const ROLES = ["annotator", "reviewer", "manager", "admin"];
const part = (id) => document.getElementById(id);

async function showAccounts() {
  const { accounts } = await api("GET", "/api/accounts");
  const rows = accounts.map((one) => [el("span", { dir: "auto" }, one.name), one.email, role(one), one.disabled ? el("span", { class: "warn" }, "disabled") : "", disabling(one)]);
  part("accounts").replaceChildren(table(["Name", "Email", "Role", "", ""], rows, { caption: "Accounts" }));
}

function role(one) {
  if (account.role !== "admin") return one.role;
  const choice = el("select", { "aria-label": `Role of ${one.name}` }, ROLES.map((name) => el("option", { value: name, selected: name === one.role }, name)));
  choice.addEventListener("change", () => change(one, { role: choice.value }));
  return choice;
}

function disabling(one) {
  if (account.role !== "admin" || one.id === account.id) return "";
  return button(one.disabled ? "Let in again" : "Disable", () => change(one, { disabled: !one.disabled }), one.disabled ? "" : "danger");
}

async function change(one, what) {
  await guarded(() => api("PATCH", `/api/accounts/${one.id}`, what), toast)();
  await showAccounts();
}

async function showInvitations() {
  const { invitations } = await api("GET", "/api/invitations");
  const rows = invitations.map((one) => [
    one.email,
    one.role,
    moment(one.expires_at),
    button("Take back", guarded(async () => {
      await api("DELETE", `/api/invitations/${one.id}`);
      await showInvitations();
    }, toast)),
  ]);
  part("invitations").replaceChildren(table(["Email", "Role", "Until", ""], rows, { caption: "Open invitations", empty: "No invitation is open." }));
}

part("invite").append(invitationForm(account, null, showInvitations));
showAccounts();
showInvitations();
