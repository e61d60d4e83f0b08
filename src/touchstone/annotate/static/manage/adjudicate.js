// Adjudication: what several people answered side by side, and a form for the last word.
import { api, closest, el, isTyping, keyHelp, pageData, part, toast } from "../client.js";
import { Saver, stateWords } from "../saving.js";
import { chooseVersion } from "../work/conflict.js";
import { FORMS } from "../work/forms.js";
import { answerList, itemView } from "../work/showing.js";
import { nextItem, showQueue, skipItem } from "../adjudicate/queue.js";
import { button, duration, guarded } from "./parts.js";
/** @import { ApiError } from "../client.js" */
/** @import { Answer, Conflict, Content, ItemPage, Opened, SaveState } from "../types.js" */

/** @type {ItemPage} */
const item = pageData();
const { project } = item;

class Adjudication {
  /** @type {number|null} */
  #taken = null;
  /** @type {Promise<Opened>|null} */
  #opening = null;

  /** @param {Answer[]} answers */
  constructor(answers) {
    this.given = answers.filter((answer) => answer.kind !== "adjudicated");
    const last = answers.find((answer) => answer.kind === "adjudicated");
    const Form = FORMS[project.task];
    this.form = new Form(item.view, () => this.save());
    part("questions").replaceChildren(this.form.element);
    part("last-word").hidden = project.archived;
    if (last) {
      const opened = this.#begin(last);
      this.#opening = Promise.resolve(opened);
      this.#restore(opened);
    }
    this.draw();
  }

  draw() {
    const first = this.given[0];
    const cards = this.given.map((answer, place) =>
      el("section", { class: place === this.#taken ? "card chosen" : "card" }, [
        el("h3", { dir: "auto" }, answer.author ?? "somebody"),
        answerList(project.task, item.view, answer, this.given.length > 1 ? (place ? first : this.given[1]) : null),
        el("div", { class: "row" }, [
          project.archived
            ? null
            : button(["Take ", el("kbd", { "aria-hidden": "true" }, String(place + 1))], () => this.take(place)),
          answer.seconds ? el("span", { class: "quiet" }, duration(answer.seconds)) : null,
        ]),
      ]),
    );
    part("answers").replaceChildren(
      ...(cards.length
        ? cards
        : [
            el(
              "p",
              { class: "quiet" },
              "Nobody has finished this item yet, or you have not annotated it yourself yet.",
            ),
          ]),
    );
  }

  /**
   * Begin the last word with somebody's answer.
   * @param {number} place
   */
  async take(place) {
    const answer = this.given[place];
    if (!answer) return;
    this.#taken = place;
    this.draw();
    this.form.write(answer.body);
    await this.save(`took the answer of ${answer.author}`, answer.id);
    part("finish").focus();
  }

  /**
   * @param {string} [change]
   * @param {number|null} [from]
   * @param {boolean} [done]
   */
  async save(change = "answer", from = null, done = false) {
    if (this.form.wrong?.()) return null;
    this.#opening ??= this.#open(from);
    const { last, saver } = await this.#opening;
    last.done = done || (last.done && this.form.missing() === null);
    const comment = part("comment", HTMLTextAreaElement).value;
    return saver.save({
      body: this.form.read(),
      unsure: false,
      comment,
      done: last.done,
      change: change.slice(0, 2000),
    });
  }

  async finish() {
    const missing = this.form.missing();
    part("notice").hidden = !missing;
    if (missing) {
      part("notice").textContent = missing;
      this.form.focus();
      return;
    }
    await this.save("adjudicated", null, true);
    await nextItem(item);
  }

  /** @param {number|null} from */
  async #open(from) {
    return this.#begin(await api("POST", `/api/items/${item.id}/adjudication`, { from_answer_id: from }));
  }

  /**
   * @param {Answer} last
   * @returns {Opened}
   */
  #begin(last) {
    /** @type {Saver} */
    const saver = new Saver(last, {
      onState: (state, error) => this.#state(state, error),
      onConflict: (payload) => this.#conflict(payload, saver),
    });
    return { last, saver };
  }

  /**
   * Show the last word as it is here: with what an earlier visit could not send.
   * @param {Opened} opened
   */
  #restore({ last, saver }) {
    const { latest, unsent } = saver.restore();
    const newest = unsent.at(-1) ?? latest;
    last.done = newest?.done ?? last.done;
    this.#fill(newest ?? last);
    if (unsent.length) toast("Unsent work from your last visit has been restored.");
  }

  /**
   * @param {SaveState} state
   * @param {ApiError|null} error
   */
  #state(state, error) {
    part("save-state").setAttribute("aria-live", "polite");
    part("save-state").textContent = stateWords(state, error);
    part("save-state").dataset.state = state;
    if (state === "invalid" && error) toast(`Not saved: ${error.problems[0]?.message ?? error.message}.`, "error");
  }

  /**
   * @param {Conflict} payload
   * @param {Saver} saver
   */
  async #conflict(payload, saver) {
    const mine = payload.waiting ?? payload.yours;
    const chosen = await chooseVersion(project.task, item.view, "the adjudicated answer", { ...payload, yours: mine });
    saver.adopt(payload.current.version);
    if (chosen === "mine") await saver.save({ ...mine, change: "kept my version" });
    else this.#fill(payload.current);
  }

  /** @param {Pick<Content, 'body'|'comment'>} given */
  #fill({ body, comment }) {
    this.form.write(body);
    part("comment", HTMLTextAreaElement).value = comment;
  }
}

function beginForm() {
  const desk = new Adjudication(item.answers);
  const finish = guarded(() => desk.finish(), toast);
  part("item").append(...itemView(project.task, item.view));
  part("item").hidden = false;
  part("form").addEventListener("submit", (event) => event.preventDefault());
  part("finish").addEventListener("click", finish);
  part("skip").addEventListener(
    "click",
    guarded(() => skipItem(item), toast),
  );
  part("comment").addEventListener(
    "change",
    guarded(() => desk.save(), toast),
  );
  document.addEventListener("keydown", (event) => {
    if (
      isTyping(event.target) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      document.querySelector("dialog[open]")
    )
      return;
    const arrow = closest(event, "input") ? -1 : ["ArrowLeft", "ArrowRight"].indexOf(event.key);
    const place = arrow >= 0 ? arrow : /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : null;
    if (place !== null) guarded(() => desk.take(place), toast)();
    else if (event.key === "Enter" && !closest(event, "button, a, summary")) finish();
    else if (event.key === "s") part("skip").click();
    else return;
    event.preventDefault();
  });
  return [
    { keys: "← →", does: "take the first or the second answer" },
    { keys: "1 – 9", does: "start the adjudicated answer from the answer with that number" },
    { keys: "Tab", does: "go to the form to make changes" },
    { keys: "Enter", does: "adjudicate, and go to the next item on which people differ" },
    { keys: "s", does: "skip this item" },
    { keys: "?", does: "show these keys" },
  ];
}

const help = keyHelp(beginForm());
part("open-keys").addEventListener("click", () => help.showModal());
showQueue(part("queue"), project.id, false);
