// The state of a page: a document and its history, what is selected in the text, what is current in the list.
//
// Views listen to its events: "change" (document), "selection", "current", "lit", "status", "view".
import { Refusal, homeOf, touched, unitOf } from "./document.js";
import { History } from "./history.js";
import * as operations from "./operations.js";
/** @import { Doc, Part, Span } from "../types.js" */

/**
 * What an item of the list is: a unit, a contributor, a part, or the place of the unassigned.
 * @param {string|null} key
 */
export function parseKey(key) {
  if (!key) return null;
  const [kind, ...rest] = key.split(":");
  if (kind === "unit") return { kind, uid: rest.join(":") };
  if (kind === "mark") return { kind, id: rest[0] };
  if (kind === "part") return { kind, id: rest[0], index: Number(rest[1]) };
  return { kind };
}

export class Workspace extends EventTarget {
  /**
   * @param {import("./document.js").Material} material
   * @param {import("./document.js").Doc} doc
   * @param {{editable: boolean, version: number|null}} options
   */
  constructor(material, doc, { editable, version = null }) {
    super();
    this.material = material;
    this.history = new History({ doc, said: "", version });
    this.editable = editable;
    this.spans = []; // the selection, several where it is discontinuous
    this.current = null; // key of an item of the list
    this.held = null; // what was cut, waiting to be pasted
    this.granularity = "word";
    this.sort = "order";
    this.keep = () => {}; // what saves a state; set by the page
  }

  get doc() {
    return this.history.present.doc;
  }

  /**
   * @param {string} name
   * @param {unknown} [detail]
   */
  emit(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /**
   * Say something to the person: the reason of a refusal, or what was done.
   * @param {string} message
   * @param {string} [kind]
   * @param {string|null} [hint]
   */
  say(message, kind = "info", hint = null) {
    this.emit("status", { message, kind, hint });
  }

  /**
   * Do an operation by its name; return whether it was done. A refusal is said.
   * @param {string} said
   * @param {keyof typeof operations} name
   * @param {...any[]} given
   */
  run(said, name, ...given) {
    return this.attempt(said, (doc) => operations[name](this.material, doc, ...given));
  }

  /**
   * Make a step of several operations; return whether it was made.
   * @param {string} said
   * @param {(doc: Doc) => Doc} step
   */
  attempt(said, step) {
    if (!this.editable) {
      this.say("this cannot be changed here", "error");
      return false;
    }
    try {
      this.commit(step(this.doc), said);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refused(error);
      return false;
    }
  }

  /** @param {Refusal} refusal */
  refused(refusal) {
    this.say(refusal.reason, "error", refusal.hint);
    this.emit("refused", refusal);
  }

  /**
   * @param {Doc} doc
   * @param {string} said
   * @param {number|null} [version]
   */
  commit(doc, said, version = null) {
    this.history.push(doc, said, version);
    this.tidy();
    this.emit("change", said);
    this.say(said);
    if (version === null) this.keep(said);
  }

  /**
   * Go one state back or forth.
   * @param {number} by
   * @param {string} word
   */
  step(by, word) {
    const left = by < 0 ? this.history.present.said : null;
    const state = this.history.step(by);
    this.tidy();
    const said = `${word}: ${left ?? state.said}`;
    this.emit("change", said);
    this.say(said);
    this.keep(said, this.history.saved?.version ?? null);
  }

  /** Forget what no longer is there. */
  tidy() {
    if (this.current && !this.exists(this.current)) this.current = null;
    if (this.held && this.held !== "selection" && !this.exists(this.held)) this.held = null;
  }

  /** @param {string} key */
  exists(key) {
    const item = parseKey(key);
    if (item.kind === "unit") return unitOf(this.doc, item.uid) !== null;
    if (item.kind === "unassigned") return true;
    const mark = homeOf(this.doc, item.id)?.mark;
    return Boolean(mark) && (item.kind === "mark" || item.index < mark.parts.length);
  }

  /** @param {Span[]} spans */
  select(spans) {
    this.spans = spans;
    this.emit("selection");
  }

  /**
   * @param {string|null} key
   * @param {boolean} [reveal]
   */
  setCurrent(key, reveal = false) {
    this.current = key;
    this.emit("current", { reveal });
  }

  /**
   * Light up units and contributors on both sides.
   * @param {string[]} uids
   * @param {string[]} [ids]
   */
  light(uids, ids = []) {
    this.emit("lit", { uids: new Set(uids), ids: new Set(ids) });
  }

  /**
   * @param {string} name
   * @param {string|null} value
   */
  setView(name, value) {
    this[name] = value;
    this.emit("view", name);
  }

  /** The unit that the current item is, or belongs to; null for none. */
  get currentUnit() {
    const item = parseKey(this.current);
    if (!item) return null;
    if (item.kind === "unit") return unitOf(this.doc, item.uid);
    return item.id ? (homeOf(this.doc, item.id)?.unit ?? null) : null;
  }

  /** The id of the contributor that the current item is or belongs to; null for none. */
  get currentMark() {
    return parseKey(this.current)?.id ?? null;
  }

  /** The words of the selection, as the label of a contributor has them. */
  get words() {
    const sorted = [...this.spans].sort((one, other) => one[0] - other[0]);
    return sorted.map(([start, end]) => this.material.text.slice(start, end)).join("...");
  }

  /**
   * What a summary is called in the little room beside its contributors: its last letter, or its number.
   * @param {number} place
   */
  summaryName(place) {
    const id = this.material.summaries[place]?.id ?? "";
    return /\.([A-Za-z]{1,3})$/.exec(id)?.[1] ?? String(place + 1);
  }

  /**
   * The names of the summaries that some parts stand in.
   * @param {Pick<Part, 'start'|'end'>[]} parts
   */
  namesOf(parts) {
    return touched(parts, this.material.summaries).map((place) => this.summaryName(place)).join(" ");
  }
}
