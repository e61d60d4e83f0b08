// What a pyramid may be, for the browser and the server: both read this table, so that no rule has two wordings.
//
// A rule of "checks" is broken if its *fact* is larger than *most*, which is a number or another fact. `constraints` here
// and on the server find the facts of each span, contributor, unit, and unit in a summary; of the rules for one of them,
// the first that is broken counts. The server reads what follows the equals sign as JSON.
/** @import { Rule } from "../types.js" */

// biome-ignore format: JSON has quotes around its keys
/** @type {{ limits: { text: number }, labels: { unmatched: string, entry: string }, checks: Record<string, Rule[]> }} */
export const RULES = {
  "limits": {"text": 100000},
  "labels": {"unmatched": "All non-matching SCUs go here", "entry": "({weight}) {label}"},
  "checks": {
    "span": [
      {"rule": "span", "fact": "outside", "most": 0,
       "reason": "[{start}, {end}) is no span of this text of {length} characters"},
      {"rule": "span", "fact": "different", "most": 0,
       "reason": "[{start}, {end}) holds \"{words}\", not \"{label}\""}
    ],
    "contributor": [
      {"rule": "parts", "fact": "empty", "most": 0, "reason": "a contributor needs at least one part"},
      {"rule": "C3", "fact": "header", "most": 0,
       "reason": "a contributor would reach into the header of a summary",
       "hint": "mark words of one summary, without the lines of its header"},
      {"rule": "C3", "fact": "summaries", "most": 1,
       "reason": "a contributor would reach over the summaries {names}",
       "hint": "a contributor lies in one summary"}
    ],
    "summary": [
      {"rule": "C2", "fact": "contributors", "most": 1,
       "reason": "unit {uid} would have two contributors from the summary {summary}",
       "hint": "add the words to the contributor that is there, as a part"}
    ],
    "unit": [
      {"rule": "C1", "fact": "contributors", "most": "models",
       "reason": "unit {uid} would have {contributors} contributors, but there are {models} model summaries",
       "hint": "a unit takes one contributor from each summary"}
    ]
  }
};
