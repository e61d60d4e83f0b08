// The states of a document, without limit: undo and redo move between them, and each is saved as a version of its own.
import { api } from "../client.js";
import { restored } from "./document.js";

/** @typedef {{doc: import("./document.js").Doc, said: string, version: number|null}} State */

export class History {
  /** @param {State} first */
  constructor(first) {
    this.states = [first];
    this.place = 0;
  }

  get present() {
    return this.states[this.place];
  }

  get canRedo() {
    return this.place + 1 < this.states.length;
  }

  /** Take a new state; what was undone before cannot be redone any more. */
  push(doc, said, version = null) {
    this.states = [...this.states.slice(0, this.place + 1), { doc, said, version }];
    this.place += 1;
    return this.present;
  }

  /** Put an older state, of an earlier visit, before all others. */
  prepend(doc, said, version) {
    this.states.unshift({ doc, said, version });
    this.place += 1;
  }

  /** Go back (-1) or forth (1); the numbers of new units and contributors never go back. */
  step(by) {
    const before = this.present.doc;
    this.place += by;
    this.present.doc = restored(this.present.doc, before);
    return this.present;
  }

  /** The nearest state at or before the present one that the server has. */
  get saved() {
    return this.states.slice(0, this.place + 1).findLast((state) => state.version !== null) ?? null;
  }
}

// What a version goes back to stands in its description, so that undo finds its way after the page was left:
// "(as version 5)" has the content of 5, "(after version 5)" was made from 5, and else a version follows the one before.
const AS = /\(as version (\d+)\)$/;
const AFTER = /\(after version (\d+)\)$/;

/** The description of a state, with what it goes back to where that is not the version before it. */
export function described(history, said, latest) {
  const from = history.saved;
  if (!from) return said;
  if (from === history.present) return `${said} (as version ${from.version})`;
  return from.version === latest ? said : `${said} (after version ${from.version})`;
}

/** Fetch the version that an undo from the first state of this visit goes to; null where there is none. */
export async function earlier(answerId, version) {
  const change = async (at) => (await api("GET", `/api/answers/${answerId}/revisions/${at}`)).change;
  let at = version;
  for (let said = await change(at); AS.test(said); said = await change(at)) at = Number(said.match(AS)[1]);
  const said = await change(at);
  const before = AFTER.test(said) ? Number(said.match(AFTER)[1]) : at - 1;
  return before < 0 ? null : api("GET", `/api/answers/${answerId}/revisions/${before}`);
}
