// The words in which two sentences differ.
/** @import { WordRun } from "../types.js" */

/**
 * A sentence in words, blanks and signs.
 * @param {string} text
 */
function pieces(text) {
  return [...new Intl.Segmenter("en", { granularity: "word" }).segment(text)].map(({ segment, isWordLike }) => ({
    text: segment,
    isWord: Boolean(isWordLike),
  }));
}

/**
 * The longest common subsequence of two lists, as the places in each.
 * @param {string[]} one
 * @param {string[]} other
 * @returns {[Set<number>, Set<number>]}
 */
function common(one, other) {
  const longest = Array.from({ length: one.length + 1 }, () => new Array(other.length + 1).fill(0));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      longest[i][j] = one[i] === other[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  /** @type {[Set<number>, Set<number>]} */
  const places = [new Set(), new Set()];
  for (let [i, j] = [0, 0]; i < one.length && j < other.length; ) {
    if (one[i] === other[j]) {
      places[0].add(i++);
      places[1].add(j++);
    } else if (longest[i + 1][j] >= longest[i][j + 1]) i += 1;
    else j += 1;
  }
  return places;
}

/**
 * Two sentences in runs, each with whether its words are missing in the other. Sentences that share less than half of
 * the words of the shorter one differ as a whole: no run is marked.
 * @param {string} first
 * @param {string} second
 * @returns {[WordRun[], WordRun[]]}
 */
export function differing(first, second) {
  const [one, other] = [pieces(first), pieces(second)];
  const words = [one, other].map((side) => side.filter(({ isWord }) => isWord).map(({ text }) => text.toLowerCase()));
  const shared = common(words[0], words[1]);
  const alike = 2 * shared[0].size >= Math.min(words[0].length, words[1].length);
  return [runs(one, alike ? shared[0] : null), runs(other, alike ? shared[1] : null)];
}

/**
 * @param {{ text: string, isWord: boolean }[]} side
 * @param {Set<number>|null} shared  the words that the other sentence has too; null marks nothing
 */
function runs(side, shared) {
  /** @type {WordRun[]} */
  const found = [];
  let [number, gap] = [0, ""];
  for (const { text, isWord } of side) {
    if (!isWord) {
      gap += text;
      continue;
    }
    const differs = shared !== null && !shared.has(number++);
    const last = found.at(-1);
    if (last && last.differs === differs) last.text += gap + text;
    else if (last && !last.differs) {
      last.text += gap;
      found.push({ text, differs });
    } else found.push({ text: gap + text, differs });
    gap = "";
  }
  if (gap) found.push({ text: gap, differs: false });
  return found;
}
