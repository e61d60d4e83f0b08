// The shapes that the pages and the server exchange, for the type check of these modules (see frontend/tsconfig.json).
import type { Text } from "./pyramid/text.js";

// --- elements -----------------------------------------------------------------------------------------------------

/** The attributes of an element; null, undefined and false leave one out. */
export interface Attributes {
  on?: Record<string, (event: any) => unknown>;
  dataset?: Record<string, string>;
  [name: string]: unknown;
}

export type Child = Node | string | number | null | undefined | false;
/** What an element contains; null, undefined and false are left out. */
export type Children = Child | Children[];

// --- saving -------------------------------------------------------------------------------------------------------

/** What is saved of an answer; the body is that of its task. */
export interface Content<Body = any> {
  body: Body;
  unsure: boolean;
  comment: string;
  done: boolean;
  change?: string;
  /** The version that an undo or a redo restores. */
  restores?: number | null;
}

/** A save: its key never changes, and its version is the one that it follows, null until it is sent. */
export interface Save<Body = any> extends Content<Body> {
  key: string;
  version: number | null;
  seconds: number;
}

export type SaveState = "saved" | "saving" | "offline" | "conflict" | "invalid";

export interface Acknowledgement {
  id: number;
  version: number;
  saved_at: string;
  done: boolean;
}

export interface Revision<Body = any> extends Content<Body> {
  version: number;
  change: string;
  saved_at: string;
  by: string | null;
}

/** A save from an old version: what it started from, what is there now, the save, and what was to follow it. */
export interface Conflict<Body = any> {
  base: Revision<Body> | null;
  current: Revision<Body>;
  yours: Content<Body>;
  waiting: Content<Body> | null;
}

export interface Problem {
  message: string;
  where?: string;
}

// --- answers and items --------------------------------------------------------------------------------------------

export type TaskName = "nli" | "lexsub" | "mt" | "pyramid";
export type Purpose = "work" | "qualification" | "training";

export interface Answer<Body = any> extends Content<Body> {
  id: number;
  item_id: number;
  project_id: number;
  kind: "annotation" | "adjudicated" | "imported" | "review" | "known";
  version: number;
  keys: string[];
  task: TaskName;
  purpose: Purpose;
  author: string | null;
  mine: boolean;
  editable: boolean;
  /** Why it is not editable; null if it is. */
  why_closed: string | null;
  outdated: boolean;
  seconds: number;
  about_id: number | null;
  partner?: boolean;
  item: { id: number; kind: string; title: string; view: any };
}

export interface NliView {
  premise: string;
  hypothesis: string;
}
export interface LexsubView {
  target: string;
  pos: "n" | "v" | "a" | "r" | null;
  left: string | null;
  head: string | null;
  right: string | null;
}
export interface Hypothesis {
  label: string;
  text: string;
}
export interface MtView {
  judgement: "scales" | "ranking";
  source: string | null;
  references: string[];
  hypotheses: Hypothesis[];
}
export interface PyramidView {
  lines: string[];
  summaries: Summary[];
  models: number | null;
  pyramid: Pyramid | null;
}

export interface NliBody {
  q1: boolean | null;
  q2: boolean | null;
  q3: boolean | null;
}
export interface LexsubBody {
  substitutes: string[];
  none: boolean;
}
export interface MtBody {
  adequacy: number | null;
  fluency: number | null;
  ranks: Record<string, number | null>;
}

/** A question with a few numbered answers. */
export interface Asked {
  name: string;
  legend: Node | string;
  hint?: string;
  options: { value: unknown; label: string; note?: string }[];
}

/** A form of a task. */
export interface Form<Body = any> {
  element: HTMLElement;
  readOnly: boolean;
  read(): Body;
  write(body: Body): void;
  missing(): string | null;
  wrong?(): string | null;
  focus(): boolean;
  focusFirst(): void;
  key(event: KeyboardEvent): boolean;
}

export interface KeyRow {
  keys: string;
  does: string;
}

/** A duty of somebody in a project. */
export interface WorkRow {
  item_id: number;
  answer_id: number | null;
  title: string;
  unsure?: boolean;
  duty: "annotate" | "review";
  purpose: Purpose;
  done: boolean;
  closed?: boolean;
  waits_for?: string | null;
}

export interface Project {
  id: number;
  name: string;
  task: TaskName;
  version: number;
  archived: boolean;
  role: string;
  /** What the person has to do in it, and whether they have saved anything yet. */
  mine: { assigned: number; done: number; begun: boolean };
  settings: { note: string; pass_mark: number; pseudonyms?: boolean; partner?: string };
}

// --- pages of managers --------------------------------------------------------------------------------------------

/** An item in the list of a project. */
export interface ItemRow {
  id: number;
  title: string;
  key: string;
  agree: boolean | null;
  adjudicated: boolean;
  unsure: number;
  done: number;
  assigned: number;
  waits_for: string | null;
}
/** An item with the answers to it. */
export interface ItemPage {
  id: number;
  title: string;
  view: any;
  project: Project;
  answers: (Answer & { derived: { figures?: Record<string, unknown> } })[];
}
export interface Member {
  pseudonym?: string | null;
  id: number;
  name: string;
  email: string;
  role: string;
  assigned: number;
  done: number;
  unsure: number;
  seconds: number;
  median_seconds: number | null;
  qualification: {
    required: boolean;
    score: number | null;
    passed: boolean | null;
    done: number;
    items: number;
    attempt: number;
  };
}
/** How far a project is. */
export interface Progress {
  items: number;
  assigned: number;
  done: number;
  adjudicated: number;
  annotators: Member[];
  days: { day: string; done: number }[];
}
/** A figure of agreement. */
export interface Figure {
  about: string;
  name: string;
  distance: string | null;
  value: number | null;
  reason: string | null;
  low: number | null;
  high: number | null;
  units: number;
  unit: string;
  answers: number;
  left_out: number;
}
/** What a model of the annotators says about one question. */
export interface Estimates {
  question: string;
  annotators: {
    name: string;
    answers: number;
    accuracy: number;
    low: number | null;
    high: number | null;
    another_look: boolean;
  }[];
  items: {
    item: string;
    part: string | null;
    votes: Record<string, number>;
    majority: string | null;
    estimate: string;
    probability: number;
  }[];
  notes: string[];
}
/** Finished answers with or without the machine partner. */
export interface PartnerSide {
  kind: string;
  helped: boolean;
  answers: number;
  median_seconds: number | null;
  score: { mean: number; low: number; high: number } | null;
  agreement: { figures: Figure[] };
}
/** A line of the log. */
export interface LogEntry {
  id: number;
  at: string;
  actor: string;
  action: string;
  object: string;
  object_id: number | null;
  detail: Record<string, unknown> | null;
}

// --- pyramids -----------------------------------------------------------------------------------------------------

/** Start and end in code points, the end not included. */
export type Span = [number, number];

export interface Part {
  label: string;
  start: number;
  end: number;
}
export interface Mark {
  id: string;
  label: string;
  comment: string | null;
  parts: Part[];
}
export interface Unit {
  uid: string;
  label: string;
  comment: string | null;
  contributors: Mark[];
}
export interface Doc {
  format: string;
  units: Unit[];
  unassigned: Mark[];
  next: { unit: number; contributor: number };
  /** The choices of an adjudication, by decision. */
  adjudication?: { choices: Record<string, any> };
}
export interface Summary {
  id: string;
  start: number;
  end: number;
}
/** A finished pyramid that a peer is read against. */
export interface Pyramid {
  scus: { uid: string; label: string; contributors: { label: string }[] }[];
  models: number | null;
  summaries: Summary[];
}
export interface Material {
  peer: boolean;
  text: Text;
  summaries: Summary[];
  models: number | null;
  pyramid: Pyramid | null;
}

/** What an item of the list is: a unit has a *uid*, a contributor an *id*, a part also an *index* (-1 elsewhere). */
export interface ListItem {
  kind: "unit" | "mark" | "part" | "unassigned" | "new" | "selection";
  uid: string;
  id: string;
  index: number;
}

export interface Delta<One> {
  items: Record<string, [One | null, One | null]>;
  order: [string[], string[]] | null;
}
export interface Change {
  name: string;
  said: string;
  units: Delta<Unit>;
  unassigned: Delta<Mark>;
}
export interface Proposal {
  key: string;
  about: string;
  verdict: "accept" | "comment" | "change";
  comment: string;
  change: Change | null;
}
export interface Decision {
  taken: boolean | null;
  reply: string;
}
export interface Review {
  proposals: Proposal[];
  decisions: Record<string, Decision>;
}

export interface Violation {
  rule: string;
  uid: string | null;
  marks: Set<string>;
  about: Set<string>;
  reason: string;
  hint: string | null;
}

/** A state of a document; without *doc*, it is on the server. */
export interface State {
  doc: Doc | null;
  said: string;
  version: number | null;
}

/** How an answer to a training item compares with the prepared one. */
export interface PyramidFeedback {
  f1: number;
  kappa: number | null;
  reason: string | null;
  hit: string[];
  missed: string[];
  extra: string[];
  modified: number | null;
  prepared: number | null;
  difference: number | null;
  alpha: number | null;
  mean_weight: number | null;
  prepared_mean_weight: number | null;
  pairs: { prepared: string; own: string; similarity: number; weights: [number, number] }[];
}

/** What the page of a pyramid is given. */
export interface PageData {
  answer: Answer;
  project: Project;
  reviewed: Answer<Doc> | null;
  reviews: Answer<Review>[];
}

/** What happens in a workspace, and what is told about it. */
export interface WorkspaceEvents {
  change: string;
  undone: null;
  selection: null;
  current: { reveal: boolean };
  lit: { uids: Set<string>; ids: Set<string> };
  status: { message: string; kind: string; hint: string | null };
  view: string;
  word: string;
}

/** A part of the text on the page, and the contributor and unit that it belongs to. */
export interface HeldPart extends Part {
  id: string;
  uid: string | null;
}

/** A stretch of the text on the page, and what holds it. */
export interface Segment {
  start: number;
  end: number;
  element: HTMLElement;
  node: globalThis.Text;
  uids: string[];
  ids: string[];
}

declare global {
  /** Browsers with trusted types; the others have none. */
  var trustedTypes:
    | {
        createPolicy(
          name: string,
          rules: { createScriptURL(url: string): string },
        ): { createScriptURL(url: string): string };
      }
    | undefined;
}
