// Saving answers so that nothing is lost, whenever a page is left or the connection fails.
//
// A save has its key from the moment it is made, and waits in the browser until the server has acknowledged it. A page
// that is opened again sends what is waiting under the same keys, which changes nothing where the server has it already.
// All answers of a page wait for the server together: the first request that gets through takes the others along.
import { ApiError, api } from "./client.js";
import { connection, passes } from "./connection.js";
/** @import { Acknowledgement, Conflict, Content, Save, SaveState } from "./types.js" */

const STATE_WORDS = {
  saved: "Saved",
  saving: "Saving…",
  conflict: "Also changed in another window",
  invalid: "Not saved",
};

/**
 * What a page says about a state.
 * @param {SaveState} state
 * @param {ApiError|null} error  why the server did not take a save
 * @param {string} kept  what is stored in this browser until it does
 */
export function stateWords(state, error = null, kept = "your work is stored in this browser") {
  if (state !== "offline") return STATE_WORDS[state];
  if (error?.status === 401) return "You were logged out: log in in another tab. Your work is stored in this browser";
  return `${error?.code === "disk_full" ? "The disk of the server is full" : "No connection"}: ${kept}`;
}

const IDLE_MS = 60_000;

/** Counts the seconds in which somebody works: the page is shown, and something was touched within a minute. */
class Stopwatch {
  #seconds = 0;
  #touched = Date.now();

  constructor() {
    for (const event of ["keydown", "pointerdown", "wheel"]) {
      addEventListener(event, () => (this.#touched = Date.now()), { passive: true, capture: true });
    }
    setInterval(() => {
      if (document.visibilityState === "visible" && Date.now() - this.#touched < IDLE_MS) this.#seconds += 1;
    }, 1000);
  }

  take() {
    const seconds = Math.min(this.#seconds, 3600);
    this.#seconds = 0;
    return seconds;
  }
}

/** What the browser stores about one answer: saves without an acknowledgement, and the last one of this tab with one. */
class Stored {
  /** @param {number} answerId */
  constructor(answerId) {
    this.unsent = `${unsentPrefix()}${answerId}:`;
    this.latestName = `touchstone:latest:${account()}:${answerId}`;
  }

  /** @param {Save} save */
  keep(save) {
    const name = this.unsent + save.key;
    store(localStorage, name, { at: load(localStorage, name)?.at ?? Date.now(), save });
  }

  /** @param {Save} save */
  drop(save) {
    localStorage.removeItem(this.unsent + save.key);
  }

  /** The saves without an acknowledgement, the oldest first. @returns {Save[]} */
  get saves() {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(this.unsent));
    const found = names.map((name) => load(localStorage, name)).filter((one) => one?.save);
    return found.sort((one, other) => one.at - other.at).map(({ save }) => save);
  }

  /** The last version that was acknowledged in this tab. @returns {Save|null} */
  get latest() {
    return load(sessionStorage, this.latestName);
  }

  /** @param {Save} save */
  set latest(save) {
    store(sessionStorage, this.latestName, save);
  }
}

function account() {
  return document.documentElement.dataset.account;
}

function unsentPrefix() {
  return `touchstone:unsent:${account()}:`;
}

/** The answers with work that was not acknowledged. @returns {Set<number>} */
export function unsentAnswers() {
  const mine = Object.keys(localStorage).filter((name) => name.startsWith(unsentPrefix()));
  return new Set(mine.map((name) => Number(name.slice(unsentPrefix().length).split(":")[0])));
}

/**
 * @param {Storage} storage
 * @param {string} name
 * @param {unknown} value
 */
function store(storage, name, value) {
  try {
    storage.setItem(name, JSON.stringify(value));
  } catch {
    // a browser that stores nothing, or no more, can still send
  }
}

/**
 * @param {Storage} storage
 * @param {string} name
 */
function load(storage, name) {
  try {
    return JSON.parse(storage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** Saves one answer: one request at a time, the newest content next, the same key on every attempt. */
export class Saver {
  /** @type {Save[]} */
  #queue = []; // what is not acknowledged, the oldest first; a save has a version once it may have been sent
  #busy = false;
  #watch = new Stopwatch();
  /** @type {{resolve: (acknowledgement: Acknowledgement) => void, reject: (error: ApiError) => void}[]} */
  #promises = [];
  #stored;
  /** @type {SaveState} */
  state = "saved";

  /**
   * @param {{id: number, version: number, keys?: string[]}} answer
   * @param {{
   *   onState?: (state: SaveState, error: ApiError|null) => void,
   *   onSaved?: (acknowledgement: Acknowledgement, save: Save) => void,
   *   onConflict?: (conflict: Conflict) => void,
   *   describe?: (save: Save, version: number) => string,
   * }} options  *describe* gives the description of a save when it is sent, and what version it follows is known
   */
  constructor(answer, options = {}) {
    this.id = answer.id;
    this.version = answer.version;
    this.keys = answer.keys ?? [];
    this.options = options;
    this.#stored = new Stored(answer.id);
  }

  /** Whether something is not yet acknowledged. */
  get pending() {
    return this.#queue.length > 0;
  }

  /**
   * Save some content; the promise is kept when it, or what followed it, is safe.
   * @param {Content} content
   * @returns {Promise<Acknowledgement>}
   */
  save(content) {
    const last = this.#queue.at(-1);
    if (last?.version === null) this.#remove(last);
    const save = { ...content, key: crypto.randomUUID(), version: null, seconds: 0 };
    this.#queue.push(save);
    this.#stored.keep(save);
    const promise = new Promise((resolve, reject) => this.#promises.push({ resolve, reject }));
    promise.catch(() => {}); // whoever does not look at the promise is told by onState
    this.#pump();
    return promise;
  }

  /**
   * Take up what this page does not show: *latest*, where the page was made before that version was saved from this
   * tab, and what was never acknowledged, which is now sent.
   * @returns {{latest: Save|null, unsent: Save[]}}
   */
  restore() {
    const { latest } = this.#stored;
    const isNewer = Boolean(latest?.version && latest.version > this.version);
    this.#queue = this.#unknown(this.#stored.saves);
    if (latest?.version && isNewer) this.version = latest.version;
    queueMicrotask(() => this.#pump());
    return { latest: isNewer ? latest : null, unsent: [...this.#queue] };
  }

  /**
   * Go on after a conflict, or after a version that was saved otherwise: what is saved next follows *version*.
   * @param {number} version
   */
  adopt(version) {
    this.version = version;
    for (const save of [...this.#queue]) this.#remove(save);
    this.#set("saved");
  }

  /**
   * Those of some saves that the server had not when it made this page; what was made after a save that it had starts
   * from the version of that save. That version is stored too: the save that tells it is dropped.
   * @param {Save[]} saves
   */
  #unknown(saves) {
    const found = [];
    let base = null;
    for (const save of saves) {
      const age = this.keys.indexOf(save.key);
      if (age < 0) {
        found.push({ ...save, version: save.version ?? base });
        this.#stored.keep(found[found.length - 1]);
      } else this.#stored.drop(save);
      base = age < 0 ? null : this.version - age;
    }
    return found;
  }

  /** @param {Save} save */
  #remove(save) {
    this.#queue = this.#queue.filter((one) => one !== save);
    this.#stored.drop(save);
  }

  /**
   * @param {SaveState} state
   * @param {ApiError|null} error
   */
  #set(state, error = null) {
    this.state = state;
    this.options.onState?.(state, error);
  }

  async #pump() {
    if (this.#busy || this.state === "conflict") return;
    this.#busy = true;
    while (this.pending) {
      const save = this.#first();
      this.#set("saving");
      try {
        this.#acknowledged(save, await api("PUT", `/api/answers/${this.id}`, save));
        connection.reached();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (!(await this.#failed(save, error))) break;
      }
    }
    this.#busy = false;
  }

  /** The first of the queue, ready to be sent. From now on its key stands for this content. */
  #first() {
    const [save] = this.#queue;
    if (save.version === null) {
      save.change = this.options.describe?.(save, this.version) ?? save.change;
      save.version = this.version;
      save.seconds = this.#watch.take();
      this.#stored.keep(save);
    }
    return save;
  }

  /**
   * @param {Save} save
   * @param {Acknowledgement} acknowledgement
   */
  #acknowledged(save, acknowledgement) {
    this.version = acknowledgement.version;
    this.#stored.latest = { ...save, version: this.version };
    this.#remove(save);
    this.options.onSaved?.(acknowledgement, save);
    if (this.pending) return;
    this.#set("saved");
    for (const { resolve } of this.#promises.splice(0)) resolve(acknowledgement);
  }

  /**
   * Whether to go on: with the same save, or the next.
   * @param {Save} save
   * @param {ApiError} error
   */
  async #failed(save, error) {
    if (passes(error)) {
      this.#set("offline", error);
      await connection.retry();
      return true;
    }
    connection.reached();
    if (error.code === "conflict") {
      this.#set("conflict", error);
      const last = this.#queue.at(-1);
      this.options.onConflict?.({ ...error.payload, waiting: last === save ? null : last });
    } else {
      this.#remove(save);
      this.#set("invalid", error);
      if (this.pending) return true;
    }
    for (const { reject } of this.#promises.splice(0)) reject(error);
    return false;
  }
}
