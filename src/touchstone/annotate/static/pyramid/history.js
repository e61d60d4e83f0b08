// The states of a document, without limit: undo and redo move between them, and each is saved as a version of its own.
import { api } from "../client.js";
import { restored } from "./document.js";
/** @import { Doc, Revision, State } from "../types.js" */

export class History {
  /** @param {State} first */
  constructor(first) {
    this.states = [first];
    this.place = 0;
  }

  /** The state that is shown; its document is always here. */
  get present() {
    return /** @type {State & { doc: Doc }} */ (this.states[this.place]);
  }

  get canRedo() {
    return this.place + 1 < this.states.length;
  }

  /**
   * The state that many steps away, or null.
   * @param {number} by
   * @returns {State|null}
   */
  at(by) {
    return this.states[this.place + by] ?? null;
  }

  /**
   * Take a new state; what was undone before cannot be redone any more.
   * @param {Doc} doc
   * @param {string} said
   * @param {number|null} [version]
   */
  push(doc, said, version = null) {
    this.states = [...this.states.slice(0, this.place + 1), { doc, said, version }];
    this.place += 1;
    return this.present;
  }

  /**
   * Put older states, of earlier visits, before all others; *said* is what led from them to the first.
   * @param {State[]} states
   * @param {string} said
   */
  prepend(states, said) {
    this.states[0].said ||= said;
    this.states.unshift(...states);
    this.place += states.length;
  }

  /**
   * Go back (-1) or forth (1); the numbers of new units and contributors never go back.
   * @param {number} by
   */
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

// What a version goes back to stands in its description, so that undo and redo find their way after the page was left:
// "(as version 5)" has the content of 5, "(after version 5)" was made from 5, and else a version follows the one before.
const LINK = / \((as|after) version (\d+)\)$/;

/**
 * The description of a state, with what it goes back to where that is not the version before it.
 * @param {History} history
 * @param {string} said
 * @param {number} latest
 */
export function described(history, said, latest) {
  const from = history.saved;
  if (!from) return said;
  if (from === history.present) return `${said} (as version ${from.version})`;
  return from.version === latest ? said : `${said} (after version ${from.version})`;
}

/**
 * The states that undo and redo go through, from the descriptions of all versions, the oldest first.
 * @param {Pick<Revision, 'version'|'change'>[]} revisions
 */
export function replay(revisions) {
  /** @type {Map<number, State>} */
  const states = new Map(); // by version; several versions may have one state
  /** @type {State[]} */
  let line = [];
  let place = -1;
  for (const { version, change } of revisions) {
    const [link, how, from] = LINK.exec(change) ?? ["", "", null];
    if (from !== null) {
      const restored = states.get(Number(from));
      place = restored ? line.indexOf(restored) : -1;
    }
    if (how !== "as" || place < 0) {
      line = [...line.slice(0, place + 1), { doc: null, said: change.slice(0, change.length - link.length), version }];
      place = line.length - 1;
    }
    line[place].version = version;
    states.set(version, line[place]);
  }
  return { before: line.slice(0, place), said: line[place]?.said ?? "", after: line.slice(place + 1) };
}

/**
 * Fetch what undo and redo go through from a version on: *all* of it, or what the last hundred versions tell.
 * @param {number} answerId
 * @param {number} version
 * @param {boolean} all
 */
export async function recall(answerId, version, all) {
  /** @type {Pick<Revision, "version"|"change">[]} */
  const found = [];
  for (let before = version + 1; before > 0 && (all || !found.length); before = found.at(-1)?.version ?? 0) {
    /** @type {{ revisions: Revision[] }} */
    const { revisions } = await api("GET", `/api/answers/${answerId}/revisions?before=${before}`);
    found.push(...revisions);
  }
  return replay(found.reverse());
}
