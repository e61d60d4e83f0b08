// The connection to the server, which everything on a page waits for together.
import { ApiError, api } from "./client.js";
/** @import { Answer } from "./types.js" */

const RETRY_MS = [1000, 2000, 4000, 8000, 15_000, 30_000];

/** The connection of this page: whatever could not be sent waits here for one and the same next attempt. */
class Connection {
  #failures = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #timer;
  /** @type {(() => void)[]} */
  #waiting = [];

  constructor() {
    addEventListener("online", () => this.reached());
  }

  /** The promise is kept when it is time to try again. @returns {Promise<void>} */
  retry() {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#timer ??= setTimeout(() => this.#release(), RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)]);
    });
  }

  /** The server can be reached: nothing has to wait any longer. */
  reached() {
    this.#failures = 0;
    this.#release();
  }

  #release() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

export const connection = new Connection();

/**
 * Whether a request failed in a way that passes: no connection, a busy server, a session that ended.
 * @param {ApiError} error
 */
export function passes({ status }) {
  return status === 0 || status === 401 || status === 429 || status >= 500;
}

/**
 * Fetch an answer as soon as the server can be reached; null where the person may not see it any more.
 * @param {number} id
 * @returns {Promise<Answer|null>}
 */
export async function reachAnswer(id) {
  for (;;) {
    try {
      const answer = await api("GET", `/api/answers/${id}`);
      connection.reached();
      return answer;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!passes(error)) return null;
      await connection.retry();
    }
  }
}
