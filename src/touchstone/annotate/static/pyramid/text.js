// Texts counted in code points, as files and the server count them; the browser itself counts UTF-16 units.
/** @import { Span } from "../types.js" */

export class Text {
  #points;
  /** @type {Map<string, {start: number, end: number, blank: boolean}[]>} */
  #words = new Map();

  /** @param {string} string */
  constructor(string) {
    this.string = string;
    this.#points = Array.from(string);
  }

  get length() {
    return this.#points.length;
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  slice(start, end) {
    return this.#points.slice(start, end).join("");
  }

  /**
   * The code points before a UTF-16 offset; the middle of a character counts as its start.
   * @param {number} units
   */
  fromUtf16(units) {
    let seen = 0;
    for (let place = 0; place < this.#points.length; place += 1) {
      seen += this.#points[place].length;
      if (seen > units) return place;
    }
    return this.#points.length;
  }

  /**
   * The UTF-16 offset of a code point.
   * @param {number} offset
   */
  toUtf16(offset) {
    let units = 0;
    for (let place = 0; place < Math.min(offset, this.#points.length); place += 1) units += this.#points[place].length;
    return units;
  }

  /**
   * The pieces of the text: words, blanks and signs ("word"), or what a reader calls a character ("grapheme").
   * An emoji of several code points, or a letter with its accents, is one piece.
   * @param {"word"|"grapheme"} granularity
   * @returns {{start: number, end: number, blank: boolean}[]}
   */
  pieces(granularity) {
    if (!this.#words.has(granularity)) {
      const found = [];
      let start = 0;
      for (const { segment } of new Intl.Segmenter("en", { granularity }).segment(this.string)) {
        const end = start + Array.from(segment).length;
        found.push({ start, end, blank: !segment.trim() });
        start = end;
      }
      this.#words.set(granularity, found);
    }
    return this.#words.get(granularity) ?? [];
  }

  /**
   * The span widened to whole words, blanks at its ends left out; null where nothing but blanks is in it.
   * @param {Span} given
   * @returns {Span|null}
   */
  wholeWords([start, end]) {
    const inside = this.pieces("word").filter((one) => !one.blank && one.start < end && one.end > start);
    const [first, last] = [inside[0], inside.at(-1)];
    return last ? [first.start, last.end] : null;
  }

  /**
   * The span from its first letter or digit to its last; null where it has none.
   * @param {Span} given
   * @returns {Span|null}
   */
  lettered([start, end]) {
    const inside = this.#points.slice(start, end).map((point) => /[\p{L}\p{N}]/u.test(point));
    return inside.includes(true) ? [start + inside.indexOf(true), start + inside.lastIndexOf(true) + 1] : null;
  }

  /**
   * The span without the blanks at its ends; null where nothing is left.
   * @param {Span} given
   * @returns {Span|null}
   */
  trimmed([start, end]) {
    let [first, last] = [start, end];
    while (first < last && !this.#points[first].trim()) first += 1;
    while (last > first && !this.#points[last - 1].trim()) last -= 1;
    return first < last ? [first, last] : null;
  }
}

/**
 * A UTF-16 span in code points: half a character at either end is taken whole.
 * @param {string} string
 * @param {number} start
 * @param {number} end
 * @returns {Span}
 */
export function codePointSpan(string, start, end) {
  const text = new Text(string);
  const last = text.fromUtf16(end);
  const half = text.toUtf16(last) < end && last < text.length;
  return [text.fromUtf16(start), last + (half ? 1 : 0)];
}

/**
 * As in Python: 12345 is 12,345.
 * @param {number} number
 */
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}
