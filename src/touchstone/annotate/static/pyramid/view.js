// What the elements of the page of a pyramid share: the workspace that they show.
/** @import { Workspace } from "./workspace.js" */

export class View extends HTMLElement {
  /** @type {Workspace|null} */
  #workspace = null;

  get workspace() {
    if (!this.#workspace) throw new Error("the element shows no workspace yet");
    return this.#workspace;
  }

  /** @param {Workspace} workspace */
  set workspace(workspace) {
    this.#workspace = workspace;
  }
}
