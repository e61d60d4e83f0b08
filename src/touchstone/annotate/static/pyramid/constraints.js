// Which rules of a pyramid a document breaks, by the table that the server reads too, and on the same facts.
//
// What a file breaks is listed and kept; a step is refused only for what it breaks anew.
import { Refusal, marksOf, shared, touched } from "./document.js";
import { RULES } from "./rules.js";
import { grouped } from "./text.js";
/** @import { Text } from "./text.js" */
/** @import { Doc, Facts, Mark, Material, Part, Summary, Unit, Violation } from "../types.js" */

const HEADER = "header";

/**
 * The first rule for a kind of thing that its facts break, with the facts in its reason; null where they break none.
 * @param {string} kind
 * @param {Facts} facts
 */
export function brokenRule(kind, facts) {
  const broken = RULES.checks[kind].find(
    ({ fact, most }) => facts[fact] > (typeof most === "string" ? facts[most] : most),
  );
  if (!broken) return null;
  return { rule: broken.rule, reason: filled(broken.reason, facts), hint: broken.hint ?? null };
}

/**
 * A sentence of the table with the facts in it.
 * @param {string} sentence
 * @param {Facts} facts
 */
export function filled(sentence, facts) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(facts[name]));
}

/**
 * Refuse what breaks a rule.
 * @param {string} kind
 * @param {Facts} facts
 */
export function check(kind, facts) {
  const broken = brokenRule(kind, facts);
  if (broken) throw new Refusal(broken.rule, broken.reason, broken.hint);
}

/**
 * Every rule that a document breaks, those of single contributors first: they explain the others.
 * @param {Material} material
 * @param {Doc} doc
 * @returns {Violation[]}
 */
export function violations(material, doc) {
  const ofMarks = [...marksOf(doc)].flatMap(({ mark, unit }) => ofMark(material, unit?.uid ?? null, mark));
  return [...ofMarks, ...doc.units.flatMap((unit) => ofUnit(material, unit))];
}

/**
 * Refuse a step from one document to another that breaks a rule anew; return the latter.
 * @param {Material} material
 * @param {Doc} before
 * @param {Doc} after
 */
export function guarded(material, before, after) {
  const now = violations(material, after);
  const earlier = now.length ? violations(material, before) : [];
  const first = now.find(
    ({ rule, claims }) =>
      !earlier.some((was) => was.rule === rule && [...claims].every((claim) => was.claims.has(claim))),
  );
  if (first) throw new Refusal(first.rule, first.reason, first.hint);
  return after;
}

/**
 * @param {string} kind
 * @param {string|null} uid
 * @param {Facts} facts
 * @param {Iterable<string>} claims  the contributors, and the summaries or the span, that the rule is about
 * @returns {Violation[]}
 */
function listed(kind, uid, facts, claims) {
  const broken = brokenRule(kind, facts);
  return broken ? [{ ...broken, uid, claims: new Set(claims) }] : [];
}

/**
 * @param {Material} material
 * @param {Unit} unit
 */
function ofUnit({ models, summaries }, { uid, contributors }) {
  const pairs = contributors.flatMap(({ id, parts }) => touched(parts, summaries).map((index) => ({ index, id })));
  const crowds = [...Map.groupBy(pairs, ({ index }) => index)].sort(([index], [other]) => index - other);
  const ids = contributors.map(({ id }) => id);
  return [
    ...crowds.flatMap(([index, crowd]) =>
      listed("summary", uid, { uid, contributors: crowd.length, summary: summaries[index].id }, [
        String(index),
        ...crowd.map(({ id }) => id),
      ]),
    ),
    ...listed("unit", uid, { uid, contributors: ids.length, models: models ?? Infinity }, ids),
  ];
}

/**
 * @param {Material} material
 * @param {string|null} uid
 * @param {Mark} mark
 */
function ofMark({ summaries, text }, uid, { id, parts }) {
  const indices = touched(parts, summaries);
  const inside = parts.filter((part) => isSpan(part, text));
  const facts = {
    empty: !parts.length,
    header: summaries.length > 0 && inside.some((part) => strays(part, summaries)),
    summaries: indices.length,
    names: indices.map((index) => summaries[index].id).join(", "),
  };
  return [
    ...parts.flatMap((part) => listed("span", uid, spanFacts(part, text), [`${part.start} ${part.end} ${part.label}`])),
    ...listed("contributor", uid, facts, [id, ...indices.map(String), ...(facts.header ? [HEADER] : [])]),
  ];
}

/**
 * Whether some characters of a part are in no summary.
 * @param {Part} part
 * @param {Summary[]} summaries
 */
function strays(part, summaries) {
  const covered = summaries.reduce((sum, summary) => sum + shared(part, summary), 0);
  return covered < part.end - part.start;
}

/**
 * @param {Part} part
 * @param {Text} text
 */
function isSpan({ start, end }, text) {
  return start >= 0 && start < end && end <= text.length;
}

/**
 * Whether a part is outside a text or has other words there, and what says so.
 * @param {Part} part
 * @param {Text} text
 */
export function spanFacts(part, text) {
  const { start, end, label } = part;
  const words = text.slice(start, end);
  return {
    start,
    end,
    length: grouped(text.length),
    words: short(words),
    label: short(label),
    outside: !isSpan(part, text),
    different: words.replaceAll("\n", "") !== label.replaceAll("\n", ""),
  };
}

/**
 * @param {string} text
 * @param {number} [limit]
 */
function short(text, limit = 60) {
  const points = Array.from(text);
  return points.length <= limit ? text : `${points.slice(0, limit).join("")}…`;
}
