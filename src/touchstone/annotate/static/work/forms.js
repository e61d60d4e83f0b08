// The form of each task that has one.
import { LexsubForm } from "./lexsub-form.js";
import { MtForm } from "./mt-form.js";
import { NliForm } from "./nli-form.js";
/** @import { FormClass } from "../types.js" */

/** @type {Record<string, FormClass>} */
export const FORMS = { nli: NliForm, lexsub: LexsubForm, mt: MtForm };
