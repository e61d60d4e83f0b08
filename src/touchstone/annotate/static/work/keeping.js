// Saving the answers of a pile: people go on while the last answer is still on its way, and none is forgotten.
import { Saver } from "../client.js";

const SAID = { saved: "Saved", saving: "Saving…", invalid: "Not saved", conflict: "Also changed in another window" };

export class Keeping {
  #savers = new Map();

  /** @param {{shown: (state: string, text: string) => void, refused: (answer, error) => void, conflict: (answer, payload, saver) => void}} told */
  constructor(told) {
    this.told = told;
  }

  /** Begin to count the time of an answer that is now on the screen. */
  begin(answer) {
    const there = this.#savers.get(answer.id);
    if (!there?.pending) this.#savers.set(answer.id, this.#saver(answer));
  }

  /** Save what an answer is now; the promise is kept when it is safe. */
  save(answer, content) {
    const { body, unsure, comment, done } = content;
    Object.assign(answer, { body, unsure, comment, done });
    return this.#savers.get(answer.id).save(content);
  }

  get pending() {
    return [...this.#savers.values()].filter((saver) => saver.pending).length;
  }

  /** Take up what an earlier visit could not send for this answer; null where it sent all. */
  restore(answer) {
    this.begin(answer);
    const kept = this.#savers.get(answer.id).restore();
    if (kept) Object.assign(answer, { body: kept.body, unsure: kept.unsure, comment: kept.comment, done: kept.done });
    return kept;
  }

  #saver(answer) {
    const saver = new Saver(answer, {
      onState: (state, error) => this.#state(answer, state, error),
      onSaved: ({ version }) => (answer.version = version),
      onConflict: (payload) => this.told.conflict(answer, payload, saver),
    });
    return saver;
  }

  #state(answer, state, error) {
    if (state === "invalid") this.told.refused(answer, error);
    const states = [...this.#savers.values()].map((saver) => saver.state);
    const worst = ["conflict", "offline", "invalid", "saving"].find((one) => states.includes(one)) ?? "saved";
    this.told.shown(worst, worst === "offline" ? this.#offline(error) : SAID[worst]);
  }

  #offline(error) {
    if (error?.status === 401) return "You were logged out: log in in another tab. Your work is stored in this browser";
    const count = this.pending;
    return `No connection: ${count === 1 ? "one answer is" : `${count} answers are`} kept here`;
  }
}
