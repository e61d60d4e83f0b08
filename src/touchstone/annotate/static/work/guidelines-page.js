// The guidelines on a page of their own: who was here need not be shown them again.
import { pageData } from "../client.js";
import { noteRead } from "../guidelines.js";
/** @import { Project } from "../types.js" */

/** @type {{ project: Project }} */
const { project } = pageData();
noteRead(project.id);
