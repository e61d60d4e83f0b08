// One item on the screen: its form, what was answered, and the way to the next and back.
import { ApiError, api, el, part, toast } from "../client.js";
import { reachAnswer } from "../connection.js";
import { unsentAnswers } from "../saving.js";
import { sendUnsent } from "../unsent.js";
import { chooseVersion } from "./conflict.js";
import { FORMS } from "./forms.js";
import { Keeping } from "./keeping.js";
import { Pile } from "./pile.js";
import { itemView } from "./showing.js";
import { States } from "./states.js";
/** @import { Saver } from "../saving.js" */
/** @import { Answer, Conflict, Content, Project, WorkRow } from "../types.js" */

const TYPING_MS = 400;
const RETRY_MS = 3000;
const SLOW_MS = 2000;
const PURPOSE = { work: "", qualification: "test", training: "training" };

export class Desk {
  /** @type {number|undefined} */
  #timer;
  #moving = false;
  #trips = 0;
  /** @type {string|null} */
  #last = null; // what was saved or shown last, as JSON

  /** @param {{ answer: Answer, project: Project, work: { items: WorkRow[] } }} given */
  constructor({ answer, project, work }) {
    this.project = project;
    this.answer = answer;
    this.form = this.#newForm();
    this.states = new States(null);
    this.pile = new Pile(work.items, answer);
    this.keeping = new Keeping({
      shown: (state, text) => this.#showState(state, text),
      refused: (one, error) => this.#refused(one, error),
      conflict: (one, payload, saver) => this.#conflict(one, payload, saver),
    });
    const restored = this.keeping.restore(answer);
    this.show(answer);
    if (restored) toast("Unsent work from your last visit has been restored.");
    this.#sendLeftovers(answer);
  }

  /**
   * Put an answer on the screen.
   * @param {Answer} answer
   */
  show(answer) {
    this.answer = answer;
    this.keeping.begin(answer);
    this.form = this.#newForm();
    part("item").replaceChildren(...itemView(answer.task, answer.item.view));
    part("questions").replaceChildren(this.form.element);
    this.#fill(answer);
    this.states = new States(this.content);
    this.#last = JSON.stringify(this.content);
    this.form.readOnly = !answer.editable;
    this.#showPlace();
    this.#notice(answer.editable ? "" : this.#whyClosed());
    if (answer.editable) this.form.focusFirst();
    else part("finish").focus();
    this.pile.fetchAhead();
  }

  #newForm() {
    const Form = FORMS[this.answer.task];
    return new Form(this.answer.item.view, (how) => this.changed(how));
  }

  get content() {
    return {
      body: this.form.read(),
      unsure: part("unsure", HTMLInputElement).checked,
      comment: part("comment", HTMLTextAreaElement).value,
    };
  }

  /**
   * Save a change: at once, or when the typing pauses.
   * @param {string} [how]
   */
  changed(how = "") {
    clearTimeout(this.#timer);
    this.#notice("");
    if (how === "typing") this.#timer = setTimeout(() => this.flush(), TYPING_MS);
    else this.flush();
  }

  /**
   * Save what is on the screen, if it is not what was saved last.
   * @param {string} [change]
   */
  flush(change = "answer") {
    clearTimeout(this.#timer);
    if (!this.answer.editable || this.form.wrong?.()) return;
    const { answer, content } = this;
    if (!this.#isNew(content)) return;
    this.states.push(content);
    const row = this.pile.current;
    const done = answer.done && this.form.missing() === null;
    if (row) row.done = done;
    this.keeping.save(answer, { ...content, done, change });
    this.#showPlace();
  }

  /** Call the item done and go on; or say what is missing. */
  async finish() {
    if (this.#moving) return;
    if (!this.answer.editable) return this.next();
    const missing = this.form.missing();
    if (missing) {
      this.#notice(missing);
      this.form.focus();
      return;
    }
    const { answer, content } = this;
    const row = this.pile.current;
    if (row) row.done = true;
    clearTimeout(this.#timer);
    const saved =
      this.#isNew(content) || !answer.done
        ? this.keeping.save(answer, { ...content, done: true, change: "finish" })
        : null;
    this.#showPlace();
    if (answer.purpose === "training")
      return this.#afterSaved(saved, () => location.assign(`/answers/${answer.id}/feedback`));
    const over = answer.purpose === "qualification" && !this.pile.alike.some((one) => !one.done);
    if (over) return this.#afterSaved(saved, () => this.#result());
    return this.next();
  }

  /** @returns {Promise<unknown>} */
  async next() {
    const row = this.pile.next();
    if (row) return this.#go(row, "next");
    return this.#afterSaved(this.#allSaved(), () => location.assign(`/projects/${this.project.id}/work`));
  }

  async back() {
    const row = this.pile.previous();
    if (!row) return toast("This is the first item.");
    this.flush();
    return this.#go(row, "back");
  }

  /**
   * Go to the answer with that id, as the browser's own buttons ask for.
   * @param {number} id
   */
  async visit(id) {
    const row = this.pile.rows.find((one) => one.answer_id === id);
    if (row && row !== this.pile.current) await this.#go(row, "visit");
  }

  /** Take the last change back; where there is none on this item, go to the one before. */
  undo() {
    const state = this.states.step(-1);
    if (state) return this.#restore(state, "undo");
    return this.back();
  }

  redo() {
    const state = this.states.step(1);
    if (state) this.#restore(state, "redo");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    return this.answer.editable && this.form.key(event);
  }

  toggleUnsure() {
    part("unsure").click();
  }

  /**
   * Whether content differs from what was saved last; from now on it is that.
   * @param {Pick<Content, 'body'|'unsure'|'comment'>} content
   */
  #isNew(content) {
    const before = this.#last;
    this.#last = JSON.stringify(content);
    return this.#last !== before;
  }

  /**
   * @param {Pick<Content, 'body'|'unsure'|'comment'>} state
   * @param {string} change
   */
  #restore(state, change) {
    this.#fill(state);
    this.flush(change);
    this.form.focusFirst();
  }

  /** @param {Pick<Content, 'body'|'unsure'|'comment'>} given */
  #fill({ body, unsure, comment }) {
    this.form.write(body);
    part("unsure", HTMLInputElement).checked = unsure;
    part("comment", HTMLTextAreaElement).value = comment;
    part("comment-box", HTMLDetailsElement).open = Boolean(comment);
  }

  /**
   * Show another item; without a connection, one that was not fetched is waited for.
   * @param {WorkRow} row
   * @param {string} how
   * @returns {Promise<unknown>}
   */
  async #go(row, how) {
    this.#moving = true;
    this.#trips += 1;
    this.flush();
    try {
      const answer = await this.pile.take(row);
      this.#moving = false;
      if (how !== "visit") history.pushState(null, "", `/answers/${answer.id}`);
      this.show(answer);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#moving = false;
      if (error.status === 0 || error.status >= 500) return this.#wait(() => this.#go(row, how));
      row.closed = true;
      if (error.status === 401) return location.reload();
      return this.next();
    }
  }

  /**
   * Try again in a while, unless the person went elsewhere meanwhile.
   * @param {() => void} again
   */
  #wait(again) {
    const trip = this.#trips;
    this.#notice(
      "No connection. Your answers are stored in this browser; the next item appears as soon as the server can be reached.",
    );
    setTimeout(() => {
      if (trip === this.#trips) again();
    }, RETRY_MS);
  }

  /**
   * @param {Promise<unknown>|null} saved
   * @param {() => void} then
   */
  async #afterSaved(saved, then) {
    this.#moving = true;
    const slow = setTimeout(
      () => this.#notice("Waiting for the server. Your answers are stored in this browser until then."),
      SLOW_MS,
    );
    try {
      await saved;
      then();
    } catch {
      const row = this.pile.current;
      if (row) row.done = false; // why is on the screen already
    } finally {
      clearTimeout(slow);
      this.#moving = false;
    }
  }

  async #allSaved() {
    while (this.keeping.pending) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async #result() {
    const { passed, score, pass_mark: mark } = await api("GET", `/api/projects/${this.project.id}/qualification`);
    if (!passed) return location.assign(`/projects/${this.project.id}/work`);
    const dialog = el("dialog", { class: "card", "aria-labelledby": "result-title" }, [
      el("form", { method: "dialog" }, [
        el("h2", { id: "result-title" }, "You passed the test"),
        el(
          "p",
          {},
          `You scored ${Math.round(score * 100)} %; ${Math.round(mark * 100)} % were needed. You can start annotating.`,
        ),
        el("button", { class: "button primary", autofocus: true }, "Begin"),
      ]),
    ]);
    document.body.append(dialog);
    dialog.addEventListener("close", () => location.assign(`/projects/${this.project.id}/work`));
    dialog.showModal();
    return null;
  }

  /**
   * @param {Answer} answer
   * @param {ApiError} error
   */
  #refused(answer, error) {
    const why = error.problems[0]?.message ?? error.message;
    const row = this.pile.rows.find((one) => one.answer_id === answer.id);
    if (row) row.done = false;
    answer.done = false;
    if (answer === this.answer) {
      this.#last = null;
      this.#notice(`Not saved: ${why}.`);
    }
    if (answer !== this.answer) toast(`${answer.item.title} was not saved: ${why}. Go back to it.`, "error");
    this.#showPlace();
  }

  /**
   * @param {Answer} answer
   * @param {Conflict} payload
   * @param {Saver} saver
   */
  async #conflict(answer, payload, saver) {
    const mine = payload.waiting ?? payload.yours;
    const chosen = await chooseVersion(answer.task, answer.item.view, answer.item.title, { ...payload, yours: mine });
    saver.adopt(payload.current.version);
    const { body, unsure, comment, done } = chosen === "mine" ? mine : payload.current;
    Object.assign(answer, { body, unsure, comment, done, version: payload.current.version });
    if (chosen === "mine") this.keeping.save(answer, { body, unsure, comment, done, change: "kept my version" });
    if (answer === this.answer) this.show(answer);
  }

  /**
   * Send what was answered on an earlier visit about other items.
   * @param {Answer} shown
   */
  async #sendLeftovers(shown) {
    const unsent = unsentAnswers();
    unsent.delete(shown.id);
    const rows = this.pile.rows.filter(({ answer_id: id }) => id !== null && unsent.delete(id));
    sendUnsent(unsent); // what belongs to other projects
    await Promise.all(
      rows.map(async (row) => {
        const answer = await reachAnswer(Number(row.answer_id));
        if (answer && this.keeping.restore(answer)) row.done = answer.done;
        this.#showPlace();
      }),
    );
  }

  #whyClosed() {
    const { answer } = this;
    const whose = answer.mine ? "This answer" : `The answer of ${answer.author}`;
    return `${whose} can only be read: ${answer.why_closed}.`;
  }

  #showPlace() {
    const { answer, pile } = this;
    const alike = pile.alike;
    const done = alike.filter((row) => row.done).length;
    const kind = PURPOSE[answer.purpose];
    part("item-title").textContent = answer.item.title.replace(/^i/, "I");
    part("purpose").textContent = kind;
    part("purpose").hidden = !kind;
    const progress = part("progress", HTMLProgressElement);
    progress.max = Math.max(1, alike.length);
    progress.value = done;
    part("progress-text").textContent = `${done} of ${alike.length} done`;
    part("place").hidden = !pile.current;
    part("back", HTMLButtonElement).disabled = !pile.previous();
    part("finish").hidden = !pile.current;
    part("finish").textContent = answer.editable && !answer.done ? "Finish and continue" : "Next";
    part("unsure", HTMLInputElement).disabled = !answer.editable;
    part("comment", HTMLTextAreaElement).disabled = !answer.editable;
    document.title = `${answer.item.title} · ${this.project.name} · Touchstone`;
  }

  /**
   * @param {string} state
   * @param {string} text
   */
  #showState(state, text) {
    const badge = part("save-state");
    badge.setAttribute("aria-live", ["saved", "saving"].includes(state) ? "off" : "polite"); // all is well needs no voice
    badge.textContent = text;
    badge.dataset.state = state;
  }

  /** @param {string} text */
  #notice(text) {
    part("notice").textContent = text;
    part("notice").hidden = !text;
  }
}
