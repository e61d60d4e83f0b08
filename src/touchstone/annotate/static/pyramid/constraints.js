// The rules of a pyramid, the same as the server's: C1-C3 on the whole of every span, and spans that are where they say.
//
// What a file breaks is listed and kept; a step is refused only for what it breaks anew.
import { Refusal, marksOf, touched } from "./document.js";
import { grouped } from "./text.js";
/** @import { Text } from "./text.js" */
/** @import { Doc, Mark, Material, Part, Summary, Unit, Violation } from "../types.js" */

const HEADER = "header";

/**
 * Every rule that a document breaks, those of single contributors first: they explain the others.
 * @param {Material} material
 * @param {Doc} doc
 * @returns {Violation[]}
 */
export function violations(material, doc) {
  const found = [];
  for (const { mark, unit } of marksOf(doc)) found.push(...ofMark(material, unit?.uid ?? null, mark));
  for (const unit of doc.units) found.push(...ofUnit(material, unit));
  return found;
}

/**
 * Refuse a step from one document to another that breaks a rule anew; return the latter.
 * @param {Material} material
 * @param {Doc} before
 * @param {Doc} after
 */
export function guarded(material, before, after) {
  const [first] = newViolations(material, before, after);
  if (first) throw new Refusal(first.rule, first.reason, first.hint);
  return after;
}

/**
 * @param {Material} material
 * @param {Doc} before
 * @param {Doc} after
 */
function newViolations(material, before, after) {
  const found = violations(material, after);
  if (!found.length) return found;
  const was = violations(material, before);
  return found.filter((now) => !was.some((one) => covers(one, now)));
}

/**
 * @param {Violation} was
 * @param {Violation} now
 */
function covers(was, now) {
  if (was.rule !== now.rule) return false;
  if (now.rule === "span") return isSubset(now.about, was.about);
  const one = now.rule === "C3" ? isSubset(now.about, was.about) : isSame(now.about, was.about);
  return one && isSubset(now.marks, was.marks);
}

/**
 * @param {Set<string>} one
 * @param {Set<string>} other
 */
function isSubset(one, other) {
  return [...one].every((member) => other.has(member));
}

/**
 * @param {Set<string>} one
 * @param {Set<string>} other
 */
function isSame(one, other) {
  return one.size === other.size && isSubset(one, other);
}

/**
 * @param {string} rule
 * @param {string|null} uid
 * @param {Iterable<string>} marks
 * @param {Iterable<string>} about
 * @param {string} reason
 * @param {string|null} [hint]
 * @returns {Violation}
 */
function violation(rule, uid, marks, about, reason, hint = null) {
  return { rule, uid, marks: new Set(marks), about: new Set(about), reason, hint };
}

/**
 * @param {Material} material
 * @param {Unit} unit
 */
function ofUnit(material, unit) {
  const found = [];
  const crowds = new Map();
  for (const mark of unit.contributors) {
    for (const place of touched(mark.parts, material.summaries))
      crowds.set(place, [...(crowds.get(place) ?? []), mark.id]);
  }
  for (const place of [...crowds.keys()].sort((a, b) => a - b)) {
    if (crowds.get(place).length < 2) continue;
    const said = `unit ${unit.uid} would have two contributors from the summary ${material.summaries[place].id}`;
    const hint = "add the words to the contributor that is there, as a part";
    found.push(violation("C2", unit.uid, crowds.get(place), [String(place)], said, hint));
  }
  const weight = unit.contributors.length;
  if (material.models !== null && weight > material.models) {
    const said = `unit ${unit.uid} would have ${weight} contributors, but there are ${material.models} model summaries`;
    const ids = unit.contributors.map((mark) => mark.id);
    found.push(violation("C1", unit.uid, ids, [], said, "a unit takes one contributor from each summary"));
  }
  return found;
}

/**
 * @param {Material} material
 * @param {string|null} uid
 * @param {Mark} mark
 */
function ofMark(material, uid, mark) {
  const found = [];
  if (!mark.parts.length) found.push(violation("parts", uid, [mark.id], [], "a contributor needs at least one part"));
  for (const part of mark.parts) {
    const said = spanFault(part, material.text);
    if (said) found.push(violation("span", uid, [mark.id], [`${part.start} ${part.end} ${part.label}`], said));
  }
  const places = touched(mark.parts, material.summaries);
  const inside = mark.parts.filter((part) => isSpan(part.start, part.end, material.text));
  if (material.summaries.length && inside.some((part) => strays(part, material.summaries))) {
    const hint = "mark words of one summary, without the lines of its header";
    const about = [...places.map(String), HEADER];
    found.push(violation("C3", uid, [mark.id], about, "a contributor would reach into the header of a summary", hint));
  } else if (places.length > 1) {
    const names = places.map((place) => material.summaries[place].id).join(", ");
    const said = `a contributor would reach over the summaries ${names}`;
    found.push(violation("C3", uid, [mark.id], places.map(String), said, "a contributor lies in one summary"));
  }
  return found;
}

/**
 * @param {Part} part
 * @param {Summary[]} summaries
 */
function strays(part, summaries) {
  const held = touched([part], summaries)
    .map((place) => summaries[place])
    .reduce((sum, one) => sum + Math.min(part.end, one.end) - Math.max(part.start, one.start), 0);
  return held < part.end - part.start;
}

/**
 * @param {number} start
 * @param {number} end
 * @param {Text} text
 */
function isSpan(start, end, text) {
  return start >= 0 && start < end && end <= text.length;
}

/**
 * Why [start, end) is no span of a text, null where it is one.
 * @param {number} start
 * @param {number} end
 * @param {Text} text
 */
export function noSpan(start, end, text) {
  if (isSpan(start, end, text)) return null;
  return `[${start}, ${end}) is no span of this text of ${grouped(text.length)} characters`;
}

/**
 * @param {Part} part
 * @param {Text} text
 */
function spanFault(part, text) {
  const none = noSpan(part.start, part.end, text);
  if (none) return none;
  const words = text.slice(part.start, part.end);
  if (words.replaceAll("\n", "") === part.label.replaceAll("\n", "")) return null;
  return `[${part.start}, ${part.end}) holds "${short(words)}", not "${short(part.label)}"`;
}

/**
 * @param {string} text
 * @param {number} [limit]
 */
function short(text, limit = 60) {
  const points = Array.from(text);
  return points.length <= limit ? text : `${points.slice(0, limit).join("")}…`;
}
