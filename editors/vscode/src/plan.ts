/**
 * A plan as it is reviewed: files with their hunks, other actions, what failed, and what of it is accepted.
 *
 * Knows the result of `plan`. It must not know the editor. A unit is what is accepted or left out as one: a group of
 * hunks, or an action that has none.
 */

import type { FileHunk, PlannedAction, PlannedFile, PlanResult } from './protocol';
import { spliced } from './text';

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
}

export interface ShownFile {
  readonly file: PlannedFile;
  readonly hunks: { hunk: FileHunk; unit: Unit }[];
  /** Of a document that is done as a whole. */
  unit?: Unit;
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
    unit.accepted = unit.approvals.length === 0 && !unit.blocked;
  });
  return { plan, units: all, files, rest, problems, looks, done };
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
    }
  }
  return model.problems.length === earlier.problems.length && model.units.length === earlier.units.length
    && model.units.every((unit, index) => earlier.units[index]?.key === unit.key);
}

/** Returns what to give to `execute`: the ids that are accepted, unless all of it is; and the approvals. */
export function choice(model: Model): { accept?: string[]; approve?: string[] } {
  const accepted = model.units.filter((unit) => unit.accepted);
  const approvals = accepted.flatMap((unit) => unit.approvals);
  const approve = approvals.length > 0 ? { approve: approvals } : {};
  if (accepted.length === model.units.length) {
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

export const NO_BLOCKS = 'it holds no blocks';

/** The reason why a plan has nothing to do, if so. */
export function nothing(model: Model): string | undefined {
  const { problems, plan, looks, done } = model;
  if (model.units.length > 0 || problems.length > 0 || plan.parseErrors.length > 0 || looks.length > 0) {
    return undefined;
  }
  const [first] = plan.notRead ?? [];
  return done.length > 0 ? 'all of its changes hold already; there is nothing left to do'
    : first ? `nothing of it can be read: line ${first.line}: ${first.hint}` : NO_BLOCKS;
}

/** Returns the text of a document with all of a file's hunks in it. */
export function proposed(text: string, file: PlannedFile): string {
  return spliced(text, file.hunks.map(({ start, removed, added }) => [start, start + removed.length, added.join('')]));
}
