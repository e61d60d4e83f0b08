// Search over the text, the labels and the comments: words as they are, or a regular expression with a time limit.
import { findAll } from "./finding.js";
import { Text } from "./text.js";
/** @import { Doc, Material, SearchPlace } from "../types.js" */

const SECONDS = 1;
const LONGEST = 200;
const WORKER = new URL("./search-worker.js", import.meta.url).href;

/**
 * Every text that is searched, and where it stands; in a peer the labels of its pyramid too.
 * @param {Material} material
 * @param {Doc} doc
 */
export function placesOf(material, doc) {
  /** @type {SearchPlace[]} */
  const found = [{ text: material.text.string, where: "text", uid: null, id: null }];
  /**
   * @param {string|null} text
   * @param {string} where
   * @param {string|null} uid
   * @param {string|null} [id]
   */
  const add = (text, where, uid, id = null) => text && found.push({ text, where, uid, id });
  for (const unit of doc.units) {
    add(unit.label, "label", unit.uid);
    add(unit.comment, "comment", unit.uid);
    for (const mark of unit.contributors) {
      add(mark.label, "label", unit.uid, mark.id);
      add(mark.comment, "comment", unit.uid, mark.id);
    }
  }
  for (const mark of doc.unassigned) {
    add(mark.label, "label", null, mark.id);
    add(mark.comment, "comment", null, mark.id);
  }
  for (const unit of material.pyramid?.scus ?? [])
    for (const one of unit.contributors) add(one.label, "pyramid", unit.uid);
  return found;
}

/**
 * Find words, or a regular expression, whatever their case. Hits count in code points of the text that they are in.
 * @param {Material} material
 * @param {Doc} doc
 * @param {string} sought
 * @param {boolean} isExpression
 * @returns {Promise<{hits: {where: string, uid: string|null, id: string|null, start: number, end: number}[], complete: boolean}>}
 */
export async function search(material, doc, sought, isExpression) {
  if (!sought || sought.length > LONGEST) throw new Error(`search for 1 to ${LONGEST} characters`);
  const source = isExpression ? sought : sought.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  try {
    new RegExp(source, "gimu");
  } catch (error) {
    throw new Error(`not a regular expression (${String(error).split(": ").at(-1)})`);
  }
  const places = placesOf(material, doc);
  const texts = places.map(({ text }) => text);
  const { hits, complete } = isExpression ? await inWorker(source, texts) : findAll(source, texts);
  const counted = new Map();
  return { complete, hits: hits.map(([place, start, end]) => hit(places[place], start, end, counted)) };
}

/**
 * @param {SearchPlace} given
 * @param {number} start
 * @param {number} end
 * @param {Map<string, Text>} counted
 */
function hit({ text, where, uid, id }, start, end, counted) {
  const whole = counted.get(text) ?? new Text(text);
  counted.set(text, whole);
  return { where, uid, id, start: whole.fromUtf16(start), end: whole.fromUtf16(end) };
}

/** @type {{ createScriptURL(url: string): string }|null} */
let policy = null;

/** The address of the worker; the only one that the page may start a worker from. */
function workerAddress() {
  if (!globalThis.trustedTypes) return WORKER;
  policy ??= globalThis.trustedTypes.createPolicy("touchstone-worker", {
    createScriptURL: (url) => {
      if (url !== WORKER) throw new TypeError("only the search has a worker");
      return url;
    },
  });
  return policy.createScriptURL(WORKER);
}

/**
 * An expression may run for years: it runs beside the page, and is ended after a second.
 * @param {string} source
 * @param {string[]} texts
 * @returns {Promise<{hits: [number, number, number][], complete: boolean}>}
 */
function inWorker(source, texts) {
  const worker = new Worker(workerAddress(), { type: "module" });
  return new Promise((resolve, reject) => {
    const late = `the search took longer than ${SECONDS} s: give words, or an expression with fewer repetitions`;
    /** @type {number|undefined} */
    let timer;
    worker.onmessage = ({ data }) => {
      clearTimeout(timer);
      // What it takes to start a worker is not the expression's.
      if (data === "ready") timer = setTimeout(() => reject(new Error(late)), SECONDS * 1000);
      else resolve(data);
    };
    worker.onerror = () => {
      clearTimeout(timer);
      reject(new Error("the search could not be run"));
    };
    worker.postMessage({ source, texts });
  }).finally(() => worker.terminate());
}
