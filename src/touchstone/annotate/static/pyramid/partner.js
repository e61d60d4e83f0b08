// The machine partner: what it proposes is shown in the text as a ghost, to be accepted or dismissed by a key.
import { api, el } from "../client.js";
import { marksOf, unitOf } from "./document.js";
import { addContributor, newUnit } from "./operations.js";
/** @import { PyramidText } from "./text-view.js" */
/** @import { Workspace } from "./workspace.js" */
/** @import { Command, Doc, PageData, Suggested } from "../types.js" */

export class Partner {
  /** @type {Suggested[]} */ #proposals = [];
  #at = 0;

  /**
   * @param {HTMLElement} bar where the present proposal is shown
   * @param {{ workspace: Workspace, text: PyramidText, data: PageData }} page
   */
  constructor(bar, { workspace, text, data }) {
    this.bar = bar;
    this.workspace = workspace;
    this.text = text;
    this.answer = data.answer;
    this.storage = `touchstone dismissed ${data.answer.id}`;
    /** @type {Set<string>} */ this.dismissed = new Set(JSON.parse(localStorage.getItem(this.storage) ?? "[]"));
    workspace.on("change", () => this.#draw());
    text.addEventListener("drawn", () => this.#paint());
    void this.#fetch();
  }

  async #fetch() {
    /** @type {{ proposals: Suggested[] }} */
    const { proposals } = await api("POST", `/api/answers/${this.answer.id}/proposals`);
    this.#proposals = proposals;
    this.#draw();
  }

  /** The proposals that are neither dismissed nor done already. */
  get open() {
    return this.#proposals.filter((one) => !this.dismissed.has(name(one)) && !isDone(this.workspace.doc, one));
  }

  get current() {
    const { open } = this;
    return open[Math.min(this.#at, open.length - 1)] ?? null;
  }

  /** @param {number} by */
  step(by) {
    const { length } = this.open;
    if (!length) return this.workspace.say("no proposal is left");
    this.#at = (Math.min(this.#at, length - 1) + by + length) % length;
    this.#draw();
    const first = this.current?.contributors[0][0];
    return first && this.text.reveal(first);
  }

  accept() {
    const { current, workspace } = this;
    if (!current) return workspace.say("no proposal is left");
    const { uid, label, contributors } = current;
    return workspace.attempt(
      uid === null ? `took the proposed unit “${label}”` : `took the proposed match with unit ${uid}`,
      (doc) => {
        if (uid !== null) return addContributor(workspace.material, doc, uid, contributors[0]);
        const made = String(doc.next.unit);
        const [first, ...others] = contributors;
        const begun = newUnit(workspace.material, doc, first, label);
        return others.reduce((after, spans) => addContributor(workspace.material, after, made, spans), begun);
      },
    );
  }

  dismiss() {
    const { current, workspace } = this;
    if (!current) return workspace.say("no proposal is left");
    this.dismissed.add(name(current));
    localStorage.setItem(this.storage, JSON.stringify([...this.dismissed]));
    workspace.say(`dismissed the proposal “${current.label}”`);
    return this.#draw();
  }

  #draw() {
    const { current, open, bar } = this;
    bar.hidden = !this.#proposals.length;
    this.#paint();
    if (bar.hidden) return;
    if (!current)
      return void bar.replaceChildren(
        el("span", { class: "quiet" }, "Every proposal of the machine partner has been decided."),
      );
    const place = `${open.indexOf(current) + 1} of ${open.length}`;
    const what = current.uid === null ? "new unit" : `unit ${current.uid}`;
    bar.replaceChildren(
      el("span", { class: "tag" }, `proposal ${place}`),
      el("span", { class: "proposed-label", dir: "auto" }, el("strong", {}, what), ` ${current.label}`),
      el("span", { class: "quiet" }, `${Math.round(current.score * 100)} %`),
      button("Accept", "y", () => this.accept(), "primary"),
      button("Dismiss", "-", () => this.dismiss()),
      button("Previous", "[", () => this.step(-1)),
      button("Next", "]", () => this.step(1)),
    );
  }

  #paint() {
    const { current, open, text, workspace } = this;
    const spans = (/** @type {Suggested[]} */ some) =>
      workspace.editable ? some.flatMap((one) => one.contributors.flat()) : [];
    text.paint("proposed", spans(open.filter((one) => one !== current)));
    text.paint("proposed-now", spans(current ? [current] : []));
  }
}

/** @param {Suggested} proposal */
function name(proposal) {
  return JSON.stringify([proposal.uid, proposal.contributors]);
}

/**
 * Whether the work has what is proposed: the unit in a peer; in a pyramid, a contributor over each of the spans.
 * @param {Doc} doc
 * @param {Suggested} proposal
 */
function isDone(doc, { uid, contributors }) {
  if (uid !== null) return Boolean(unitOf(doc, uid)?.contributors.length);
  const parts = [...marksOf(doc)].filter(({ unit }) => unit).flatMap(({ mark }) => mark.parts);
  return contributors.flat().some(([start, end]) => parts.some((part) => part.start < end && part.end > start));
}

/**
 * @param {string} label
 * @param {string} key
 * @param {() => unknown} run
 */
function button(label, key, run, kind = "") {
  const made = el("button", { type: "button", class: `button small ${kind}` }, `${label} `, el("kbd", {}, key));
  made.addEventListener("click", run);
  return made;
}

/** @type {Command[]} */
export const PARTNER_COMMANDS = [
  { keys: ["y"], does: "accept what the machine partner proposes", on: null, run: ({ partner }) => partner?.accept() },
  {
    keys: ["-"],
    does: "dismiss what the machine partner proposes",
    on: null,
    run: ({ partner }) => partner?.dismiss(),
  },
  { keys: ["]"], does: "next proposal", on: null, run: ({ partner }) => partner?.step(1) },
  { keys: ["["], does: "previous proposal", on: null, run: ({ partner }) => partner?.step(-1) },
];
