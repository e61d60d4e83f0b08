// The author's side of a review: proposals stand at their units; the author takes them or not, and replies.
import { el, part } from "../client.js";
import { Saver } from "../saving.js";
import { askText } from "./dialogs.js";
import { decide, take } from "./review.js";
import { proposalNote } from "./reviewing.js";
/** @import { Page } from "./page.js" */
/** @import { Answer, Proposal, Reviewed, Unit } from "../types.js" */

export class Deciding {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.workspace = page.workspace;
    /** @type {Reviewed[]} */
    this.reviews = page.data.reviews
      .filter((review) => review.done)
      .map((answer) => ({ answer, body: answer.body, saver: answer.editable ? this.#saver(answer) : null }));
    if (!this.reviews.length) return;
    page.units.extras = (unit) => this.#extras(unit);
    this.#banner();
  }

  /** @param {Answer} answer */
  #saver(answer) {
    return new Saver(answer, {
      onState: (state, error) => error && state === "invalid" && this.workspace.say(error.message, "error"),
      onConflict: () => this.workspace.say("the review was decided on in another window: reload the page", "error"),
    });
  }

  #banner() {
    const open = this.reviews.flatMap(({ body }) =>
      body.proposals.filter((one) => one.verdict !== "accept" && !body.decisions[one.key]),
    ).length;
    const from = this.reviews.map(({ answer }) => answer.author).join(", ");
    const banner = part("banner");
    const whole = this.reviews.flatMap((review) => this.#notes(review, (about) => about === ""));
    banner.replaceChildren(
      el("span", {}, `Reviewed by ${from}: ${open} to decide on. They are shown with their units.`),
      ...whole,
    );
    banner.hidden = false;
  }

  /** @param {Unit} unit */
  #extras(unit) {
    return this.reviews.flatMap((review) => this.#notes(review, (about) => about === unit.uid));
  }

  /**
   * @param {Reviewed} review
   * @param {(about: string) => boolean} concerns
   */
  #notes(review, concerns) {
    return review.body.proposals
      .filter((one) => concerns(one.about))
      .map((one) => {
        const decision = review.body.decisions[one.key];
        const open = review.saver && one.verdict !== "accept" && !decision;
        /**
         * @param {string} name
         * @param {() => void} run
         */
        const button = (name, run) => el("button", { type: "button", class: "button small", on: { click: run } }, name);
        const choices =
          one.verdict === "change"
            ? [
                button("Take", () => this.#take(review, one)),
                button("Do not take", () => this.#reply(review, one, false)),
              ]
            : [button("Reply", () => this.#reply(review, one, null))];
        return proposalNote(one, decision, null, open ? choices : []);
      });
  }

  /**
   * @param {Reviewed} review
   * @param {Proposal} proposal
   */
  #take(review, proposal) {
    const { workspace } = this;
    const editable = workspace.editable;
    workspace.editable = this.page.editable;
    const done = workspace.attempt(`took ${proposal.key} of ${review.answer.author}`, (doc) =>
      take(workspace.material, doc, proposal),
    );
    workspace.editable = editable;
    if (done) this.#decided(review, proposal.key, true, "");
  }

  /**
   * @param {Reviewed} review
   * @param {Proposal} proposal
   * @param {boolean|null} taken
   */
  async #reply(review, proposal, taken) {
    const reply = await askText(taken === false ? "Not taken" : "Reply", "", {
      label: "Reply",
      lines: 3,
      note: "Optional.",
    });
    if (reply !== null) this.#decided(review, proposal.key, taken, reply);
  }

  /**
   * @param {Reviewed} review
   * @param {string} key
   * @param {boolean|null} taken
   * @param {string} reply
   */
  #decided(review, key, taken, reply) {
    review.body = decide(review.body, key, taken, reply);
    review.saver?.save({ body: review.body, unsure: false, comment: "", done: true, change: `decided on ${key}` });
    this.page.units.draw();
    this.#banner();
  }
}
