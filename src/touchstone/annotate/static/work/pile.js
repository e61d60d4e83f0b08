// What somebody has to do in a project, in order. The next few items are fetched ahead, so that work goes on when the
// connection does not.
import { api } from "../client.js";
/** @import { Answer, WorkRow } from "../types.js" */

const AHEAD = 6;

export class Pile {
  #opened = new Map();

  /**
   * @param {WorkRow[]} rows
   * @param {Answer} answer
   */
  constructor(rows, answer) {
    this.rows = rows.filter((row) => row.duty === "annotate");
    this.at = this.rows.findIndex((row) => row.item_id === answer.item_id);
    this.#opened.set(answer.item_id, Promise.resolve(answer));
  }

  get current() {
    return this.rows[this.at] ?? null;
  }

  /** Those with the purpose of the present item: work, test or training. */
  get alike() {
    return this.rows.filter((row) => row.purpose === this.current?.purpose);
  }

  /** The next thing to do: after the present item, else what was left before it; null where there is nothing. */
  next() {
    const later = this.rows.slice(this.at + 1);
    return [...later, ...this.rows.slice(0, this.at)].find((row) => !row.done && !row.closed && !row.waits_for) ?? null;
  }

  /** The item before the present one that was opened. */
  previous() {
    return this.rows.slice(0, Math.max(0, this.at)).findLast((row) => row.answer_id !== null) ?? null;
  }

  /**
   * Return the answer to an item and make the item the present one.
   * @param {WorkRow} row
   */
  async take(row) {
    const answer = await this.#open(row);
    this.at = this.rows.indexOf(row);
    return answer;
  }

  /** Fetch the next few, quietly: what fails now is asked for again when its turn comes. */
  fetchAhead() {
    const ahead = this.rows
      .slice(this.at + 1)
      .filter((row) => !row.done && !row.closed && !row.waits_for && row.purpose === this.current?.purpose);
    for (const row of ahead.slice(0, AHEAD)) this.#open(row).catch(() => {});
  }

  /** @param {WorkRow} row */
  #open(row) {
    const there = this.#opened.get(row.item_id);
    if (there) return there;
    const opening = api("POST", `/api/items/${row.item_id}/answer`);
    this.#opened.set(row.item_id, opening);
    opening.then(
      (answer) => (row.answer_id = answer.id),
      () => this.#opened.delete(row.item_id),
    );
    return opening;
  }
}
