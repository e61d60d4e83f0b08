// Where a pyramid may not be finished: units that may say the same, and units that may say two things.
import { touched } from "./document.js";
/** @import { Doc, Material, Unit } from "../types.js" */

const SHOWN = 20;
const TOKEN = /[\p{L}\p{N}_\p{M}]+(?:['’.,-][\p{L}\p{N}_\p{M}]+)*/gu;

/** @param {string} label */
export function labelWords(label) {
  return (label.match(TOKEN) ?? []).map((word) => word.toLowerCase());
}

/**
 * Pairs of units of weight 1 from different summaries with similar labels, the most similar first: 2 Σ shared / Σ all
 * over their words, each weighing log(1 + units / units with it).
 * @param {Material} material
 * @param {Doc} doc
 */
export function mergeCandidates(material, doc) {
  const labels = new Map(doc.units.map((unit) => [unit, counted(labelWords(unit.label))]));
  const withWord = counted([...labels.values()].flatMap((words) => [...words.keys()]));
  /** @param {string} word */
  const weigh = (word) => Math.log(1 + labels.size / (withWord.get(word) ?? 1));
  /** @param {Map<string, number>} words */
  const total = (words) => [...words].reduce((sum, [word, times]) => sum + weigh(word) * times, 0);
  /** @param {Unit} unit */
  const labelled = (unit) => labels.get(unit) ?? counted([]);
  const single = doc.units.filter((unit) => unit.contributors.length === 1);
  const found = [];
  for (const [place, one] of single.entries()) {
    for (const other of single.slice(place + 1)) {
      const [here, there] = [labelled(one), labelled(other)];
      const alike = [...here].reduce(
        (sum, [word, times]) => sum + (there.has(word) ? weigh(word) * Math.min(times, there.get(word) ?? 0) : 0),
        0,
      );
      if (alike && apart(material, one, other)) {
        found.push({ first: one, second: other, similarity: (2 * alike) / (total(here) + total(there)) });
      }
    }
  }
  return found.sort((a, b) => b.similarity - a.similarity).slice(0, SHOWN);
}

/**
 * Units of weight 2 or more with contributors longer than those of such units on average, longest first.
 * @param {Doc} doc
 */
export function splitCandidates(doc) {
  const lengths = doc.units
    .filter((unit) => unit.contributors.length >= 2)
    .map((unit) => ({ unit, counts: unit.contributors.map((mark) => labelWords(mark.label).length) }));
  const average = mean(lengths.flatMap(({ counts }) => counts));
  return lengths
    .map(({ unit, counts }) => ({ unit, words: mean(counts) }))
    .filter(({ words }) => words > average)
    .sort((a, b) => b.words - a.words)
    .slice(0, SHOWN);
}

/**
 * @param {Material} material
 * @param {Unit} one
 * @param {Unit} other
 */
function apart(material, one, other) {
  /** @param {Unit} unit */
  const summaries = (unit) => unit.contributors.flatMap((mark) => touched(mark.parts, material.summaries));
  const here = new Set(summaries(one));
  return !summaries(other).some((place) => here.has(place));
}

/** @param {string[]} words */
function counted(words) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** @param {number[]} numbers */
function mean(numbers) {
  return numbers.length ? numbers.reduce((sum, one) => sum + one, 0) / numbers.length : 0;
}
