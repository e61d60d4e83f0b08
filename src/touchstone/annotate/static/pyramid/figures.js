// Figures that are shown while people work: tiers, text not covered yet, and what a peer scores so far.
import { NO_UNIT } from "./document.js";
/** @import { Text } from "./text.js" */
/** @import { Doc, Material, Pyramid, Span } from "../types.js" */

/**
 * X: the mean number of units in a model summary, rounded half up in integers; null where the pyramid is too small.
 * @param {number} total
 * @param {number|null} models
 */
export function averageUnits(total, models) {
  if (!models) return null;
  return Math.floor((2 * total + models) / (2 * models)) || null;
}

/**
 * The sum of the n largest weights.
 * @param {number[]} weights
 * @param {number} n
 */
export function optimum(weights, n) {
  return [...weights]
    .sort((a, b) => b - a)
    .slice(0, n)
    .reduce((sum, weight) => sum + weight, 0);
}

/**
 * [weight, units] for each weight that is there, heaviest first.
 * @param {number[]} weights
 */
export function tiersOf(weights) {
  const counted = new Map();
  for (const weight of weights) counted.set(weight, (counted.get(weight) ?? 0) + 1);
  return [...counted].sort(([one], [other]) => other - one);
}

/**
 * @param {Material} material
 * @param {Doc} doc
 */
export function pyramidFigures(material, doc) {
  const weights = doc.units.map((unit) => unit.contributors.length);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const average = averageUnits(total, material.models);
  const open = uncovered(material, doc);
  return {
    models: material.models,
    units: doc.units.length,
    total,
    unassigned: doc.unassigned.length,
    tiers: tiersOf(weights),
    meanWeight: weights.length ? total / weights.length : null,
    average,
    optimum: average === null ? null : optimum(weights, average),
    uncovered: open,
    covered: coveredShare(material, open),
  };
}

/**
 * What a peer scores so far. Scores are null where the pyramid is too small to score against.
 * @param {Material} material
 * @param {Doc} doc
 */
export function peerFigures(material, doc) {
  const { pyramid } = material;
  if (!pyramid) throw new Error("a peer is read against a pyramid");
  const units = pyramid.scus;
  const weight = new Map(units.map((unit) => [unit.uid, unit.contributors.length]));
  const weights = [...weight.values()];
  const counts = new Map();
  for (const { uid, contributors } of doc.units) {
    if (contributors.length) counts.set(uid, (counts.get(uid) ?? 0) + contributors.length);
  }
  const unmatched = counts.get(NO_UNIT) ?? 0;
  counts.delete(NO_UNIT);
  const total = weights.reduce((sum, one) => sum + one, 0);
  const models = pyramid.models ?? pyramid.summaries.length;
  const average = averageUnits(total, models);
  const size = [...counts.values()].reduce((sum, one) => sum + one, 0) + unmatched;
  const credit = [...counts.keys()].reduce((sum, uid) => sum + (weight.get(uid) ?? 0), 0);
  const [best, most] = [average === null ? null : optimum(weights, average), optimum(weights, size)];
  return {
    count: counts.size,
    repeats: size - unmatched - counts.size,
    unmatched,
    unassigned: doc.unassigned.length,
    credit,
    total,
    models,
    size,
    average,
    optimum: best,
    most,
    modified: best ? credit / best : null,
    original: average === null ? null : credit ? credit / most : 0,
    derivation: average === null ? [] : derivation(units, counts, average),
  };
}

/**
 * For each tier: weight, units, in the summary, taken for the optimum, earn, so far.
 * @param {Pyramid['scus']} units
 * @param {Map<string, number>} counts
 * @param {number} average
 */
function derivation(units, counts, average) {
  const rows = [];
  let [taken, sofar] = [0, 0];
  for (const [weight, number] of tiersOf(units.map((unit) => unit.contributors.length))) {
    const take = Math.min(number, average - taken);
    taken += take;
    sofar += take * weight;
    const found = units.filter((unit) => unit.contributors.length === weight && counts.has(unit.uid)).length;
    rows.push([weight, number, found, take, take * weight, sofar]);
  }
  return rows;
}

/**
 * The stretches of the model summaries that no unit has, without the blanks at their ends.
 * @param {Material} material
 * @param {Doc} doc
 * @returns {Span[]}
 */
export function uncovered(material, doc) {
  const spans = doc.units
    .flatMap((unit) => unit.contributors.flatMap((mark) => mark.parts.map((part) => [part.start, part.end])))
    .sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  /** @type {Span[]} */
  const found = [];
  for (const summary of wholeOf(material)) {
    let place = summary.start;
    for (const [start, end] of [...spans, [summary.end, summary.end]]) {
      const stop = Math.min(start, summary.end);
      if (place < stop && letters(material.text, place, stop))
        found.push(material.text.trimmed([place, stop]) ?? [place, stop]);
      place = Math.max(place, end);
    }
  }
  return found;
}

/** @param {Material} material */
function wholeOf(material) {
  return material.summaries.length ? material.summaries : [{ id: "", start: 0, end: material.text.length }];
}

/**
 * @param {Material} material
 * @param {Span[]} open
 */
function coveredShare(material, open) {
  const all = wholeOf(material).reduce((sum, one) => sum + letters(material.text, one.start, one.end), 0);
  const left = open.reduce((sum, [start, end]) => sum + letters(material.text, start, end), 0);
  return all ? 1 - left / all : 1;
}

/**
 * @param {Text} text
 * @param {number} start
 * @param {number} end
 */
function letters(text, start, end) {
  return text.slice(start, end).match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
