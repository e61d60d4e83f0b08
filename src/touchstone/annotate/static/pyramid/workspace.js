// The state of a page: a document and its history, what is selected in the text, what is current in the list.
//
// Views listen to its events: "change" (document), "selection", "current", "lit", "status", "view".
import { Refusal, homeOf, touched, unitOf } from "./document.js";
import { History } from "./history.js";
import * as operations from "./operations.js";
/** @import { Doc, ListItem, Material, OperationArguments, Part, Span, WorkspaceEvents } from "../types.js" */

/**
 * What an item of the list is: a unit, a contributor, a part, or the place of the unassigned.
 * @param {string|null} key
 * @returns {ListItem|null}
 */
export function parseKey(key) {
  if (!key) return null;
  const [kind, ...rest] = key.split(":");
  const none = { uid: "", id: "", index: -1 };
  if (kind === "unit") return { ...none, kind, uid: rest.join(":") };
  if (kind === "mark") return { ...none, kind, id: rest[0] };
  if (kind === "part") return { ...none, kind, id: rest[0], index: Number(rest[1]) };
  return { ...none, kind: kind === "new" || kind === "selection" ? kind : "unassigned" };
}

export class Workspace extends EventTarget {
  /**
   * @param {Material} material
   * @param {Doc} doc
   * @param {{editable: boolean, version: number|null}} options
   */
  constructor(material, doc, { editable, version = null }) {
    super();
    this.material = material;
    this.history = new History({ doc, said: "", version });
    this.editable = editable;
    /** @type {Span[]} */
    this.spans = []; // the selection, several where it is discontinuous
    /** @type {string|null} */
    this.current = null; // key of an item of the list
    /** @type {string|null} */
    this.held = null; // what was cut, waiting to be pasted
    /** @type {"word"|"grapheme"} */
    this.granularity = "word";
    /** @type {"order"|"weight"|"label"|"place"} */
    this.sort = "order";
    /** @type {Refusal|null} */
    this.refusal = null; // the last one
    /** @type {(said: string, restores?: number|null) => unknown} */
    this.keep = () => null; // what saves a state; set by the page
  }

  get doc() {
    return this.history.present.doc;
  }

  /**
   * @template {keyof WorkspaceEvents} Name
   * @param {Name} name
   * @param {WorkspaceEvents[Name]} detail
   */
  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /**
   * Run something at every event of a name.
   * @template {keyof WorkspaceEvents} Name
   * @param {Name} name
   * @param {(detail: WorkspaceEvents[Name]) => unknown} run
   */
  on(name, run) {
    this.addEventListener(name, (event) => event instanceof CustomEvent && run(event.detail));
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
   * @template {keyof OperationArguments} Name
   * @param {string} said
   * @param {Name} name
   * @param {OperationArguments[Name]} given
   */
  run(said, name, ...given) {
    const operation = /** @type {(material: Material, doc: Doc, ...given: unknown[]) => Doc} */ (operations[name]);
    return this.attempt(said, (doc) => operation(this.material, doc, ...given));
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
    this.refusal = refusal;
    this.say(refusal.reason, "error", refusal.hint);
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
    if (item?.kind === "unit") return unitOf(this.doc, item.uid) !== null;
    if (!item?.id) return true;
    const mark = homeOf(this.doc, item.id)?.mark;
    return mark !== undefined && (item.kind === "mark" || item.index < mark.parts.length);
  }

  /** @param {Span[]} spans */
  select(spans) {
    this.spans = spans;
    this.emit("selection", null);
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

  /** @param {Workspace["sort"]} sort */
  setSort(sort) {
    this.sort = sort;
    this.emit("view", "sort");
  }

  /** @param {Workspace["granularity"]} granularity */
  setGranularity(granularity) {
    this.granularity = granularity;
    this.emit("view", "granularity");
  }

  /**
   * Keep an item in mind, to put it elsewhere; null forgets it.
   * @param {string|null} key
   */
  hold(key) {
    this.held = key;
    this.emit("view", "held");
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
    return parseKey(this.current)?.id || null;
  }

  /** The words of the selection, as the label of a contributor has them. */
  get words() {
    const sorted = [...this.spans].sort((one, other) => one[0] - other[0]);
    return sorted.map(([start, end]) => this.material.text.slice(start, end)).join("...");
  }

  /**
   * What a summary is called in the little room beside its contributors: the last part of its id, or its number.
   * @param {number} place
   */
  summaryName(place) {
    const id = this.material.summaries[place]?.id ?? "";
    const short = /\.M\.\d+\.[A-Za-z]\.([\p{L}\p{N}_-]{1,12})$/u.exec(id) ?? /\.([A-Za-z]{1,3})$/.exec(id);
    return short?.[1] ?? String(place + 1);
  }

  /**
   * The names of the summaries that some parts stand in.
   * @param {Pick<Part, 'start'|'end'>[]} parts
   */
  namesOf(parts) {
    return touched(parts, this.material.summaries)
      .map((place) => this.summaryName(place))
      .join(" ");
  }
}
