// The reviewer's side: each unit is accepted, commented on, or changed in a draft that becomes a proposal.
import { el, part } from "../client.js";
import { Saver, stateWords } from "../saving.js";
import { compared } from "./conflict.js";
import { ask, askText } from "./dialogs.js";
import { Refusal } from "./document.js";
import { accept, propose, remark, unreviewed, withdraw } from "./review.js";
/** @import { Page } from "./page.js" */
/** @import { Command, Content, Decision, Proposal, Review, Revision, Unit } from "../types.js" */

export class Reviewing {
  /** @param {Page} page */
  constructor(page) {
    const { answer, reviewed } = page.data;
    if (!reviewed) throw new Error("there is nothing to review");
    this.page = page;
    this.reviewed = reviewed;
    this.base = reviewed.body;
    /** @type {Review} */
    this.review = answer.body;
    this.workspace = page.workspace;
    this.open = answer.editable && !answer.done;
    this.workspace.editable = this.open;
    this.saver = new Saver(answer, {
      onState: (state, error) => {
        part("saved").textContent =
          state === "invalid" ? (error?.problems[0]?.message ?? stateWords(state)) : stateWords(state, error);
        part("saved").dataset.state = state;
      },
      onConflict: ({ current, yours, waiting }) => this.#conflict(current, waiting ?? yours),
    });
    const { latest, unsent } = this.saver.restore();
    this.review = (unsent.at(-1) ?? latest)?.body ?? this.review;
    page.units.extras = (unit) => this.#extras(unit);
    this.workspace.keep = () => this.#banner();
    this.workspace.on("change", () => this.#banner());
    this.#banner();
  }

  /** @returns {Command[]} */
  get commands() {
    const open = () => this.open;
    return [
      {
        keys: ["y"],
        does: "accept the unit",
        on: ["unit"],
        when: open,
        run: (_, { uid }) => this.#say(() => accept(this.review, uid), `accepted unit ${uid}`),
      },
      {
        keys: ["c"],
        does: "comment on the unit, for its author",
        on: ["unit"],
        when: open,
        run: (_, { uid }) => this.#remark(uid),
      },
      { keys: ["f"], does: "propose what you changed", on: null, when: open, run: () => this.propose() },
      { keys: ["q"], does: "go to the next unit without a verdict", on: null, when: open, run: () => this.#next() },
    ];
  }

  undo() {
    if (this.workspace.history.place) this.workspace.step(-1, "undo");
  }

  redo() {
    if (this.workspace.history.canRedo) this.workspace.step(1, "redo");
  }

  get drafted() {
    return this.workspace.doc.units !== this.base.units || this.workspace.doc.unassigned !== this.base.unassigned;
  }

  #banner() {
    const left = unreviewed(this.workspace.material, this.base, this.review).length;
    const words = this.open
      ? `You review ${this.reviewed.author ?? "somebody"}’s work: ${left} unit${left === 1 ? "" : "s"} to look at. Change what you would do otherwise, then propose it.`
      : "This review was sent; its author decides.";
    const buttons =
      this.open && this.drafted
        ? [
            el(
              "button",
              { type: "button", class: "button primary small", id: "propose", on: { click: () => this.propose() } },
              "Propose this change",
            ),
            el("button", { type: "button", class: "button small", on: { click: () => this.#drop() } }, "Drop it"),
          ]
        : [];
    part("banner").replaceChildren(el("span", {}, words), ...buttons);
    part("banner").hidden = false;
  }

  #drop() {
    this.workspace.history.push(this.base, "dropped the draft");
    this.workspace.tidy();
    this.workspace.emit("change", "dropped");
  }

  /** Make a proposal of the draft; the document is shown as it was again. */
  async propose() {
    if (!this.drafted) return this.workspace.say("change something first", "error");
    const comment = await askText("Propose this change", "", {
      label: "Why",
      lines: 3,
      button: "Propose",
      note: "Say why, in a sentence; it may be empty.",
    });
    if (comment === null) return null;
    const draft = this.workspace.doc;
    if (this.#say(() => propose(this.review, this.base, draft, comment), "proposed a change")) this.#drop();
    return null;
  }

  /** @param {string} uid */
  async #remark(uid) {
    const comment = await askText(`Comment on unit ${uid}`, "", { label: "Comment", lines: 3 });
    if (comment !== null) this.#say(() => remark(this.review, uid, comment), `commented on unit ${uid}`);
  }

  #next() {
    const [next] = unreviewed(this.workspace.material, this.base, this.review);
    if (!next) return this.workspace.say("every unit has a verdict");
    this.workspace.setCurrent(`unit:${next.uid}`, true);
    return this.page.focusUnits();
  }

  /**
   * @param {() => Review} step
   * @param {string} said
   */
  #say(step, said) {
    try {
      this.review = step();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.workspace.refused(error);
      return false;
    }
    this.saver.save({ body: this.review, unsure: false, comment: "", done: false, change: said });
    this.workspace.say(said);
    this.page.units.draw();
    this.#banner();
    return true;
  }

  async send() {
    const left = unreviewed(this.workspace.material, this.base, this.review).length;
    const words = left
      ? `${left} units have no verdict yet. Once sent, the review cannot be changed.`
      : "Once sent, the review cannot be changed.";
    if (!(await ask("Send the review?", el("p", {}, words), { buttons: ["Send"] }))) return;
    await this.saver.save({ body: this.review, unsure: false, comment: "", done: true, change: "sent" });
    location.reload();
  }

  /**
   * What was said about a unit, in its row.
   * @param {Unit} unit
   */
  #extras(unit) {
    const said = this.review.proposals.filter(
      (one) => one.about === unit.uid || (one.about === "" && unit === this.workspace.doc.units[0]),
    );
    return said.map((one) =>
      proposalNote(
        one,
        this.review.decisions[one.key],
        this.open ? () => this.#say(() => withdraw(this.review, one.key), "withdrew a verdict") : null,
      ),
    );
  }

  /**
   * @param {Revision<Review>} current
   * @param {Content<Review>} mine
   */
  async #conflict(current, mine) {
    await ask(
      "Saved elsewhere",
      el("p", {}, "You changed this review in another window. The newer verdicts of this window are kept on top."),
      { cancel: false },
    );
    this.saver.adopt(current.version);
    this.saver.save({ ...mine, change: "kept the verdicts of one window" });
  }
}

/**
 * A proposal as a line: what, why, and what the author said.
 * @param {Proposal} proposal
 * @param {Decision|undefined} decision
 * @param {(() => void)|null} [onWithdraw]
 * @param {Node[]} [more]
 */
export function proposalNote(proposal, decision, onWithdraw = null, more = []) {
  const verdict = { accept: "accepted", comment: "comment", change: "proposal" }[proposal.verdict];
  const { change } = proposal;
  const look = () =>
    change &&
    ask("What the proposal changes", compared(change, ["As it is", "Proposed"]), { wide: true, cancel: false });
  const answer = decision
    ? el(
        "span",
        { class: "quiet" },
        `author: ${decision.taken === true ? "taken" : decision.taken === false ? "not taken" : "read"}${decision.reply ? ` – ${decision.reply}` : ""}`,
      )
    : null;
  return el(
    "div",
    { class: `proposal ${proposal.verdict}`, dataset: { proposal: proposal.key } },
    el("span", { class: "tag" }, verdict),
    proposal.comment ? el("span", { class: "pre", dir: "auto" }, proposal.comment) : null,
    answer,
    proposal.change ? el("button", { type: "button", class: "button small", on: { click: look } }, "Look") : null,
    ...more,
    onWithdraw ? el("button", { type: "button", class: "button small", on: { click: onWithdraw } }, "Withdraw") : null,
  );
}
