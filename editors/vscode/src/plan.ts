/**
 * A plan as it is reviewed, and what of it is accepted.
 *
 * Knows the daemon's `review` of a plan. It must not know the editor.
 */

import type { FileHunk, PlannedFile, PlanResult, Review, ReviewUnit } from './protocol';
import { spliced } from './text';

/** What is accepted or left out as one. */
export interface Unit extends ReviewUnit {
  approvals: string[];
  /** True if the user has left it out. */
  declined?: boolean;
  /** The reason why it cannot be accepted now. */
  blocked?: string | undefined;
  /** Units that are left out if it is accepted. */
  others: Unit[];
}

export interface ShownFile {
  readonly file: PlannedFile;
  readonly units: Unit[];
  readonly hunks: { hunk: FileHunk; unit: Unit }[];
  /** Of a document that is done as a whole. */
  readonly unit?: Unit | undefined;
}

export interface Model {
  readonly plan: PlanResult;
  readonly review: Review;
  readonly units: Unit[];
  readonly files: ShownFile[];
}

/** Makes the model of a plan. `blocked` is the reason why a file cannot be changed now. */
export function modelOf(plan: PlanResult, blocked: (file: PlannedFile) => string | undefined): Model {
  const { review, files = [] } = plan;
  if (!review) {
    throw new Error('clada: a plan without a review');
  }
  const units = review.units.map((unit): Unit => ({ ...unit, approvals: unit.approvals ?? [], others: [] }));
  const byId = new Map(units.map((unit) => [unit.id, unit]));
  const find = (ids: string[] = []) => ids.flatMap((id) => byId.get(id) ?? []);
  units.forEach((unit) => {
    unit.others = find(unit.excludes);
  });
  const shown = files.map((file): ShownFile => {
    const [reason, own] = [blocked(file), find(file.units)];
    own.forEach((unit) => {
      unit.blocked ??= reason;
      unit.accepted &&= !unit.blocked;
    });
    return { file, units: own, hunks: file.hunks.flatMap((hunk) => find([hunk.group]).map((unit) => ({ hunk, unit }))), unit: find(file.group ? [file.group] : [])[0] };
  });
  return { plan, review, units, files: shown };
}

/** Accepts a unit, and leaves out what it excludes; or leaves it out. */
export function decide(unit: Unit, accepted: boolean): void {
  unit.accepted = accepted;
  unit.declined = !accepted;
  (accepted ? unit.others : []).forEach((other) => {
    other.accepted = false;
  });
}

/** Counts the proposals of which nothing is accepted or declined. */
export function undecided({ units }: Model): number {
  const isDecided = ({ accepted, declined, others }: Unit) => accepted || declined || others.some((other) => other.accepted);
  const decided = new Set(units.filter(isDecided).map(({ proposal }) => proposal));
  return new Set(units.map(({ proposal }) => proposal).filter((proposal) => proposal !== undefined && !decided.has(proposal))).size;
}

/** The daemon's advice with this editor's commands in the place of the client's. */
export function advice(text: string): string {
  return text.replace(/`clada apply --to FILE`/g, '*Clada: Apply the Clipboard to This File* in its file')
    .replace(/`clada embed ([^`]*) --copy`/g, '*Clada: Embed for a Prompt* of $1').replace(/; `--copy` puts[^.]*/g, '').replace(/ \(`--copy`\)/g, '');
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
  return model.review.failed === earlier.review.failed && model.units.length === earlier.units.length
    && model.units.every((unit, index) => earlier.units[index]?.key === unit.key);
}

/**
 * Returns what to give to `execute`: the ids that are accepted, unless that is all but the proposals; the approvals; and
 * what the user has declined of proposals.
 */
export function choice({ units, review: { always } }: Model): { accept?: string[]; approve: string[]; decline: string[] } {
  const accepted = units.filter((unit) => unit.accepted);
  const approve = accepted.flatMap(({ approvals }) => approvals);
  const decline = units.filter((unit) => unit.proposal && unit.declined && !unit.accepted).map(({ id }) => id);
  const isAll = units.every((unit) => unit.accepted !== Boolean(unit.proposal));
  return { ...(isAll ? {} : { accept: [...always, ...accepted.map(({ id }) => id)] }), approve, decline };
}

/** Returns what would run, and cannot while documents come back as edits. */
export function commands(model: Model): Unit[] {
  return model.units.filter((unit) => unit.accepted && unit.command);
}

/** Returns the text of a document with all of a file's hunks in it. */
export function proposed(text: string, file: PlannedFile): string {
  return spliced(text, file.hunks.map(({ start, removed, added }) => [start, start + removed.length, added.join('')]));
}
