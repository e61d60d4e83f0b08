// <pyramid-text>: the summaries, with what belongs to units marked in them.
//
// Marks are elements, so that they can be pointed at; the selection, the cursor and hits of a search are painted as
// highlights and change nothing in the document.
import { closest, el } from "../client.js";
import { marksOf } from "./document.js";
import { codePointSpan, Text } from "./text.js";
import { View } from "./view.js";
/** @import { Workspace } from "./workspace.js" */
/** @import { HeldPart, Mark, Segment, Span, Unit } from "../types.js" */

const COLOURS = 8;

/**
 * The colour of a unit: the same on both sides, and after every change.
 * @param {string} uid
 */
export function colourOf(uid) {
  let sum = 0;
  for (const character of uid) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 100_003;
  return /^\d+$/.test(uid) ? (Number(uid) % COLOURS) + 1 : (sum % COLOURS) + 1;
}

export class PyramidText extends View {
  /** @type {Segment[]} */
  segments = [];

  /** @param {Workspace} workspace */
  begin(workspace) {
    this.workspace = workspace;
    this.setAttribute("role", "group");
    this.tabIndex = 0;
    this.draw();
    workspace.on("change", () => this.draw());
    workspace.on("selection", () => this.paintSelection());
    workspace.on("lit", (lit) => this.#light(lit));
    this.addEventListener("mouseover", (event) => this.#hovered(closest(event, ".seg")));
    this.addEventListener("mouseleave", () => this.workspace.light([]));
  }

  /** Where the text is shown in pieces: each summary, or the whole where there are none. */
  get blocks() {
    const { summaries, text } = this.workspace.material;
    if (!summaries.length) return [{ id: "", name: "", start: 0, end: text.length }];
    return summaries.map((one, place) => ({ ...one, name: this.workspace.summaryName(place) }));
  }

  draw() {
    const marks = [...marksOf(this.workspace.doc)];
    this.segments = [];
    const scrolls = [...this.querySelectorAll(".words")].map((one) => one.scrollTop);
    const shown = this.blocks.map((block) => this.#block(block, marks));
    this.replaceChildren(...shown);
    for (const [place, words] of [...this.querySelectorAll(".words")].entries()) words.scrollTop = scrolls[place] ?? 0;
    this.paintSelection();
    this.dispatchEvent(new Event("drawn"));
  }

  /**
   * @param {{ id: string, name: string, start: number, end: number }} block
   * @param {{ mark: Mark, unit: Unit|null }[]} marks
   */
  #block(block, marks) {
    const parts = marks.flatMap(({ mark, unit }) =>
      mark.parts.map((part) => ({ ...part, id: mark.id, uid: unit?.uid ?? null })),
    );
    const inside = parts.filter((part) => part.start < block.end && part.end > block.start);
    const lines = [];
    let start = block.start;
    for (const line of this.workspace.material.text.slice(block.start, block.end).split("\n")) {
      const end = start + new Text(line).length;
      lines.push(el("p", { class: line.trim() ? "line" : "line blank", dir: "auto" }, this.#line(start, end, inside)));
      start = end + 1;
    }
    const heading = block.id
      ? el(
          "h3",
          { title: block.id },
          el("span", { class: "tag" }, block.name),
          el("span", { class: "quiet clip" }, block.id),
        )
      : null;
    return el(
      "section",
      { class: "summary", "aria-label": block.id ? `Summary ${block.name}` : "Summary" },
      heading,
      el("div", { class: "words" }, lines),
    );
  }

  /**
   * @param {number} start
   * @param {number} end
   * @param {HeldPart[]} parts
   */
  #line(start, end, parts) {
    const cuts = new Set([start, end]);
    for (const part of parts) for (const cut of [part.start, part.end]) if (cut > start && cut < end) cuts.add(cut);
    const places = [...cuts].sort((a, b) => a - b);
    return places.slice(0, -1).map((from, index) => this.#segment(from, places[index + 1], parts));
  }

  /**
   * @param {number} start
   * @param {number} end
   * @param {HeldPart[]} parts
   */
  #segment(start, end, parts) {
    const held = parts.filter((part) => part.start < end && part.end > start);
    const uids = [...new Set(held.flatMap((part) => part.uid ?? []))];
    const ends = [...new Set(held.filter((part) => part.end === end).map((part) => part.uid ?? "–"))];
    const node = document.createTextNode(this.workspace.material.text.slice(start, end));
    const element = el("span", { class: "seg", "data-tag": ends.length ? ends.join(" ") : null }, node);
    if (held.length) element.classList.add(uids.length ? "held" : "loose");
    if (uids.length) element.style.backgroundImage = stripes(uids.map(colourOf));
    this.segments.push({ start, end, element, node, uids, ids: held.map((part) => part.id) });
    return element;
  }

  /** @param {Element|null} element */
  segmentOf(element) {
    return this.segments.find((one) => one.element === element) ?? null;
  }

  /** @param {Element|null} element */
  #hovered(element) {
    const segment = element && this.segmentOf(element);
    this.workspace.light(segment?.uids ?? [], segment?.ids ?? []);
  }

  /** @param {{ uids: Set<string>, ids: Set<string> }} given */
  #light({ uids, ids }) {
    for (const { element, uids: units, ids: marks } of this.segments) {
      element.classList.toggle("lit", units.some((uid) => uids.has(uid)) || marks.some((id) => ids.has(id)));
      element.classList.toggle(
        "lit-mark",
        marks.some((id) => ids.has(id)),
      );
    }
  }

  /**
   * The units and contributors at a place of the text.
   * @param {number} offset
   * @returns {{ uids: string[], ids: string[] }}
   */
  heldAt(offset) {
    return this.segments.find((one) => one.start <= offset && offset < one.end) ?? { uids: [], ids: [] };
  }

  /**
   * The span of code points that the browser's own selection covers; null where it is not in the text.
   * @returns {Span|null}
   */
  nativeSpan() {
    const selection = getSelection();
    const range = selection?.rangeCount ? selection.getRangeAt(0) : null;
    if (!range || range.collapsed || !this.contains(range.commonAncestorContainer)) return null;
    const covered = this.segments.filter(({ node }) => range.intersectsNode(node));
    const spans = covered.map((segment) => partial(segment, range)).filter(([start, end]) => start < end);
    const [first, last] = [spans[0], spans.at(-1)];
    return last ? [first[0], last[1]] : null;
  }

  /**
   * A range over code points of the text; null where they are not shown.
   * @param {Span} given
   * @returns {Range|null}
   */
  rangeOf([start, end]) {
    const first = this.segments.find((one) => one.end > start && one.node.length);
    const last = this.segments.findLast((one) => one.start < end && one.node.length);
    if (!first || !last || first.start > last.end) return null;
    const range = document.createRange();
    range.setStart(first.node, inside(first, start));
    range.setEnd(last.node, inside(last, end));
    return range;
  }

  /**
   * Paint spans under a name that the style sheet knows.
   * @param {string} name
   * @param {Span[]} spans
   */
  paint(name, spans) {
    const ranges = spans.flatMap((span) => this.rangeOf(span) ?? []);
    if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
    else CSS.highlights.delete(name);
  }

  paintSelection() {
    this.paint("selected", this.workspace.spans);
  }

  /** @param {Span} span */
  reveal(span) {
    const rect = this.rangeOf(span)?.startContainer.parentElement;
    rect?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/**
 * What of a segment is in a range, in code points.
 * @param {Segment} given
 * @param {Range} range
 * @returns {Span}
 */
function partial({ start, node }, range) {
  const from = range.startContainer === node ? range.startOffset : range.comparePoint(node, 0) < 0 ? node.length : 0;
  const to =
    range.endContainer === node ? range.endOffset : range.comparePoint(node, node.length) > 0 ? 0 : node.length;
  const [first, last] = codePointSpan(node.data, Math.min(from, to), to);
  return [start + first, start + last];
}

/**
 * @param {Segment} given
 * @param {number} offset
 */
function inside({ start, end, node }, offset) {
  return new Text(node.data).toUtf16(Math.max(0, Math.min(offset, end) - start));
}

/** @param {number[]} colours */
function stripes(colours) {
  const step = 100 / colours.length;
  const bands = colours.map((colour, place) => `var(--mark-${colour}) ${place * step}% ${(place + 1) * step}%`);
  return `linear-gradient(${bands.join(", ")})`;
}

customElements.define("pyramid-text", PyramidText);
