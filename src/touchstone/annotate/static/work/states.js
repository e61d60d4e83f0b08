// What an answer was, step by step, since it came on the screen: undo and redo go through it.
export class States {
  #steps;
  #place = 0;

  /** @param {unknown} content */
  constructor(content) {
    this.#steps = [JSON.stringify(content)];
  }

  /** @param {unknown} content */
  push(content) {
    const step = JSON.stringify(content);
    if (step === this.#steps[this.#place]) return;
    this.#steps.splice(this.#place + 1, Infinity, step);
    this.#place += 1;
  }

  /**
   * The state one step before (-1) or after (1), or null where there is none.
   * @param {number} by
   */
  step(by) {
    const there = this.#steps[this.#place + by];
    if (there === undefined) return null;
    this.#place += by;
    return JSON.parse(there);
  }
}
