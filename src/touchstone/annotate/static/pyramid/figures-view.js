// <pyramid-figures>: the tiers of a pyramid drawn as it grows, or what a peer scores so far.
import { el, scrolled } from "../client.js";
import { ask } from "./dialogs.js";
import { peerFigures, pyramidFigures } from "./figures.js";
import { View } from "./view.js";
/** @import { PyramidUnits } from "./unit-list.js" */
/** @import { Workspace } from "./workspace.js" */

/**
 * @param {number|null} value
 * @param {number} [digits]
 */
const number = (value, digits = 4) => (value === null ? "–" : value.toFixed(digits));

export class PyramidFigures extends View {
  /** @type {PyramidUnits|null} */
  units = null;

  /**
   * @param {Workspace} workspace
   * @param {PyramidUnits} units
   */
  begin(workspace, units) {
    this.workspace = workspace;
    this.units = units;
    this.draw();
    workspace.on("change", () => this.draw());
  }

  draw() {
    const { material, doc } = this.workspace;
    this.replaceChildren(
      ...(material.peer ? this.#peer(peerFigures(material, doc)) : this.#pyramid(pyramidFigures(material, doc))),
    );
  }

  /** @param {ReturnType<typeof pyramidFigures>} figures */
  #pyramid(figures) {
    const widest = Math.max(1, ...figures.tiers.map(([, units]) => units));
    const tiers = figures.tiers.map(([weight, units]) => {
      const bar = el("span", { class: "bar" });
      bar.style.width = `${Math.max(4, (100 * units) / widest)}%`;
      const said = `weight ${weight}: ${units} unit${units === 1 ? "" : "s"}`;
      return el(
        "li",
        {},
        el(
          "button",
          { type: "button", title: said, "aria-label": said, on: { click: () => this.#goTo(weight) } },
          el("span", { class: "weight" }, String(weight)),
          bar,
          el("span", { class: "count" }, String(units)),
        ),
      );
    });
    return [
      el(
        "ol",
        { class: "tiers", "aria-label": "Tiers" },
        tiers.length ? tiers : el("li", { class: "quiet" }, "The tiers appear here."),
      ),
      facts([
        ["units", figures.units, "content units"],
        ["total", figures.total, "contributors of all units"],
        ["mean weight", number(figures.meanWeight, 2), "total / units"],
        ["X", figures.average ?? "–", "units of an average model summary: total / models, rounded half up"],
        ["optimum", figures.optimum ?? "–", "the most that X units can earn"],
        ["covered", `${Math.round(100 * figures.covered)} %`, "letters of the summaries that units cover"],
      ]),
    ];
  }

  /** @param {ReturnType<typeof peerFigures>} figures */
  #peer(figures) {
    const why = el("button", { type: "button", class: "button small", dataset: { command: "derive" } }, "How?");
    why.addEventListener("click", () => this.derive());
    return [
      facts([
        ["modified", number(figures.modified), "credit / optimum(X)", "strong"],
        ["original", number(figures.original), "credit / the optimum of as many units as the peer has contributors"],
        ["credit", figures.credit, "weights of the units found"],
        ["found", figures.count, "units found"],
        ["repeats", figures.repeats, "further contributors of units found: they earn nothing"],
        ["no unit", figures.unmatched, "contributors that match no unit"],
        ["X", figures.average ?? "–", "units of an average model summary"],
      ]),
      why,
    ];
  }

  /** @param {number} weight */
  #goTo(weight) {
    this.workspace.setSort("weight");
    this.units?.querySelector(`[data-tier="${weight}"]`)?.scrollIntoView({ block: "start" });
  }

  /** Show how the optimum and the scores come about. */
  derive() {
    const { material, doc } = this.workspace;
    if (!material.peer) return null;
    const figures = peerFigures(material, doc);
    if (figures.average === null)
      return ask(
        "The pyramid is too small",
        el("p", {}, `A total weight of ${figures.total} from ${figures.models} models gives no X to score against.`),
        { cancel: false },
      );
    const heads = ["weight", "units", "in the summary", "taken for the optimum", "earn", "so far"];
    const table = el(
      "table",
      { class: "table" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((head) => el("th", { class: "number", scope: "col" }, head)),
        ),
      ),
      el(
        "tbody",
        {},
        figures.derivation.map((row) =>
          el(
            "tr",
            {},
            row.map((cell) => el("td", { class: "number" }, String(cell))),
          ),
        ),
      ),
    );
    const notes = [
      `X = ${figures.total} / ${figures.models} rounded half up = ${figures.average}; the best ${figures.average} units earn ${figures.optimum}.`,
      `modified = ${figures.credit} / ${figures.optimum} = ${number(figures.modified)}`,
      figures.credit
        ? `original = ${figures.credit} / ${figures.most} = ${number(figures.original)}: the best that ${figures.size} contributor${figures.size === 1 ? "" : "s"} can earn`
        : "original = 0: nothing was found",
    ];
    return ask("How the score comes about", [scrolled("Derivation", table), notes.map((one) => el("p", {}, one))], {
      wide: true,
      cancel: false,
    });
  }
}

/** @param {[string, string|number, string, string?][]} rows */
function facts(rows) {
  return el(
    "dl",
    { class: "facts" },
    rows.map(([name, value, why, kind]) =>
      el(
        "div",
        { title: why, class: kind, dataset: { figure: name } },
        el("dt", {}, name),
        el("dd", {}, String(value)),
      ),
    ),
  );
}

customElements.define("pyramid-figures", PyramidFigures);
