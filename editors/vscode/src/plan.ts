/**
 * A plan as it is reviewed: files with their hunks, other actions, what failed, and what of it is accepted.
 *
 * Knows the result of `plan`. It must not know the editor. A unit is what is accepted or left out as one: a group of
 * hunks, or an action that has none.
 */

import type { EditedPlace, FileHunk, NotRead, PlannedAction, PlannedFile, PlanResult, Proposal } from './protocol';
import { lines, spliced } from './text';

export interface Unit {
  readonly id: string;
  accepted: boolean;
  /** Ids of the approvals that accepting it gives. */
  readonly approvals: string[];
  /** The tasks that it is of. */
  readonly tasks: string[];
  /** The reason why it cannot be accepted now. */
  blocked?: string | undefined;
  /** Its content, by which it is known in another plan of the same answer. */
  key: string;
  /** Of an action without hunks. */
  action?: PlannedAction;
  /** The proposal that it is of: only the user accepts it. */
  proposal?: Proposal;
  /** True if the user has left out what was accepted of a proposal. */
  declined?: boolean;
  /** Units that are left out if it is accepted: one of several versions or places. */
  others?: Unit[];
}

export interface ShownFile {
  readonly file: PlannedFile;
  readonly hunks: { hunk: FileHunk; unit: Unit }[];
  /** Of a document that is done as a whole. */
  unit?: Unit;
  /** The proposal that changes it. */
  proposal?: Proposal;
}

export interface Model {
  readonly plan: PlanResult;
  readonly units: Unit[];
  readonly files: ShownFile[];
  /** Actions without a document, as commands. */
  readonly rest: Unit[];
  readonly problems: PlannedAction[];
  /** Actions that only read. */
  readonly looks: PlannedAction[];
  /** Actions whose change holds already. */
  readonly done: PlannedAction[];
}

/** The file of a proposal as it is reviewed; of a daemon that tells no hunks, one without. */
function fileOf(proposal: Proposal): PlannedFile {
  const { form, path, newPath, id } = proposal;
  const kind = form === 'new' ? 'create' : form === 'delete' || form === 'move' ? form : 'change';
  return proposal.file ??= { path: newPath ?? path, ...(newPath === undefined ? {} : { oldPath: path }), uri: '', kind, hunks: [], group: id };
}

/**
 * The proposals of a plan; those that need attention come first. A part is offered as a part alone: as the whole file it removes the
 * rest, which only `clada apply` asks about.
 */
function proposals(plan: PlanResult): Proposal[] {
  const all = (plan.proposals ?? []).filter(({ wholeOf }) => wholeOf === undefined);
  const needsAttention = ({ attention }: Proposal) => (attention?.length ?? 0) > 0;
  return [...all.filter(needsAttention), ...all.filter((each) => !needsAttention(each))];
}

/** The files of a plan, with those of its proposals first. */
export function filesOf(plan: PlanResult): PlannedFile[] {
  return [...proposals(plan).map(fileOf), ...plan.files ?? []];
}

/** Accepts a unit, and leaves out what it excludes; or leaves it out. */
export function decide(unit: Unit, accepted: boolean): void {
  unit.accepted = accepted;
  unit.declined = !accepted;
  (accepted ? unit.others ?? [] : []).forEach((other) => {
    other.accepted = false;
  });
}

/** Counts the proposals of which nothing is accepted or declined. */
export function undecided(model: Model): number {
  return model.files.filter((shown) => shown.proposal && unitsOf(shown).every(({ accepted, declined, others }) =>
    !accepted && !declined && !others?.some((other) => other.accepted))).length;
}

/** The daemon's advice with this editor's commands in the place of the client's. */
export function advice(text: string): string {
  return text.replace(/`clada apply --to FILE`/g, '*Clada: Apply the Clipboard to This File* in its file')
    .replace(/`clada embed ([^`]*) --copy`/g, '*Clada: Embed for a Prompt* of $1').replace(/; `--copy` puts[^.]*/g, '').replace(/ \(`--copy`\)/g, '');
}

/** The words for a part of the answer that is not applied, with what to do about it. */
export function notice({ line, path, hint }: NotRead): string {
  return `not applied, line ${line} of the answer: ${path === undefined ? '' : `${path}: `}${advice(hint)}`;
}

/** Makes the model of a plan. `blocked` is the reason why a file cannot be changed now. */
export function modelOf(plan: PlanResult, blocked: (file: PlannedFile) => string | undefined): Model {
  const owner = new Map<string, PlannedAction>();
  for (const action of plan.actions) {
    owner.set(action.id, action);
    action.hunks.forEach((hunk) => owner.set(hunk.id, action));
  }
  const units = new Map<string, Unit>();
  const covered = new Set<PlannedAction>();
  const unitOf = (id: string, key: string): Unit => {
    const unit = units.get(id) ?? { id, accepted: true, approvals: [], tasks: [], key: '' };
    units.set(id, unit);
    unit.key += key;
    return unit;
  };
  const cover = (unit: Unit, action: PlannedAction | undefined) => {
    if (action) {
      covered.add(action);
      unit.tasks.push(action.task);
      const approval = action.needsApproval;
      if (approval && !unit.approvals.includes(approval)) {
        unit.approvals.push(approval);
      }
    }
  };
  const proposed = proposals(plan).map((proposal): ShownFile => {
    const file = fileOf(proposal);
    const offer = (id: string, key: string[]) => {
      const unit = unitOf(id, key.join('\0'));
      unit.proposal = proposal;
      unit.blocked ??= blocked(file);
      unit.approvals.splice(0, Infinity, ...(proposal.needsApproval ? [proposal.needsApproval] : []));
      return unit;
    };
    const hunks = file.hunks.map((hunk) => ({ hunk, unit: offer(hunk.group, [file.path, hunk.removed.join(''), hunk.added.join('')]) }));
    return hunks.length > 0 ? { file, hunks, proposal } : { file, hunks, proposal, unit: offer(proposal.id, [proposal.form, file.path, proposal.diff]) };
  });
  const offered = [...units.values()];
  offered.forEach((unit) => {
    const { id, alternatives = [] } = unit.proposal!;
    unit.others = offered.filter(({ proposal }) => proposal!.id !== id && alternatives.includes(proposal!.id));
  });
  const files = (plan.files ?? []).map((file): ShownFile => {
    const reason = blocked(file);
    const hunks = file.hunks.map((hunk) => {
      const unit = unitOf(hunk.group, [file.path, hunk.removed.join(''), hunk.added.join('')].join('\0'));
      hunk.parts.forEach((part) => cover(unit, owner.get(part)));
      unit.blocked ??= reason;
      return { hunk, unit };
    });
    if (file.group === undefined) {
      return { file, hunks };
    }
    const unit = unitOf(file.group, hunks.length > 0 ? '' : [file.kind, file.path, file.oldPath].join('\0'));
    (file.parts ?? []).forEach((part) => cover(unit, owner.get(part)));
    unit.blocked ??= reason;
    return { file, hunks, unit };
  });
  const rest: Unit[] = [];
  const problems: PlannedAction[] = [];
  const looks: PlannedAction[] = [];
  const done: PlannedAction[] = [];
  for (const action of plan.actions) {
    if (action.unchanged || action.unplannable?.kind === 'answer_already_applied') {
      done.push(action);
    } else if (action.unplannable) {
      problems.push(action);
    } else if (action.looks) {
      looks.push(action);
    } else if (!covered.has(action)) {
      const unit = unitOf(action.id, words(action) + (action.diff ?? ''));
      unit.action = action;
      cover(unit, action);
      rest.push(unit);
    }
  }
  const all = [...units.values()];
  all.forEach((unit) => {
    unit.accepted = unit.approvals.length === 0 && !unit.blocked && !unit.proposal;
  });
  return { plan, units: all, files: [...proposed, ...files], rest, problems, looks, done };
}

/** Returns the words for an action that is not shown by hunks. */
export function words(action: PlannedAction): string {
  return action.command !== undefined ? `run ${action.command}`
    : `${action.action} ${action.path ?? ''}${action.newPath ? ` → ${action.newPath}` : ''}`;
}

/** Counts what is accepted, and all that could be. */
export function count(model: Model): [accepted: number, all: number] {
  return [model.units.filter((unit) => unit.accepted).length, model.units.length];
}

/** Takes over the decisions of an earlier model about the same changes. Returns true if there are no others. */
export function carry(model: Model, earlier: Model): boolean {
  const known = new Map(earlier.units.map((unit) => [unit.key, unit]));
  for (const unit of model.units) {
    const before = known.get(unit.key);
    if (before && !unit.blocked && !before.blocked) {
      // An approval is of one plan's content: the same content has the same id.
      const isApproved = unit.approvals.every((id) => before.approvals.includes(id));
      unit.accepted = before.accepted && isApproved;
      unit.declined = before.declined ?? false;
    }
  }
  return model.problems.length === earlier.problems.length && model.units.length === earlier.units.length
    && model.units.every((unit, index) => earlier.units[index]?.key === unit.key);
}

/**
 * Returns what to give to `execute`: the ids that are accepted, unless that is all but the proposals; the approvals; and
 * the proposals that the user has declined.
 */
export function choice(model: Model): { accept?: string[]; approve?: string[]; decline?: string[] } {
  const accepted = model.units.filter((unit) => unit.accepted);
  const approvals = accepted.flatMap((unit) => unit.approvals);
  const left = model.files.filter((shown) => shown.proposal && !unitsOf(shown).some((unit) => unit.accepted));
  const decline = left.filter((shown) => unitsOf(shown).some((unit) => unit.declined)).map(({ proposal }) => proposal!.id);
  const approve = { ...(approvals.length > 0 ? { approve: approvals } : {}), ...(decline.length > 0 ? { decline } : {}) };
  if (model.units.every((unit) => unit.accepted !== Boolean(unit.proposal))) {
    return approve;
  }
  const { looks, problems, done } = model;
  return { accept: [...accepted, ...looks, ...problems, ...done].map(({ id }) => id), ...approve };
}

/** Returns the tasks of which nothing is accepted. */
export function declined(model: Model): Set<string> {
  const tasks = (accepted: boolean) => model.units.filter((unit) => unit.accepted === accepted).flatMap((unit) => unit.tasks);
  const accepted = new Set(tasks(true));
  return new Set(tasks(false).filter((task) => !accepted.has(task)));
}

/** Returns the units of a file, each once. */
export function unitsOf(shown: ShownFile): Unit[] {
  return [...new Set([...(shown.unit ? [shown.unit] : []), ...shown.hunks.map(({ unit }) => unit)])];
}

/** Counts what would run, and cannot while documents come back as edits. */
export function commands(model: Model): Unit[] {
  return model.units.filter((unit) => unit.accepted && unit.action?.command !== undefined);
}

export const NO_BLOCKS = 'it holds no change of a file';

/** The reason why a plan has nothing to do, if so. */
export function nothing(model: Model): string | undefined {
  const { problems, plan, looks, done } = model;
  if (model.units.length > 0 || problems.length > 0 || plan.parseErrors.length > 0 || looks.length > 0) {
    return undefined;
  }
  const { notRead = [], already = [], warnings = [] } = plan;
  const [first] = notRead;
  return done.length > 0 ? 'all of its changes hold already; there is nothing left to do'
    : already.length > 0 ? `already as in the answer: ${already.join(', ')}`
      : first ? `${notice(first)}${notRead.length > 1 ? ` (and ${notRead.length - 1} more)` : ''}`
        : warnings.map(({ message }) => advice(message)).join('\n') || NO_BLOCKS;
}

/** Returns the text of a document with all of a file's hunks in it. */
export function proposed(text: string, file: PlannedFile): string {
  return spliced(text, file.hunks.map(({ start, removed, added }) => [start, start + removed.length, added.join('')]));
}

/** Returns why the new lines of a hunk cannot be edited, if that is so. */
export function notEditable(hunk: FileHunk, { approvals }: Unit): string | undefined {
  return approvals.length > 0 ? 'it is approved as it is shown, or not at all'
    : hunk.parts.length !== 1 ? 'several actions change these lines: edit them in the file, after it' : undefined;
}

/** Returns a hunk with a text in the place of its new lines, which end as those that it has. */
export function editedPlace({ parts, start, removed, added }: FileHunk, text: string): EditedPlace {
  const known = added.length > 0 ? added : removed;
  const end = known[0]?.endsWith('\r\n') ? '\r\n' : '\n';
  const bare = lines(text).map((line) => line.replace(/[\r\n]+$/, ''));
  const isOpen = known.length > 0 && !known.at(-1)?.endsWith('\n');
  const edited = bare.map((line, index) => isOpen && index === bare.length - 1 ? line : line + end);
  return { part: parts[0] ?? '', start, removed, added, lines: edited };
}
