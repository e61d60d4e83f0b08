// Saving the answers of a pile: people go on while the last answer is still on its way, and none is forgotten.
import { Saver, stateWords } from "../saving.js";
/** @import { ApiError } from "../client.js" */
/** @import { Answer, Conflict } from "../types.js" */

export class Keeping {
  /** @type {Map<number, Saver>} */
  #savers = new Map();
  /** @type {ApiError|null} */
  #whyOffline = null; // why the last save that waits was not taken

  /**
   * @param {{
   *   shown: (state: string, text: string) => void,
   *   refused: (answer: Answer, error: ApiError) => void,
   *   conflict: (answer: Answer, conflict: Conflict, saver: Saver) => void,
   * }} told
   */
  constructor(told) {
    this.told = told;
  }

  /**
   * Begin to count the time of an answer that is now on the screen.
   * @param {Answer} answer
   * @returns {Saver}
   */
  begin(answer) {
    const there = this.#savers.get(answer.id);
    if (there?.pending) return there;
    const saver = this.#saver(answer);
    this.#savers.set(answer.id, saver);
    return saver;
  }

  /**
   * Save what an answer is now; the promise is kept when it is safe.
   * @param {Answer} answer
   * @param {import("../types.js").Content} content
   */
  save(answer, content) {
    take(answer, content);
    return (this.#savers.get(answer.id) ?? this.begin(answer)).save(content);
  }

  get pending() {
    return [...this.#savers.values()].filter((saver) => saver.pending).length;
  }

  /**
   * Bring an answer up to date with what this browser knows; return whether it was never acknowledged.
   * @param {Answer} answer
   */
  restore(answer) {
    const saver = this.begin(answer);
    const { latest, unsent } = saver.restore();
    const newest = unsent.at(-1) ?? latest;
    if (newest) take(answer, newest);
    answer.version = saver.version;
    return unsent.length > 0;
  }

  /**
   * @param {Answer} answer
   * @returns {Saver}
   */
  #saver(answer) {
    /** @type {Saver} */
    const saver = new Saver(answer, {
      onState: (state, error) => this.#state(answer, state, error),
      onSaved: ({ version }) => (answer.version = version),
      onConflict: (conflict) => this.told.conflict(answer, conflict, saver),
    });
    return saver;
  }

  /**
   * @param {Answer} answer
   * @param {import("../types.js").SaveState} state
   * @param {ApiError|null} error
   */
  #state(answer, state, error) {
    if (state === "invalid" && error) this.told.refused(answer, error);
    if (state === "offline") this.#whyOffline = error;
    const states = [...this.#savers.values()].map((saver) => saver.state);
    const worst =
      /** @type {const} */ (["conflict", "offline", "invalid", "saving"]).find((one) => states.includes(one)) ??
      "saved";
    const count = this.pending;
    this.told.shown(
      worst,
      stateWords(worst, this.#whyOffline, `${count === 1 ? "one answer is" : `${count} answers are`} kept here`),
    );
  }
}

/**
 * @param {Answer} answer
 * @param {import("../types.js").Content} content
 */
function take(answer, { body, unsure, comment, done }) {
  Object.assign(answer, { body, unsure, comment, done });
}
