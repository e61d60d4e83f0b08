// What two states of a document differ in, as a value that can be sent, applied to a document and taken back.
import { Refusal, marksOf, same } from "./document.js";
/** @import { Change, Delta, Doc, Mark, Unit } from "../types.js" */

/**
 * A key for each unit: its uid, with a number behind it where a peer lists one again.
 * @param {Unit[]} units
 */
export function unitKeys(units) {
  const uids = new Set(units.map((unit) => unit.uid));
  const keys = new Set();
  for (const { uid } of units) {
    let [key, number] = [uid, 1];
    while (keys.has(key) || (number > 1 && uids.has(key))) {
      number += 1;
      key = `${uid}#${number}`;
    }
    keys.add(key);
  }
  return [...keys];
}

/** @param {Mark[]} marks */
const idsOf = (marks) => marks.map((mark) => mark.id);

/**
 * The change that makes *after* of *before*.
 * @param {Doc} before
 * @param {Doc} after
 * @param {string} name
 * @param {string} said
 */
export function changeBetween(before, after, name, said) {
  return {
    name,
    said,
    units: delta(unitKeys(before.units), before.units, unitKeys(after.units), after.units),
    unassigned: delta(idsOf(before.unassigned), before.unassigned, idsOf(after.unassigned), after.unassigned),
  };
}

/** @param {Change} change */
export function isEmpty(change) {
  return [change.units, change.unassigned].every(({ items, order }) => !Object.keys(items).length && order === null);
}

/**
 * A document after a change, where all that it replaces still stands; otherwise a Refusal. Rules are not looked at.
 * @param {Change} given
 * @param {Doc} doc
 */
export function apply(given, doc) {
  const { change, next } = renumbered(given, doc);
  return {
    ...doc,
    next,
    units: applied(change.units, unitKeys(doc.units), doc.units, "unit"),
    unassigned: applied(change.unassigned, idsOf(doc.unassigned), doc.unassigned, "contributor"),
  };
}

/**
 * @template One
 * @param {string[]} oldKeys
 * @param {One[]} old
 * @param {string[]} newKeys
 * @param {One[]} now
 * @returns {Delta<One>}
 */
function delta(oldKeys, old, newKeys, now) {
  const before = new Map(oldKeys.map((key, place) => [key, old[place]]));
  const after = new Map(newKeys.map((key, place) => [key, now[place]]));
  /** @type {Delta<One>["items"]} */
  const items = {};
  for (const key of new Set([...oldKeys, ...newKeys])) {
    const [was, is] = [before.get(key) ?? null, after.get(key) ?? null];
    if (!same(was, is)) items[key] = [was, is];
  }
  return { items, order: same(oldKeys, newKeys) ? null : [oldKeys, newKeys] };
}

/**
 * @template One
 * @param {Delta<One>} given
 * @param {string[]} keys
 * @param {One[]} present
 * @param {string} what
 */
function applied({ items, order }, keys, present, what) {
  const now = new Map(keys.map((key, place) => [key, present[place]]));
  for (const [key, [before, after]] of Object.entries(items)) {
    if (!same(now.get(key) ?? null, before)) throw new Refusal("stale", `${what} ${key} has changed since`);
    if (after === null) now.delete(key);
    else now.set(key, after);
  }
  return ordered(order, keys, [...now.keys()]).flatMap((key) => now.get(key) ?? []);
}

/**
 * @param {[string[], string[]]|null} order
 * @param {string[]} keys
 * @param {string[]} now
 */
function ordered(order, keys, now) {
  const here = new Set(now);
  if (order && same(order[0], keys) && order[1].length === here.size && order[1].every((key) => here.has(key))) {
    return order[1];
  }
  const kept = keys.filter((key) => here.has(key));
  const wanted = order ? order[1] : [];
  for (const [place, key] of wanted.entries()) {
    if (!here.has(key) || kept.includes(key)) continue;
    const before = wanted
      .slice(0, place)
      .filter((one) => kept.includes(one))
      .at(-1);
    kept.splice(before === undefined ? 0 : kept.indexOf(before) + 1, 0, key);
  }
  return [...kept, ...now.filter((key) => !kept.includes(key))];
}

/**
 * The change with fresh numbers for what it brings under ids that are taken, and the numbers that come next.
 * @param {Change} change
 * @param {Doc} doc
 */
function renumbered(change, doc) {
  const [before, after] = [sideOf(change, 0), sideOf(change, 1)];
  /** @param {string[]} names */
  const numbers = (names) => names.filter((one) => /^[1-9][0-9]{0,8}$/.test(one)).map(Number);
  const next = {
    unit: Math.max(doc.next.unit, ...numbers(after.uids).map((one) => one + 1)),
    contributor: Math.max(doc.next.contributor, ...numbers(after.ids.map((id) => id.slice(1))).map((one) => one + 1)),
  };
  const taken = new Set(doc.units.map((unit) => unit.uid));
  const present = new Set([...marksOf(doc)].map(({ mark }) => mark.id));
  const uids = renames(after.uids, before.uids, taken, () => String(next.unit++));
  const ids = renames(after.ids, before.ids, present, () => `c${next.contributor++}`);
  return { change: uids.size || ids.size ? renamed(change, uids, ids) : change, next };
}

/**
 * @param {string[]} brought
 * @param {string[]} had
 * @param {Set<string>} taken
 * @param {() => string} fresh
 */
function renames(brought, had, taken, fresh) {
  const found = new Map();
  for (const name of [...new Set(brought)].sort()) if (!had.includes(name) && taken.has(name)) found.set(name, fresh());
  return found;
}

/**
 * @param {Change} change
 * @param {0|1} side
 */
function sideOf(change, side) {
  const units = Object.values(change.units.items).flatMap((pair) => pair[side] ?? []);
  const loose = Object.values(change.unassigned.items).flatMap((pair) => pair[side] ?? []);
  return { uids: units.map((unit) => unit.uid), ids: idsOf([...units.flatMap((unit) => unit.contributors), ...loose]) };
}

/**
 * @param {Change} change
 * @param {Map<string, string>} uids
 * @param {Map<string, string>} ids
 */
function renamed(change, uids, ids) {
  /** @param {Mark} one */
  const mark = (one) => ({ ...one, id: ids.get(one.id) ?? one.id });
  /** @param {Unit} one */
  const unit = (one) => ({ ...one, uid: uids.get(one.uid) ?? one.uid, contributors: one.contributors.map(mark) });
  return {
    ...change,
    units: renamedSide(change.units, uids, unit),
    unassigned: renamedSide(change.unassigned, ids, mark),
  };
}

/**
 * @template One
 * @param {Delta<One>} delta
 * @param {Map<string, string>} names
 * @param {(one: One) => One} make
 * @returns {Delta<One>}
 */
function renamedSide({ items, order }, names, make) {
  const pairs = Object.entries(items).map(([key, [old, now]]) => [names.get(key) ?? key, [old, now && make(now)]]);
  return { items: Object.fromEntries(pairs), order: order && [order[0], order[1].map((key) => names.get(key) ?? key)] };
}
