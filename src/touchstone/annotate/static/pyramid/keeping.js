// Saving the work on a page: every state goes to the server, or waits in the browser until it can.
import { Saver, api } from "../client.js";
import { showConflict } from "./conflict.js";
import { same } from "./document.js";
import { described, earlier } from "./history.js";

const SAID = { saved: "Saved", saving: "Saving…", offline: "No connection: your work is stored in this browser", conflict: "Also changed in another window", invalid: "Not saved" };

export class Keeper {
  #sent = null; // the state that is under way to the server
  #latest = null;

  /** @param {import("./workspace.js").Workspace} workspace */
  constructor(workspace, answer, badge) {
    this.workspace = workspace;
    this.answer = answer;
    this.badge = badge;
    this.flags = { unsure: answer.unsure, comment: answer.comment, done: answer.done };
    this.saver = new Saver(answer, {
      onState: (state, error) => this.#state(state, error),
      onSaved: (acknowledgement) => this.#saved(acknowledgement),
      onConflict: (payload) => showConflict(this, payload),
    });
    this.#show("saved");
  }

  /** Take up what an earlier visit could not send. */
  restore() {
    const kept = this.saver.restore();
    if (!kept) return;
    const { unsure, comment, done } = kept;
    this.flags = { unsure, comment, done };
    const { history } = this.workspace;
    // The server may have had it before it made this page.
    const known = same(kept.body, history.present.doc);
    this.#latest = known ? history.present : history.push(kept.body, "work of an earlier visit");
    this.workspace.emit("change", "restored");
    this.workspace.say("unsent work from your last visit has been restored");
  }

  /** Save the present state; *restores* is the version that it goes back to, whose faults may come back. */
  keep(said, restores = null) {
    const { history } = this.workspace;
    const under = this.#sent && history.states.indexOf(this.#sent);
    const follows = under !== null && under >= 0 && under < history.place && this.saver.pending;
    const change = follows ? said : described(history, said, this.saver.version);
    this.#latest = history.present;
    return this.saver.save({ body: history.present.doc, ...this.flags, change: change.slice(-2000), restores });
  }

  /** Save with other flags: done, unsure, or a comment on the whole. */
  flag(flags, said) {
    this.flags = { ...this.flags, ...flags };
    return this.keep(said);
  }

  async undo() {
    const { workspace } = this;
    const { history } = workspace;
    if (history.place === 0) {
      const version = history.present.version;
      const found = version ? await earlier(this.answer.id, version) : null;
      if (!found) return workspace.say("there is nothing to undo");
      if (history.place === 0) history.prepend(found.body, found.change, found.version);
    }
    return workspace.step(-1, "undo");
  }

  redo() {
    if (!this.workspace.history.canRedo) return this.workspace.say("there is nothing to redo");
    return this.workspace.step(1, "redo");
  }

  /** Take a body that the server has already, as a version of it. */
  took(body, said, version) {
    this.saver.adopt(version);
    this.workspace.commit(body, said, version);
  }

  /** Read a file into the document; its faults are listed, not refused. */
  async readFile(file) {
    if (this.saver.pending) throw new Error("your work is not saved yet: import when it is");
    const content = btoa(Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(""));
    const whole = { name: file.name, content, version: this.saver.version, key: crypto.randomUUID(), seconds: 0 };
    const { body, notes, version } = await api("POST", `/api/answers/${this.answer.id}/read`, whole);
    this.took(body, `import ${file.name}`, version);
    return notes;
  }

  #state(state, error) {
    if (state === "saving") this.#sent ??= this.#latest;
    if (state === "invalid") this.#sent = null;
    this.#show(state, error);
  }

  #saved({ version }) {
    if (this.#sent) this.#sent.version = version;
    this.#sent = null;
  }

  #show(state, error) {
    this.badge.textContent = SAID[state];
    this.badge.dataset.state = state;
    if (state === "invalid") {
      const said = error.problems[0]?.message ?? error.message;
      this.workspace.say(`not saved: ${said}`, "error", error.hint);
    }
  }
}
