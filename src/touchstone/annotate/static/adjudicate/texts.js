// The texts of a decision side by side: the words of both versions, and where they differ.
import { el } from "../client.js";
import { touched } from "../pyramid/document.js";
import { Text } from "../pyramid/text.js";
/** @import { Block, KeyedSpan, Material, Piece } from "../types.js" */

/**
 * @param {Piece[]} pieces
 * @returns {KeyedSpan[]}
 */
function spansOf(pieces) {
  return pieces.flatMap(({ key, unit }) =>
    unit.contributors.flatMap(({ parts }) => parts.map(({ start, end }) => ({ start, end, key }))),
  );
}

/**
 * The summaries that a decision is about; a peer as a whole.
 * @param {Material} material
 * @param {Piece[]} pieces
 * @param {(place: number) => string} name
 * @returns {Block[]}
 */
function blocksOf(material, pieces, name) {
  if (!material.summaries.length) return [{ id: "", name: "", start: 0, end: material.text.length }];
  return touched(spansOf(pieces), material.summaries).map((place) => ({
    ...material.summaries[place],
    name: name(place),
  }));
}

/**
 * Each text of a decision in two columns.
 * @param {Material} material
 * @param {[Piece[], Piece[]]} sides
 * @param {[string, string]} names
 * @param {(place: number) => string} summaryName
 */
export function textRows(material, [left, right], names, summaryName) {
  const [ours, theirs] = [spansOf(left), spansOf(right)];
  return blocksOf(material, [...left, ...right], summaryName).map((block) =>
    el("div", { class: "text-row" }, [
      column(material, block, ours, theirs, names[0]),
      column(material, block, theirs, ours, names[1]),
    ]),
  );
}

/**
 * @param {Material} material
 * @param {Block} block
 * @param {KeyedSpan[]} here
 * @param {KeyedSpan[]} there
 * @param {string} name
 */
function column(material, block, here, there, name) {
  const heading = el(
    "h4",
    {},
    block.name ? el("span", { class: "tag" }, block.name) : null,
    el("span", { class: "quiet", dir: "auto" }, name),
  );
  const title = block.name ? `Summary ${block.name}, ${name}` : `Summary, ${name}`;
  return el(
    "section",
    { class: "column", "aria-label": title },
    heading,
    el("div", { class: "words", tabindex: "0" }, lines(material, block, here, there)),
  );
}

/**
 * @param {Material} material
 * @param {Block} block
 * @param {KeyedSpan[]} here
 * @param {KeyedSpan[]} there
 */
function lines(material, block, here, there) {
  let start = block.start;
  return material.text
    .slice(block.start, block.end)
    .split("\n")
    .map((line) => {
      const end = start + new Text(line).length;
      const shown = el(
        "p",
        { class: line.trim() ? "line" : "line blank", dir: "auto" },
        segments(material, start, end, here, there),
      );
      start = end + 1;
      return shown;
    });
}

/**
 * @param {Material} material
 * @param {number} start
 * @param {number} end
 * @param {KeyedSpan[]} here
 * @param {KeyedSpan[]} there
 */
function segments(material, start, end, here, there) {
  const cuts = new Set([start, end]);
  for (const span of [...here, ...there])
    for (const cut of [span.start, span.end]) if (cut > start && cut < end) cuts.add(cut);
  const places = [...cuts].sort((one, other) => one - other);
  return places
    .slice(0, -1)
    .map((from, index) => segment(material.text.slice(from, places[index + 1]), from, places[index + 1], here, there));
}

/**
 * @param {string} words
 * @param {number} start
 * @param {number} end
 * @param {KeyedSpan[]} here
 * @param {KeyedSpan[]} there
 */
function segment(words, start, end, here, there) {
  const inside = (/** @type {KeyedSpan} */ span) => span.start < end && span.end > start;
  const keys = (/** @type {KeyedSpan[]} */ spans) => [...new Set(spans.filter(inside).map(({ key }) => key))].sort();
  const [ours, theirs] = [keys(here), keys(there)];
  if (!ours.length && !theirs.length) return words;
  if (!ours.length) return el("span", { class: "absent" }, words);
  const same = ours.join("\n") === theirs.join("\n");
  const ends = [...new Set(here.filter((span) => inside(span) && span.end === end).map(({ key }) => key))];
  return el("mark", { class: same ? "alike" : "differs", "data-tag": ends.join(" ") || null }, words);
}

/**
 * Scroll both columns of each row to the first words that are marked in either.
 * @param {Element} box
 */
export function revealMarks(box) {
  for (const row of box.querySelectorAll(".text-row")) {
    const columns = /** @type {HTMLElement[]} */ ([...row.querySelectorAll(".words")]);
    for (const words of columns) {
      const first = /** @type {HTMLElement|null} */ (words.querySelector("mark, .absent"));
      if (first) words.scrollTop = Math.max(0, first.offsetTop - words.offsetTop - 24);
    }
  }
}
