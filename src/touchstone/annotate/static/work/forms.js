// The form of each task that has one.
import { LexsubForm } from "./lexsub-form.js";
import { MtForm } from "./mt-form.js";
import { NliForm } from "./nli-form.js";
/** @import { Form, KeyRow } from "../types.js" */

/** @typedef {(new (view: any, changed: (how?: string) => void) => Form) & { keys: KeyRow[] }} FormClass */

/** @type {Record<string, FormClass>} */
export const FORMS = { nli: NliForm, lexsub: LexsubForm, mt: MtForm };
