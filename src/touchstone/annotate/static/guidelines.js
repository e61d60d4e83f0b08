// The guidelines of a project, which open by themselves once: when somebody enters it for the first time.
/** @import { Answer, Project } from "./types.js" */

/** @param {number} project */
const noteOf = (project) => `touchstone:guidelines:${document.documentElement.dataset.account}:${project}`;

/** @param {number} project */
function isRead(project) {
  try {
    return localStorage.getItem(noteOf(project)) !== null;
  } catch {
    return false; // a browser that stores nothing shows them until the first answer is saved
  }
}

/**
 * Note in this browser that the person has read the guidelines of a project.
 * @param {number} project
 */
export function noteRead(project) {
  try {
    localStorage.setItem(noteOf(project), '"read"');
  } catch {
    // they are shown again
  }
}

/**
 * Open the guidelines for somebody who has neither read them nor answered anything in the project.
 * @param {HTMLDialogElement} dialog
 * @param {Project} project
 * @param {Answer} answer the answer that the page shows
 */
export function showAtFirst(dialog, project, answer) {
  dialog.addEventListener("close", () => noteRead(project.id));
  const begins = answer.kind === "annotation" && answer.mine && answer.editable && !project.mine.begun;
  if (begins && !isRead(project.id)) dialog.showModal();
}
