// The adjudication of two pyramids, or of two annotations of a peer: one decision after another, each taken by a key.
import { api, el, isTyping, part, shown, toast } from "../client.js";
import { button, guarded, percent } from "../manage/parts.js";
import { materialOf } from "../pyramid/document.js";
import { Keeper } from "../pyramid/keeping.js";
import { Workspace } from "../pyramid/workspace.js";
import { decisionView, described } from "./decision-view.js";
import { nextItem } from "./queue.js";
import { isEdited, withChoices } from "./resolving.js";
import { revealMarks } from "./texts.js";
/** @import { Adjudicated, Aligned, Choice, Choices, Disagreement } from "../types.js" */

const MARKS = { left: "◧", right: "◨", both: "■" };

export const KEYS = [
  { keys: "1 or ←", does: "take the left side" },
  { keys: "2 or →", does: "take the right side" },
  { keys: "3", does: "take both, where no rule forbids it" },
  { keys: "Shift+1, Shift+2", does: "take one side in all open decisions of this kind" },
  { keys: "j or Enter", does: "go to the next decision" },
  { keys: "k", does: "go to the previous decision" },
  { keys: "u or Ctrl+Z", does: "undo; Ctrl+Y redoes" },
  { keys: "e", does: "edit the adjudicated document by hand" },
  { keys: "?", does: "show these keys" },
];

export class AdjudicationDesk {
  #place = 0;
  #shown = ""; // the choices that are on the screen, to see what an undo changed

  /**
   * @param {any} item what the server gave the page
   * @param {any} answer the adjudicated answer
   * @param {Aligned} aligned
   */
  constructor(item, answer, aligned) {
    this.item = item;
    this.answer = answer;
    this.aligned = aligned;
    this.names = /** @type {[string, string]} */ (aligned.sources.map((id) => this.#author(id)));
    this.workspace = new Workspace(materialOf(answer.item.view), answer.body, {
      editable: answer.editable && !answer.done,
      version: answer.version,
    });
    this.keeper = new Keeper(this.workspace, answer, part("save-state"));
    this.workspace.keep = (said, restores = null) => this.#keep(said, restores);
    this.workspace.on("change", () => this.#changed());
    this.workspace.on("status", (status) => this.#say(status));
    this.keeper.restore();
    this.#place = Math.max(0, this.#open());
    part("decide").hidden = false;
    part("undo").addEventListener("click", () => this.keeper.undo());
    part("edit").addEventListener("click", () => this.edit());
    part("finish-decisions").addEventListener(
      "click",
      guarded(() => this.finish(), toast),
    );
    document.addEventListener("keydown", (event) => this.#key(event));
    this.draw();
    part("next-round").querySelector("button")?.focus();
  }

  get doc() {
    return /** @type {Adjudicated} */ (this.workspace.doc);
  }

  /** @returns {Choices} */
  get choices() {
    return this.doc.adjudication.choices;
  }

  get #decision() {
    return this.aligned.decisions[this.#place];
  }

  /** @param {number} id */
  #author(id) {
    if (id === this.answer.id) return "Adjudicated so far";
    return this.item.answers.find((/** @type {any} */ one) => one.id === id)?.author ?? "somebody";
  }

  /** The place of the first open decision from the present one on, then from the first; -1 where all are decided. */
  #open() {
    const { decisions } = this.aligned;
    const open = (/** @type {{key: string}} */ { key }) => !(key in this.choices);
    const later = decisions.findIndex((decision, place) => place >= this.#place && open(decision));
    return later >= 0 ? later : decisions.findIndex(open);
  }

  draw() {
    const { decisions } = this.aligned;
    this.#shown = JSON.stringify(this.choices);
    this.#drawProgress();
    part("steps").replaceChildren(...decisions.map((_, place) => this.#step(place)));
    const decision = this.#decision;
    part("decision-title").textContent = decision
      ? `Decision ${this.#place + 1} of ${decisions.length}: ${described(decision, this.workspace.material.peer)}`
      : "There is nothing to decide: both agree in everything.";
    const desk = {
      names: this.names,
      workspace: this.workspace,
      editable: this.workspace.editable,
      take: (/** @type {Choice} */ choice) => this.take(choice),
    };
    part("decision").replaceChildren(
      ...shown(decision ? decisionView(decision, this.choices[decision.key], desk) : []),
    );
    revealMarks(part("decision"));
  }

  /** @param {number} place */
  #step(place) {
    const decision = this.aligned.decisions[place];
    const choice = this.choices[decision.key];
    const name = `Decision ${place + 1}, ${choice ? { left: this.names[0], right: this.names[1], both: "both" }[choice] : "open"}`;
    const current = place === this.#place;
    return el(
      "button",
      {
        type: "button",
        class: choice ? "step done" : "step",
        "aria-label": name,
        "aria-current": current ? "step" : null,
        title: described(decision, this.workspace.material.peer),
        on: { click: () => this.go(place) },
      },
      `${place + 1}${choice ? ` ${MARKS[choice]}` : ""}`,
    );
  }

  #drawProgress() {
    const { decisions, taken, agreement } = this.aligned;
    const made = decisions.map(({ key }) => this.choices[key]).filter(Boolean);
    const count = (/** @type {Choice} */ choice) => made.filter((one) => one === choice).length;
    const units = this.workspace.material.peer ? "matches" : "units";
    const progress = /** @type {HTMLProgressElement} */ (part("decided"));
    [progress.max, progress.value] = [Math.max(1, decisions.length), made.length];
    part("decided-text").textContent =
      `${made.length} of ${decisions.length} decided, ${taken} agreed ${units} taken at once`;
    const share = `${percent(taken / Math.max(1, taken + decisions.length))} agreed`;
    const figure =
      typeof agreement.alpha === "number"
        ? `alpha ${agreement.alpha.toFixed(2)}`
        : typeof agreement.kappa === "number"
          ? `kappa ${agreement.kappa.toFixed(2)}`
          : null;
    part("agreement").textContent = [
      `${this.names[0]} and ${this.names[1]}: ${share}`,
      figure,
      `taken so far: ${count("left")} left, ${count("right")} right, ${count("both")} both`,
      isEdited(this.aligned, this.doc) ? "edited by hand" : null,
    ]
      .filter(Boolean)
      .join("; ");
    this.#drawEnd(made.length === decisions.length);
  }

  /** @param {boolean} all whether every decision is made */
  #drawEnd(all) {
    const { editable } = this.workspace;
    const finish = part("finish-decisions");
    finish.textContent = this.keeper.flags.done ? "Reopen" : "Finish";
    finish.hidden = !this.answer.editable;
    finish.classList.toggle("primary", all && editable);
    part("undo").hidden = part("edit").hidden = !this.answer.editable;
    const further =
      all && editable
        ? this.aligned.rest.map((id) =>
            button(
              `Go on with ${this.#author(id)}`,
              guarded(() => this.#nextRound(id), toast),
            ),
          )
        : [];
    const next = button(
      "Next item",
      guarded(() => nextItem(this.item), toast),
      "primary",
    );
    part("next-round").replaceChildren(...further, ...(this.keeper.flags.done ? [next] : []));
  }

  /** @param {number} place */
  go(place) {
    if (part("decision-status").dataset.kind === "error") this.workspace.say(""); // it was about the decision before
    this.#place = Math.max(0, Math.min(this.aligned.decisions.length - 1, place));
    this.draw();
    part("decision-title").scrollIntoView({ block: "nearest" });
  }

  /** @param {Choice} choice */
  take(choice) {
    const decision = this.#decision;
    if (!decision) return;
    if (!decision[choice]) return this.workspace.say(`both cannot be taken: ${decision.reason}`, "error");
    this.#choose([decision], choice);
  }

  /**
   * Take one side in all open decisions of the present kind.
   * @param {"left"|"right"} choice
   */
  takeAll(choice) {
    const decision = this.#decision;
    if (!decision) return;
    const alike = this.aligned.decisions.filter(
      ({ key, kind }) => kind === decision.kind && (key === decision.key || !(key in this.choices)),
    );
    this.#choose(alike, choice);
  }

  /**
   * @param {Disagreement[]} decisions
   * @param {Choice} choice
   */
  #choose(decisions, choice) {
    const choices = { ...this.choices, ...Object.fromEntries(decisions.map(({ key }) => [key, choice])) };
    const who = { left: this.names[0], right: this.names[1], both: "both" }[choice];
    const what =
      decisions.length > 1
        ? `${decisions.length} decisions`
        : `decision ${this.aligned.decisions.indexOf(decisions[0]) + 1}`;
    const doc = this.doc;
    if (!this.workspace.attempt(`${what}: ${who}`, () => withChoices(this.aligned, doc, choices))) return;
    const open = this.#open();
    if (open < 0) part("finish-decisions").focus();
    else this.go(open);
  }

  /** The document is another: go to the decision that an undo or a redo changed. */
  #changed() {
    if (!this.doc.adjudication) return;
    const before = JSON.parse(this.#shown);
    const place = this.aligned.decisions.findIndex(({ key }) => before[key] !== this.choices[key]);
    if (place >= 0) this.#place = place;
    this.draw();
  }

  /**
   * @param {string} said
   * @param {number|null} restores
   */
  #keep(said, restores = null) {
    const saved = this.keeper.keep(said, restores);
    if (!this.#isThisRound())
      saved.then(
        () => location.reload(),
        () => {},
      ); // an undo went back to another round
  }

  #isThisRound() {
    const round = this.doc.adjudication;
    return Boolean(round) && round.left[0] === this.aligned.sources[0] && round.right[0] === this.aligned.sources[1];
  }

  async edit() {
    await this.#settled();
    location.assign(`/answers/${this.answer.id}`);
  }

  async #settled() {
    while (this.keeper.saver.pending) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Finish, when all decisions are made; or open it again. */
  async finish() {
    const open = this.#open();
    const done = !this.keeper.flags.done;
    if (done && open >= 0) {
      this.go(open);
      const left = this.aligned.decisions.filter(({ key }) => !(key in this.choices)).length;
      return this.workspace.say(`${left} ${left === 1 ? "decision is" : "decisions are"} left`, "error");
    }
    try {
      await this.keeper.flag({ done }, done ? "adjudicated" : "reopened");
    } catch (error) {
      this.keeper.flags.done = !done;
      throw error;
    }
    return location.reload(); // the cards below offer what can be done with it now
  }

  /** @param {number} id */
  async #nextRound(id) {
    await this.#settled();
    await api("POST", `/api/items/${this.item.id}/adjudication`, {
      from_answer_id: this.answer.id,
      against_answer_id: id,
    });
    location.reload();
  }

  /** @param {{message: string, kind: string, hint: string|null}} said */
  #say({ message, kind, hint }) {
    part("decision-status").textContent = [message, hint].filter(Boolean).join(": ");
    part("decision-status").dataset.kind = kind;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (isTyping(target) || event.altKey || document.querySelector("dialog[open]")) return;
    const act = event.ctrlKey || event.metaKey ? this.#withControl(event) : this.#plain(event, target);
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @param {KeyboardEvent} event */
  #withControl(event) {
    const key = event.key.toLowerCase();
    if (key === "y" || (key === "z" && event.shiftKey)) return () => this.keeper.redo();
    return key === "z" ? () => this.keeper.undo() : null;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} target
   */
  #plain(event, target) {
    if (event.shiftKey) return { Digit1: () => this.takeAll("left"), Digit2: () => this.takeAll("right") }[event.code];
    if (event.key === "Enter" && target.matches("button, a, summary")) return null;
    const next = () => this.go(this.#place + 1);
    /** @type {{[key: string]: () => unknown}} */
    const acts = {
      1: () => this.take("left"),
      ArrowLeft: () => this.take("left"),
      2: () => this.take("right"),
      ArrowRight: () => this.take("right"),
      3: () => this.take("both"),
      j: next,
      Enter: next,
      k: () => this.go(this.#place - 1),
      u: () => this.keeper.undo(),
      e: () => this.edit(),
    };
    return acts[event.key];
  }
}
