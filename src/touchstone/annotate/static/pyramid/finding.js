// The hits of a regular expression in some texts.
const MOST = 10_000;

/**
 * [text, start, end] for each hit in UTF-16 units, empty ones left out; complete is false where there are more.
 * @param {string} source
 * @param {string[]} texts
 * @returns {{hits: [number, number, number][], complete: boolean}}
 */
export function findAll(source, texts) {
  /** @type {[number, number, number][]} */
  const hits = [];
  for (const [place, text] of texts.entries()) {
    for (const match of text.matchAll(new RegExp(source, "gimu"))) {
      if (!match[0]) continue;
      if (hits.length === MOST) return { hits, complete: false };
      hits.push([place, match.index, match.index + match[0].length]);
    }
  }
  return { hits, complete: true };
}
