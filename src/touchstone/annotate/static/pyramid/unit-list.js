// <pyramid-units>: the content units as a tree that arrow keys walk, with the unassigned contributors at its end.
import { closest, el, findAll } from "../client.js";
import { NO_UNIT, homeOf, placeInText, weightOf } from "./document.js";
import { labelShown, markRow, unitRow } from "./unit-row.js";
import { View } from "./view.js";
import { parseKey } from "./workspace.js";
/** @import { Workspace } from "./workspace.js" */
/** @import { Doc, Unit } from "../types.js" */

export class PyramidUnits extends View {
  tree = el("ul", { role: "tree", "aria-label": "Content units" });
  /** @type {Set<string>} */
  #closed = new Set(); // in a pyramid units are open unless closed here, in a peer the models are closed unless opened
  /** @type {(unit: Unit) => Node[]} */
  extras = () => []; // more to show in the row of a unit, for reviews

  /** @param {Workspace} workspace */
  begin(workspace) {
    this.workspace = workspace;
    this.append(this.tree);
    this.draw();
    workspace.on("change", () => this.draw());
    workspace.on("view", () => this.draw());
    workspace.on("current", ({ reveal }) => this.#showCurrent(reveal));
    workspace.on("lit", (lit) => this.#light(lit));
    this.addEventListener("focusin", (event) => this.#focused(closest(event, "[data-key]")));
    this.addEventListener("mouseover", (event) => this.lightRow(closest(event, "[data-key]")));
    this.addEventListener("mouseleave", () => this.lightRow(this.row(workspace.current)));
    this.tree.addEventListener("click", (event) => closest(event, "[data-key]")?.focus());
    this.tree.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {string|null} key */
  row(key) {
    return key ? (findAll(this, "[data-key]").find((one) => one.dataset.key === key) ?? null) : null;
  }

  get sorted() {
    const { doc, material, sort } = this.workspace;
    /** @param {Unit} unit */
    const place = (unit) => (material.peer && !unit.contributors.length ? Infinity : placeInText(unit));
    /** @type {Record<string, (one: Unit, other: Unit) => number>} */
    const orders = {
      order: () => 0,
      weight: (one, other) => weightOf(material, other) - weightOf(material, one),
      label: (one, other) => labelShown(material, one).localeCompare(labelShown(material, other)),
      place: (one, other) => place(one) - place(other) || 0,
    };
    /** @param {Unit} unit */
    const last = (/** @type {Unit} */ unit) => Number(unit.uid === NO_UNIT);
    return [...doc.units].sort((one, other) => last(one) - last(other) || orders[sort](one, other));
  }

  draw() {
    const focused = document.activeElement;
    const hadFocus = focused instanceof HTMLElement && this.tree.contains(focused) ? focused.dataset.key : null;
    const { doc, material, editable } = this.workspace;
    const rows = [];
    let tier = null;
    for (const unit of this.sorted) {
      const weight = weightOf(material, unit);
      if (this.workspace.sort === "weight" && weight !== tier && unit.uid !== NO_UNIT) {
        tier = weight;
        rows.push(
          el("li", { role: "presentation", class: "tier-head", dataset: { tier: String(weight) } }, `weight ${weight}`),
        );
      }
      const open = this.#closed.has(unit.uid) === material.peer;
      rows.push(unitRow(this.workspace, unit, `unit:${unit.uid}`, { open, extras: this.extras(unit) }));
    }
    if (!rows.length)
      rows.push(
        el(
          "li",
          { role: "presentation", class: "quiet empty" },
          editable ? "No units yet. Select words in a summary, then press Enter." : "No units.",
        ),
      );
    this.tree.replaceChildren(...rows, this.#unassigned(doc));
    for (const row of findAll(this.tree, ".unit[aria-expanded=false] > [role=group]")) row.hidden = !material.peer;
    this.#showCurrent(false);
    if (hadFocus)
      (this.row(hadFocus) ?? this.row(this.workspace.current) ?? this.#rows[0])?.focus({ preventScroll: true });
  }

  /** @param {Doc} doc */
  #unassigned(doc) {
    const head = el(
      "div",
      { class: "unit-head" },
      el("span", { class: "label" }, `Unassigned (${doc.unassigned.length})`),
    );
    const marks = doc.unassigned.map((mark) => markRow(this.workspace, mark));
    const row = el(
      "li",
      { class: "unassigned", role: "treeitem", "aria-level": 1, tabindex: -1, dataset: { key: "unassigned" } },
      head,
    );
    if (marks.length) row.append(el("ul", { role: "group" }, marks));
    return row;
  }

  get #rows() {
    return findAll(this.tree, "[data-key]").filter((row) => row.offsetParent !== null);
  }

  /** @param {HTMLElement|null} row */
  #focused(row) {
    if (!row) return;
    if (this.workspace.current !== row.dataset.key) this.workspace.setCurrent(row.dataset.key ?? null);
    this.lightRow(row);
  }

  /** @param {boolean} reveal */
  #showCurrent(reveal) {
    const row = this.row(this.workspace.current);
    for (const one of findAll(this.tree, "[data-key]")) {
      one.tabIndex = -1;
      one.classList.toggle("current", one === row);
      one.setAttribute("aria-selected", String(one === row));
    }
    (row ?? this.#rows[0])?.setAttribute("tabindex", "0");
    if (!reveal || !row) return;
    row.scrollIntoView({ block: "nearest" });
    this.lightRow(row);
  }

  /** @param {HTMLElement|null} row */
  lightRow(row) {
    const found = parseKey(row?.dataset.key ?? null);
    if (!found || found.kind === "unassigned") return this.workspace.light([]);
    if (found.kind === "unit") return this.workspace.light([found.uid]);
    const home = homeOf(this.workspace.doc, found.id);
    return this.workspace.light(home?.unit ? [home.unit.uid] : [], [found.id]);
  }

  /** @param {{ uids: Set<string>, ids: Set<string> }} given */
  #light({ uids, ids }) {
    for (const row of findAll(this.tree, "[data-key]")) {
      const found = parseKey(row.dataset.key ?? null);
      row.classList.toggle("lit", Boolean(found && (uids.has(found.uid) || ids.has(found.id))));
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const row = closest(event, "[data-key]");
    if (!row) return;
    const rows = this.#rows;
    const at = rows.indexOf(row);
    const step = new Map([
      ["ArrowDown", at + 1],
      ["ArrowUp", at - 1],
      ["Home", 0],
      ["End", rows.length - 1],
    ]).get(event.key);
    if (step !== undefined) rows[Math.max(0, Math.min(rows.length - 1, step))]?.focus();
    else if (event.key === "ArrowRight") this.#inward(row);
    else if (event.key === "ArrowLeft") this.#outward(row);
    else return;
    event.preventDefault();
  }

  /** @param {HTMLElement} row */
  #inward(row) {
    if (row.getAttribute("aria-expanded") === "false") this.toggle(row.dataset.key ?? "");
    else findAll(row, "[data-key]").at(0)?.focus();
  }

  /** @param {HTMLElement} row */
  #outward(row) {
    const parent = row.parentElement?.closest("[data-key]");
    if (parent instanceof HTMLElement) parent.focus();
    else if (row.getAttribute("aria-expanded") === "true") this.toggle(row.dataset.key ?? "");
  }

  /**
   * Open or close a unit: its contributors, or what the models say for it.
   * @param {string} key
   */
  toggle(key) {
    const { uid } = parseKey(key) ?? { uid: "" };
    if (!uid) return;
    if (!this.#closed.delete(uid)) this.#closed.add(uid);
    this.draw();
  }
}

customElements.define("pyramid-units", PyramidUnits);
