// The page on which a pyramid is built or a peer annotated: puts the parts together.
import { api, closest, el, find, pageData, part, toast } from "../client.js";
import { showAtFirst } from "../guidelines.js";
import { COMMANDS, listen } from "./commands.js";
import { violations } from "./constraints.js";
import { materialOf } from "./document.js";
import { makeDraggable } from "./dragging.js";
import { showFeedback } from "./feedback-view.js";
import { uncovered } from "./figures.js";
import { PyramidFigures } from "./figures-view.js";
import { Keeper } from "./keeping.js";
import { openMenu } from "./menu.js";
import { unsentAnswers } from "../saving.js";
import { sendUnsent } from "../unsent.js";
import { giveToChosen } from "./acting.js";
import { makeUnit } from "./moving.js";
import { PARTNER_COMMANDS, Partner } from "./partner.js";
import { Deciding } from "./deciding.js";
import { Reviewing } from "./reviewing.js";
import { Searching } from "./search-view.js";
import { Selecting } from "./selecting.js";
import { PyramidText } from "./text-view.js";
import { confirmRebase, importFile, showHistory, showViolations, suggest } from "./tools.js";
import { PyramidUnits } from "./unit-list.js";
import { Workspace } from "./workspace.js";
/** @import { Doc, PageData, PyramidFeedback } from "../types.js" */

export class Page {
  /** @param {PageData} data */
  constructor(data) {
    const { answer, reviewed } = data;
    const material = materialOf(answer.item.view);
    const shown = reviewed ?? answer;
    this.data = data;
    this.editable = answer.editable;
    this.workspace = new Workspace(material, shown.body, {
      editable: answer.editable && (Boolean(reviewed) || !answer.done),
      version: shown.version,
    });
    this.text = find(document, "pyramid-text", PyramidText);
    this.units = find(document, "pyramid-units", PyramidUnits);
    this.figures = find(document, "pyramid-figures", PyramidFigures);
    this.commands = COMMANDS;
    this.showsUncovered = false;
    this.text.begin(this.workspace);
    this.selecting = new Selecting(this.text, this.workspace);
    this.searching = new Searching(part("search", HTMLFormElement), this);
    if (material.peer) this.workspace.sort = "weight";
    this.#parts();
    this.#begin();
    this.#buttons();
    this.help = listen(this);
    document.body.classList.toggle("peer", material.peer);
    showAtFirst(part("guidelines", HTMLDialogElement), data.project, answer);
    document.body.dataset.ready = "true";
  }

  #parts() {
    const { workspace, data } = this;

    if (data.reviewed) {
      this.reviewing = new Reviewing(this);
      this.commands = [...this.reviewing.commands, ...COMMANDS];
    } else {
      this.keeper = new Keeper(workspace, data.answer, part("saved"));
      const { keeper } = this;
      workspace.keep = (said, restores) => keeper.keep(said, restores);
      this.deciding = new Deciding(this);
    }
    if (data.answer.partner && data.answer.editable) {
      this.partner = new Partner(part("partner"), this);
      this.commands = [...this.commands, ...PARTNER_COMMANDS];
    }
    this.units.begin(workspace);
    this.figures.begin(workspace, this.units);
    makeDraggable({ workspace, units: this.units, text: this.text, chip: part("chip"), fresh: part("fresh") });
    this.keeper?.restore();
    sendUnsent([...unsentAnswers()].filter((id) => id !== data.answer.id && id !== data.reviewed?.id)); // of other items
  }

  #begin() {
    const { workspace } = this;
    workspace.on("status", (status) => this.#status(status));
    workspace.on("selection", () => this.#selection());
    workspace.on("change", () => this.#changed());
    workspace.on("undone", () => this.#changed());
    workspace.on("word", (word) => (part("word").textContent = word));
    const sort = part("sort", HTMLSelectElement);
    workspace.on("view", () => (sort.value = workspace.sort));
    this.text.addEventListener("drawn", () => this.#paintUncovered());
    sort.value = workspace.sort;
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
    const on = (selector, event, run) => document.querySelector(selector)?.addEventListener(event, run);
    on("#undo", "click", () => this.undo());
    on("#redo", "click", () => this.redo());
    on("#sort", "change", () =>
      workspace.setSort(/** @type {Workspace["sort"]} */ (part("sort", HTMLSelectElement).value)),
    );
    on("#grain", "click", () => this.setGranularity(workspace.granularity === "word" ? "grapheme" : "word"));
    on(
      "#columns",
      "click",
      () =>
        (part("columns").textContent = this.text.classList.toggle("sequence") ? "Side by side" : "One after the other"),
    );
    on("#uncovered", "click", () => this.#toggleUncovered());
    on("#make", "click", () => (workspace.material.peer ? giveToChosen(workspace) : makeUnit(workspace)));
    on("#give", "click", () => giveToChosen(workspace));
    on("#further", "click", () => this.selecting.keepPart());
    on("#clear", "click", () => workspace.select([]));
    on("#suggest", "click", () => this.suggest());
    on("#history", "click", () => this.showHistory());
    on("#import", "click", () => this.keeper && importFile(workspace, this.keeper));
    on("#guide", "click", () => this.showGuidelines());
    on("#keys", "click", () => this.help.showModal());
    on("#finish", "click", () => this.finish());
    on("#violations", "click", () => showViolations(violations(workspace.material, workspace.doc)));
    on("#feedback", "click", () => this.showFeedback());
    on("#rebase", "click", () => this.rebase());
    this.units.addEventListener("click", (event) => closest(event, ".more") && this.openMenu());
  }

  /** @param {"word"|"grapheme"} granularity */
  setGranularity(granularity) {
    this.workspace.setGranularity(granularity);
    part("grain").textContent = granularity === "word" ? "Select characters" : "Select words";
  }

  /** @param {{ message: string, kind: string, hint: string|null }} given */
  #status({ message, kind, hint }) {
    const line = part("status");
    line.replaceChildren(el("span", {}, message), hint ? el("span", { class: "quiet" }, ` ${hint}`) : "");
    line.dataset.kind = kind;
  }

  #selection() {
    const { workspace } = this;
    part("selection").hidden = !workspace.spans.length;
    part("chip").textContent = workspace.words;
  }

  #changed() {
    const { workspace } = this;
    const broken = violations(workspace.material, workspace.doc).length;
    const badge = part("violations");
    badge.hidden = !broken;
    badge.textContent = `${broken} broken rule${broken === 1 ? "" : "s"}`;
    part("undo", HTMLButtonElement).disabled = !workspace.editable;
    part("redo", HTMLButtonElement).disabled = !workspace.editable || !workspace.history.canRedo;
  }

  #toggleUncovered() {
    this.showsUncovered = !this.showsUncovered;
    part("uncovered").textContent = this.showsUncovered ? "Hide uncovered" : "Show uncovered";
    this.#paintUncovered();
  }

  #paintUncovered() {
    const { material, doc } = this.workspace;
    this.text.paint("uncovered", this.showsUncovered ? uncovered(material, doc) : []);
  }

  #flags() {
    const { answer, reviewed } = this.data;
    const done = this.keeper ? this.keeper.flags.done : answer.done;
    part("finish").textContent = reviewed ? "Send the review" : done ? "Reopen" : "Finish";
    part("finish").hidden = !answer.editable || Boolean(reviewed && answer.done);
    part("finished").hidden = !done || !answer.editable || Boolean(reviewed);
    part("import").hidden = !this.workspace.editable || Boolean(reviewed);
    part("feedback").hidden = !(done && answer.purpose === "training");
    document.body.classList.toggle("read-only", !this.workspace.editable);
  }

  undo() {
    return (this.reviewing ?? this.keeper)?.undo();
  }

  redo() {
    return (this.reviewing ?? this.keeper)?.redo();
  }

  focusUnits() {
    (this.units.row(this.workspace.current) ?? find(this.units, "[data-key]")).focus();
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
    part("guidelines", HTMLDialogElement).showModal();
  }

  async showFeedback() {
    const { answer } = this.data;
    /** @type {{ known: Doc, feedback: PyramidFeedback }} */
    const compared = await api("GET", `/api/answers/${answer.id}/feedback`);
    showFeedback(this.workspace.material, this.workspace.doc, compared);
  }

  async rebase() {
    if (await confirmRebase(this.data.answer)) location.reload();
  }

  /** Finish the item, or open it again. */
  async finish() {
    if (!this.editable) return;
    if (this.reviewing) return void this.reviewing.send();
    const { keeper } = this;
    if (!keeper) return;
    const done = !keeper.flags.done;
    this.workspace.editable = !done;
    this.#flags();
    try {
      await keeper.flag({ done }, done ? "finished" : "reopened");
      if (done) this.#finished();
    } catch {
      keeper.flags.done = !done;
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

new Page(pageData());
