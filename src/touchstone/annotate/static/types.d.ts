// The shapes of the values that these modules exchange with each other and the server: each is declared here, once, for
// the type check (see frontend/tsconfig.json).
import type { ApiError } from "./client.js";
import type * as operations from "./pyramid/operations.js";
import type { Page } from "./pyramid/page.js";
import type { Text } from "./pyramid/text.js";
import type { Workspace } from "./pyramid/workspace.js";
import type { Saver } from "./saving.js";

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

/** What became of an answer that an earlier visit left in this browser. */
export interface Sent {
  id: number;
  answer: Answer | null;
  state: SaveState;
  error: ApiError | null;
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

export type FormClass = (new (view: any, changed: (how?: string) => void) => Form) & { keys: KeyRow[] };

export interface KeyRow {
  keys: string;
  does: string;
}

/** An answer as far as it is shown. */
export type Shown = Pick<Content, "body"> & Partial<Content>;

/** A stretch of a sentence, and whether the other sentence lacks it. */
export interface WordRun {
  text: string;
  differs: boolean;
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
/** The last word on an item, and what saves it. */
export interface Opened {
  last: Answer;
  saver: Saver;
}
/** The items on which people differ, most disagreement first. */
export interface Queue {
  items: { id: number; title: string; distance: number }[];
  several: number;
  agreed: number;
  adjudicated: number;
  figures: { name: string; about: string; value: number | null }[];
}
export interface Account {
  id: number;
  name: string;
  email: string;
  admin: boolean;
  disabled: boolean;
}
export interface Invitation {
  id: number;
  email: string;
  role: string | null;
  admin: boolean;
  expires_at: string;
  project: string | null;
}
/** An invitation with its address, which is shown once. */
export interface InvitationLink {
  email: string;
  url: string;
  expires_at: string;
}
/** How far an import is. */
export interface ImportState {
  state: "reading" | "writing" | "finished" | "failed";
  staged: number;
  total: number;
  items: number;
  answers: number;
  notes: string[];
  error?: { message: string; hint: string | null; problems: { message: string }[] };
}
export interface ScoreTable {
  columns: string[];
  numbers: boolean[];
  rows: string[][];
  notes: string[];
}
/** The output of a system that was uploaded. */
export interface UploadedRun {
  id: number;
  name: string;
  file_name: string;
  size: number;
  created_at: string;
  by: string;
}
/** An output that could not be read. */
export interface RefusedRun {
  name: string;
  file_name: string;
  message: string;
}
/** How the items of the gold were decided, and why others are not in it. */
export interface GoldCounts {
  decided: Record<string, number>;
  left_out: Record<string, number>;
}
export interface Scores {
  tables: ScoreTable[];
  comparisons: { measure: string; table: ScoreTable }[];
  notes: string[];
  short: string;
  gold: GoldCounts;
  at: string;
}
/** What the page of scores shows. */
export interface ScoreBoard {
  runs: UploadedRun[];
  scores: Scores | null;
  current: boolean;
  failed: string | null;
  refused: RefusedRun | null;
  uploads: string[];
  busy: boolean;
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

/** A contributor and where it is. */
export interface Home {
  mark: Mark;
  place: number | null;
  unit: Unit | null;
}

/** What an item of the list is: a unit has a *uid*, a contributor an *id*, a part also an *index* (-1 elsewhere). */
export interface ListItem {
  kind: "unit" | "mark" | "part" | "unassigned" | "new" | "selection";
  uid: string;
  id: string;
  index: number;
}

/** Something that can be done, with its keys. */
export interface Command {
  keys: string[];
  does: string;
  /** "text", kinds of items of the list ("unit", "mark", "part", "unassigned"), or null for everywhere. */
  on: string[] | null;
  when?: (page: Page) => boolean;
  run: (page: Page, item: ListItem) => unknown;
}

type Operations = Omit<typeof operations, "repeatNote">;
/** What each operation takes besides the material and the document. */
export type OperationArguments = {
  [Name in keyof Operations]: Operations[Name] extends (material: Material, doc: Doc, ...given: infer Given) => Doc
    ? Given
    : never;
};

/** A unit or a match that the machine partner proposes. */
export interface Suggested {
  uid: string | null;
  label: string;
  score: number;
  contributors: Span[][];
}

/** A text that is searched. */
export interface SearchPlace {
  text: string;
  where: string;
  uid: string | null;
  id: string | null;
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

/** A finished review, and what saves the decisions about it. */
export interface Reviewed {
  answer: Answer<Review>;
  body: Review;
  saver: Saver | null;
}

/** A rule that is broken if a *fact* is larger than *most*, which is a number or the name of another fact. */
export interface Rule {
  rule: string;
  fact: string;
  most: number | string;
  reason: string;
  hint?: string;
}
export type Facts = Record<string, any>;
export interface Violation {
  rule: string;
  uid: string | null;
  claims: Set<string>;
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

// --- adjudication of pyramids -------------------------------------------------------------------------------------

/** The side that is taken in a disagreement. */
export type Choice = "left" | "right" | "both";
/** The choices by the keys of the disagreements. */
export type Choices = Record<string, Choice>;

/** A unit of one side, and where it is there. */
export interface Piece {
  place: [number, number];
  key: string;
  unit: Unit;
}
/** Where two documents differ; *both* is null, with a reason, if both sides cannot be taken. */
export interface Disagreement {
  key: string;
  kind: string;
  left: Piece[];
  right: Piece[];
  both: Piece[] | null;
  reason: string | null;
}
/** The answers that are compared, those that were decided earlier, and what was chosen. */
export interface Round {
  left: [number, number];
  right: [number, number];
  earlier: number[];
  choices: Choices;
}
export type Adjudicated = Doc & { adjudication: Round };
/** Two documents side by side: what agrees, and where they differ. */
export interface Aligned {
  taken: number;
  agreed: Piece[];
  decisions: Disagreement[];
  left: Doc;
  right: Doc;
  sources: [number, number];
  rest: number[];
  agreement: { alpha?: number | null; kappa?: number | null };
}
/** What the view of a disagreement is given. */
export interface DecisionDesk {
  names: [string, string];
  workspace: Workspace;
  editable: boolean;
  take: (choice: Choice) => void;
}
/** A stretch of a text that belongs to a piece. */
export interface KeyedSpan {
  start: number;
  end: number;
  key: string;
}
/** A summary of a text, or the text as a whole. */
export interface Block {
  id: string;
  name: string;
  start: number;
  end: number;
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
