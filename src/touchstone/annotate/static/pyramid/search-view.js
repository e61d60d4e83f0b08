// The field for a search: hits are counted, painted in the text, and stepped through.
import { find } from "../client.js";
import { search } from "./search.js";
/** @import { Selecting } from "./selecting.js" */
/** @import { PyramidText } from "./text-view.js" */
/** @import { Workspace } from "./workspace.js" */

export class Searching {
  /** @type {Awaited<ReturnType<typeof search>>["hits"]} */
  #hits = [];
  #at = -1;
  #turn = 0;

  /**
   * @param {HTMLFormElement} form
   * @param {{ workspace: Workspace, text: PyramidText, selecting: Selecting }} page
   */
  constructor(form, { workspace, text, selecting }) {
    this.workspace = workspace;
    this.text = text;
    this.selecting = selecting;
    this.complete = true;
    this.field = find(form, "[name=sought]", HTMLInputElement);
    this.expression = find(form, "[name=expression]", HTMLInputElement);
    this.count = find(form, "output", HTMLOutputElement);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.step(1);
    });
    find(form, "#back").addEventListener("click", () => this.step(-1));
    form.addEventListener("input", () => this.find());
    workspace.on("change", () => this.field.value && this.find(true));
    text.addEventListener("drawn", () => this.#paint());
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.clear();
      if (event.key === "Enter" && event.shiftKey) {
        event.preventDefault();
        this.step(-1);
      }
    });
  }

  focus() {
    this.field.focus();
    this.field.select();
  }

  clear() {
    this.field.value = "";
    this.find();
    this.text.focus();
  }

  /** @param {boolean} [stay] */
  async find(stay = false) {
    this.#turn += 1;
    const turn = this.#turn;
    const sought = this.field.value;
    /** @type {Awaited<ReturnType<typeof search>>} */
    let found = { hits: [], complete: true };
    /** @type {string|null} */
    let said = "";
    if (sought) {
      try {
        found = await search(this.workspace.material, this.workspace.doc, sought, this.expression.checked);
        said = null;
      } catch (error) {
        said = error instanceof Error ? error.message : String(error);
      }
    }
    if (turn !== this.#turn) return;
    this.#hits = found.hits;
    this.#at = stay ? Math.min(this.#at, found.hits.length - 1) : -1;
    this.complete = found.complete;
    this.#say(said);
    this.#paint();
  }

  /** @param {number} by */
  step(by) {
    if (!this.#hits.length) return;
    this.#at = this.#at < 0 && by < 0 ? this.#hits.length - 1 : (this.#at + by + this.#hits.length) % this.#hits.length;
    this.#say(null);
    this.#paint();
    const hit = this.#hits[this.#at];
    if (hit.where === "text") this.selecting.goTo(hit.start);
    else this.workspace.setCurrent(hit.id ? `mark:${hit.id}` : `unit:${hit.uid}`, true);
  }

  /** @param {string|null} said */
  #say(said) {
    const number = `${this.#hits.length.toLocaleString("en")}${this.complete ? "" : "+"}`;
    const place = this.#at < 0 ? number : `${this.#at + 1} of ${number}`;
    this.count.value = said ?? (this.#hits.length ? place : "not found");
    this.count.classList.toggle("bad", Boolean(said));
  }

  #paint() {
    const inText = this.#hits.filter(({ where }) => where === "text");
    this.text.paint(
      "hit",
      inText.map(({ start, end }) => [start, end]),
    );
    const now = this.#hits[this.#at];
    this.text.paint("hit-now", now?.where === "text" ? [[now.start, now.end]] : []);
  }
}
