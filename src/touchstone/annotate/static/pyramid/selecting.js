// Selecting in the text: by mouse, and by a cursor that the arrow keys move; by words or by characters.

import { closest } from "../client.js";
/** @import { PyramidText } from "./text-view.js" */
/** @import { Workspace } from "./workspace.js" */
/** @import { Segment, Span } from "../types.js" */

export class Selecting {
  /** @type {number|null} */
  #head = null; // place in the list of pieces
  /** @type {number|null} */
  #anchor = null;
  /** @type {Span[]} */
  #fixed = []; // spans that were kept before the one being made

  /**
   * @param {PyramidText} view
   * @param {Workspace} workspace
   */
  constructor(view, workspace) {
    this.view = view;
    this.workspace = workspace;
    /** @type {{ granularity: string, list: { start: number, end: number }[] }|null} */
    this.listed = null;
    let pointer = "mouse";
    view.addEventListener("pointerdown", (event) => (pointer = event.pointerType));
    view.addEventListener("mouseup", (event) => (pointer === "touch" ? this.#tapped(event) : this.#mouse(event)));
    view.addEventListener("keydown", (event) => this.#key(event));
    view.addEventListener("focus", () => this.#focused());
    view.addEventListener("drawn", () => this.#paintCursor());
    workspace.on("selection", () => {
      if (!workspace.spans.length) this.#fixed = [];
    });
    workspace.on("view", (name) => {
      if (name === "granularity") this.#regrain();
    });
  }

  /** What the cursor steps over: words, or characters, inside the summaries. */
  get pieces() {
    const { text } = this.workspace.material;
    const { granularity } = this.workspace;
    if (this.listed?.granularity !== granularity) {
      const blocks = this.view.blocks;
      const list = text
        .pieces(granularity)
        .filter((piece) => text.slice(piece.start, piece.end) !== "\n" && (granularity === "grapheme" || !piece.blank))
        .filter((piece) => blocks.some((block) => block.start <= piece.start && piece.end <= block.end));
      this.listed = { granularity, list };
    }
    return this.listed.list;
  }

  /** @param {MouseEvent} event */
  #mouse(event) {
    const native = this.view.nativeSpan();
    const segment = this.view.segmentOf(closest(event, ".seg"));
    if (!native) {
      if (segment) this.#clicked(segment);
      return;
    }
    getSelection()?.removeAllRanges();
    const words = this.workspace.granularity === "word" && !event.altKey;
    const span = words ? this.workspace.material.text.wholeWords(native) : native;
    if (span) this.#take(span, event.ctrlKey || event.metaKey);
  }

  /**
   * A tap selects a word, and the next one selects up to there; a tap on the only word selected drops it.
   * @param {MouseEvent} event
   */
  #tapped({ clientX, clientY }) {
    const place = this.pieces.findIndex(({ start, end }) => {
      const boxes = [...(this.view.rangeOf([start, end])?.getClientRects() ?? [])];
      return boxes.some(
        (box) => box.left <= clientX && clientX <= box.right && box.top <= clientY && clientY <= box.bottom,
      );
    });
    if (place < 0) return;
    getSelection()?.removeAllRanges();
    const begun = this.workspace.spans.length > this.#fixed.length;
    if (begun && this.#anchor === place && this.#head === place) return this.workspace.select(this.#fixed);
    if (!begun) this.#anchor = place;
    this.moveTo(place, true);
  }

  /**
   * @param {Span} span
   * @param {boolean} further
   */
  #take(span, further) {
    this.#fixed = further ? this.workspace.spans : [];
    const last = this.pieces.findLastIndex((piece) => piece.start < span[1]);
    [this.#anchor, this.#head] = [this.pieces.findIndex((piece) => piece.end > span[0]), last];
    this.workspace.select(withSpan(this.#fixed, span));
    this.#paintCursor();
  }

  /**
   * A click goes to the unit of the words; again, to the next one that has them.
   * @param {Segment} given
   */
  #clicked({ uids, ids, start, element }) {
    this.#head = this.#anchor = this.pieces.findIndex((piece) => piece.end > start);
    this.#paintCursor();
    if (!ids.length) return;
    const keys = uids.length ? uids.map((uid) => `unit:${uid}`) : ids.map((id) => `mark:${id}`);
    const next = keys[(keys.indexOf(this.workspace.current ?? "") + 1) % keys.length];
    element.focus?.();
    this.workspace.setCurrent(next, true);
  }

  #focused() {
    if (this.#head === null || this.#head < 0) this.#head = this.#anchor = 0;
    this.#paintCursor();
  }

  #regrain() {
    const [head] = this.workspace.spans.at(-1) ?? [0];
    this.#head = this.#anchor = Math.max(
      0,
      this.pieces.findIndex((piece) => piece.end > head),
    );
    this.#paintCursor();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = this.#target(event.key);
    if (to !== null) {
      event.preventDefault();
      this.moveTo(to, event.shiftKey);
    } else if (event.key === " ") {
      event.preventDefault();
      this.keepPart();
    }
  }

  /**
   * @param {string} key
   * @returns {number|null}
   */
  #target(key) {
    const last = this.pieces.length - 1;
    const at = Math.max(0, this.#head ?? 0);
    if (key === "ArrowRight" || key === "ArrowLeft")
      return Math.max(0, Math.min(last, at + (key === "ArrowRight" ? 1 : -1)));
    if (key === "Home" || key === "End") return this.#rowEnd(at, key === "Home" ? -1 : 1);
    if (key === "ArrowUp" || key === "ArrowDown") return this.#row(at, key === "ArrowUp" ? -1 : 1);
    if (key === "PageUp" || key === "PageDown") return this.#block(at, key === "PageUp" ? -1 : 1);
    return null;
  }

  /**
   * Put the cursor on a piece; *extend* makes what lies between the selection.
   * @param {number} place
   * @param {boolean} [extend]
   */
  moveTo(place, extend = false) {
    const anchor = extend ? (this.#anchor ?? place) : place;
    [this.#head, this.#anchor] = [place, anchor];
    /** @type {Span} */
    const span = [this.pieces[Math.min(place, anchor)].start, this.pieces[Math.max(place, anchor)].end];
    if (extend) this.workspace.select(withSpan(this.#fixed, span));
    else if (this.workspace.spans.length !== this.#fixed.length) this.workspace.select(this.#fixed);
    this.#paintCursor();
    const piece = this.pieces[place];
    this.view.reveal([piece.start, piece.end]);
    const held = this.view.heldAt(piece.start);
    this.workspace.light(held.uids, held.ids);
    this.workspace.emit("word", this.workspace.material.text.slice(piece.start, piece.end));
  }

  /**
   * Put the cursor at a code point.
   * @param {number} offset
   */
  goTo(offset) {
    const place = this.pieces.findIndex((piece) => piece.end > offset);
    if (place >= 0) this.moveTo(place);
  }

  /** Keep what is selected, or the word under the cursor, as a part; the next selection adds another. */
  keepPart() {
    const piece = this.pieces[this.#head ?? -1];
    if (this.workspace.spans.length === this.#fixed.length && piece) {
      this.workspace.select(withSpan(this.#fixed, [piece.start, piece.end]));
    }
    this.#fixed = this.workspace.spans;
    this.#anchor = this.#head;
    if (this.#fixed.length)
      this.workspace.say("kept as a part: select the next one with Shift and the arrows, or Ctrl and the mouse");
  }

  #paintCursor() {
    const piece = this.#head === null ? null : this.pieces[this.#head];
    this.view.paint("cursor", piece ? [[piece.start, piece.end]] : []);
  }

  /** @param {number} place */
  #box(place) {
    const piece = this.pieces[place];
    return this.view.rangeOf([piece.start, piece.end])?.getClientRects()[0] ?? null;
  }

  /**
   * The first or last piece of the row on the screen.
   * @param {number} at
   * @param {number} by
   */
  #rowEnd(at, by) {
    const top = this.#box(at)?.top ?? 0;
    let place = at;
    while (this.pieces[place + by] && Math.abs((this.#box(place + by)?.top ?? Infinity) - top) < 4) place += by;
    return place;
  }

  /**
   * The piece above or below.
   * @param {number} at
   * @param {number} by
   */
  #row(at, by) {
    const here = this.#box(at);
    let [best, distance] = [at, Infinity];
    /** @type {number|null} */
    let row = null;
    for (let place = at + by; this.pieces[place]; place += by) {
      const box = this.#box(place);
      if (!box || !here || Math.abs(box.top - here.top) < 4) continue;
      row ??= box.top;
      if (Math.abs(box.top - row) > 4) break;
      const away = Math.abs(box.left - here.left);
      if (away < distance) [best, distance] = [place, away];
    }
    return best;
  }

  /**
   * The first piece of the summary before or after.
   * @param {number} at
   * @param {number} by
   */
  #block(at, by) {
    const { blocks } = this.view;
    const here = blocks.findIndex((block) => block.end > this.pieces[at].start);
    const goal = blocks[Math.max(0, Math.min(blocks.length - 1, here + by))];
    const found = this.pieces.findIndex((piece) => piece.start >= goal.start);
    return found < 0 ? at : found;
  }
}

/**
 * Spans with one more; one that overlaps it is replaced.
 * @param {Span[]} spans
 * @param {Span} given
 * @returns {Span[]}
 */
function withSpan(spans, [start, end]) {
  const apart = spans.filter((span) => span[1] <= start || span[0] >= end);
  return [...apart, [start, end]];
}
