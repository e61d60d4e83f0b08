// Sending what earlier visits left in this browser.
import { reachAnswer } from "./connection.js";
import { Saver } from "./saving.js";
/** @import { Sent } from "./types.js" */

/**
 * Send what earlier visits left in this browser, as soon as the server can be reached.
 * @param {Iterable<number>} ids the answers
 * @param {(sent: Sent) => void} told is told what became of each
 */
export async function sendUnsent(ids, told = () => {}) {
  await Promise.all([...ids].map(async (id) => told(await sent(id))));
}

/**
 * @param {number} id
 * @returns {Promise<Sent>}
 */
async function sent(id) {
  const answer = await reachAnswer(id);
  if (!answer) return { id, answer, state: "invalid", error: null };
  return new Promise((resolve) => {
    const saver = new Saver(answer, {
      onState: (state, error) =>
        ["saved", "conflict", "invalid"].includes(state) && resolve({ id, answer, state, error }),
    });
    if (!saver.restore().unsent.length) resolve({ id, answer, state: "saved", error: null });
  });
}
