// The page on which a pyramid is built or a peer annotated: puts the parts together.
import { api, el, pageData, toast } from "../client.js";
import { COMMANDS, listen } from "./commands.js";
import { violations } from "./constraints.js";
import { materialOf } from "./document.js";
import { makeDraggable } from "./dragging.js";
import { showFeedback } from "./feedback-view.js";
import { uncovered } from "./figures.js";
import "./figures-view.js";
import { Keeper } from "./keeping.js";
import { openMenu } from "./menu.js";
import { giveToChosen } from "./acting.js";
import { makeUnit } from "./moving.js";
import { PARTNER_COMMANDS, Partner } from "./partner.js";
import { Deciding } from "./deciding.js";
import { Reviewing } from "./reviewing.js";
import { Searching } from "./search-view.js";
import { Selecting } from "./selecting.js";
import "./text-view.js";
import { confirmRebase, importFile, showHistory, showViolations, suggest } from "./tools.js";
import "./unit-list.js";
import { Workspace } from "./workspace.js";

/** @param {string} selector */
const find = (selector) => document.querySelector(selector);

class Page {
  /** @param {PageData} data */
  constructor(data) {
    const { answer, reviewed } = data;
    const material = materialOf(answer.item.view);
    const shown = reviewed ?? answer;
    this.data = data;
    this.editable = answer.editable;
    this.workspace = new Workspace(material, shown.body, { editable: answer.editable && (Boolean(reviewed) || !answer.done), version: shown.version });
    this.text = find("pyramid-text");
    this.units = find("pyramid-units");
    this.figures = find("pyramid-figures");
    this.commands = COMMANDS;
    if (material.peer) this.workspace.sort = "weight";
    this.#parts();
    this.#begin();
    this.#buttons();
    this.help = listen(this);
    document.body.classList.toggle("peer", material.peer);
    document.body.dataset.ready = "true";
  }

  #parts() {
    const { workspace, data } = this;
    this.text.begin(workspace);
    this.selecting = new Selecting(this.text, workspace);
    this.searching = new Searching(find("#search"), this);
    if (data.reviewed) {
      this.reviewing = new Reviewing(this);
      this.commands = [...this.reviewing.commands, ...COMMANDS];
    } else {
      this.keeper = new Keeper(workspace, data.answer, find("#saved"));
      workspace.keep = (said, restores) => this.keeper.keep(said, restores);
      this.deciding = new Deciding(this);
    }
    if (data.answer.partner && data.answer.editable) {
      this.partner = new Partner(find("#partner"), this);
      this.commands = [...this.commands, ...PARTNER_COMMANDS];
    }
    this.units.begin(workspace);
    this.figures.begin(workspace, this.units);
    makeDraggable({ workspace, units: this.units, text: this.text, chip: find("#chip"), fresh: find("#fresh") });
    this.keeper?.restore();
  }

  #begin() {
    const { workspace } = this;
    workspace.addEventListener("status", ({ detail }) => this.#status(detail));
    workspace.addEventListener("selection", () => this.#selection());
    for (const event of ["change", "undone"]) workspace.addEventListener(event, () => this.#changed());
    workspace.addEventListener("word", ({ detail }) => (find("#word").textContent = detail));
    workspace.addEventListener("view", () => (find("#sort").value = workspace.sort));
    this.text.addEventListener("drawn", () => this.#paintUncovered());
    find("#sort").value = workspace.sort;
    this.#selection();
    this.#changed();
    this.#paintUncovered();
    this.#flags();
  }

  #buttons() {
    const { workspace } = this;
    /**
     * @param {string} selector
     * @param {string} event
     * @param {(event: Event) => unknown} run
     */
    const on = (selector, event, run) => find(selector)?.addEventListener(event, run);
    on("#undo", "click", () => this.undo());
    on("#redo", "click", () => this.redo());
    on("#sort", "change", ({ target }) => workspace.setView("sort", target.value));
    on("#grain", "click", () => this.setGranularity(workspace.granularity === "word" ? "grapheme" : "word"));
    on("#columns", "click", ({ currentTarget }) => press(currentTarget, !this.text.classList.toggle("sequence")));
    on("#uncovered", "click", ({ currentTarget }) => (press(currentTarget, currentTarget.getAttribute("aria-pressed") !== "true"), this.#paintUncovered()));
    on("#make", "click", () => (workspace.material.peer ? giveToChosen(workspace) : makeUnit(workspace)));
    on("#clear", "click", () => workspace.select([]));
    on("#suggest", "click", () => this.suggest());
    on("#history", "click", () => this.showHistory());
    on("#import", "click", () => importFile(workspace, this.keeper));
    on("#guide", "click", () => this.showGuidelines());
    on("#keys", "click", () => this.help.showModal());
    on("#finish", "click", () => this.finish());
    on("#violations", "click", () => showViolations(violations(workspace.material, workspace.doc)));
    on("#feedback", "click", () => this.showFeedback());
    on("#rebase", "click", () => this.rebase());
    this.units.addEventListener("click", (event) => event.target.closest(".more") && this.openMenu());
  }

  /** @param {"word"|"grapheme"} granularity */
  setGranularity(granularity) {
    this.workspace.setView("granularity", granularity);
    find("#grain").textContent = granularity === "word" ? "Words" : "Characters";
  }

  /** @param {{ message: string, kind: string, hint: string|null }} given */
  #status({ message, kind, hint }) {
    const line = find("#status");
    line.replaceChildren(el("span", {}, message), hint ? el("span", { class: "quiet" }, ` ${hint}`) : "");
    line.dataset.kind = kind;
  }

  #selection() {
    const { workspace } = this;
    find("#selection").hidden = !workspace.spans.length;
    find("#chip").textContent = workspace.words;
  }

  #changed() {
    const { workspace } = this;
    const broken = violations(workspace.material, workspace.doc).length;
    const badge = find("#violations");
    badge.hidden = !broken;
    badge.textContent = `${broken} broken rule${broken === 1 ? "" : "s"}`;
    find("#undo").disabled = !workspace.editable;
    find("#redo").disabled = !workspace.editable || !workspace.history.canRedo;
  }

  #paintUncovered() {
    const shown = find("#uncovered")?.getAttribute("aria-pressed") === "true";
    const { material, doc } = this.workspace;
    this.text.paint("uncovered", shown && !material.peer ? uncovered(material, doc) : []);
  }

  #flags() {
    const { answer, reviewed } = this.data;
    const done = this.keeper ? this.keeper.flags.done : answer.done;
    find("#finish").textContent = reviewed ? "Send the review" : done ? "Reopen" : "Finish";
    find("#finish").hidden = !answer.editable || (reviewed && answer.done);
    find("#import").hidden = !this.workspace.editable || Boolean(reviewed);
    find("#feedback").hidden = !(done && answer.purpose === "training");
    document.body.classList.toggle("read-only", !this.workspace.editable);
  }

  undo() {
    return this.reviewing ? this.reviewing.undo() : this.keeper.undo();
  }

  redo() {
    return this.reviewing ? this.reviewing.redo() : this.keeper.redo();
  }

  focusUnits() {
    (this.units.row(this.workspace.current) ?? this.units.querySelector("[data-key]")).focus();
  }

  openMenu() {
    openMenu(this);
  }

  suggest() {
    return suggest(this.workspace);
  }

  showHistory() {
    return this.keeper ? showHistory(this.workspace, this.keeper) : null;
  }

  showGuidelines() {
    find("#guidelines").showModal();
  }

  async showFeedback() {
    const { answer } = this.data;
    showFeedback(this.workspace.material, this.workspace.doc, await api("GET", `/api/answers/${answer.id}/feedback`));
  }

  async rebase() {
    if (await confirmRebase(this.data.answer)) location.reload();
  }

  /** Finish the item, or open it again. */
  async finish() {
    if (!this.editable) return;
    if (this.reviewing) return void this.reviewing.send();
    const done = !this.keeper.flags.done;
    this.workspace.editable = !done;
    this.#flags();
    try {
      await this.keeper.flag({ done }, done ? "finished" : "reopened");
      if (done) this.#finished();
    } catch {
      this.keeper.flags.done = !done;
      this.workspace.editable = done;
    }
    this.#flags();
    this.#changed();
    this.units.draw();
  }

  #finished() {
    const { answer, project } = this.data;
    if (answer.purpose === "training") return this.showFeedback();
    const note = toast("Finished and saved.", "info");
    note.append(el("a", { class: "button small", href: `/projects/${project.id}/work` }, "Next"));
    return note;
  }
}

/**
 * @param {EventTarget|null} button
 * @param {boolean} pressed
 */
function press(button, pressed) {
  button.setAttribute("aria-pressed", String(pressed));
}

new Page(pageData());
