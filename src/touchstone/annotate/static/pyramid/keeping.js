// Saving the work on a page: every state goes to the server, or waits in the browser until it can.
import { api } from "../client.js";
import { Saver, stateWords } from "../saving.js";
import { showConflict } from "./conflict.js";
import { described, recall } from "./history.js";
/** @import { ApiError } from "../client.js" */
/** @import { Workspace } from "./workspace.js" */
/** @import { Answer, Content, Doc, Revision, Save, SaveState, State } from "../types.js" */

export class Keeper {
  /** @type {Map<string, State>} */
  #states = new Map(); // the state that each save has, by its key
  /** @type {Promise<unknown>} */
  #stepping = Promise.resolve();

  /**
   * @param {Workspace} workspace
   * @param {Answer<Doc>} answer
   * @param {HTMLElement} badge  says whether all is saved
   */
  constructor(workspace, answer, badge) {
    this.workspace = workspace;
    this.answer = answer;
    this.badge = badge;
    this.flags = { unsure: answer.unsure, comment: answer.comment, done: answer.done };
    this.saver = new Saver(answer, {
      onState: (state, error) => this.#show(state, error),
      onSaved: ({ version }, { key }) => this.#saved(key, version),
      onConflict: (payload) => showConflict(this, payload),
      describe: (save, version) => this.#described(save, version),
    });
    this.#show("saved", null);
  }

  /** Take up what the page does not show yet, and what an earlier visit undid. */
  restore() {
    const { history } = this.workspace;
    const { latest, unsent } = this.saver.restore();
    if (latest) history.push(latest.body, latest.change ?? "", latest.version);
    for (const save of unsent) this.#states.set(save.key, history.push(save.body, save.change ?? ""));
    const newest = unsent.at(-1) ?? latest;
    if (!newest) return void this.#recallUndone();
    const { unsure, comment, done } = newest;
    this.flags = { unsure, comment, done };
    this.workspace.emit("change", "restored");
    if (unsent.length) this.workspace.say("unsent work from your last visit has been restored");
  }

  /**
   * Save the present state; *restores* is the version that it goes back to, whose faults may come back.
   * @param {string} said
   * @param {number|null} [restores]
   */
  keep(said, restores = null) {
    return this.saver.save({ body: this.workspace.doc, ...this.flags, change: said, restores });
  }

  /**
   * Save with other flags: done, unsure, or a comment on the whole.
   * @param {Partial<Content>} flags
   * @param {string} said
   */
  flag(flags, said) {
    this.flags = { ...this.flags, ...flags };
    return this.keep(said);
  }

  undo() {
    return this.#step(-1, "undo");
  }

  redo() {
    return this.#step(1, "redo");
  }

  /**
   * Go one state back or forth, after the steps that wait for theirs.
   * @param {number} by
   * @param {string} word
   */
  #step(by, word) {
    this.#stepping = this.#stepping
      .then(async () => {
        const { history } = this.workspace;
        if (by < 0 && history.place === 0) await this.#recallEarlier();
        const state = history.at(by);
        if (!state) return this.workspace.say(`there is nothing to ${word}`);
        state.doc ??= await this.#body(state.version);
        if (history.at(by) === state) this.workspace.step(by, word);
      })
      .catch((error) => this.workspace.say(`${word} needs the server: ${error.message}`, "error"));
    return this.#stepping;
  }

  /**
   * @param {number|null} version
   * @returns {Promise<Doc>}
   */
  async #body(version) {
    /** @type {Revision<Doc>} */
    const { body } = await api("GET", `/api/answers/${this.answer.id}/revisions/${version}`);
    return body;
  }

  /** Find what was undone when this page was left last, unless something was done here meanwhile. */
  async #recallUndone() {
    const { history } = this.workspace;
    const past = await recall(this.answer.id, this.answer.version, false).catch(() => null);
    if (!past || history.states.length > 1) return;
    history.states.push(...past.after);
    this.workspace.emit("undone", null);
  }

  /** Find the states of earlier visits. */
  async #recallEarlier() {
    const { history } = this.workspace;
    if (!history.present.version) return;
    const past = await recall(this.answer.id, history.present.version, true);
    if (history.place === 0) history.prepend(past.before, past.said);
  }

  /**
   * Take a body that the server has already, as a version of it.
   * @param {any} body
   * @param {string} said
   * @param {number} version
   */
  took(body, said, version) {
    this.saver.adopt(version);
    this.workspace.commit(body, said, version);
  }

  /**
   * Read a file into the document; its faults are listed, not refused.
   * @param {File} file
   */
  async readFile(file) {
    if (this.saver.pending) throw new Error("your work is not saved yet: import when it is");
    const content = btoa(
      Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(""),
    );
    const whole = { name: file.name, content, version: this.saver.version, key: crypto.randomUUID(), seconds: 0 };
    /** @type {{ body: Doc, notes: string[], version: number }} */
    const { body, notes, version } = await api("POST", `/api/answers/${this.answer.id}/read`, whole);
    this.took(body, `import ${file.name}`, version);
    return notes;
  }

  /**
   * @param {Save} save
   * @param {number} version
   */
  #described(save, version) {
    const { history } = this.workspace;
    this.#states.set(save.key, history.present);
    return described(history, save.change ?? "", version).slice(-2000);
  }

  /**
   * @param {string} key
   * @param {number} version
   */
  #saved(key, version) {
    const state = this.#states.get(key);
    if (state) state.version = version;
    this.#states.delete(key);
  }

  /**
   * @param {SaveState} state
   * @param {ApiError|null} error
   */
  #show(state, error) {
    this.badge.textContent = stateWords(state, error);
    this.badge.dataset.state = state;
    if (state === "invalid" && error) {
      const said = error.problems[0]?.message ?? error.message;
      this.workspace.say(`not saved: ${said}`, "error", error.hint);
    }
  }
}
